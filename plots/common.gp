# SPDX-License-Identifier: BSD-2-Clause
# common - what the pictures share: the CSV's columns by name, what belongs into one
# picture, and one style a table. Loaded by the scripts beside it:
#
#     gnuplot -e "csv='sweep.csv'; out='pictures'" plots/scaling.gp
#
# `tearline plot` does the same for all of them.
if (!exists("csv") || !exists("out")) {
	print "usage: gnuplot -e \"csv='FILE.csv'; out='DIR'\" SCRIPT.gp"
	exit status 2
}
set datafile separator comma
set encoding utf8

replace(s, a, b) = strstrt(s, a) ? \
	s[1:strstrt(s, a)-1].b.replace(s[strstrt(s, a)+strlen(a):*], a, b) : s
shell_quote(s) = "'".replace(s, "'", "'\\''")."'"

# gnuplot can't tell an empty text from an error: empty fields come in as "-"
source = "< LC_ALL=C sed -e :a -e 's/,,/,-,/' -e ta -e 's/,$/,-/' ".shell_quote(csv)

# Columns by name: col("mops") is its number, 0 if the file has none of that name.
names = ""
set datafile columnheaders
stats "< head -n 2 ".shell_quote(csv) using (1) nooutput
nr_columns = STATS_columns
add_name(s) = (names = names.s." ", 0)
stats "< head -n 2 ".shell_quote(csv) \
	using (sum [i=1:nr_columns] add_name(columnhead(i))) nooutput
unset datafile columnheaders
col(n) = sum [i=1:words(names)] (word(names, i) eq n ? i : 0)

text(i) = i > 0 ? replace(stringcolumn(i), " ", "_") : "-"
# "plot with table" pads what it writes
cell(i) = word(stringcolumn(i), 1)
number(i) = i > 0 && valid(i) ? column(i) : NaN

c_mode = col("mode")
c_table = col("table")
c_options = col("options")
c_label = col("label") # only `tearline plot` gives one: the table with what tells variants apart
c_threads = col("threads")
c_size = col("hash_mib")

# What a picture never mixes. The first three are always in its title, the rest where they differ.
DIMS = "trace kind hash_mib host version flags caller lookahead placement deal clears pacing"
array c_dim[words(DIMS)]
do for [i=1:words(DIMS)] { c_dim[i] = col(word(DIMS, i)) }
dim(i) = replace(text(c_dim[i]), "|", "/")

# "a|b|...|": all that a picture must not mix; SIZE_DIM is left out by a picture over sizes
SIZE_DIM = 3
without = 0
picture_id(n) = n > words(DIMS) ? "" : (n == without ? "*" : dim(n))."|".picture_id(n + 1)
field(s, n) = n == 1 ? s[1:strstrt(s, "|")-1] : field(s[strstrt(s, "|")+1:*], n - 1)

# Lists are words between blanks; add() puts one in unless it is there.
list = " "
add(s) = (strstrt(list, " ".s." ") ? 0 : (list = list.s." ", 0))

# Which of the table's variants a row is. By hand all options stand for it.
set datafile columnheaders
list = " "
stats source using (add(text(c_table))) nooutput
nr_tables = words(list)
list = " "
stats source using (add(text(c_table).":".text(c_options))) nooutput
show_options = words(list) > nr_tables
unset datafile columnheaders
variant(x) = c_label > 0 ? text(c_label) : \
	show_options ? text(c_table).":".text(c_options) : text(c_table)
table_of(v) = strstrt(v, ":") ? v[1:strstrt(v, ":")-1] : v

# One style a table, the same in every picture of every file; tables that aren't in this list
# get what is left, in the order of the file. Colours after Okabe and Ito, without the yellow,
# which nobody sees on white; from the ninth table on they come again with open symbols.
STYLED = "null unsync xor seqlock spinlock ck_ht cds_lfht atomic16 ck_rhs rwlock mutex"
COLOURS = "#999999 #000000 #D55E00 #0072B2 #009E73 #CC79A7 #E69F00 #56B4E9"
SYMBOLS = "2 7 5 9 11 13 15 3 6 4 8 10 12 14 1 18"
index_of(w, l) = sum [i=1:words(l)] (word(l, i) eq w ? i : 0)
style_table(t) = (index_of(t, STYLED) ? 0 : (STYLED = STYLED." ".t), index_of(t, STYLED))
colour(v) = word(COLOURS, (style_table(table_of(v)) - 1) % words(COLOURS) + 1)
symbol(v) = int(word(SYMBOLS, (style_table(table_of(v)) - 1) % words(SYMBOLS) + 1))
# the first variant of a table that a picture shows is solid, the next are dashed
dash(v, l) = sum [i=1:index_of(v, l)] (table_of(word(l, i)) eq table_of(v) ? 1 : 0)

# Tables in the order of STYLED, so that keys and axes read the same everywhere.
rank(v) = style_table(table_of(v))
in_order(l) = insert_all(l, 1, " ")
insert_all(l, i, done) = i > words(l) ? done : insert_all(l, i + 1, insert(word(l, i), done, 1))
insert(v, l, i) = i > words(l) ? l.v." " : \
	rank(word(l, i)) > rank(v) ? before(l, i).v." ".from(l, i) : insert(v, l, i + 1)
before(l, i) = i == 1 ? " " : before(l, i - 1).word(l, i - 1)." "
from(l, i) = i > words(l) ? "" : word(l, i)." ".from(l, i + 1)

size_text(s) = s[strlen(s):*] eq "e" ? s[1:strlen(s)-1]." entries" : s." MiB"
# Does field n differ between the pictures of this list?
shown(id, l, n) = field(id, n) ne "-" && field_varies(l, n)
field_varies(l, n) = (sum [i=1:words(l)] (field(word(l, i), n) ne field(word(l, 1), n))) > 0
extra_title(id, l, n) = n > words(DIMS) ? "" : \
	(shown(id, l, n) ? ", ".word(DIMS, n)." ".field(id, n) : "").extra_title(id, l, n + 1)
title_of(id, l) = "trace ".field(id, 1).", ".\
	(without == SIZE_DIM ? "" : size_text(field(id, 3)).", ")."kind ".field(id, 2).\
	extra_title(id, l, 4)
extra_name(id, l, n) = n > words(DIMS) ? "" : \
	(shown(id, l, n) ? "-".word(DIMS, n)."-".field(id, n) : "").extra_name(id, l, n + 1)
file_of(what, id, l) = out."/".replace(replace(what."-".field(id, 1)."-".field(id, 2).\
	(without == SIZE_DIM ? "" : "-".field(id, 3)).extra_name(id, l, 4), "/", "_"), ":", "_").".png"

# Before rows are counted: stats leaves out what is out of range.
FREE_RANGES = "set xrange [*:*]; set yrange [*:*]; unset logscale"
OPEN_PICTURE = "set terminal pngcairo size 1000,700 noenhanced font 'Sans,12'; set output picture"
CLOSE_PICTURE = "set output; set terminal unknown; set print '-'; print picture; unset print"

set terminal unknown
set border 3 linecolor rgb "#444444"
set tics nomirror
set grid ytics linecolor rgb "#dddddd" linetype 1
set key outside right top vertical Left reverse samplen 3
set bars 0.7
