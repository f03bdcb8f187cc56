#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""test_report_figures - every figure that a report prints, computed once more from the rows.

The rows hold random figures, another in every column, so that a column taken for another, a
rate of the wrong base or a mean for a median shows. What is computed here follows the
definitions, not the program; the resampling alone is its, draw by draw.
"""
import math
import os
import random
import re
import shutil
import statistics
import subprocess
import tempfile
import unittest
from pathlib import Path

from make_rows import common, write

TEARLINE = os.environ["TEARLINE"]
MASK = 2**64 - 1
SEED = 0x7EA41E


class Rng:
    def __init__(self, seed):
        self.state = seed

    def below(self, n):
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        x = self.state
        x = ((x ^ x >> 30) * 0xBF58476D1CE4E5B9) & MASK
        x = ((x ^ x >> 27) * 0x94D049BB133111EB) & MASK
        return ((x ^ x >> 31) * n) >> 64


def quantile(values, q):
    v = sorted(values)
    at = q * (len(v) - 1)
    low = int(at)
    return v[-1] if low + 1 >= len(v) else v[low] + (at - low) * (v[low + 1] - v[low])


def resampled(values, rng):
    v = sorted(values)
    return statistics.median([v[rng.below(len(v))] for _ in v])


def figure(v):
    """As a report writes numbers."""
    if v is None:
        return "-"
    if v >= 100:
        return f"{v:.1f}"
    if v >= 1 or v == 0:
        return f"{v:.2f}"
    return f"{v:.3f}" if v >= 0.1 else f"{v:.3g}"


def spread(values, over=None):
    """The interval of a median, or of a ratio of two, or the range below five values."""
    if min(len(values), len(over or values)) < 2:
        return "-"
    if min(len(values), len(over or values)) < 5:
        low, high = ((min(values), max(values)) if not over else
                     (min(values) / max(over), max(values) / min(over)))
        return f"({figure(low)}..{figure(high)})"
    rng = Rng(SEED)
    boot = []
    for _ in range(4000):
        v = resampled(values, rng)
        boot.append(v / resampled(over, rng) if over else v)
    return f"[{figure(quantile(boot, 0.025))}, {figure(quantile(boot, 0.975))}]"


def excluded(n):
    """The largest rate, per million, with which none in n is not out of the question."""
    low, high = 0.0, 1.0
    for _ in range(200):
        mid = (low + high) / 2
        low, high = (low, mid) if n * math.log1p(-mid) < math.log(0.05) else (mid, high)
    return low * 1e6


class Figures(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.dir = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.dir)
        self.random = random.Random(7)

    def report(self, rows, *args):
        path = self.dir / "x.csv"
        write(path, rows)
        run = subprocess.run([TEARLINE, "report", path, *args], capture_output=True, text=True,
                             check=False)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        return run.stdout

    def cells(self, text, part, trace):
        """Lines of a group's table, split at two blanks, without the header."""
        block = next(b for b in re.split(rf"^{part}$", text, flags=re.M)[1].split("\n\n")
                     if b.startswith(f"trace {trace} "))
        return [re.split(r"  +", line.strip()) for line in block.splitlines()[2:]]

    def speed_rows(self, table, threads, nr, **more):
        rows = []
        for trial in range(1, nr + 1):
            draw = self.random.randrange
            row = common(table=table, trace="t", threads=threads, trial=trial,
                         mode="throughput", mops=f"{self.random.uniform(20, 90):.5g}",
                         ns_per_op=f"{self.random.uniform(10, 99):.5g}",
                         stream_ns=f"{self.random.uniform(0.5, 2):.4g}",
                         null_ns=f"{self.random.uniform(2, 4):.4g}",
                         probes=draw(10**6, 10**7), stores=draw(10**6, 10**7),
                         hits=draw(10**5, 10**6), usable_hits=draw(10**4, 10**5))
            row.update(more)
            rows.append(row)
        return rows

    def values(self, rows, column):
        return [float(r[column]) for r in rows]

    def share(self, rows, above, below):
        return sum(self.values(rows, above)) / sum(self.values(rows, below))

    def test_speed(self):
        for nr, other in ((5, 6), (3, 7), (1, 1)):
            cells = {(table, threads): self.speed_rows(table, threads, n)
                     for table, n in (("unsync", nr), ("xor", other)) for threads in (1, 2)}
            text = self.report(sum(cells.values(), []))
            want = []
            for (table, threads), rows in cells.items():
                mops = self.values(rows, "mops")
                one = self.values(cells[table, 1], "mops")
                base = self.values(cells["unsync", threads], "mops")
                ratio = statistics.median(mops) / statistics.median(base)
                want.append([table, str(threads), figure(statistics.median(mops)), spread(mops),
                             str(len(rows)), figure(quantile(self.values(rows, "ns_per_op"), 0.5)),
                             figure(statistics.median(mops) / statistics.median(one)),
                             figure(ratio), "-" if table == "unsync" else spread(mops, base),
                             f"{100 * self.share(rows, 'hits', 'probes'):.2f}",
                             f"{100 * self.share(rows, 'usable_hits', 'probes'):.2f}"])
            self.assertEqual(self.cells(text, "SPEED", "t"), want)

    def test_floor(self):
        rows = self.speed_rows("xor", 1, 4) + self.speed_rows("seqlock", 1, 5)
        text = self.report(rows)
        line = text.split("the harness's floor")[1].split("\n")[2]
        want = ["1"]
        for column in "stream_ns", "null_ns":
            v = self.values(rows, column)
            want += [figure(statistics.median(v)), f"({figure(min(v))}..{figure(max(v))})"]
        self.assertEqual(re.split(r"  +", line.strip()), want + ["9"])

    def test_latency(self):
        columns = ["p50_ns", "p90_ns", "p99_ns", "p999_ns", "p9999_ns", "max_ns"]
        rows = [common(table="xor", trace="t", threads=2, trial=trial, mode="latency",
                       **{c: round(self.random.uniform(1, 999), 2) for c in columns})
                for trial in range(1, 5)]
        self.assertEqual(self.cells(self.report(rows), "LATENCY", "t"),
                         [["xor", "2", "4", *(figure(statistics.median(self.values(rows, c)))
                                              for c in columns)]])

    # column: what a count is a rate of, and in which operations none could have been seen
    RATES = {"torn_reads": ("probes", "contended_probes"), "wrong_key_hits": ("probes", "probes"),
             "false_misses": ("probes", "contended_probes"),
             "possible_false_misses": ("probes", "contended_probes"),
             "stale_hits": ("probes", "contended_probes"),
             "lost_stores": ("stores", "contended_stores"),
             "wrong_answers": ("probes", "probes"), "ghost_hits": ("probes", "contended_probes"),
             "dead_pair_misses": ("probes", "contended_probes")}
    # the order of the columns; at rest, or of single lines, there is no rate
    SHOWN = ["torn_reads", "wrong_key_hits", "false_misses", "possible_false_misses", "stale_hits",
             "lost_stores", "unusable_slots", "duplicate_keys", "wrong_answers", "ghost_hits",
             "dead_pair_misses", "contradictions"]
    EXPOSED = ["probes", "contended_probes", "stores", "contended_stores"]

    def audit_rows(self, table, nr, none, trace="t", **more):
        rows = []
        for trial in range(1, nr + 1):
            draw = self.random.randrange
            row = common(table=table, trace=trace, threads=2, trial=trial, mode="audit", witness=1)
            row.update({c: 0 if none else draw(1, 10**5) for c in self.RATES})
            row.update(probes=draw(10**6, 10**8), stores=draw(10**6, 10**8),
                       contended_probes=draw(10, 10**5), contended_stores=draw(10, 10**5),
                       unusable_slots=draw(10**4), duplicate_keys=draw(10**4),
                       contradictions=0 if none else draw(1, 10**4),
                       copies_per_key=round(self.random.uniform(1, 3), 3))
            row.update(more)
            rows.append(row)
        return rows

    def total(self, rows, column):
        return sum(int(r[column]) for r in rows)

    def count(self, rows, column):
        n = self.total(rows, column)
        base, chances = (self.total(rows, c) for c in self.RATES[column])
        if n:
            return f"{n} ({figure(1e6 * n / base)})"
        return f"0 (<{figure(excluded(chances))})" if chances else "0 (-)"

    def audited(self, rows):
        return [rows[0]["table"], "2", str(len(rows)),
                *(self.count(rows, c) if c in self.RATES else str(self.total(rows, c))
                  for c in self.SHOWN)]

    def test_answers(self):
        some, none = self.audit_rows("spinlock", 3, False), self.audit_rows("xor", 4, True)
        blind = self.audit_rows("seqlock", 2, True, contended_probes=0, contended_stores=0)
        want = [self.audited(rows) + [figure(statistics.median(self.values(rows, "copies_per_key")))] +
                [str(self.total(rows, c)) for c in self.EXPOSED] for rows in (some, blind, none)]
        text = self.report(some + none + blind, "--baseline", "spinlock")
        self.assertEqual(self.cells(text, "ANSWERS", "t"), want)
        rate = {c: f"{self.total(some, c)} {what} ({figure(1e6 * self.total(some, c) / self.total(some, b))} per million)"
                for c, what, b in (("torn_reads", "torn reads", "probes"),
                                   ("wrong_key_hits", "wrong-key hits", "probes"),
                                   ("false_misses", "false misses", "probes"),
                                   ("stale_hits", "stale hits", "probes"),
                                   ("lost_stores", "lost stores", "stores"),
                                   ("wrong_answers", "wrong answers", "probes"),
                                   ("ghost_hits", "ghost hits", "probes"),
                                   ("dead_pair_misses", "dead-pair misses", "probes"))}
        rate["at once"] = f"{self.total(some, 'contradictions')} contradictions"
        self.assertIn("\n  spinlock: LIED: " + ", ".join(rate.values()) + " in 3 audit rows\n", text)
        under = figure(excluded(self.total(none, "contended_probes")))
        self.assertIn(f"\n  xor: 0 torn reads, 0 false misses (each under {under} per million "
                      "contended) in 4 audit rows\n", text)
        self.assertIn("\n  seqlock: 0 torn reads, 0 false misses (none contended) in 2", text)

    def test_lies(self):
        """An answer that nobody can have stored is a lie, whichever it is; a miss is none."""
        for column in self.RATES:
            rows = self.audit_rows("xor", 1, True, **{column: 3})
            self.assertEqual("xor: LIED: " in self.report(rows),
                             column in ("torn_reads", "wrong_key_hits", "wrong_answers"), column)

    def test_a_count_that_nobody_made_has_no_column(self):
        some, more = self.audit_rows("xor", 1, False), self.audit_rows("seqlock", 1, False)
        for row in some + more:
            row.update(ghost_hits="", dead_pair_misses="", contradictions="")
        more[0]["wrong_answers"] = ""
        text = self.report(some + more)
        self.assertNotIn("dead pair", text)
        self.assertEqual([line[11] for line in self.cells(text, "ANSWERS", "t")],
                         [self.count(some, "wrong_answers"), "-"])

    def test_few_contended_probes_exclude_little(self):
        """133 of 5.2 M probes: that none tore excludes 2 %, not 0.6 of a million."""
        rows = self.audit_rows("unsync", 1, True, probes=5200000, contended_probes=133)
        self.assertEqual(figure(excluded(133)), "22272.5")
        text = self.report(rows)
        self.assertIn("unsync: 0 torn reads, 0 false misses (each under 22272.5 per million", text)
        self.assertIn("  0 (<22272.5)  ", text)
        for row in rows:
            row["contended_probes"] = ""
        self.assertIn("0 false misses (contention not measured)", self.report(rows))

    def test_missed_keys(self):
        """What a user meets stands beside what the audit proved, where no audit is needed."""
        trace = "hot-update:lines=1"
        plain = self.speed_rows("xor", 2, 3, trace=trace, deal="", kind="kv")
        other = self.speed_rows("xor", 2, 1, trace="uniform", deal="", kind="kv")
        audit = self.audit_rows("xor", 2, False, trace, deal="", kind="kv", hits=900000)
        for row in plain + audit:
            row["trace_hash"] = "1"
        rates = [figure(1e6 * (1 - self.share(rows, "hits", "probes"))) for rows in (audit, plain)]
        text = self.report(plain + other + audit)
        self.assertEqual(self.cells(text, "ANSWERS", trace)[0],
                         self.audited(audit) + rates +
                         [str(self.total(audit, c)) for c in self.EXPOSED])
        self.assertEqual(self.cells(text, "SPEED", trace)[0][-1], rates[1])
        self.assertNotIn("missed", text.split("trace uniform")[1].split("\n\n")[0])
        self.assertIn(f"; unaudited it misses up to {rates[1]} of a million keys that are there\n",
                      text)
        # a recorded trace of that name is dealt, and its misses are anybody's
        for row in plain + audit:
            row.update(deal="split")
        self.assertNotIn("missed", self.report(plain + audit))

    def test_calibration(self):
        rows = self.audit_rows("xor", 3, False)
        for row in rows:
            row["proved_share"] = round(self.random.uniform(0, 1), 4)
        proved = sum(int(r["false_misses"]) * r["proved_share"] for r in rows)
        want = 100 * proved / self.total(rows, "false_misses")
        self.assertIn(f"; the general audit finds {want:.0f} % of what exact mode counts",
                      self.report(rows))

    def test_contests(self):
        """Among the fastest is whose interval against the fastest reaches 1."""
        tables, traces, shares, won = ("unsync", "xor", "seqlock"), ("a", "b", "c"), {}, {}
        rows = self.speed_rows("null", 1, 3, trace="a", mops=500)
        for trace in traces:
            cells = {t: self.speed_rows(t, 2, 3, trace=trace) for t in tables}
            rows += sum(cells.values(), [])
            mops = {t: self.values(c, "mops") for t, c in cells.items()}
            best = max(mops.values(), key=statistics.median)
            for t, v in mops.items():
                shares.setdefault(t, []).append(statistics.median(v) / statistics.median(best))
                won[t] = won.get(t, 0) + (max(v) / min(best) >= 1)
        order = sorted(tables, key=lambda t: (-won[t], -statistics.median(shares[t])))
        text = self.report(rows)
        self.assertTrue(text.startswith("VERDICT\nmachine: "))
        self.assertIn("\nspeed, in 3 contests ", text)
        lines = text.split("median share  range\n")[1].split("\nanswers")[0].splitlines()
        self.assertEqual([re.split(r"  +", line.strip()) for line in lines],
                         [[t, f"{won[t]} of 3", figure(statistics.median(shares[t])),
                           f"({figure(min(shares[t]))}..{figure(max(shares[t]))})"] for t in order])

    def test_noise_makes_no_winner(self):
        rows = []
        for table, speeds in (("xor", (10, 11, 12)), ("seqlock", (9, 10.5, 11)),
                              ("spinlock", (5, 6, 7))):
            for row, mops in zip(self.speed_rows(table, 2, 3), speeds, strict=True):
                rows.append(dict(row, mops=mops))
        text = self.report(rows)
        self.assertRegex(text, r"\n  xor +1 of 1 +1\.00 +-\n  seqlock +1 of 1 +0\.955 +-\n"
                               r"  spinlock +0 of 1 +0\.545 +-\n")
        self.assertNotIn("nobody knows the noise", text)
        text = self.report([r for r in rows if r["trial"] == 1])
        self.assertIn("of one trial, nobody knows the noise", text)


if __name__ == "__main__":
    unittest.main()
