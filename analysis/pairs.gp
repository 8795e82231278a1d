# pairs.gp - heat map of the pairs' shares of the common level. DATA is written by busbar pairs --matrix; MORE: a rail's number.
data = ARG1
out = ARG2
rail = ARGC > 2 ? ARG3 + 0 : 0
wide = 720
high = 640
load ARG0[1:strlen(ARG0) - strlen('pairs.gp')].'style.gp'

set title 'Bandwidth of each pair, share of the common level'
set xlabel 'receiver'
set ylabel 'sender'
unset grid
unset key
set border 15
set xtics rotate by -45
set palette defined (0 bad, 0.5 '#f4a582', 0.9 '#f7f7f7', 1 '#92c5de', 1.2 hue1)
set cbrange [0:1.2]
set cblabel 'share' textcolor rgb ink
set yrange [] reverse
set size ratio -1
set style fill solid 1 noborder
x(to) = column('rail') == rail ? to : 1/0
plot data using (x(column('to_index'))):'from_index':(0.5):(0.5):'share':xtic(strcol('to')):ytic(strcol('from')) \
		with boxxyerror fillcolor palette, \
	data using (x(column('to_index'))):'from_index':(sprintf('%.0f', 100 * column('share'))) with labels textcolor rgb ink font ',10'
