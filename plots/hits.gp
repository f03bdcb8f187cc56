# SPDX-License-Identifier: BSD-2-Clause
# hits - share of probes that hit against the table's size, one curve a table; one picture a
# trace and kind that was measured at more than one size. Tables differ here only by what
# they forget, so that curves which lie on each other are good news.
load (strstrt(ARG0, "/") ? system("dirname ".ARG0) : ".")."/common.gp"

without = SIZE_DIM
c_hits = col("hits")
c_probes = col("probes")
counted(x) = text(c_mode) eq "throughput" && number(c_hits) == number(c_hits) && number(c_probes) > 0

# sizes in entries ("4096e") and in MiB don't go on one axis
in_mib(x) = number(c_size) == number(c_size)

set datafile columnheaders
list = " "
stats source using (counted(0) && in_mib(0) ? add(picture_id(1)) : 0) nooutput
pictures = list
unset datafile columnheaders
drawn = 0

do for [p=1:words(pictures)] {
	id = word(pictures, p)
	set xrange [*:*]
	set yrange [*:*] # stats leaves out what is out of range
	unset logscale
	set datafile columnheaders
	set table $part separator comma
	plot source using (variant(0)):(number(c_size)):(number(c_hits) / number(c_probes) * 100) with table \
		if (counted(0) && in_mib(0) && picture_id(1) eq id)
	unset table
	unset datafile columnheaders
	list = " "
	stats $part using (add(cell(1))) nooutput
	variants = in_order(list)
	list = " "
	stats $part using (add(sprintf("%g", column(2)))) nooutput
	sizes = list
	if (words(sizes) < 2) { continue }
	stats $part using 2 nooutput
	most = STATS_max
	least = STATS_min

	set print $curves
	do for [v=1:words(variants)] {
		name = word(variants, v)
		size = least
		while (1) {
			found = 0
			see(m) = (found = found + 1, m)
			stats $part using (cell(1) eq name && column(2) == size ? see(0) : 0) nooutput
			if (found) {
				stats $part using (cell(1) eq name && column(2) == size ? column(3) : NaN) nooutput
				print sprintf("%.9g,%.9g,%.9g,%.9g", size, STATS_median, STATS_min, STATS_max)
			}
			if (size >= most) { break }
			stats $part using (column(2) > size ? column(2) : NaN) nooutput
			size = STATS_min
		}
		print ""
		print ""
	}
	unset print

	set terminal pngcairo size @picture_size noenhanced font "Sans,12"
	picture = file_of("hits", id, pictures)
	set output picture
	set title title_of(id, pictures)."\nmedian over trials and thread counts, bars from lowest to highest"
	set xlabel "size of the table, MiB"
	set ylabel "probes that hit, %"
	set logscale x 2
	set xrange [least / 1.2:most * 1.2]
	set yrange [0:100]
	unset xtics
	set xtics nomirror ()
	do for [s=1:words(sizes)] { set xtics add (word(sizes, s) real(word(sizes, s))) }
	plot for [v=1:words(variants)] $curves index v-1 using 1:2:3:4 with yerrorlines \
		linecolor rgb colour(word(variants, v)) pointtype symbol(word(variants, v)) \
		dashtype dash(word(variants, v), variants) linewidth 2 pointsize 1.3 \
		title word(variants, v)
	set output
	set terminal unknown
	set print "-"
	print picture
	unset print
	drawn = drawn + 1
}
if (drawn == 0) { print "hits: no trace at more than one size: no picture" }
