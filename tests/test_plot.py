#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""test_plot - pictures show what is in the rows, to the figure, and nothing that is not."""
import math
import os
import re
import resource
import shutil
import statistics
import subprocess
import tempfile
import unittest
from pathlib import Path

from cli import all_tables
from make_rows import audit_row, speed_row, sweep, write
from svg_picture import Picture

TEARLINE = os.environ["TEARLINE"]
ENDS = {"png": b"IEND\xaeB`\x82", "svg": b"</svg>", "pdf": b"%%EOF"}
# in the order of the symbols
COUNTS = ["torn_reads", "wrong_key_hits", "wrong_answers", "contradictions", "false_misses",
          "dead_pair_misses", "possible_false_misses", "stale_hits", "ghost_hits", "lost_stores"]
Z = 1.959963984540054


def wilson(k, n):
    """Ends of the 95 % score interval of k in n."""
    mid = (k / n + Z * Z / 2 / n) / (1 + Z * Z / n)
    half = Z / (1 + Z * Z / n) * math.sqrt(k / n * (1 - k / n) / n + Z * Z / 4 / n / n)
    return (mid - half if k else 0), mid + half


def excluded(n):
    """A share above this would have shown at least once in n with 95 % probability."""
    return 1 - 0.05 ** (1 / n)


def speeds(table, by_threads, **more):
    """Rows of one table: {threads: [mops, ...]}."""
    return [dict(speed_row(table, "uniform", n, i + 1, len(mops)), mops=m, **more)
            for n, mops in by_threads.items() for i, m in enumerate(mops)]


def audits(table, threads=2, trials=1, **more):
    rows = [audit_row(table, "uniform", threads, i + 1) for i in range(trials)]
    for row in rows:
        row.update(dict.fromkeys(COUNTS, 0))
        row.update(more)
    return rows


class Plot(unittest.TestCase):
    def setUp(self):
        self.dir = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.dir)
        self.file = self.dir / "it's a.csv"
        self.out = self.dir / "it's out"

    def need_gnuplot(self):
        if not shutil.which("gnuplot"):
            self.skipTest("no gnuplot")

    def plot(self, *args, **more):
        return subprocess.run([TEARLINE, "plot", *map(str, args)], capture_output=True, text=True,
                              check=False, **more)

    def files(self, rows, form="svg"):
        """The files that come of these rows, by name without suffix, and what is said."""
        if form != "gp":
            self.need_gnuplot()
        shutil.rmtree(self.out, ignore_errors=True)
        write(self.file, rows)
        run = self.plot(self.file, "--out", self.out, "--format", form)
        self.assertEqual(run.returncode, 0, run.stderr)
        made = {p.name[:-len(form) - 1]: p for p in self.out.iterdir()}
        self.assertEqual(sorted(run.stdout.splitlines()), sorted(map(str, made.values())))
        for path in made.values():
            self.assertTrue(path.name.endswith("." + form), path)
            if form in ENDS:
                self.assertTrue(path.read_bytes().rstrip().endswith(ENDS[form]), path)
        return made, run.stderr

    def picture(self, rows, name):
        made, _ = self.files(rows)
        self.assertIn(name, made)
        return Picture(made[name])

    def assert_error(self, run, *parts):
        self.assertEqual(run.returncode, 2, run.stdout)
        self.assertEqual(run.stderr.count("\n"), 1, run.stderr)
        for part in parts:
            self.assertIn(part, run.stderr)

    def assert_curve(self, picture, title, want, log=False):
        """want: {x label: (y, lowest, highest)}; the points' bars are the plot before."""
        which = next(i for i, p in enumerate(picture.plotted) if p.title == title)
        points, bars = picture.plotted[which].points, picture.plotted[which - 1]
        self.assertEqual(len(points), len(want), title)
        at = [float(t) for t in picture.y_tics]
        room = 0.006 * (max(at) - min(at))
        for (label, (mid, low, high)), (_, x, y, _) in zip(want.items(), points):
            nearest = min(picture.x_tics, key=lambda t: abs(picture.x_tics[t] - x))
            self.assertEqual(nearest, label, title)
            # beside the tic at most by a quarter of the way to the next
            tics = sorted(picture.x_tics.values())
            gap = min((b - a for a, b in zip(tics, tics[1:])), default=math.inf)
            self.assertLess(abs(picture.x_tics[label] - x), 0.26 * gap, title)
            self.assertAlmostEqual(picture.y(y), mid, delta=room, msg=title)
            if low != high:
                ends = [picture.y(e) for e in bars.bar(x, y)]
                self.assertAlmostEqual(ends[0], low, delta=room, msg=title)
                self.assertAlmostEqual(ends[1], high, delta=room, msg=title)

    def test_formats(self):
        rows = sweep(trials=1, traces=["uniform"], sizes=(1, 16), threads=(2,))
        for form in ENDS:
            made, talk = self.files(rows, form)
            self.assertEqual(sorted(made), ["anomalies-uniform-tt-16MiB-2t",
                                            "choice-uniform-tt-16MiB-2t", "hits-uniform-tt-2t",
                                            "scaling-uniform-tt-16MiB",
                                            "scaling-uniform-tt-1MiB"])
            self.assertEqual(talk, "")

    def test_gp_draws_the_same(self):
        rows = speeds("xor", {1: [10], 2: [14]})
        picture, _ = self.files(rows)
        drawn = next(iter(picture.values())).read_bytes()
        program, _ = self.files(rows, "gp")
        run = subprocess.run(["gnuplot", next(iter(program.values()))], capture_output=True,
                             check=False)
        self.assertTrue(run.stdout.endswith(ENDS["png"]), run.stderr)
        self.assertTrue(drawn.rstrip().endswith(ENDS["svg"]))

    def test_speed_is_the_median_with_its_interval(self):
        # medians are far from means; of five trials the interval is from end to end
        few = {1: [10, 11, 30], 4: [20, 26, 28]}
        many = {1: [12, 13, 14, 40, 55], 4: [1, 44, 45, 46, 47]}
        picture = self.picture(speeds("xor", few) + speeds("seqlock", many),
                               "scaling-uniform-tt-16MiB")
        for table, mops in (("xor", few), ("seqlock", many)):
            self.assert_curve(picture, table,
                              {str(n): (statistics.median(v), min(v), max(v))
                               for n, v in mops.items()})
        self.assertIn("million operations a second, all threads together", picture.texts)
        self.assertTrue(any("median of 3 to 5 trials" in t for t in picture.texts))

    def test_no_speed_of_threads_that_did_not_run_together(self):
        rows = speeds("xor", {1: [10], 2: [20]}) + speeds("seqlock", {1: [5]})
        rows[1]["overlap"], rows[2]["overlap"] = "0.02", "1.5"
        picture = self.picture(rows, "scaling-uniform-tt-16MiB")
        self.assertEqual(list(picture.by_title()), ["xor"])
        self.assert_curve(picture, "xor", {"1": (10, 10, 10)})

    def test_floors_do_not_squash_the_tables(self):
        picture = self.picture(speeds("xor", {1: [10], 2: [20]}) +
                               speeds("null", {1: [300], 2: [600]}), "scaling-uniform-tt-16MiB")
        self.assertLess(max(float(t) for t in picture.y_tics), 25)
        self.assertIn("null (to 600, off the top)", picture.by_title())
        picture = self.picture(speeds("null", {1: [300], 2: [600]}), "scaling-uniform-tt-16MiB")
        self.assert_curve(picture, "null", {"1": (300,) * 3, "2": (600,) * 3})

    def test_hits_are_the_median_share(self):
        rows = []
        for size, shares in (("1", [46, 46.2, 47.8]), ("8", [48, 49.5, 49.6])):
            for trial, share in enumerate(shares):
                rows += [dict(speed_row("xor", "uniform", n, trial + 1, 3), hash_mib=size,
                              probes=1000, hits=round(10 * share) + 100 * (n - 1))
                         for n in (1, 2)]
        for threads in (1, 2):
            picture = self.picture(rows, f"hits-uniform-tt-{threads}t")
            more = 10 * (threads - 1)
            self.assert_curve(picture, "xor", {"1": (46.2 + more, 46 + more, 47.8 + more),
                                               "8": (49.5 + more, 48 + more, 49.6 + more)})
            # the range is that of the data
            self.assertGreater(min(float(t) for t in picture.y_tics), 40)
            self.assertLess(max(float(t) for t in picture.y_tics), 61)

    def test_rates_of_wrong_answers(self):
        seen = dict(zip(COUNTS, (4, 30, 7, 60, 200, 9, 1000, 5000, 800, 70)))
        rows = (audits("xor", trials=3, probes=10**6, stores=2 * 10**4, contended_probes=5 * 10**4,
                       contended_stores=900, **seen) +
                audits("seqlock", trials=2, probes=10**7, stores=10**6, contended_probes=4000,
                       contended_stores=300) +
                audits("unsync", probes=10**6, contended_probes="", contended_stores="",
                       **dict.fromkeys([c for c in COUNTS if "miss" not in c], "")))
        picture = self.picture(rows, "anomalies-uniform-tt-16MiB-2t")
        log = lambda v: math.log10(v) if v > 0 else math.nan
        points = [p for plotted in picture.plotted for p in plotted.points]
        tables = sorted(("xor", "seqlock", "unsync"),
                        key=lambda t: picture.labels[t][0])
        self.assertEqual(tables, ["seqlock", "unsync", "xor"])
        bars = {}
        for x, y in {(p[1], p[2]) for p in points}:
            for plotted in picture.plotted:
                bars[x, y] = plotted.bar(x, y) or bars.get((x, y))
        by_x = sorted(points, key=lambda p: p[1])
        self.assertEqual(len(by_x), len(COUNTS) + 3 + len(COUNTS))
        for i, count in enumerate(COUNTS):
            of, met = ("stores", 300) if count == "lost_stores" else ("probes", 4000)
            _, x, y, _ = by_x[i]
            self.assertEqual(by_x[i][0], by_x[len(COUNTS) + 3 + i][0])
            self.assertAlmostEqual(y, picture.y_tics["0"], delta=0.1, msg=count)
            allowed = excluded(2 * met) * 1e6
            self.assertAlmostEqual(picture.y(bars[x, y][1], log), math.log10(allowed),
                                   delta=0.03, msg=count)
            n = 3 * (2 * 10**4 if of == "stores" else 10**6)
            _, x, y, _ = by_x[len(COUNTS) + 3 + i]
            rate = 3 * seen[count] / n
            self.assertAlmostEqual(picture.y(y, log), math.log10(1e6 * rate), delta=0.03,
                                   msg=count)
            for end, want in zip(bars[x, y], wilson(3 * seen[count], n)):
                self.assertAlmostEqual(picture.y(end, log), math.log10(1e6 * want), delta=0.03,
                                       msg=count)
        # nothing is known of how many were contended: no bar, and what wasn't measured no point
        for _, x, y, _ in by_x[len(COUNTS):][:3]:
            self.assertAlmostEqual(y, picture.y_tics["0"], delta=0.1)
            ends = bars[x, y]
            self.assertTrue(not ends or ends[0] - ends[1] < 1, ends)

    def test_counts_that_nobody_measured_have_no_place(self):
        old = [c for c in COUNTS if c in ("torn_reads", "false_misses", "lost_stores")]
        rows = audits("xor", **dict.fromkeys([c for c in COUNTS if c not in old], ""))
        picture = self.picture(rows, "anomalies-uniform-tt-16MiB-2t")
        self.assertEqual(len([p for q in picture.plotted for p in q.points]), len(old))
        for count in COUNTS:
            self.assertEqual(count.replace("_", " ") in picture.texts, count in old, count)
        picture = self.picture(rows + speeds("xor", {2: [5]}), "choice-uniform-tt-16MiB-2t")
        self.assertIn("wrong: torn reads + false misses, and 95 % interval", picture.texts)

    def test_one_lie_is_a_lie(self):
        for count in COUNTS:
            rows = speeds("xor", {2: [5]}) + audits("xor", **{count: 1})
            text = self.files(rows, "gp")[0]["choice-uniform-tt-16MiB-2t"].read_text()
            self.assertEqual("title 'xor (lied)'" in text,
                             count in ("torn_reads", "wrong_key_hits", "wrong_answers"), count)

    def test_zero_of_an_audit_in_which_nobody_met(self):
        picture = self.picture(audits("unsync", contended_probes=0, contended_stores=0),
                               "anomalies-uniform-tt-16MiB-2t")
        log = lambda v: math.log10(v) if v > 0 else math.nan
        bars = [p.bar(s[0], s[1]) for p in picture.plotted for s in p.lines if s[0] == s[2]]
        self.assertEqual(len(bars), len(COUNTS))
        for bar in bars:
            self.assertAlmostEqual(picture.y(bar[1], log), 6, delta=0.03)

    def test_choice(self):
        rows = (speeds("xor", {2: [30, 40, 70]}) + speeds("seqlock", {2: [20, 24, 25]}) +
                speeds("unsync", {2: [50, 60, 61]}) + speeds("spinlock", {2: [9]}) +
                audits("xor", trials=2, probes=10**6, false_misses=25, stale_hits=8,
                       dead_pair_misses=5, ghost_hits=12, contradictions=600,
                       possible_false_misses=5000, lost_stores=7000) +
                audits("seqlock", probes=10**6, contended_probes=8000) +
                audits("unsync", probes=10**6, torn_reads=3, wrong_key_hits=1, false_misses=1,
                       stale_hits=4, wrong_answers=1) +
                audits("ck_ht"))
        picture = self.picture(rows, "choice-uniform-tt-16MiB-2t")
        plotted = picture.by_title()
        # one that was not audited and one without a speed are not in it
        self.assertEqual(sorted(plotted), ["seqlock", "unsync (lied)", "xor"])
        log = lambda v: math.log10(v) if v > 0 else math.nan
        for title, mops, (k, n) in (("xor", (40, 30, 70), (100, 2 * 10**6)),
                                    ("unsync (lied)", (60, 50, 61), (10, 10**6)),
                                    ("seqlock", (24, 20, 25), (0, 8000))):
            (_, x, y, _), = plotted[title].points
            ends = plotted[title].level(x, y)
            for at, want in zip((x, *ends), mops):
                self.assertAlmostEqual(picture.x(at), want, delta=0.3, msg=title)
            low, high = wilson(k, n) if k else (0, excluded(n))
            up = plotted[title].bar(x, y)
            self.assertAlmostEqual(picture.y(up[1], log), math.log10(1e6 * high), delta=0.03)
            if k:
                self.assertAlmostEqual(picture.y(y, log), math.log10(1e6 * k / n), delta=0.03)
                self.assertAlmostEqual(picture.y(up[0], log), math.log10(1e6 * low), delta=0.03)
            else:
                self.assertAlmostEqual(y, picture.y_tics["0"], delta=0.1)
        self.assertIn("wrong answers per million probes", picture.texts)

    def test_choice_names_the_sizes(self):
        rows = speeds("xor", {2: [30]}, hash_mib="64") + speeds("xor", {2: [50]}, hash_mib="8")
        rows += speeds("xor", {2: [70]}, hash_mib="4096e") + audits("xor", hash_mib="1")
        picture = self.picture(rows, "choice-uniform-tt-1MiB-2t")
        (_, x, y, _), = picture.by_title()["xor"].points
        self.assertAlmostEqual(picture.x(x), 50, delta=0.3)
        self.assertTrue(any(t == "speed with 8 MiB, answers with 1 MiB" for t in picture.texts))
        # other pages are another table at one size, but may be what there was at another
        for size, pages, drawn in (("1", ["4k"], False), ("8", ["4k"], True),
                                   ("8", ["4k", "thp"], False), ("8", ["4k", "2m"], True)):
            rows = [r for p in pages for r in speeds("xor", {2: [30]}, hash_mib=size, page_size=p)]
            made, _ = self.files(rows + audits("xor", hash_mib="1"), "gp")
            self.assertEqual("choice-uniform-tt-1MiB-2t" in made, drawn, (size, pages))
        # speed of another machine, build, trace or thread count says nothing of these audits
        for other in ({"host": "other"}, {"flags": "-O0"}, {"trace_hash": "1"}, {"threads": 4},
                      {"caller": "chain"}, {"options": "refresh=never;sig=64"}):
            rows = [dict(r, **other) for r in speeds("xor", {2: [30]})]
            made, talk = self.files(rows + audits("xor"), "gp")
            self.assertFalse([m for m in made if m.startswith("choice")], other)
            self.assertIn("choice: no audit with a speed beside it: no picture\n", talk)

    def test_only_what_is_there_is_drawn(self):
        made, talk = self.files(speeds("seqlock", {1: [3], 2: [4]}))
        self.assertEqual(list(made), ["scaling-uniform-tt-16MiB"])
        self.assertEqual(list(Picture(made["scaling-uniform-tt-16MiB"]).by_title()), ["seqlock"])
        self.assertEqual(talk, "choice: no audit with a speed beside it: no picture\n"
                               "anomalies: no audit rows with a count: no picture\n"
                               "hits: no trace with probes at more than one size: no picture\n")

    def test_what_may_not_be_mixed_is_kept_apart(self):
        base = speeds("xor", {1: [10], 2: [20]}) + audits("xor")
        for column, value in (("caller", "chain"), ("host", "other"), ("kernel", "6.2"),
                              ("cpu_model", "Other"), ("cores", 8), ("compiler", "clang 17"),
                              ("flags", "-O2"), ("version", "v0.2"), ("placement", "list:0,1"),
                              ("deal", "clone"), ("clears", "live"), ("pacing", "recorded"),
                              ("lookahead", 4), ("trace_hash", "0123456789abcdef"),
                              ("hash_mib", "4096e"), ("hash_mib", "4096"), ("kind", "kv")):
            other = [dict(r, mops=100, **{column: value}) for r in base]
            made, _ = self.files(base + other, "gp")
            scaling = [p for m, p in made.items() if m.startswith("scaling")]
            self.assertEqual(len(scaling), 2, (column, sorted(made)))
            self.assertEqual(len([m for m in made if m.startswith("anomalies")]), 2, column)
            for path in scaling:
                curve = re.search(r"\$curve0 << END\n(.*?)END", path.read_text(), re.S).group(1)
                heights = {line.split()[1] for line in curve.splitlines()}
                self.assertIn(heights, ({"10", "20"}, {"100"}), column)
                if column not in ("trace_hash", "kind", "hash_mib"):
                    self.assertIn(column, path.read_text())
        made, _ = self.files(audits("xor", witness=1) + audits("xor", witness=0), "gp")
        self.assertEqual(sorted(made), ["anomalies-uniform-tt-16MiB-2t-witness-0",
                                        "anomalies-uniform-tt-16MiB-2t-witness-1"])
        made, _ = self.files(audits("xor", 2) + audits("xor", 4), "gp")
        self.assertEqual(sorted(made), ["anomalies-uniform-tt-16MiB-2t",
                                        "anomalies-uniform-tt-16MiB-4t"])

    def test_pages_have_their_own_curves(self):
        rows = [dict(r, page_size=pages, mops=mops) for pages, mops in (("4k", 10), ("thp", 30))
                for r in speeds("xor", {1: [1], 2: [2]})]
        text = next(iter(self.files(rows, "gp")[0].values())).read_text()
        self.assertEqual(re.findall(r"title '(xor\S+)'", text), ["xor@4k", "xor@thp"])

    def test_sizes_in_entries_have_their_own_axis(self):
        rows = [dict(speed_row("xor", "uniform", 1, 1, 1), hash_mib=size)
                for size in ("1", "4096", "2048e", "4096e", "0")]
        made, _ = self.files(rows, "gp")
        hits = sorted(m for m in made if m.startswith("hits"))
        self.assertEqual(hits, ["hits-entries-uniform-tt-1t", "hits-uniform-tt-1t"])
        self.assertIn("'size of the table, entries'", made[hits[0]].read_text())
        for name, places in zip(hits, ((11, 12), (0, 12))):
            curve = re.search(r"\$curve0 << END\n(.*?)END", made[name].read_text(), re.S).group(1)
            self.assertEqual(tuple(float(c.split()[0]) for c in curve.splitlines()), places)

    def test_looks_are_told_apart_and_stay(self):
        """Every table that is registered, each with all its variants of one option."""
        rows, known = [], all_tables()
        floors = {t.name for t in known if t.floor}
        order = lambda row: (row["table"] in floors, row["table"], row["options"])
        for table in known:
            usual = ";".join(f"{name}={value}" for name, value in table.defaults.items())
            variants = {usual}
            for name, values in table.options.items():
                variants |= {usual.replace(f"{name}={table.defaults[name]}", f"{name}={v}")
                             for v in values.split("|") if v != "..."}
            rows += [dict(speed_row("xor", "uniform", 1, 1, 1), table=table.name, options=v)
                     for v in sorted(variants)]
        self.assertGreater(len(rows), 92)
        looks = self.looks(rows)
        self.assertEqual(len(looks), len(rows))
        same = {}
        for title, look in looks.items():
            same.setdefault(look, []).append(title)
        self.assertEqual([t for t in same.values() if len(t) > 1], [])
        # a table looks the same whatever is drawn beside it
        for few in (rows[::7], rows[3::11]):
            alone = self.looks(few)
            by_row = {(r["table"], r["options"]): look for r, look in
                      zip(sorted(few, key=order), alone.values())}
            whole = {(r["table"], r["options"]): look for r, look in
                     zip(sorted(rows, key=order), looks.values())}
            for key, look in by_row.items():
                self.assertEqual(look, whole[key], key)

    def looks(self, rows):
        """{title: colour, symbol, width, dashes} of the curves, in the order of the key."""
        text = next(iter(self.files(rows, "gp")[0].values())).read_text()
        return {m[-1]: m[:-1] for m in re.findall(
            r"linespoints linecolor rgb '(\S+)' pointtype (\d+) pointsize (\S+) linewidth (\S+) "
            r"dashtype (\S+) title '(.*?)'(?:,|$)", text, re.M)}

    def test_variants_nobody_knows_are_told_apart(self):
        looks = self.looks([dict(speed_row("xor", "uniform", 1, 1, 1), options=f"way={i}")
                            for i in range(120)])
        self.assertEqual(len(set(looks.values())), 120)

    def test_tables_of_shared_objects_have_looks_of_their_own(self):
        names = ["mine", "yours", "xor", "unsync"]
        looks = self.looks([dict(speed_row("xor", "uniform", 1, 1, 1), table=n, options="")
                            for n in names])
        self.assertEqual(len(set(looks.values())), 4)

    def test_more_variants_than_fit(self):
        rows = [dict(r, options=f"refresh=always;way={i}") for i in range(150)
                for r in speeds("xor", {1: [5], 2: [i + 1]}) + audits("xor")]
        made, _ = self.files(rows)
        self.assertEqual(len(made), 3)
        picture = Picture(made["scaling-uniform-tt-16MiB"])
        self.assertEqual(len(picture.by_title()), 150)
        heights = sorted(at[1] for text, at in picture.labels.items() if text in
                         picture.by_title())
        self.assertLess(heights[-1], picture.height)
        self.assertGreater(min(b - a for a, b in zip(heights, heights[1:])), 12)

    def test_tics_do_not_overlap(self):
        threads = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 33, 34, 63, 64)
        picture = self.picture(speeds("xor", {n: [n] for n in threads}),
                               "scaling-uniform-tt-16MiB")
        places = sorted((at, label) for label, at in picture.x_tics.items())
        self.assertGreater(len(places), 7)
        for (a, left), (b, right) in zip(places, places[1:]):
            self.assertGreater(b - a, 5 * (len(left) + len(right)), (left, right))

    def test_odd_names_and_labels(self):
        self.need_gnuplot()
        evidence = self.dir / "evidence"
        names = ["a:b", "a_b", "a b", "a/b", f"`touch {evidence}`", f"|touch {evidence}",
                 f"$(touch {evidence})", "it's", '"c", d\ne', "x,1.tlt", "tab\there",
                 "vt\x0band\\n\\", "100 %d %s", "{/Symbol a}_b^c@d", "<&>", "-o", "..", "é",
                 "n" * 300, "n" * 301]
        rows = [dict(r, trace=name, options=f"refresh=always;x={name}")
                for name in names for r in speeds("xor", {1: [5], 2: [6]})]
        rows += [dict(r, options="refresh=always;x=y") for r in speeds("xor", {1: [5]})]
        made, _ = self.files(rows)
        self.assertEqual(len(made), len(names) + 1)
        for name in made:
            self.assertRegex(name, r"^[A-Za-z0-9][A-Za-z0-9._-]{1,240}$")
        self.assertIn("scaling-a_b-tt-16MiB", made)
        texts = [t for path in made.values() for t in Picture(path).texts]
        for title in ("trace x,1.tlt, kind tt, 16 MiB", "trace it's, kind tt, 16 MiB",
                      "trace 100 %d %s, kind tt, 16 MiB", "trace <&>, kind tt, 16 MiB",
                      "trace {/Symbol a}_b^c@d, kind tt, 16 MiB", "xor:x=x,1.tlt",
                      "xor:x=100 %d %s", "trace vt and\\n\\, kind tt, 16 MiB"):
            self.assertIn(title, texts)
        made, _ = self.files([dict(r, options="refresh=always;x=50%d\\\t") for r in audits("xor")]
                             + audits("xor"))
        self.assertIn("xor:x=50%d\\", Picture(next(iter(made.values()))).texts)
        self.assertFalse(evidence.exists())

    def test_names_of_tables_do_not_overlap(self):
        short = self.picture(audits("xor") + audits("seqlock"), "anomalies-uniform-tt-16MiB-2t")
        long = self.picture([dict(r, options=f"{'long' * 9}={i}") for i in range(12)
                             for r in audits("xor")], "anomalies-uniform-tt-16MiB-2t")
        for picture, turned in ((short, False), (long, True)):
            names = {t: at for t, at in picture.labels.items() if t.startswith("xor")}
            self.assertEqual({len(at) == 3 for at in names.values()}, {turned}, names)
            places = sorted(at[0] for at in names.values())
            self.assertGreater(min((b - a for a, b in zip(places, places[1:])), default=99), 20)
            # they end inside the picture
            longest = max(map(len, names))
            self.assertLess(places[-1] + 0.65 * 9 * longest, picture.width)
            self.assertLess(max(at[1] for at in names.values()) + turned * 0.77 * 9 * longest,
                            picture.height - 40)

    def test_bytes_that_are_no_text(self):
        self.need_gnuplot()
        write(self.file, [dict(r, trace="RAW") for r in speeds("xor", {1: [5]})])
        self.file.write_bytes(self.file.read_bytes().replace(b"RAW", b"a\xff\xc0\x80\xed\xa0\x80z"))
        run = self.plot(self.file, "--out", self.out, "--format", "svg")
        self.assertEqual(run.returncode, 0, run.stderr)
        Picture(next(self.out.iterdir()))

    def test_out_is_a_directory_whatever_it_is_called(self):
        self.need_gnuplot()
        write(self.file, speeds("xor", {1: [5]}))
        run = self.plot(self.file, "--out", "|touch evidence", cwd=self.dir)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(len(list((self.dir / "|touch evidence").iterdir())), 1)
        self.assertFalse((self.dir / "evidence").exists())

    def test_nobody_probes(self):
        rows = [dict(r, probes=0, hits=0, hash_mib=size) for size in ("1", "2")
                for r in speeds("xor", {1: [5], 2: [6]}) + audits("xor")]
        made, talk = self.files(rows)
        self.assertEqual(sorted({m.split("-")[0] for m in made}), ["anomalies", "scaling"])
        self.assertIn("hits: no trace with probes at more than one size: no picture\n", talk)

    def test_says_where_when_and_of_what(self):
        rows = speeds("xor", {1: [5], 2: [6]})
        rows[1]["started_utc"] = "2026-01-03T00:00:00.000Z"
        text = Picture(next(iter(self.files(rows)[0].values()))).texts
        self.assertIn("measured 2026-01-01 to 2026-01-03; tearline v0.1-7-gabc, built by "
                      "gcc 12.2.0 -O3", text)
        self.assertIn("host bench, CPU Example CPU @ 3.00GHz, 4 cores, Linux 6.1.0", text)
        self.assertIn("trace uniform, kind tt, 16 MiB", text)
        made, _ = self.files([dict(r, deal="", trace="hot-evict") for r in rows])
        self.assertIn("workload hot-evict, kind tt, 16 MiB",
                      Picture(next(iter(made.values()))).texts)

    def test_standard_input(self):
        self.need_gnuplot()
        write(self.file, speeds("xor", {1: [5]}))
        with open(self.file) as rows:
            run = self.plot("-", "--out", self.out, stdin=rows)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(len(list(self.out.iterdir())), 1)

    def test_bad_input(self):
        write(self.file, sweep(trials=1), ["table", "mops"])
        self.assert_error(self.plot(self.file), "missing columns: kind, trace, hash_mib")
        write(self.file, [])
        self.assert_error(self.plot(self.file), "nothing to draw")
        write(self.file, speeds("xor", {1: [""]}))
        self.assert_error(self.plot(self.file, "--out", self.out), "nothing to draw")
        self.assert_error(self.plot(), "expected one CSV file")
        write(self.file, sweep(trials=1))
        self.assert_error(self.plot(self.file, "--out", self.file), "no directory")
        self.assert_error(self.plot(self.file, "--out", self.dir / "a" / "b"), "cannot make")

    def test_no_room(self):
        """What cannot be written whole is not there at all, and what was there stays."""
        write(self.file, speeds("xor", {n: [5] for n in range(1, 65)}))
        self.out.mkdir()
        before = self.out / "scaling-uniform-tt-16MiB.gp"
        before.write_text("as it was")
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
        run = self.plot(self.file, "--out", self.out, "--format", "gp", preexec_fn=limit)
        self.assert_error(run, str(before), "cannot write: File too large")
        self.assertEqual([p.read_text() for p in self.out.iterdir()], ["as it was"])

    def test_half_a_picture_is_none(self):
        self.need_gnuplot()
        write(self.file, speeds("xor", {1: [5], 2: [6]}))
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (8000, 8000))
        run = self.plot(self.file, "--out", self.out, preexec_fn=limit)
        self.assert_error(run, "gnuplot failed on scaling-uniform-tt-16MiB")
        self.assertEqual(list(self.out.iterdir()), [])

    def test_without_gnuplot(self):
        write(self.file, sweep(trials=1))
        env = dict(os.environ, PATH=str(self.dir))
        self.assert_error(self.plot(self.file, "--out", self.out, env=env),
                          "gnuplot is not installed")
        self.assertEqual(list(self.out.iterdir()), [])

    def test_gnuplot_that_fails(self):
        write(self.file, sweep(trials=1))
        fake = self.dir / "gnuplot"
        for program, said in (("exit 1", "no whole picture came of it"),
                              ("echo first >&2; echo 'bad luck' >&2; exit 1", "bad luck"),
                              ("echo half a picture", "no whole picture came of it")):
            fake.write_text(f"#!/bin/sh\n{program}\n")
            fake.chmod(0o755)
            env = dict(os.environ, PATH=f"{self.dir}:{os.environ['PATH']}")
            self.assert_error(self.plot(self.file, "--out", self.out, env=env),
                              "gnuplot failed on choice-", said)
            self.assertEqual(list(self.out.iterdir()), [])


if __name__ == "__main__":
    unittest.main()
