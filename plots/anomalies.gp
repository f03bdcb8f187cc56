# SPDX-License-Identifier: BSD-2-Clause
# anomalies - wrong answers per million operations, by table, from the audit rows with the
# most threads; one picture a trace, kind and size. 0 has a place of its own below the
# logarithmic axis; what was not measured is not drawn.
here = ARG0[1:strlen(ARG0)-strlen("anomalies.gp")]
here = here eq "" ? "." : here
load here."/common.gp"

# name in the CSV, in words, colour, and the same symbol filled and open
COUNTS = "torn_reads wrong_key_hits false_misses possible_false_misses stale_hits lost_stores"
in_words(k) = replace(word(COUNTS, k), "_", " ")
FILL = "#D55E00 #CC79A7 #0072B2 #56B4E9 #E69F00 #009E73"
SOLID = "5 7 9 11 13 15"
OPEN = "4 6 8 10 12 14"
nr_counts = words(COUNTS)
array c_count[nr_counts]
do for [k=1:nr_counts] { c_count[k] = col(word(COUNTS, k)) }
c_probes = col("probes")
c_stores = col("stores")
# columns of $part: variant, probes, stores, and the counts
share_of(k) = number(word(COUNTS, k) eq "lost_stores" ? 3 : 2)

audited(x) = text(c_mode) eq "audit"

set datafile columnheaders
list = " "
stats source using (audited(0) ? add(picture_id(1)) : 0) nooutput
pictures = list
if (words(pictures) == 0) { print "anomalies: no audit rows: no picture" }

do for [p=1:words(pictures)] {
	id = word(pictures, p)
	eval FREE_RANGES
	set datafile columnheaders
	mine(x) = audited(0) && picture_id(1) eq id
	stats source using (mine(0) ? number(c_threads) : NaN) nooutput
	most = STATS_max
	at_most(x) = mine(0) && number(c_threads) == most
	set table $part separator comma
	plot source using (variant(0)):(number(c_probes)):(number(c_stores)):\
		(number(c_count[1])):(number(c_count[2])):(number(c_count[3])):\
		(number(c_count[4])):(number(c_count[5])):(number(c_count[6])) with table if (at_most(0))
	unset table
	unset datafile columnheaders
	list = " "
	stats $part using (add(cell(1))) nooutput
	variants = in_order(list)

	# per table and count: sum / sum over the rows that measured it
	smallest = 1e30
	largest = 0
	any = 0
	set print $rates
	do for [k=1:nr_counts] {
		print sprintf("-1,nan")
		do for [v=1:words(variants)] {
			name = word(variants, v)
			above = 0.0
			below = 0.0
			sum_up(c, s) = c == c && s == s ? (above = above + c, below = below + s, 0) : 0
			stats $part using (cell(1) eq name ? sum_up(number(3 + k), share_of(k)) : 0) nooutput
			if (below > 0) {
				rate = 1e6 * above / below
				print sprintf("%.4f,%.9g", v + (k - (nr_counts + 1) / 2.0) * 0.11, rate)
				any = 1
				smallest = rate > 0 && rate < smallest ? rate : smallest
				largest = rate > largest ? rate : largest
			}
		}
		print ""
		print ""
	}
	unset print
	if (!any) {
		print "anomalies: nothing was counted for ".title_of(id, pictures).": no picture"
		continue
	}

	low = largest > 0 ? 10 ** floor(log10(smallest)) : 0.1
	high = largest > 0 ? 10 ** ceil(log10(largest * 1.2)) : 1
	high = high > 10 * low ? high : 10 * low
	zero = low / 5.0
	above_zero(y) = y > 0 ? y : NaN
	at_zero(y) = y == 0 ? zero : NaN

	picture = file_of("anomalies", id, pictures)
	eval OPEN_PICTURE
	set title title_of(id, pictures).sprintf(", %d thread%s", most, most == 1 ? "" : "s").\
		"\nfrom audit rows; open symbols: measured, and none seen"
	unset xlabel
	set ylabel "per million probes (lost stores: per million stores)"
	set logscale y 10
	set xrange [0.45:words(variants) + 0.55]
	set yrange [zero / 2:high]
	set ytics nomirror format "%g"
	set ytics ("0" zero)
	decade = low
	do for [i=0:40] {
		if (decade <= high * 1.01) { set ytics add (sprintf("%g", decade) decade) }
		decade = decade * 10
	}
	unset xtics
	set xtics nomirror ()
	do for [v=1:words(variants)] { set xtics add (word(variants, v) v) }
	set xtics scale 0
	if (words(variants) > 7 || strlen(variants) > 70) { set xtics rotate by -35 left } else { set xtics norotate }
	symbol_size = words(variants) > 8 ? 1.1 : 1.8
	unset arrow
	unset object
	set object 1 rectangle from graph 0, first zero / 2 to graph 1, first zero * 2 \
		fillcolor rgb "#f2f2f2" fillstyle solid noborder behind
	do for [v=1:words(variants) - 1] {
		set arrow from v + 0.5, graph 0 to v + 0.5, graph 1 nohead linecolor rgb "#dddddd"
	}
	plot for [k=1:nr_counts] $rates index k-1 using 1:(above_zero($2)) with points \
			pointtype int(word(SOLID, k)) pointsize symbol_size linecolor rgb word(FILL, k) \
			title in_words(k), \
		for [k=1:nr_counts] $rates index k-1 using 1:(at_zero($2)) with points \
			pointtype int(word(OPEN, k)) pointsize symbol_size linewidth 1.6 \
			linecolor rgb word(FILL, k) notitle
	eval CLOSE_PICTURE
}
