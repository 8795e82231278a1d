# busbw.gp - bus bandwidth over size, a panel a transport. Called by launch/plot.sh with
# gp (the folder of style.gp), folder (files named transport.collective) and output.
# A panel's name has '~' for blanks and '_' for dots.
panel_names = system("ls '".folder."' | cut -d. -f1 | sort -u")
panels = words(panel_names)

out = output
wide = 460 * panels + 40
high = 420
load gp.'/style.gp'
set datafile separator whitespace

collective(file) = substr(file, strstrt(file, '.') + 1, strlen(file))
colour(c) = c eq 'all_reduce' ? hue1 : c eq 'reduce_scatter' ? hue2 : c eq 'all_gather' ? hue3 : c eq 'alltoall' ? hue4 : c eq 'sendrecv' ? '#8c959f' : hue5

set logscale x 2
set xlabel 'size of a rank''s buffer, bytes' offset 0, 0.3
set yrange [0:*]
set offsets graph 0.03, graph 0.03, graph 0.05, 0
set key outside bottom center horizontal nobox samplen 1.5
set format x ''
set for [e=2:34:2] xtics add (size_name(2.0**e) 2.0**e)
set multiplot layout 1, panels
do for [p=1:panels] {
	panel = word(panel_names, p)
	set title system("echo '".panel."' | tr '~_' ' .'") font ',13'
	if (p == 1) { set ylabel 'bus bandwidth, GB/s' } else { unset ylabel }
	mine = system("ls '".folder."' | sort | grep '^".panel."\\.'")
	plot for [f in mine] folder.'/'.f using 1:2 with linespoints pointtype 7 pointsize 0.5 linewidth 2 \
		linecolor rgb colour(collective(f)) title collective(f) noenhanced
}
unset multiplot
