# SPDX-License-Identifier: BSD-2-Clause
# common-curves - from $part (curve, x, y: one line a row of the CSV) to $curves, one block
# a curve: x, median, least and largest y. Loaded by the scripts that draw curves; sets
#
#     variants, points     the curves' names in order, and the x that occur
#     least_x, most_x      their range
#     fewest, most_trials  rows that a median was taken of
#     top, null_top        largest y, of table null apart
list = " "
stats $part using (add(cell(1))) nooutput
variants = in_order(list)
list = " "
stats $part using (add(sprintf("%g", column(2)))) nooutput
points = list
stats $part using 2 nooutput
least_x = STATS_min
most_x = STATS_max

top = 0
null_top = 0
fewest = 1e9
most_trials = 0
see(m) = (found = found + 1, m)
larger(a, b) = a > b ? a : b
set print $curves
do for [v=1:words(variants)] {
	name = word(variants, v)
	x = least_x
	while (1) {
		found = 0
		stats $part using (cell(1) eq name && column(2) == x ? see(0) : 0) nooutput
		if (found) {
			stats $part using (cell(1) eq name && column(2) == x ? column(3) : NaN) nooutput
			print sprintf("%.9g,%.9g,%.9g,%.9g", x, STATS_median, STATS_min, STATS_max)
			fewest = found < fewest ? found : fewest
			most_trials = larger(found, most_trials)
			if (table_of(name) eq "null") {
				null_top = larger(STATS_max, null_top)
			} else {
				top = larger(STATS_max, top)
			}
		}
		if (x >= most_x) { break }
		stats $part using (column(2) > x ? column(2) : NaN) nooutput
		x = STATS_min
	}
	print ""
	print ""
}
unset print
