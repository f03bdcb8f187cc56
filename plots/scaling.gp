# SPDX-License-Identifier: BSD-2-Clause
# scaling - speed against threads, one curve a table, one picture a trace, kind and size
here = ARG0[1:strlen(ARG0)-strlen("scaling.gp")]
here = here eq "" ? "." : here
load here."/common.gp"

c_mops = col("mops")
timed(x) = text(c_mode) eq "throughput" && number(c_mops) == number(c_mops)

set datafile columnheaders
list = " "
stats source using (timed(0) ? add(picture_id(1)) : 0) nooutput
pictures = list
if (words(pictures) == 0) { print "scaling: no throughput rows with a speed: no picture" }

trials(lo, hi) = lo == hi ? sprintf("%d trial%s", lo, lo == 1 ? "" : "s") : \
	sprintf("%d to %d trials", lo, hi)

do for [p=1:words(pictures)] {
	id = word(pictures, p)
	eval FREE_RANGES
	# only this picture's rows, so that what follows is quick
	set datafile columnheaders
	set table $part separator comma
	plot source using (variant(0)):(number(c_threads)):(number(c_mops)) with table \
		if (timed(0) && picture_id(1) eq id)
	unset table
	unset datafile columnheaders
	load here."/common-curves.gp"

	# the empty table is the harness's own speed: it may not flatten the others
	clipped = top > 0 && null_top > 1.3 * top
	top = clipped ? top : larger(null_top, top)
	null_note = sprintf(" (to %.4g, off the top)", null_top)
	curve_title(v) = v.(clipped && table_of(v) eq "null" ? null_note : "")

	picture = file_of("scaling", id, pictures)
	eval OPEN_PICTURE
	set title title_of(id, pictures)."\nmedian of ".trials(fewest, most_trials).\
		", bars from slowest to fastest"
	set xlabel "threads"
	set ylabel "million operations a second, all threads together"
	set yrange [0:(top > 0 ? top * 1.08 : 1)]
	if (most_x > 8) {
		set logscale x 2
		set xrange [least_x / 1.15:most_x * 1.15]
	} else {
		set xrange [least_x - 0.2:most_x + 0.2]
	}
	set xtics nomirror ()
	do for [t=1:words(points)] { set xtics add (word(points, t) int(word(points, t))) }
	plot for [v=1:words(variants)] $curves index v-1 using 1:2:3:4 with yerrorlines \
		linecolor rgb colour(word(variants, v)) pointtype symbol(word(variants, v)) \
		dashtype dash(word(variants, v), variants) linewidth 2 pointsize 1.3 \
		title curve_title(word(variants, v))
	eval CLOSE_PICTURE
}
