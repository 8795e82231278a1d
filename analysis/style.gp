# style.gp - what all plots share: terminal by the output's suffix, colours that colour-blind readers can tell apart, a quiet grid.
# A plot is called as  gnuplot -c analysis/NAME.gp DATA OUTPUT.svg|OUTPUT.png [MORE]  and sets `out` before it loads this.

ink = '#24292f'
pale = '#d0d7de'
hue1 = '#0072b2'
hue2 = '#d55e00'
hue3 = '#009e73'
hue4 = '#cc79a7'
hue5 = '#56b4e9'
hue6 = '#e69f00'
bad = '#c1121f'

if (!exists('wide')) wide = 900
if (!exists('high')) high = 540
if (!exists('plot_name')) plot_name = 'plot'
suffix = out[strlen(out) - 3:strlen(out)]
if (suffix eq '.png') {
	set terminal pngcairo size wide, high font 'sans,11' background '#ffffff'
} else {
	set terminal svg size wide, high dynamic font 'sans,14' name plot_name
}
set output out

set border 3 linecolor rgb ink linewidth 1
set tics nomirror textcolor rgb ink
set grid linecolor rgb pale linewidth 0.8 linetype 1 dashtype 1
set key top left reverse Left textcolor rgb ink samplen 2
set title textcolor rgb ink
set xlabel textcolor rgb ink
set ylabel textcolor rgb ink
set datafile separator ','
do for [i = 1:6] {
	set linetype i linecolor rgb value('hue'.i) linewidth 2 pointtype 7 pointsize 0.5
}

# 65536 is 64K on an axis of sizes.
size_name(bytes) = bytes >= 1073741824 ? sprintf('%gG', bytes / 1073741824) : bytes >= 1048576 ? sprintf('%gM', bytes / 1048576) : \
	bytes >= 1024 ? sprintf('%gK', bytes / 1024) : sprintf('%g', bytes)
