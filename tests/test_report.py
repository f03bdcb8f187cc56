#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""test_report - `tearline report` on rows whose medians are known, and on bad input."""
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from make_rows import COLUMNS, audit_row, speed_row, sweep, write

TEARLINE = os.environ["TEARLINE"]
README = Path(__file__).resolve().parent.parent / "results" / "README.md"


def tearline(*args, **more):
    return subprocess.run([TEARLINE, *map(str, args)], capture_output=True, text=True,
                          check=False, **more)


def grid(block):
    """Rows of a table: label and threads -> the rest of the line, split at two blanks."""
    rows = {}
    for line in block.splitlines():
        cells = re.split(r"  +", line.strip())
        if line.startswith("  ") and len(cells) > 2 and cells[0] != "table":
            rows[cells[0], cells[1]] = cells[2:]
    return rows


class Report(unittest.TestCase):
    def setUp(self):
        self.dir = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.dir)
        self.file = self.dir / "x.csv"

    def report(self, rows, *args, columns=COLUMNS):
        write(self.file, rows, columns)
        run = tearline("report", self.file, *args)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(run.stderr, "")
        return run.stdout

    def assert_error(self, run, *parts):
        self.assertEqual(run.returncode, 2, run.stdout)
        self.assertEqual(run.stderr.count("\n"), 1, run.stderr)
        for part in parts:
            self.assertIn(part, run.stderr)

    def speed(self, text, trace="crafty-2t-fine70"):
        blocks = text.split("SPEED\n")[1].split("ANSWERS")[0].split("\n\n")
        return grid(next(b for b in blocks if b.startswith(f"trace {trace}")))

    def answers(self, text, trace="crafty-2t-fine70"):
        blocks = text.split("ANSWERS\n")[1].split("\n\n")
        return grid(next(b for b in blocks if b.startswith(f"trace {trace}")))

    def test_medians_ranges_and_ratios(self):
        # trials are 0.99, 1.00 and 1.01 times the middle: xor 38 * (1, 1.88, 3.64)
        speed = self.speed(self.report(sweep(trials=3)))
        self.assertEqual(speed["xor", "1"][:5],
                         ["38.00", "(37.62..38.38)", "3", "26.32", "1.00"])
        self.assertEqual(speed["xor", "4"][0], "138.3")  # 138.32
        self.assertEqual(speed["xor", "4"][4], "3.64")
        # against unsync: 38 / 40, from 37.62 / 40.4 to 38.38 / 39.6
        self.assertEqual(speed["xor", "1"][5:7], ["0.950", "(0.931..0.969)"])
        self.assertEqual(speed["spinlock", "4"][4], "1.75")
        # hits: 1/2 - 1/20
        self.assertEqual(speed["xor", "1"][7:], ["45.00", "22.50"])
        self.assertEqual(speed["null", "1"][7:], ["0.00", "0.00"])

    def test_bootstrap_from_five_trials(self):
        # five values: the interval goes from the least to the largest (see test_stats)
        speed = self.speed(self.report(sweep(trials=5, audit=False)))
        self.assertEqual(speed["unsync", "1"][:3], ["40.00", "[39.20, 40.80]", "5"])
        self.assertEqual(speed["unsync", "1"][5:7], ["1.00", "-"])

    def test_other_traces_have_their_own_tables(self):
        text = self.report(sweep(trials=3))
        self.assertEqual(self.speed(text, "uniform")["xor", "1"][0], "30.40")  # 0.8 * 38
        self.assertEqual(text.count("16 MiB, kind tt"), 6)  # three with speeds, three audited

    def test_baseline(self):
        text = self.report(sweep(trials=3), "--baseline", "spinlock")
        self.assertIn("vs spinlock", text)
        self.assertEqual(self.speed(text)["xor", "1"][5], "1.90")
        without = [r for r in sweep(trials=3) if r["table"] not in ("unsync", "null")]
        self.assertIn("vs xor", self.report(without))

    def test_throughput_never_comes_from_audit_rows(self):
        rows = [r for r in sweep(trials=3) if r["mode"] == "audit"]
        text = self.report(rows)
        self.assertIn("no throughput rows: not measured", text)
        self.assertNotIn("Mops", text)
        # and beside throughput rows they change nothing
        self.assertEqual(self.speed(self.report(sweep(trials=3))),
                         self.speed(self.report(sweep(trials=3, audit=False))))

    def test_order_of_rows_does_not_matter(self):
        rows = sweep(trials=5)
        self.assertEqual(self.report(rows), self.report(rows[::-1]))

    def test_floor(self):
        text = self.report(sweep(trials=3))
        floor = next(b for b in text.split("\n\n") if b.startswith("the harness's floor"))
        self.assertRegex(floor, r"\n +2 +1\.50 +\(1\.50\.\.1\.50\) +3\.25 +\(3\.25\.\.3\.25\) +54")
        rows = sweep(trials=3)
        for row in rows:
            row["stream_ns"] = row["null_ns"] = ""
        self.assertIn("the harness's floor: not measured", self.report(rows))

    def test_answers(self):
        answers = self.answers(self.report(sweep(trials=3)))
        # three audits of 10^8 probes: 80 per million
        self.assertEqual(answers["xor", "4"][:4], ["3", "0", "0", "24000 (80.00)"])
        self.assertEqual(answers["unsync", "4"][1], "3600 (12.00)")
        self.assertEqual(answers["xor", "4"][6], "2400 (40.00)")  # lost, of stores
        self.assertEqual(answers["xor", "4"][8], "-")  # duplicate keys: not measured
        self.assertEqual(answers["seqlock", "4"][1:8], ["0"] * 7)

    def test_verdicts(self):
        text = self.report(sweep(trials=3, threads=(4,), traces=["uniform"]))
        self.assertIn("\n  unsync: LIED: 3600 torn reads (12.00 per million), "
                      "9000 false misses (30.00 per million)", text)
        self.assertIn("\n  xor: 0 torn reads, 24000 false misses (80.00 per million), "
                      "2400 lost stores (40.00 per million) in 3 audit rows\n", text)
        self.assertIn("\n  seqlock: 0 torn reads, 0 false misses in 3 audit rows\n", text)
        self.assertEqual(text.count("LIED"), 1)

    def test_wrong_key_hits_are_lies(self):
        row = audit_row("seqlock", "uniform", 2, 1)
        row["wrong_key_hits"] = 2**32 + 1
        text = self.report([row])
        self.assertIn("seqlock: LIED: 0 torn reads, 4294967297 wrong-key hits", text)

    def test_unmeasured_is_never_zero(self):
        row = audit_row("xor", "uniform", 2, 1)
        measured = dict(row)
        row.update(torn_reads="", false_misses="", trial=2)
        text = self.report([row])
        self.assertIn("xor: torn reads not measured, false misses not measured, 400 lost", text)
        self.assertEqual(self.answers(text, "uniform")["xor", "2"][1:4], ["-", "0", "-"])
        # a rate is over the rows that measured: 4000 of 10^8, not of 2 * 10^8
        text = self.report([measured, row])
        self.assertEqual(self.answers(text, "uniform")["xor", "2"][3], "4000 (40.00)")
        self.assertIn("no audit rows: whether a table lied was not measured",
                      self.report(sweep(trials=1, audit=False)))
        rows = [speed_row("xor", "uniform", 1, 1, 1)]
        rows[0].update(mops="", ns_per_op="", hits="", usable_hits="")
        cells = self.speed(self.report(rows), "uniform")["xor", "1"]
        self.assertEqual(cells, ["-", "-", "1", "-", "-", "-", "-", "-", "-"])

    def test_one_thread_says_nothing_of_races(self):
        text = self.report([audit_row("xor", "uniform", 1, 1)])
        self.assertIn("0 false misses in 1 audit row, all of one thread", text)

    def test_variants_are_kept_apart(self):
        rows = []
        for refresh, factor in (("always", 1), ("cas", 2)):
            for table in ("xor", "unsync"):
                row = speed_row(table, "uniform", 1, 1, 1)
                row.update(options=f"refresh={refresh};sig=64", refresh=refresh,
                           mops=float(row["mops"]) * factor)
                rows.append(row)
        text = self.report(rows)
        speed = self.speed(text, "uniform")
        self.assertEqual(speed["xor:refresh=always", "1"][0], "30.40")
        self.assertEqual(speed["xor:refresh=cas", "1"][0], "60.80")
        # each against the baseline with the same refresh
        self.assertEqual(speed["xor:refresh=cas", "1"][5], "0.950")
        self.assertEqual(text.count("several refresh values"), 1)
        self.assertIn(": always, cas\n", text)

    def test_circumstances_are_never_mixed(self):
        slow, fast = (speed_row("xor", "uniform", 1, 1, 1) for _ in range(2))
        fast.update(mops=100, caller="chain")
        text = self.report([slow, fast])
        self.assertIn(", caller branch\n", text)
        self.assertIn(", caller chain\n", text)
        self.assertRegex(text, r"xor +1 +30\.40 +- +1 ")
        self.assertRegex(text, r"xor +1 +100\.0 +- +1 ")

    def test_notes(self):
        clean = self.report(sweep(trials=5, audit=False))
        self.assertTrue(clean.endswith("\nNOTES\nnone\n"), clean[-200:])
        rows = sweep(trials=5, audit=False)
        total = len(rows)
        rows[0].update(oversubscribed=1)
        rows[1].update(overlap=0.4)
        rows[2].update(warnings="load average 3.0;governor powersave")
        rows[3].update(warnings="governor powersave")
        rows[4].update(mops=1)
        for row in rows[5:7]:
            row.update(flags="-O0 -fsanitize=address", host="other", version="v0.1-dirty")
        text = self.report(rows)
        for note in (f"1 of {total} rows with more threads", f"1 of {total} rows of which less than half was timed",
                     f"2 of {total} rows of a sanitizer build",
                     f"2 of {total} rows of a build without optimisation",
                     f"2 of {total} rows of a version with uncommitted changes",
                     f"warning on 1 of {total} rows: load average 3.0\n",
                     f"warning on 2 of {total} rows: governor powersave\n",
                     "several machines, never compared with each other: bench, other\n",
                     "several versions of tearline", "several kinds of build",
                     "1 trials lie far from their cell's median"):
            self.assertEqual(text.count(note), 1, note)
        self.assertIn("1*", text)
        self.assertIn("machine 2: other", text)
        self.assertIn(", machine 2\n", text)

    def test_latency_rows(self):
        row = speed_row("xor", "uniform", 2, 1, 1)
        row.update(mode="latency", p50_ns=20, p99_ns=110, max_ns=9000.5)
        text = self.report([row])
        self.assertRegex(text, r"xor +2 +1 +20\.00 +- +110\.0 +- +- +9000\.5\n")

    def test_multiple_files_and_standard_input(self):
        rows = sweep(trials=4, audit=False)
        first, second = self.dir / "1.csv", self.dir / "2.csv"
        write(first, rows[:len(rows) // 2])
        write(second, rows[len(rows) // 2:])
        both = tearline("report", first, second)
        self.assertEqual(both.returncode, 0)
        self.assertEqual(self.speed(both.stdout)["xor", "1"][:3], ["38.00", "(37.43..38.57)", "4"])
        write(self.file, rows)
        with open(self.file) as f:
            self.assertEqual(tearline("report", "-", stdin=f).stdout, both.stdout)

    def test_columns_are_found_by_name(self):
        rows = sweep(trials=3)
        columns = COLUMNS[::-1] + ["unknown"]
        self.assertEqual(self.report(rows, columns=columns), self.report(rows))

    def test_bad_input(self):
        write(self.file, sweep(trials=1), [c for c in COLUMNS if c not in ("trace", "threads")])
        self.assert_error(tearline("report", self.file), str(self.file),
                          "missing columns: trace, threads")
        write(self.file, [])
        self.assert_error(tearline("report", self.file), str(self.file), "no rows")
        for column, value in (("mops", "fast"), ("probes", "1.5"), ("probes", "-1"),
                              ("threads", ""), ("threads", "0"), ("table", "")):
            rows = sweep(trials=1)
            rows[3][column] = value
            write(self.file, rows)
            self.assert_error(tearline("report", self.file), f"{self.file}:5: {column}: ",
                              f"'{value}'")
        self.file.write_text("a,b\n1\n")
        self.assert_error(tearline("report", self.file), f"{self.file}:2:")
        self.assert_error(tearline("report", self.dir / "none.csv"), "none.csv", "No such file")
        self.assert_error(tearline("report"), "expected a CSV file")
        write(self.file, sweep(trials=1))
        self.assert_error(tearline("report", self.file, "--baseline", "xro"), "--baseline", "'xro'")
        self.assert_error(tearline("report", self.file, "--nonsense"), "--nonsense")

    def test_full_disk(self):
        write(self.file, sweep(trials=1))
        with open("/dev/full", "w") as full:
            for args in ([self.file], ["--schema"]):
                run = subprocess.run([TEARLINE, "report", *args], stdout=full, check=False,
                                     stderr=subprocess.PIPE, text=True)
                self.assertEqual(run.returncode, 2)
                self.assertIn("cannot write to standard output", run.stderr)

    def test_schema_is_in_step(self):
        run = tearline("report", "--schema")
        self.assertEqual(run.returncode, 0)
        self.assertEqual(re.findall(r"^\| `(\w+)` \|", run.stdout, re.M), COLUMNS)
        text = README.read_text(encoding="utf-8")
        self.assertEqual(text[text.index("| column |"):], run.stdout,
                         "results/README.md: put the output of `tearline report --schema` there")


if __name__ == "__main__":
    unittest.main()
