# latency.gp - time of small operations over size, both logarithmic. A series a collective.
# DATA: csv with series,bytes,us,low,high. MORE: the title, and the names of the series with blanks between.
data = ARG1
out = ARG2
wide = 640
high = 440
load ARG0[1:strlen(ARG0) - strlen('latency.gp')].'style.gp'

names = ARG4
mine(i, value) = column('series') == i ? value : NaN
set title ARG3 noenhanced
set xlabel 'size of a rank''s buffer'
set ylabel 'time, us'
set logscale x 2
set logscale y
set format x ''
set for [e = 3:36:2] xtics add (size_name(2.0**e) 2.0**e)
set datafile missing NaN
plot for [i = 1:words(names)] data using (mine(i, column('bytes'))):'us':'low':'high' with yerrorlines linetype i title word(names, i) noenhanced
