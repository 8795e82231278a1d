# course.gp - a configuration along the runs: time against the first run, with its 95 % interval; the change, where there is one.
# DATA: csv with run,percent,low,high,name. MORE: the title, and the index of the run at which the change begins (-1: none).
data = ARG1
out = ARG2
wide = 600
high = 330
load ARG0[1:strlen(ARG0) - strlen('course.gp')].'style.gp'

set title ARG3 noenhanced
set ylabel 'slower than at first, %'
unset key
set xtics rotate by -45 font ',10' noenhanced
stats data using 'run' nooutput
every_nth = int((STATS_max - STATS_min) / 16) + 1
name(i, text) = int(i) % every_nth ? '' : text
if (ARG4 + 0 >= 0) {
	set arrow from first ARG4 - 0.5, graph 0 to first ARG4 - 0.5, graph 1 nohead linecolor rgb bad linewidth 1.5 dashtype 2
}
plot 0 with lines linecolor rgb pale notitle, \
	data using 'run':'percent':'low':'high':xtic(name(column('run'), strcol('name'))) with yerrorbars linetype 1, \
	data using 'run':'percent' with lines linetype 1 linewidth 1
