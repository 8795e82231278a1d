# tiers.gp - how many times faster the second network is, over size, beside what the model expects. A series a collective.
# DATA: csv with series,bytes,ratio,low,high,predicted. MORE: the title, and the names of the series with blanks between.
data = ARG1
out = ARG2
load ARG0[1:strlen(ARG0) - strlen('tiers.gp')].'style.gp'

names = ARG4
mine(i, value) = column('series') == i ? value : NaN
set title ARG3 noenhanced
set xlabel 'size of a rank''s buffer'
set ylabel 'time in the first / time in the second'
set logscale x 2
set format x ''
set for [e = 3:36:2] xtics add (size_name(2.0**e) 2.0**e)
set yrange [0:*<8]
set datafile missing NaN
plot for [i = 1:words(names)] data using (mine(i, column('bytes'))):'predicted' with lines linetype i linewidth 1.5 dashtype 2 notitle, \
	for [i = 1:words(names)] data using (mine(i, column('bytes'))):'ratio':'low':'high' with yerrorlines linetype i title word(names, i) noenhanced
