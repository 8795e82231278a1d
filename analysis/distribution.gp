# distribution.gp - share of the samples that took no longer than x times the median. A series a collective.
# DATA: csv with series,x,share. MORE: the title, and the names of the series with blanks between.
data = ARG1
out = ARG2
wide = 640
high = 440
load ARG0[1:strlen(ARG0) - strlen('distribution.gp')].'style.gp'

names = ARG4
mine(i, value) = column('series') == i ? value : NaN
set title ARG3 noenhanced
set xlabel 'time of an operation, times the median'
set ylabel 'share of operations'
set xrange [*<0.8:1.2<*<4]
set yrange [0:1]
set key bottom right
set datafile missing NaN
plot for [i = 1:words(names)] data using (mine(i, column('x'))):'share' with steps linetype i title word(names, i) noenhanced
