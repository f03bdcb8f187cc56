#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""test_replay_cli - tearline replay from outside: rows, sizes, errors, counts, dealing.

TEARLINE_UPDATE_GOLDEN=1 rewrites golden_counts.csv: what each recorded trace does to the
tables of one layout class. A change of it is a change of the semantics.
"""
import csv
import io
import os
import re
import resource
import shutil
import subprocess
import time
import unittest

from cli import (AUDITED, COLUMNS, COUNTS, HERE, LATENCIES, TEARLINE, TIMES, TRACES, Cli,
                 line_tables, sanitized, sizes, tables, tearline, trace, trace_info, traces,
                 workloads, main)

GOLDEN = HERE / "golden_counts.csv"
FINE70 = trace("crafty-2t-*")
CPUS = sorted(os.sched_getaffinity(0))


class Rows(Cli):
    def test_header_is_the_one_documented(self):
        self.assertGreater(len(COLUMNS), 60)
        self.assertEqual(len(set(COLUMNS)), len(COLUMNS))
        self.replay("--table", "xor", "--trace", FINE70)

    def check_row(self, row, table, kind):
        self.assertEqual((row["table"], row["kind"]), (table.name, kind))
        for column in AUDITED + LATENCIES + ["cycles_per_op", "instructions_per_op"]:
            self.assertEqual(row[column], "", column)
        if row["probes"]:
            self.assert_counts_agree(row)
        else:
            self.assertTrue(table.floor)
            self.assertFalse(any(row[c] for c in COUNTS))
        if not table.floor and kind == "tt":
            self.assertTrue(all(row[c] for c in COUNTS))
        self.assertEqual(row["refresh"], "always" if kind == "tt" and not table.floor else "")

    def check_trace(self, path, counts, table, kind):
        row, = self.replay("--table", table.name, "--trace", path, "--kinds", kind)
        self.check_row(row, table, kind)
        self.assertEqual(int(row["ops"]), sum(counts[kind]))
        if row["probes"]:
            self.assertEqual((int(row["probes"]), int(row["stores"])), counts[kind])

    def test_every_table_on_every_kind(self):
        """On one of the traces that have the kind, each on another than the one before."""
        infos = [(path, trace_info(path)[0]) for path in traces()]
        for i, table in enumerate(tables()):
            for kind in table.kinds:
                have = [info for info in infos if kind in info[1]]
                if have:
                    with self.subTest(table=table.name, kind=kind):
                        self.check_trace(*have[i % len(have)], table, kind)

    def test_every_kind_of_every_trace(self):
        table, = (t for t in tables() if t.name == "xor")
        for path in traces():
            counts, _ = trace_info(path)
            for kind in table.kinds:
                with self.subTest(trace=path, kind=kind):
                    if kind in counts:
                        self.check_trace(path, counts, table, kind)
                        continue
                    self.refused(("replay", "--passes", 1, "--csv", "-", "--table", table.name,
                                  "--trace", path, "--kinds", kind), "--kinds",
                                 os.path.basename(path)[:-4], ", ".join(counts))

    def test_workloads(self):
        self.assertEqual(set(workloads().values()), {"tt", "pawn", "eval", "kv"})
        self.assertGreaterEqual(len(workloads()), 10)
        for i, table in enumerate(tables()):
            # a third of them each, and below another one
            for name, kind in list(workloads().items())[i % 3::3]:
                spec = name + ":ops=5000"
                args = ("--table", table.name, "--workload", spec)
                if kind not in table.kinds:
                    self.refused(("replay", *args), "--table " + table.name, "kind " + kind)
                    continue
                row, = self.replay(*args, *sizes([kind], "4096e", "2048e", "1024e"))
                self.check_row(row, table, kind)
                self.assertEqual((row["ops"], row["trace"]), ("5000", spec))
                self.assertEqual(row["hash_mib"],
                                 {"pawn": "2048e", "eval": "1024e"}.get(kind, "4096e"))
                self.assertEqual(row["clears"], "live" if name == "clears" else "drop")
                if table.usual:
                    self.assertEqual(row["entries"], row["hash_mib"][:-1])

    def test_workloads_audited(self):
        for i, table in enumerate(t for t in tables() if not t.floor):
            for name, kind in list(workloads().items())[i % 3::3]:
                if kind not in table.kinds:
                    continue
                row, = self.replay("--table", table.name, "--workload", name + ":ops=5000",
                                   *sizes([kind], "4096e", "2048e", "1024e"), "--mode", "audit")
                for column in "torn_reads", "unusable_slots":
                    self.assertEqual(row[column], "0", (name, table.name, column))
                if table.sig_bits == 64:
                    self.assertEqual(row["wrong_key_hits"], "0", (name, table.name))
                self.assertEqual(row["duplicate_keys"], "0" if kind == "kv" else "")

    def test_several_kinds(self):
        path = trace("typhoon-*")
        counts, _ = trace_info(path)
        self.assertEqual(set(counts), {"tt", "pawn", "eval"})
        for table in tables():
            kinds = [k for k in counts if k in table.kinds]
            if len(kinds) < 2:
                continue
            rows = self.replay("--table", table.name, "--trace", path, "--kinds", ",".join(kinds))
            self.assertEqual([r["kind"] for r in rows], kinds + ["all"])
            for row, kind in zip(rows, kinds):
                self.check_row(row, table, kind)
                self.assertFalse(any(row[c] for c in TIMES), row)
            self.assertTrue(all(rows[-1][c] for c in TIMES), rows[-1])
            self.assertFalse(any(rows[-1][c] for c in COUNTS), rows[-1])
            self.assertEqual(int(rows[-1]["ops"]), sum(sum(counts[k]) for k in kinds))

    def test_audit_has_no_figure_of_speed(self):
        for table in tables():
            row, = self.replay("--table", table.name, "--trace", FINE70, "--mode", "audit")
            self.assertEqual((row["mode"], row["mops"], row["ns_per_op"]), ("audit", "", ""))
            self.assertEqual(row["torn_reads"], "" if table.floor else "0")
            self.assertEqual(row["unusable_slots"], "" if table.floor else "0")

    def test_trials_and_appending(self):
        out = self.dir / "x.csv"
        for seed in 1, 2:
            text = self.ok("replay", "--table", "xor", "--trace", FINE70, "--passes", 1,
                           "--trials", 2, "--deal", "salt", "--seed", seed, "--csv", out)
            self.assertIn("Mops", text)
        self.assertEqual([(r["seed"], r["trial"]) for r in self.file_rows(out)],
                         [("1", "1"), ("1", "2"), ("2", "1"), ("2", "2")])

    def test_name_that_needs_quotes(self):
        path = self.dir / 'a,"b" c.tlt'
        shutil.copy(FINE70, path)
        row, = self.replay("--table", "xor", "--trace", path)
        self.assertEqual(row["trace"], 'a,"b" c')

    def test_one_cpu(self):
        row, = self.replay("--table", "xor", "--trace", FINE70,
                           preexec_fn=lambda: os.sched_setaffinity(0, CPUS[:1]))
        self.assertEqual((row["threads"], row["cpus"], row["cores"], row["oversubscribed"]),
                         ("1", str(CPUS[0]), "1", "0"))
        row, = self.replay("--table", "xor", "--trace", FINE70, "--threads", 2,
                           "--oversubscribe",
                           preexec_fn=lambda: os.sched_setaffinity(0, CPUS[:1]))
        self.assertEqual((row["threads"], row["oversubscribed"]), ("2", "1"))
        self.assertIn("more threads than CPUs", row["warnings"])


class Figures(Cli):
    """Speed, time and counts agree with each other, and with a clock that is not tearline's."""

    def timed(self, *args):
        """Rows, and the seconds that the command took by our clock."""
        begin = time.monotonic()
        rows = self.parse(self.ok("replay", "--csv", "-", *args))
        return rows, time.monotonic() - begin

    def number(self, row, column):
        return float(row[column])

    def test_one_thread(self):
        """All of its operations are timed, in whatever number of passes."""
        for args in (("--trace", trace("typhoon-*"), "--passes", 3),
                     ("--workload", "uniform:store=50", "--passes", 2),
                     ("--trace", FINE70, "--seconds", 0.2)):
            (row,), wall = self.timed("--table", "xor", *args)
            seconds, mops = self.number(row, "seconds"), self.number(row, "mops")
            self.assertAlmostEqual(mops * seconds * 1e6 / int(row["ops"]), 1, 3)
            self.assertAlmostEqual(mops * self.number(row, "ns_per_op") / 1e3, 1, 3)
            self.assertEqual(row["overlap"], "1")
            self.assertLess(seconds, wall)
            self.assertLess(seconds / self.number(row, "replay_share"), 1.01 * wall)
            if "--seconds" in args:
                self.assertGreater(seconds, 0.199)

    def test_no_figure_of_more_than_was_done(self):
        """However few CPUs the threads have: what they did in the time is all there is."""
        short = "--seconds", 0.1
        for args in (("--trace", trace("crafty-4t-*"), "--passes", 1),
                     ("--trace", FINE70, *short), ("--workload", "uniform", *short),
                     ("--workload", "same-key:ops=2000", *short)):
            for threads in 2, 16:
                row, = self.timed("--table", "unsync", "--threads", threads, "--oversubscribe",
                                  *args)[0]
                self.assertEqual("no figure of speed" in row["warnings"], not row["mops"])
                self.assertEqual(not row["ns_per_op"], not row["mops"])
                if row["mops"]:
                    self.assertLessEqual(self.number(row, "mops") * self.number(row, "seconds"),
                                         1.0001e-6 * int(row["ops"]))

    def test_trials_of_microseconds(self):
        for threads in 1, 2:
            rows = self.timed("--table", "xor", "--workload", "hot-evict:ops=20", "--passes", 1,
                              "--threads", threads, "--oversubscribe", "--trials", 100)[0]
            for row in rows:
                self.assertLessEqual(self.number(row, "overlap"), 1)
                if row["mops"] and self.number(row, "seconds") < 0.001:
                    self.assertIn("timed for less than a millisecond", row["warnings"])


class Summary(Cli):
    def test_speed_first_then_counts_with_their_shares(self):
        out = self.dir / "x.csv"
        text = self.ok("replay", "--table", "xor", "--trace", FINE70, "--passes", 1, "--csv", out)
        row, = self.file_rows(out)
        lines = text.split("\n")
        self.assertRegex(lines[0], rf"^xor \({row['options']}\) on {row['trace']}, 1 threads on CPUs "
                                   rf"{row['cpus']}, throughput$")
        self.assertTrue(lines[1].startswith(f"{row['mops']} Mops, {row['ns_per_op']} ns per op"))
        self.assertTrue(lines[2].startswith(f"{int(row['ops']):,} operations in "))
        for count, of in (("probes", None), ("hits", "probes"), ("usable_hits", "probes"),
                          ("bumps", "stores"), ("refreshes", "probes")):
            share = f"  {100 * int(row[count]) / int(row[of]):6.2f} % of {of}" if of else ""
            self.assertIn(f"\n  {count:21} {int(row[count]):13,}{share}\n", text)
        text = self.ok("replay", "--table", "xor", "--workload", "adversarial", "--passes", 1,
                       "--mode", "audit", "--threads", 2, "--oversubscribe", "--csv", out)
        row = self.file_rows(out)[1]
        self.assertNotIn("Mops", text)
        for count, of in ("contended_probes", "probes"), ("lost_stores", "stores"):
            rate = f"  {1e6 * int(row[count]) / int(row[of]):.3g} per million {of}"
            self.assertIn(f"\n  {count:21} {int(row[count]):13,}{rate if int(row[count]) else ''}\n",
                          text)

    def test_many_cpus(self):
        for threads, shown in (16, 16), (17, 16), (40, 16), (3, 3):
            text = self.ok("replay", "--table", "null", "--workload", "uniform:ops=1", "--passes", 1,
                           "--threads", threads, "--placement", "list:" + ",".join(
                               [str(CPUS[0])] * threads), "--oversubscribe")
            cpus = ",".join([str(CPUS[0])] * shown) + (",..." if threads > shown else "")
            self.assertIn(f", {threads} threads on CPUs {cpus}, throughput\n", text)


class Sizes(Cli):
    def size(self, table, text, *more):
        return self.replay("--table", table, "--trace", FINE70, "--hash", text, *more)[0]

    def test_sizes(self):
        for text, size in (("1", 1 << 20), ("3", 2 << 20), ("0.25", 1 << 18), ("4096e", 1 << 16),
                           ("0.00001", 64), ("1e", 64), ("1.5", 1 << 20)):
            row = self.size("unsync", text)
            self.assertEqual((row["hash_mib"], int(row["table_bytes"]), int(row["entries"])),
                             (text, size, size // 16))
        path = trace("typhoon-*")
        rows = self.replay("--table", "unsync", "--trace", path, "--kinds", "tt,pawn,eval",
                           "--hash", 3, "--pawn-hash", 0.75, "--eval-hash", "1000e")
        self.assertEqual([(r["kind"], r["hash_mib"]) for r in rows],
                         [("tt", "3"), ("pawn", "0.75"), ("eval", "1000e"), ("all", "3")])
        self.assertEqual([int(r["entries"]) for r in rows[:3]], [1 << 17, 1 << 13, 512])

    def test_one_name_for_one_size(self):
        """As people type them; rows have one of them."""
        for name, size, *texts in (("16", 1 << 24, "16", "16M", "16MiB", "16.0", "016", "16384K", "16m"),
                                   ("0.25", 1 << 18, ".25", "0.250", "256K", "256KiB", "0.25M"),
                                   ("1024", 1 << 30, "1G", "1GiB", "1024M"),
                                   ("0.1", 1 << 16, "0.1", "0.1M", "0.10"),
                                   ("4096e", 1 << 16, "4096e", "04096e"),
                                   ("0", 0, "0", "none", "0e", "0.0", "0K")):
            for text in texts:
                row = self.size("null" if name == "1024" else "unsync", text)
                self.assertEqual((row["hash_mib"], row["table_bytes"]),
                                 (name, "0" if name == "1024" else str(size)), text)

    def test_any_number_of_lines(self):
        """index=mulhi takes what was asked for, down to the last line; mask a power of two."""
        for table in tables():
            if "index" not in table.options or table.floor:
                continue
            for text, asked in ("3", 3 << 20), ("0.3", int(0.3 * (1 << 20))):
                mask = self.size(table.name + ":index=mask", text)
                mulhi = self.size(table.name + ":index=mulhi", text)
                self.assertLessEqual(int(mask["entries"]), int(mulhi["entries"]), table.name)
                self.assertLessEqual(int(mulhi["entries"]) * 10, asked, table.name)
        for spec, size, entries in (("xor", 2 << 20, 1 << 17), ("xor:index=mulhi", 3 << 20, 3 << 16),
                                    ("cluster10", 2 << 20, 3 << 16),
                                    ("cluster10:index=mulhi", 3 << 20, 9 << 15),
                                    ("xor32", 3 << 20, 1 << 18),
                                    ("xor32:index=mulhi", 3 << 20, 1 << 18)):
            row = self.size(spec, 3)
            self.assertEqual((int(row["table_bytes"]), int(row["entries"])), (size, entries), spec)

    def test_signatures_that_share_bits_with_the_line(self):
        """Rows, and the report, say how many bits of the signature are left."""
        says = "47 of 48 bits of the signature"
        text = self.ok("replay", "--table", "xor:sig=48", "--trace", FINE70, "--hash", 8,
                       "--passes", 1)
        self.assertIn(says, text)
        out = self.dir / "x.csv"
        for spec, size in (("xor:sig=48", 8), ("xor:sig=48", 4), ("xor:sig=32", 8), ("xor", 8),
                           ("cluster10", 8)):
            self.ok("replay", "--table", spec, "--trace", FINE70, "--hash", size, "--passes", 1,
                    "--csv", out)
        self.assertEqual([says in r["warnings"] for r in self.file_rows(out)],
                         [True, False, False, False, False])
        self.assertIn("warning on 1 of 5 rows: " + says, self.ok("report", out))

    def test_every_table_takes_every_size(self):
        for table in tables():
            for text in "1", "3", "0.25", "4096e":
                row = self.size(table.name, text)
                if not int(row["entries"]):
                    self.assertEqual((row["table_bytes"], row["entries"]), ("0", "0"))
                elif text == "4096e":
                    self.assertGreaterEqual(int(row["entries"]), 2048)

    def test_no_table(self):
        for table in tables():
            for text in ("0", "none", "0e", "0.0") if table.name == "xor" else ("0",):
                row = self.size(table.name, text)
                self.assertEqual((row["table_bytes"], row["entries"]), ("0", "0"))
                if table.floor:
                    continue
                self.assert_counts_agree(row)
                self.assertEqual((row["hits"], row["drops"]), ("0", row["stores"]))
                self.assertEqual([row[c] for c in COUNTS if c.endswith("er_stores")], ["", ""])
        path = trace("typhoon-*")
        args = ("--table", "xor", "--trace", path, "--kinds", "tt,pawn,eval")
        whole = {r["kind"]: r for r in self.replay(*args)}
        for kind, option in (("tt", "--hash"), ("pawn", "--pawn-hash"), ("eval", "--eval-hash")):
            for row in self.replay(*args, option, "none"):
                if row["kind"] == kind:
                    self.assertEqual(row["hits"], "0")
                else:
                    self.assertEqual(self.counts(row), self.counts(whole[row["kind"]]))

    def test_not_sizes(self):
        for option in "--hash", "--pawn-hash", "--eval-hash":
            for text in ("-1", "1e9", "64MB", "64x", "", "18446744073709551615", "e", ".", "1,5",
                         "M", "iB", "1iB", "1 M", "1MM", "1MiBiB", "1T", "1eM", "-1M", "9999999G",
                         " 1", "+1", "0x10", "-1e", "nan", "inf", "9" * 400, "1" * 40 + "e"):
                out = self.dir / "x.csv"
                self.refused(("replay", "--table", "xor", "--trace", FINE70, "--csv", out,
                              f"{option}={text}"), option, "expected a size", f"'{text}'")
                self.assertFalse(out.exists())

    def test_beyond_the_memory(self):
        with open("/proc/meminfo", encoding="ascii") as f:
            if int(re.search(r"MemAvailable: +(\d+)", f.read()).group(1)) >> 10 > 4194304:
                self.skipTest("4 TiB are free here")
        out = self.dir / "x.csv"
        for table in tables():
            if table.name in ("null", "stream"):
                continue  # have no memory
            for where in out, "-":
                self.refused(("replay", "--table", table.name, "--trace", FINE70, "--hash",
                              4194304, "--csv", where), "--hash 4194304", "free")
        self.refused(("replay", "--table", "xor", "--trace", FINE70, "--kinds", "tt,pawn",
                      "--pawn-hash", 4194304, "--csv", out), "--pawn-hash 4194304", "free")
        self.assertFalse(out.exists())


class Errors(Cli):
    def bad(self, args, *parts):
        """Refused before anything is written, to a file or to standard output."""
        out = self.dir / "x.csv"
        for where in out, "-":
            self.refused(("replay", "--csv", where, "--passes", 1, *args), *parts)
            self.assertFalse(out.exists())

    def on_trace(self, args, *parts):
        self.bad(("--trace", FINE70, *args), *parts)

    def test_tables(self):
        names = [t.name for t in tables()]
        self.on_trace(("--table", "nosuch"), "--table nosuch", *names)
        self.on_trace(("--table", ""), "--table", *names)
        self.on_trace(("--table", "xor:refresh=sometimes"), "--table xor", "refresh",
                      "always|stale|cas|never", "'sometimes'")
        self.on_trace(("--table", "xor:refresh"), "refresh=always|stale|cas|never")
        self.on_trace(("--table", "xor:stripes=4"), "--table xor", "'stripes'")
        self.on_trace(("--table", "xor:"), "--table xor", "option ''")
        self.on_trace(("--table", "spinlock:stripes=3"), "stripes", "power of two", "'3'")
        self.on_trace(("--table", "spinlock:lock=mutex"), "lock", "ticket", "'mutex'")
        self.on_trace((), "--table is missing")
        for line in re.findall(r"^absent: ([\w-]+),", tearline("tables").stdout, re.M):
            self.on_trace(("--table", line), "--table " + line)

    def test_queue_lock_has_few_stripes(self):
        for lock in "mcs", "clh", "hclh":
            self.on_trace(("--table", f"spinlock:lock={lock},stripes=line"), "lock=" + lock,
                          "at most 65536", "262144")

    def test_options(self):
        for args, parts in (
                (("--frob",), ("--frob",)), (("-x",), ("'-x'",)), (("-xy",), ("'-x'",)),
                (("more",), ("options only", "'more'")),
                (("--threads", "0"), ("--threads", "from 1", "'0'")),
                (("--threads", "65537"), ("--threads", "65536")),
                (("--threads", "two"), ("--threads", "'two'")),
                (("--mode", "latencies"), ("--mode", "throughput|audit")),
                (("--caller", "nobody"), ("--caller", "batch|branch|chain")),
                (("--deal", "deck"), ("--deal", "split|clone|salt")),
                (("--clears", "none"), ("--clears", "barrier|live|drop", "'none'")),
                (("--pages", "3m"), ("--pages", "auto|4k")),
                (("--seed", "-1"), ("--seed", "'-1'")),
                (("--passes", "1.5"), ("--passes", "'1.5'")),
                (("--lookahead", "100000"), ("--lookahead", "from 0 to")),
                (("--trials", "0"), ("--trials", "from 1")),
                (("--seconds", "1e3"), ("--seconds", "'1e3'")),
                (("--seconds", "-1"), ("--seconds", "'-1'")),
                (("--seconds", "1" * 400 + "." + "1" * 400), ("--seconds",)),
                (("--passes", "0", "--seconds", "0"), ("--seconds", "more than 0")),
                (("--placement", "far"), ("--placement far",)),
                (("--kinds", "tt,queen"), ("--kinds", "tt, pawn, eval, kv", "'tt,queen'")),
                (("--kinds", ""), ("--kinds",)), (("--kinds", "tt,"), ("--kinds",)),
                (("--kinds", "kv"), ("--kinds", "tt, pawn"))):
            self.on_trace(("--table", "xor", *args), *parts)
        for option in re.findall(r"^  (--\w[\w-]*) [^ ]", self.ok("replay", "--help"), re.M):
            self.refused(("replay", option), option, "missing")

    def test_kinds(self):
        self.on_trace(("--table", "xor", "--kinds", "eval"), "--kinds", "crafty-2t-fine70",
                      "tt, pawn")
        for table in tables():
            for kind in {"tt", "pawn", "eval", "kv"} - set(table.kinds):
                self.on_trace(("--table", table.name, "--kinds", kind), "--table " + table.name,
                              "kind " + kind)
                self.on_trace(("--table", table.name, "--kinds", f"tt,{kind}"),
                              "--table " + table.name, "kind " + kind)
        for name, kind in workloads().items():
            for other in "tt", "pawn", "kv", "tt,kv":
                if other != kind:
                    self.bad(("--table", "xor", "--workload", name, "--kinds", other), "--kinds",
                             f"workload {name} ", f"kind {kind} only", f"'{other}'")
            self.replay("--table", "xor", "--workload", name + ":ops=10", "--kinds", kind)

    def test_traces(self):
        cut = self.dir / "cut.tlt"
        with open(FINE70, "rb") as f:
            cut.write_bytes(f.read()[:300000])
        self.bad(("--table", "xor", "--trace", cut), "cut.tlt", "cut short at offset 300000")
        cut.write_bytes(b"")
        self.bad(("--table", "xor", "--trace", cut), "cut.tlt", "cut short at offset 0")
        self.bad(("--table", "xor", "--trace", TRACES + "/README.md"), "README.md", "not a")
        self.bad(("--table", "xor", "--trace", self.dir), str(self.dir), "regular file")
        self.bad(("--table", "xor", "--trace", self.dir / "gone.tlt"), "gone.tlt", "No such file")
        self.bad(("--table", "xor"), "--trace", "--workload")
        self.on_trace(("--table", "xor", "--workload", "uniform"), "--trace", "--workload")

    def test_workloads(self):
        for spec, parts in (("unif", ("--workload unif:", "one of " + ", ".join(workloads()))),
                            ("", ("--workload", "uniform")),
                            ("uniform:", ("option ''", "lines, store, ops")),
                            ("uniform:keys=3", ("'keys=3'", "lines, store, ops")),
                            ("uniform:store=101", ("store", "from 0 to 100", "'101'")),
                            ("uniform:ops=0", ("ops", "from 1")),
                            ("hot-evict:lines=-1", ("lines", "'-1'")),
                            ("uniform:ops=10,store=", ("store", "''")),
                            ("uniform:ops=" + "1" * 100, ("ops", "whole number")),
                            ("adversarial:lines=0", ("lines", "from 1 to 16", "'0'")),
                            ("adversarial:lines=17", ("lines", "from 1 to 16", "'17'"))):
            self.bad(("--table", "xor", "--workload", spec), *parts)

    def test_placement(self):
        missing = CPUS[-1] + 1
        self.on_trace(("--table", "xor", "--placement", f"list:{missing}"), "--placement",
                      f"CPU {missing} is not allowed")
        nr = len(CPUS) + 1
        self.on_trace(("--table", "xor", "--threads", nr), f"--threads {nr}", "--oversubscribe")
        self.on_trace(("--table", "xor", "--placement", f"list:{CPUS[0]}", "--threads", 2),
                      "--placement", "--threads 2")

    def test_pages_that_are_not_there(self):
        pool = "/sys/kernel/mm/hugepages/hugepages-1048576kB/free_hugepages"
        if os.path.exists(pool):
            with open(pool, encoding="ascii") as f:
                if int(f.read()):
                    self.skipTest("pages of 1 GiB are reserved here")
        self.on_trace(("--table", "xor", "--pages", "1g"), "--hash 16", "1024 MiB")

    def test_output(self):
        args = ("replay", "--table", "xor", "--trace", FINE70, "--passes", 1)
        self.refused((*args, "--csv", "/dev/full"), "/dev/full", "No space left")
        self.refused((*args, "--csv", self.dir / "no" / "x.csv"), "x.csv", "cannot open")
        self.refused((*args, "--csv", self.dir), str(self.dir), "cannot open")
        foreign = self.dir / "foreign.csv"
        foreign.write_text("a,b\n1,2\n")
        self.refused((*args, "--csv", foreign), "foreign.csv", "expected schema, got a")
        self.assertEqual(foreign.read_text(), "a,b\n1,2\n")

    def test_standard_output_is_full(self):
        for args in (("replay", "--table", "xor", "--trace", FINE70, "--passes", "1"),
                     ("replay", "--table", "xor", "--trace", FINE70, "--passes", "1", "--csv",
                      "-"), ("tables",), ("replay", "--help"), ("--help",), ("--version",)):
            with open("/dev/full", "w", encoding="ascii") as full:
                run = subprocess.run([TEARLINE, *args], stdout=full, text=True,
                                     stderr=subprocess.PIPE, check=False)
            self.assertEqual(run.returncode, 2, args)
            self.assertRegex(run.stderr, r"\Atearline: .*No space left[^\n]*\n\Z")

    def test_threads_that_cannot_start(self):
        if sanitized():
            self.skipTest("a sanitizer's threads need more than a stack")

        def room_for_some():  # stacks of 4 GiB in 64 GiB of addresses
            resource.setrlimit(resource.RLIMIT_STACK, (1 << 32, 1 << 32))
            resource.setrlimit(resource.RLIMIT_AS, (1 << 36, 1 << 36))

        error = self.refused(("replay", "--table", "xor", "--workload", "uniform:ops=10",
                              "--passes", 1, "--threads", 30, "--oversubscribe"),
                             "--threads 30", "cannot start thread", preexec_fn=room_for_some)
        if "thread 0:" in error:
            self.skipTest("not even one stack of 4 GiB can be had here")


class Counts(Cli):
    """One thread: the same operations always have the same outcome."""
    ALL = ("--kinds", "tt,pawn,eval")

    def test_same_again(self):
        for table in tables():
            if table.floor:
                continue
            kinds = ",".join(k for k in ("tt", "pawn", "eval") if k in table.kinds)
            args = ("--table", table.name, "--trace", trace("typhoon-*"), "--kinds", kinds,
                    "--hash", 0.25)
            first, second = self.replay(*args), self.replay(*args)
            self.assertEqual([self.counts(r) for r in first], [self.counts(r) for r in second])
            if "kv" not in table.kinds:
                continue
            args = ("--table", table.name, "--workload", "uniform:ops=5000", "--hash", 0.25)
            first, second = self.replay(*args), self.replay(*args)
            other, = self.replay(*args, "--seed", 2)
            self.assertEqual(self.counts(first[0]), self.counts(second[0]))
            self.assertEqual(first[0]["trace_hash"], second[0]["trace_hash"])
            self.assertNotEqual(first[0]["trace_hash"], other["trace_hash"])

    def by_kind(self, spec, kinds, *args):
        """{kind: counts} of the kinds that the table holds."""
        kinds = ",".join(k for k in ("tt", "pawn", "eval") if k in kinds)
        rows = self.replay("--table", spec, "--kinds", kinds, *args,
                           *sizes(kinds.split(","), "32768e", "2048e", "32768e"))
        return {r["kind"]: (r["trace_hash"], self.counts(r)) for r in rows if r["kind"] != "all"}

    def test_one_layout_class_one_outcome(self):
        """Each on two of the traces; the golden counts below are of the class on all."""
        specs, paths = line_tables(), traces()
        self.assertGreaterEqual(len(specs), 8)
        for at, path in enumerate(paths):
            args = ("--trace", path)
            want = self.by_kind("xor", ["tt", "pawn", "eval"], *args)
            for i, (spec, kinds) in enumerate(specs):
                if (at - i) % len(paths) > 1:
                    continue
                for kind, got in self.by_kind(spec, kinds, *args).items():
                    self.assertEqual(got, want[kind], (path, spec, kind))

    def test_audit_measurement_and_caller_see_the_same(self):
        args = ("--table", "xor", "--trace", trace("typhoon-*"), *self.ALL, "--hash", 0.25)
        want = [self.counts(r) for r in self.replay(*args)]
        for more in (("--mode", "audit"), ("--caller", "batch"), ("--caller", "chain"),
                     ("--lookahead", 4), ("--pages", "4k")):
            self.assertEqual([self.counts(r) for r in self.replay(*args, *more)], want, more)

    def test_passes(self):
        args = ("--table", "xor", "--trace", trace("typhoon-*"), "--hash", 0.25)
        for clears in "barrier", "live", "drop":
            once, = self.replay(*args, "--clears", clears)
            twice, = self.replay(*args, "--clears", clears, "--passes", 2)
            for column in "ops", "probes", "stores", "exact_stores":
                self.assertEqual(2 * int(once[column]), int(twice[column]), column)
            if clears != "drop":  # each pass begins with an empty table
                self.assertEqual({c: 2 * int(once[c]) for c in COUNTS},
                                 {c: int(twice[c]) for c in COUNTS})

    def test_clears(self):
        args = ("--table", "xor", "--trace", trace("typhoon-*"), "--kinds", "pawn",
                "--pawn-hash", 16, "--passes", 2)
        barrier, = self.replay(*args)
        drop, = self.replay(*args, "--clears", "drop")
        live, = self.replay(*args, "--clears", "live")
        self.assertEqual((barrier["clears"], drop["clears"], live["clears"]),
                         ("barrier", "drop", "live"))
        for column in "ops", "probes", "stores":
            self.assertEqual(barrier[column], drop[column])
        self.assertGreater(int(drop["hits"]), int(barrier["hits"]))

    def test_live_clears_are_clears(self):
        """One thread has nobody to meet: whether it clears amid traffic or off the clock."""
        args = ("--trace", trace("typhoon-*"), "--hash", "16384e", "--passes", 3)
        want = {}
        for spec, kinds in line_tables():
            for kind, counts in self.by_kind(spec, kinds, *args).items():
                want.setdefault(kind, counts)
            got = self.by_kind(spec, kinds, *args, "--clears", "live")
            self.assertEqual(got, {k: want[k] for k in got}, spec)
        dropped = self.by_kind("xor", ["tt", "pawn", "eval"], *args, "--clears", "drop")
        self.assertNotEqual(dropped, want)

    def test_live_clears_with_more_threads_than_streams(self):
        for how in "split", "clone", "salt":
            for threads in 1, 3, 4:
                row, = self.replay("--table", "seqlock", "--trace", trace("typhoon-*"), "--mode",
                                   "audit", "--clears", "live", "--deal", how, "--threads",
                                   threads, "--oversubscribe", "--passes", 2)
                self.assert_counts_agree(row)
                self.assertEqual((row["clears"], row["torn_reads"], row["unusable_slots"]),
                                 ("live", "0", "0"))


class GoldenCounts(Cli):
    SIZES = (("0.25", "0.125", "0.25"), ("16", "1", "16"))
    NAMES = ["trace", "trace_hash", "kind", "hash_mib", *COUNTS, "copies_per_key"]

    def golden_rows(self):
        for path in traces():
            for tt, pawn, evals in self.SIZES:
                args = ("--table", "xor:refresh=always", "--trace", path, "--kinds",
                        "tt,pawn,eval", "--hash", tt, "--pawn-hash", pawn, "--eval-hash", evals,
                        "--threads", 1)
                audited = self.replay(*args, "--mode", "audit")
                for row, audit in zip(self.replay(*args), audited):
                    if row["kind"] == "all":
                        continue
                    self.assertEqual(self.counts(row), self.counts(audit))
                    row["copies_per_key"] = audit["copies_per_key"]
                    yield [row[c] for c in self.NAMES]

    def test_golden_counts(self):
        out = io.StringIO()
        csv.writer(out, lineterminator="\n").writerows([self.NAMES, *self.golden_rows()])
        if os.environ.get("TEARLINE_UPDATE_GOLDEN") == "1":
            GOLDEN.write_text(out.getvalue())
        if GOLDEN.read_text() != out.getvalue():
            print(out.getvalue(), end="")
            self.assertEqual(GOLDEN.read_text().split("\n"), out.getvalue().split("\n"),
                             "the counts changed; above is the new golden_counts.csv")


class Deal(Cli):
    def deal(self, path, threads, how, *more):
        row, = self.replay("--table", "spinlock", "--trace", path, "--threads", threads,
                           "--deal", how, "--oversubscribe", *more)
        self.assert_counts_agree(row)
        return row

    def test_numbers(self):
        for i, path in enumerate(traces()):
            counts, streams = trace_info(path)
            probes, stores = counts["tt"]
            for threads in 1, 2, 4, 8:
                for how in ("split", ("clone", "salt")[i % 2]):
                    if threads % streams and streams % threads:
                        continue
                    row = self.deal(path, threads, how)
                    times = max(threads // streams, 1) if how != "split" else 1
                    self.assertEqual((row["deal"], row["streams"]), (how, str(streams)))
                    self.assertEqual((int(row["probes"]), int(row["stores"])),
                                     (probes * times, stores * times), (path, threads, how))

    def test_uneven(self):
        path = FINE70
        counts, streams = trace_info(path)
        self.assertEqual(streams, 2)
        row = self.deal(path, 3, "split")
        self.assertEqual((int(row["probes"]), int(row["stores"])), counts["tt"])
        text = self.ok("trace", "info", path)
        # columns of a thread's line: thread, records, seconds, tt_probe, tt_store
        first = re.search(r"^  0 +\d+ +[\d.]+ +(\d+) +(\d+)", text, re.M)
        row = self.deal(path, 3, "clone")  # the first stream has two threads
        self.assertEqual((int(row["probes"]), int(row["stores"])),
                         tuple(c + int(f) for c, f in zip(counts["tt"], first.groups())))

    def test_salt_shares_nothing(self):
        path = trace("sf11-1t-*")
        clone, salt = (int(self.deal(path, 4, how, "--hash", 1)["hits"])
                       for how in ("clone", "salt"))
        self.assertLess(salt, clone)

    def test_own_streams_are_one_run_of_all_kinds(self):
        path = trace("crafty-4t-*")
        counts, streams = trace_info(path)
        rows = self.replay("--table", "spinlock", "--trace", path, "--threads", streams,
                           "--oversubscribe", "--kinds", ",".join(counts))
        for row in rows[:-1]:
            self.assertEqual((int(row["probes"]), int(row["stores"])), counts[row["kind"]])
        self.assertEqual(rows[-1]["streams"], str(streams))


if __name__ == "__main__":
    main()
