# busbw.gp - bus bandwidth over size, a panel a transport. Called with folder (files transport.collective), output, format.
files = system("ls '".folder."' | sort")
transports = system("ls '".folder."' | cut -d. -f1 | sort -u")
panels = words(transports)

if (format eq 'svg') {
	set terminal svg size 460*panels+40, 400 font 'DejaVu Sans,11' background 'white'
} else {
	set terminal pngcairo size 2*(460*panels+40), 800 font 'DejaVu Sans,11' fontscale 2 linewidth 2 background 'white'
}
set output output

colour(c) = c eq 'all_reduce' ? 0x0072b2 : c eq 'reduce_scatter' ? 0xd55e00 : c eq 'all_gather' ? 0x009e73 \
	: c eq 'alltoall' ? 0xcc79a7 : c eq 'sendrecv' ? 0x888888 : 0x56b4e9
bytes_name(x) = x >= 2**30 ? sprintf('%dG', x/2**30) : x >= 2**20 ? sprintf('%dM', x/2**20) : x >= 2**10 ? sprintf('%dK', x/2**10) : sprintf('%d', x)

set logscale x 2
set border 3 lc rgb '#606060'
set tics nomirror textcolor rgb '#404040'
set grid y lc rgb '#e4e4e4' lt 1
set key top left reverse Left samplen 1.5 textcolor rgb '#303030'
set xlabel 'size of a rank''s buffer' textcolor rgb '#404040'
set yrange [0:*]
set format x ''
set for [e=3:34:2] xtics add (bytes_name(2.0**e) 2.0**e)
set multiplot layout 1, panels
do for [p=1:panels] {
	transport = word(transports, p)
	set title transport font ',13' textcolor rgb '#202020'
	if (p == 1) { set ylabel 'bus bandwidth, GB/s' textcolor rgb '#404040' } else { unset ylabel }
	mine = system("ls '".folder."' | sort | grep '^".transport."\\.'")
	plot for [f in mine] folder.'/'.f using 1:2 with linespoints pt 7 ps 0.5 lw 2 \
		dt (f eq transport.'.sendrecv' ? 2 : 1) lc rgb colour(f[strstrt(f, '.')+1:*]) title f[strstrt(f, '.')+1:*] noenhanced
}
unset multiplot
