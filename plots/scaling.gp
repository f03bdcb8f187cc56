# SPDX-License-Identifier: BSD-2-Clause
# scaling - speed against threads, one curve a table, one picture a trace, kind and size
load (strstrt(ARG0, "/") ? system("dirname ".ARG0) : ".")."/common.gp"

c_mops = col("mops")
timed(x) = text(c_mode) eq "throughput" && number(c_mops) == number(c_mops)

set datafile columnheaders
list = " "
stats source using (timed(0) ? add(picture_id(1)) : 0) nooutput
pictures = list
if (words(pictures) == 0) { print "scaling: no throughput rows with a speed: no picture" }

trials(lo, hi) = lo == hi ? sprintf("%d trial%s", lo, lo == 1 ? "" : "s") : sprintf("%d to %d trials", lo, hi)

do for [p=1:words(pictures)] {
	id = word(pictures, p)
	# only this picture's rows, so that what follows is quick
	set xrange [*:*]
	set yrange [*:*] # stats leaves out what is out of range
	unset logscale
	set datafile columnheaders
	set table $part separator comma
	plot source using (variant(0)):(number(c_threads)):(number(c_mops)) with table \
		if (timed(0) && picture_id(1) eq id)
	unset table
	unset datafile columnheaders
	list = " "
	stats $part using (add(cell(1))) nooutput
	variants = in_order(list)
	list = " "
	stats $part using (add(sprintf("%d", column(2)))) nooutput
	counts = list
	stats $part using 2 nooutput
	most = STATS_max
	least = STATS_min

	top = 0
	null_top = 0
	fewest = 1e9
	largest = 0
	set print $curves
	do for [v=1:words(variants)] {
		name = word(variants, v)
		do for [t=int(least):int(most)] {
			if (index_of(sprintf("%d", t), counts)) {
				found = 0
				see(m) = (found = found + 1, m)
				stats $part using (cell(1) eq name && column(2) == t ? see(0) : 0) nooutput
				if (found) {
					stats $part using (cell(1) eq name && column(2) == t ? column(3) : NaN) nooutput
					print sprintf("%d,%.9g,%.9g,%.9g", t, STATS_median, STATS_min, STATS_max)
					fewest = found < fewest ? found : fewest
					largest = found > largest ? found : largest
					if (table_of(name) eq "null") {
						null_top = STATS_max > null_top ? STATS_max : null_top
					} else {
						top = STATS_max > top ? STATS_max : top
					}
				}
			}
		}
		print ""
		print ""
	}
	unset print
	# the empty table is the harness's own speed: it may not flatten the others
	clipped = top > 0 && null_top > 1.3 * top
	top = clipped ? top : (null_top > top ? null_top : top)
	curve_title(v) = v.(clipped && table_of(v) eq "null" ? sprintf(" (to %.4g, off the top)", null_top) : "")

	set terminal pngcairo size @picture_size noenhanced font "Sans,12"
	picture = file_of("scaling", id, pictures)
	set output picture
	set title title_of(id, pictures)."\nmedian of ".trials(fewest, largest).", bars from slowest to fastest"
	set xlabel "threads"
	set ylabel "million operations a second, all threads together"
	set yrange [0:(top > 0 ? top * 1.08 : 1)]
	unset xtics
	set xtics nomirror
	if (most > 8) {
		set logscale x 2
		set xrange [least / 1.15:most * 1.15]
	} else {
		set xrange [least - 0.2:most + 0.2]
	}
	set xtics ()
	do for [t=1:words(counts)] { set xtics add (word(counts, t) int(word(counts, t))) }
	plot for [v=1:words(variants)] $curves index v-1 using 1:2:3:4 with yerrorlines \
		linecolor rgb colour(word(variants, v)) pointtype symbol(word(variants, v)) \
		dashtype dash(word(variants, v), variants) linewidth 2 pointsize 1.3 \
		title curve_title(word(variants, v))
	set output
	set terminal unknown
	set print "-"
	print picture
	unset print
}
