# curve.gp - bus bandwidth over size: measured median with the band of the samples, and the model. A series a transport.
# DATA: csv with series,bytes,busbw,low,high,model. MORE: the title, and the names of the series with blanks between.
data = ARG1
out = ARG2
load ARG0[1:strlen(ARG0) - strlen('curve.gp')].'style.gp'

names = ARG4
mine(i, value) = column('series') == i ? value : NaN
set title ARG3 noenhanced
set xlabel 'size of a rank''s buffer'
set ylabel 'bus bandwidth, GB/s'
set logscale x 2
set format x ''
set for [e = 3:36:2] xtics add (size_name(2.0**e) 2.0**e)
set yrange [0:*]
set datafile missing NaN
plot for [i = 1:words(names)] data using (mine(i, column('bytes'))):'low':'high' with filledcurves linetype i fillstyle transparent solid 0.18 noborder notitle, \
	for [i = 1:words(names)] data using (mine(i, column('bytes'))):'model' with lines linetype i linewidth 1.5 dashtype 2 title word(names, i).', model' noenhanced, \
	for [i = 1:words(names)] data using (mine(i, column('bytes'))):'busbw' with linespoints linetype i title word(names, i) noenhanced
