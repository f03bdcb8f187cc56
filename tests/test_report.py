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
        # a 0 excludes 3 of the 6 * 10^6 contended probes, or of all 3 * 10^8
        self.assertEqual(answers["xor", "4"][:4],
                         ["3", "0 (<0.499)", "0 (<0.00999)", "24000 (80.00)"])
        self.assertEqual(answers["unsync", "4"][1], "3600 (12.00)")
        self.assertEqual(answers["xor", "4"][6], "2400 (40.00)")  # lost, of stores
        self.assertEqual(answers["xor", "4"][8], "1.30")  # no column of duplicate keys: not measured
        self.assertEqual([a.split()[0] for a in answers["seqlock", "4"][1:8]], ["0"] * 7)

    def test_verdicts(self):
        text = self.report(sweep(trials=3, threads=(4,), traces=["uniform"]))
        self.assertIn("\n  unsync: LIED: 3600 torn reads (12.00 per million), "
                      "9000 false misses (30.00 per million)", text)
        self.assertIn("\n  xor: 0 torn reads (under 0.499 per million contended), 24000 false "
                      "misses (80.00 per million), "
                      "2400 lost stores (40.00 per million) in 3 audit rows\n", text)
        self.assertIn("\n  seqlock: 0 torn reads, 0 false misses (each under 0.499 per million "
                      "contended) in 3 audit rows\n", text)
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
        text = self.report([row, audit_row("spinlock", "uniform", 2, 1)])
        self.assertEqual(self.answers(text, "uniform")["xor", "2"][1:4],
                         ["-", "0 (<0.03)", "-"])
        # a rate is over the rows that measured: 4000 of 10^8, not of 2 * 10^8
        text = self.report([measured, row])
        self.assertEqual(self.answers(text, "uniform")["xor", "2"][3], "4000 (40.00)")
        self.assertIn("no audit rows: whether a table lied was not measured",
                      self.report(sweep(trials=1, audit=False)))
        rows = [speed_row("xor", "uniform", 1, 1, 1)]
        rows[0].update(mops="", ns_per_op="", hits="", usable_hits="")
        cells = self.speed(self.report(rows), "uniform")["xor", "1"]
        self.assertEqual(cells, ["-", "-", "0", "-", "-", "-", "-", "-", "-"])

    def test_one_thread_says_nothing_of_races(self):
        text = self.report([audit_row("xor", "uniform", 1, 1)])
        self.assertIn("0 false misses (none contended) in 1 audit row, all of one thread", text)

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
                     f"warning on 1 of {total} rows: load average 3.0 (",
                     f"warning on 2 of {total} rows: governor powersave (",
                     "several machines, never compared with each other: bench, other\n",
                     "several versions of tearline", "several kinds of build",
                     "1 trials lie far from their cell's median"):
            self.assertEqual(text.count(note), 1, note)
        self.assertIn("1*", text)
        self.assertIn("machine 2: other", text)
        self.assertIn(", machine 2\n", text)

    def notes(self, rows, *args):
        return self.report(rows, *args).split("\nNOTES\n")[1].splitlines()

    def test_a_warning_is_one_line_and_names_what_it_touched(self):
        rows = sweep(trials=5, audit=False, tables=("xor", "unsync"))
        total = len(rows)
        some = [r for r in rows if r["threads"] == 4 and r["trace"] == "uniform"]
        for i, row in enumerate(some):
            row["warnings"] = f"other;load average {1.5 + i / 10:.1f} on 4 CPUs at start"
        self.assertEqual(self.notes(rows),
                         [f"- warning on 10 of {total} rows: other (trace uniform; threads 4)",
                          f"- warning on 10 of {total} rows: load average 1.5 to 2.4 on 4 CPUs at "
                          "start (trace uniform; threads 4)"])
        for row in rows:
            row["warnings"] = "busy"
        self.assertEqual(self.notes(rows), [f"- warning on {total} of {total} rows: busy"])

    def test_options_that_are_not_the_default_are_always_shown(self):
        """Also if no other variant is there; of a table that is not here nobody knows them."""
        def one(table, options):
            row = speed_row("xor", "uniform", 1, 1, 1)
            row.update(table=table, options=options)
            return row

        lock = "stripes=256;refresh=always;sig=64"
        for table, options, label in (
                ("spinlock", f"lock=ticket;{lock}", "spinlock:lock=ticket"),
                ("spinlock", f"lock=fas;{lock}", "spinlock"),
                ("spinlock", "lock=fas;stripes=2560;refresh=never;sig=6",
                 "spinlock:stripes=2560,refresh=never,sig=6"),
                ("seqlock", "lock=fas;refresh=always", "seqlock:lock=fas"),
                ("mine", "lock=fas;plugin=m.so#0123456789abcdef", "mine:lock=fas")):
            self.assertEqual([k for k in self.speed(self.report([one(table, options)]), "uniform")],
                             [(label, "1")])
        # the same for the one that others are compared with, and in verdicts
        row = audit_row("spinlock", "uniform", 2, 1)
        row["options"] = f"lock=mcs;{lock}"
        self.assertIn("\n  spinlock:lock=mcs: 0 torn reads", self.report([row]))

    def test_a_trial_counts_once(self):
        rows = sweep(trials=3, audit=False)
        write(self.file, rows)
        again = self.dir / "again.csv"
        write(again, rows[4:5])
        for files, places in (((self.file, self.file), (f"{self.file}:2", f"{self.file}:2")),
                              ((again, self.file), (f"{self.file}:6", f"{again}:2"))):
            run = tearline("report", *files)
            self.assert_error(run, "too (run 20260101T000000Z-1, trial 1)", *places)
        write(self.file, rows + rows[10:11])
        self.assert_error(tearline("report", self.file), f"{self.file}:{len(rows) + 2}: ",
                          f"{self.file}:12 ")
        # a sweep run again: trials of their own, but two of each number
        later = [dict(r, run_id="later-1", mops=float(r["mops"]) * 1.1) for r in rows]
        notes = "\n".join(self.notes(rows + later))
        self.assertIn(f"- {len(rows)} rows with a trial's number that its cell has already, first "
                      "trial 1 of run 20260101T000000Z-1 and of run later-1", notes)
        self.assertNotIn("a trial's number", "\n".join(self.notes(rows)))
        # of rows that do not say which run they are of, nobody knows
        for row in rows:
            row["run_id"] = ""
        write(self.file, rows)
        self.assertEqual(tearline("report", self.file, self.file).returncode, 0)

    def test_no_speed_of_what_was_hardly_timed(self):
        rows = [speed_row(table, "uniform", threads, 1, 1) for table in ("unsync", "xor")
                for threads in (1, 2)]
        for overlap in 0, 0.003, 0.0999, 1.0001, 7:
            rows[3]["overlap"] = overlap
            text = self.report(rows)
            speed = self.speed(text, "uniform")
            self.assertEqual(speed["xor", "2"][:7], ["-", "-", "0", "-", "-", "-", "-"], overlap)
            self.assertNotEqual(speed["unsync", "2"][4], "-")
            self.assertIn("- 1 of 4 rows without a figure of speed or scaling: hardly any of the "
                          "replay was timed, or more than all of it (overlap) (table xor; "
                          "threads 2)\n", text)
            self.assertIn("\n  xor     ", text.split("SPEED")[0])
            self.assertIn(" 1 of 1 ", text.split("SPEED")[0])  # the contest of one thread only
        for overlap in 0.1, 1, "":
            rows[3]["overlap"] = overlap
            self.assertEqual(self.speed(self.report(rows), "uniform")["xor", "2"][2], "1", overlap)
        # what an audit timed says nothing of speed
        row = audit_row("xor", "uniform", 2, 1)
        row.update(overlap=0.01, mops="")
        self.assertNotIn("timed", "\n".join(self.notes([row])))

    def test_other_circumstances_are_named(self):
        rows = [speed_row("xor", "uniform", 1, 1, 1) for _ in range(2)]
        for column, value in (("cpu_model", "Other CPU"), ("kernel", "5.0"), ("cores", 8),
                              ("compiler", "clang 16"), ("flags", "-O2"), ("version", "v9"),
                              ("host", "other")):
            other = dict(rows[1], **{column: value, "trial": 2})
            text = self.report([rows[0], other])
            self.assertEqual(len(re.findall(r"^- several .*, never compared with each other: ",
                                            text, re.M)), 1, column)
            self.assertIn(f": {rows[0][column]}, {value}\n", text)
            self.assertEqual(text.count("\nspeed: no two tables ran"), 2)
            self.assertRegex(text, r"(?s)VERDICT\nmachine 1: .*\nmachine 2: ")
        other = dict(rows[1], trace_hash="0123456789abcdef", trial=2)
        text = self.report([rows[0], other])
        self.assertIn("- several contents under the name uniform, never compared", text)
        self.assertIn("\ntrace uniform (0123456789abcdef)", text)
        # what lied on one machine is not said of the other
        rows = [audit_row("unsync", "uniform", 4, 1), audit_row("unsync", "uniform", 4, 2)]
        rows[1].update(host="other", torn_reads=0)
        text = self.report(rows)
        self.assertEqual(len(re.findall("unsync: LIED: .* in 1 audit row", text)), 1)
        self.assertEqual(len(re.findall("unsync: 0 torn reads.* in 1 audit row", text)), 1)

    def test_words_are_explained(self):
        rows = sweep(trials=1)
        text = self.report(rows)
        for word in ("deal split: ", "clears barrier: ", "usable: ", "vs unsync: ", "possible: ",
                     "copies: ", "contended: "):
            self.assertEqual(len(re.findall(rf"(?:^|\s){word}", text)), 1, word)
        self.assertNotIn("witness", text)
        self.assertNotIn("vs unsync: ", self.report(rows, "--baseline", "xor"))
        for row in rows:
            row["witness"] = "1" if row["mode"] == "audit" else ""
        self.assertEqual(self.report(rows).count("\nwitness 1: "), 1)

    def test_the_answer_is_on_the_first_screen(self):
        rows = sweep(trials=3, tables=("spinlock", "xor", "seqlock", "ck_ht", "unsync"))
        verdict = self.report(rows).split("\n\n")[0].splitlines()
        self.assertEqual(verdict[0], "VERDICT")
        self.assertLessEqual(len(verdict), 24)
        for table in "spinlock", "xor", "seqlock", "ck_ht", "unsync":
            self.assertEqual(sum(line.startswith(f"  {table}") for line in verdict), 2, table)

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

    # A column that takes any text is named here, so that a new one is not so by oversight.
    TEXTS = {"run_id", "host", "cpu_model", "kernel", "compiler", "flags", "version", "table",
             "trace", "warnings"}
    RUBBISH = {
        "whole": ["rubbish", "1.5", "-1", " 1", "1 ", "+1", "0x10", "1e3", "18446744073709551616"],
        "count": ["rubbish", "0", "-1", "1.5"],
        "decimal": ["rubbish", "-0.5", "nan", "inf", "1e999", "1,5", "0x1p3", "1.2.3", " 1", "."],
        "share": ["rubbish", "1.01", "-0.5", "nan", "50 %"],
        "0, 1": ["rubbish", "2", "yes", "01", "0, 1", ","],
        "time": ["rubbish", "2026-01-01", "2026-01-01 00:00:00Z", "2026-01-01T00:00:00", "x"],
        "hash": ["rubbish", "0123456789abcdef0", "0x12", "12 "],
        "size": ["rubbish", "e", "-1", "1.5e", "4096ee", "16 MiB"],
        "pages": ["rubbish", "4", "k", "4kk", "thp+", "4k+thp", "thpx"],
        "placement": ["rubbish", "list", "core,"],
        "CPUs": ["rubbish", ",", "0,", "0,,1", "a", "-1"],
        "options": ["rubbish", "=x", ";a=b"],
    }
    GOOD = {"size": ["16", "0.25", "4096e"], "pages": ["4k", "thp", "2m", "1g", "thp+4k"],
            "placement": ["core", "list:0,1"], "CPUs": ["0", "0,1,0", "0-3,8"], "share": ["0", "1"],
            "hash": ["0", "0123456789abcdef"], "time": ["2026-01-31T23:59:59Z"],
            "decimal": ["0", "1.5", "9.54e-07", "1e3"], "whole": ["0", "18446744073709551615"]}

    def test_every_column_refuses_rubbish(self):
        """File, line, column, what was expected; and nothing is printed of the rest."""
        held = re.findall(r"^\| `(\w+)` \| ([^|]+) \|", tearline("report", "--schema").stdout, re.M)
        self.assertEqual([name for name, _ in held], COLUMNS)
        self.assertEqual({name for name, what in held if what == "text"}, self.TEXTS)
        good = speed_row("xor", "uniform", 1, 1, 1)
        for name, what in held:
            if what == "text":
                self.report([dict(good, **{name: 'any, "thing" 1.5'})])
                continue
            choices = what.split(", ")
            bad = self.RUBBISH.get(what) or ["rubbish", choices[0] + "x", choices[0][:-1], what]
            for value in bad:
                write(self.file, [good, dict(good, trial=2, **{name: value})
                                  if name != "trial" else dict(good, trial=value)])
                run = tearline("report", self.file)
                self.assert_error(run, f"{self.file}:3: {name}: expected ", f", got '{value}'")
                self.assertEqual(run.stdout, "")
            for value in self.GOOD.get(what, choices if what not in self.RUBBISH else []):
                self.report([dict(good, **{name: value})])

    def test_control_characters_stay_out_of_messages(self):
        write(self.file, [dict(speed_row("xor", "uniform", 1, 1, 1), mops="1\n\x1b[31m2" * 100)])
        run = tearline("report", self.file)
        self.assert_error(run, f"{self.file}:2: mops: ", "'1??[31m21??")
        self.assertLess(len(run.stderr), 300)

    def test_no_csv(self):
        """Said as such: neither where a line ends nor what a header is helps there."""
        write(self.file, sweep(trials=1, audit=False))
        text = self.file.read_bytes()
        for binary in (b"\x89TLT\r\n\x1a\n\x04\x03\x02\x01", b"\x1f\x8b\x08\x00" + bytes(90),
                       b"\x28\xb5\x2f\xfd\n\n", b"\0" * 10, b"a,b\x01,c\n1,2,3\n", text[:100] + bytes(8)):
            self.file.write_bytes(binary)
            self.assert_error(tearline("report", self.file), str(self.file), "no CSV: binary data")
        self.file.write_bytes(b"x" * 100000)
        self.assert_error(tearline("report", self.file), "no CSV: the first line has no end")

    def test_input_that_never_ends(self):
        for path in "/dev/zero", "/dev/urandom", "/dev/null":
            self.assert_error(tearline("report", path, timeout=60), path, "got a device")
            with open(path) as f:
                self.assert_error(tearline("report", "-", stdin=f, timeout=60), "-", "got a device")
        self.assert_error(tearline("report", self.dir), str(self.dir), "got a directory")
        fifo = self.dir / "fifo"
        os.mkfifo(fifo)
        self.assert_error(tearline("report", fifo, timeout=60), str(fifo), "empty")
        with subprocess.Popen(["cat", "/dev/zero"], stdout=subprocess.PIPE) as endless:
            self.assert_error(tearline("report", "-", stdin=endless.stdout, timeout=60), "binary")
            endless.stdout.close()
            endless.kill()
        with subprocess.Popen(["yes", "a,b"], stdout=subprocess.PIPE) as endless:
            self.assert_error(tearline("report", "-", stdin=endless.stdout, timeout=60), "256 MiB")
            endless.stdout.close()
        # what a shell's <( ) gives is a pipe too, and ends
        write(self.file, sweep(trials=1, audit=False))
        run = subprocess.run(["bash", "-c", '"$0" report <(cat "$1")', TEARLINE, self.file],
                             capture_output=True, text=True, check=False)
        self.assertEqual((run.returncode, run.stdout), (0, tearline("report", self.file).stdout))

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
