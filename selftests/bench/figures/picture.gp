# SPDX-License-Identifier: GPL-2.0-or-later
# A picture of a table: a series for each column but the first. The caller sets
# table, picture, name, xlabel, ylabel, last and bars.
set terminal svg size 800,500 font "sans,12" background rgb "white"
set output picture
set datafile separator tab
set datafile missing "-"
set datafile commentschars "#"
set title name noenhanced
set ylabel ylabel noenhanced
set key outside right noenhanced
set grid y
set yrange [0:*]
set xlabel xlabel noenhanced
if (bars) {
	set style data histogram
	set style fill solid 0.8 border -1
	set xtics rotate by -30 noenhanced
	plot for [i = 2:last] table using i:xtic(1) title columnheader(i)
} else {
	plot for [i = 2:last] table using 1:i with linespoints title columnheader(i)
}
