# SPDX-License-Identifier: BSD-2-Clause
# hits - share of probes that hit against the table's size, one curve a table; one picture a
# trace and kind that was measured at more than one size. Tables differ here only by what
# they forget, so that curves which lie on each other are good news.
here = ARG0[1:strlen(ARG0)-strlen("hits.gp")]
here = here eq "" ? "." : here
load here."/common.gp"

without = SIZE_DIM
c_hits = col("hits")
c_probes = col("probes")
share(x) = number(c_hits) / number(c_probes) * 100
# sizes in entries ("4096e") and in MiB don't go on one axis
in_mib(x) = number(c_size) == number(c_size)
counted(x) = text(c_mode) eq "throughput" && share(0) == share(0) && in_mib(0)

set datafile columnheaders
list = " "
stats source using (counted(0) ? add(picture_id(1)) : 0) nooutput
pictures = list
unset datafile columnheaders
drawn = 0

do for [p=1:words(pictures)] {
	id = word(pictures, p)
	eval FREE_RANGES
	set datafile columnheaders
	set table $part separator comma
	plot source using (variant(0)):(number(c_size)):(share(0)) with table \
		if (counted(0) && picture_id(1) eq id)
	unset table
	unset datafile columnheaders
	load here."/common-curves.gp"
	if (words(points) < 2) { continue }

	picture = file_of("hits", id, pictures)
	eval OPEN_PICTURE
	set title title_of(id, pictures).\
		"\nmedian over trials and thread counts, bars from lowest to highest"
	set xlabel "size of the table, MiB"
	set ylabel "probes that hit, %"
	set logscale x 2
	set xrange [least_x / 1.2:most_x * 1.2]
	set yrange [0:100]
	set xtics nomirror ()
	do for [t=1:words(points)] { set xtics add (word(points, t) real(word(points, t))) }
	plot for [v=1:words(variants)] $curves index v-1 using 1:2:3:4 with yerrorlines \
		linecolor rgb colour(word(variants, v)) pointtype symbol(word(variants, v)) \
		dashtype dash(word(variants, v), variants) linewidth 2 pointsize 1.3 \
		title word(variants, v)
	eval CLOSE_PICTURE
	drawn = drawn + 1
}
if (drawn == 0) { print "hits: no trace at more than one size: no picture" }
