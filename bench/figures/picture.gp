# SPDX-License-Identifier: GPL-2.0-or-later
# A picture of a table: a series for each column but the first.
# gnuplot -c picture.gp TABLE PICTURE TITLE X Y COLUMNS bars|lines
table = ARG1
last = int(ARG6)
set terminal svg size 800,500 font "sans,12" background rgb "white"
set output ARG2
set datafile separator tab
set datafile missing "-"
set datafile commentschars "#"
set title ARG3 noenhanced
set ylabel ARG5 noenhanced
set key outside right noenhanced
set grid y
set yrange [0:*]
set xlabel ARG4 noenhanced
if (ARG7 eq "bars") {
	set style data histogram
	set style fill solid 0.8 border -1
	set xtics rotate by -60 noenhanced
	plot for [i = 2:last] table using i:xtic(1) title columnheader(i)
} else {
	plot for [i = 2:last] table using 1:i with linespoints title columnheader(i)
}
