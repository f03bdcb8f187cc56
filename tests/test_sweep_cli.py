#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""test_sweep_cli - tearline sweep from outside: the plan, its order, interruption, resuming."""
import csv
import itertools
import os
import re
import shutil
import signal
import subprocess
import unittest
from collections import Counter
from pathlib import Path

from cli import COLUMNS, TEARLINE, Cli, main, tables, tearline, trace, trace_info, workloads

FINE70 = trace("crafty-2t-*")
CELL = ["table", "options", "kind", "trace", "hash_mib", "threads", "trial"]


def cell(row):
    return tuple(row[c] for c in CELL)


class Sweep(Cli):
    def setUp(self):
        super().setUp()
        self.out = self.dir / "x.csv"

    def small(self, *names):
        """Short traces, so that a sweep of many cells is quick."""
        for name in names:
            self.ok("trace", "cut", "--force", "--out", self.dir / name, "--ops", 3000 + 10 * len(name),
                    FINE70)
        return [str(self.dir / name) for name in names]

    def sweep(self, *args, **more):
        """Run a sweep to its end; the rows of its file."""
        run = tearline("sweep", "--out", self.out, "--passes", 1, *args, **more)
        self.assertEqual((run.returncode, run.stdout), (0, ""), run.stderr)
        return self.file_rows(self.out)


class Plan(Sweep):
    SPECS = ["spinlock:lock=ticket,stripes=64", "xor:refresh=never", "xor", "unsync"]

    def plan(self, *more):
        a, b = self.small("a.tlt", "longer.tlt")
        return self.sweep("--tables", ",".join(self.SPECS), "--traces", f"{a},{b}", "--threads",
                          "1,2", "--oversubscribe", "--hash", "1,4096e", "--trials", 3, *more)

    def test_every_cell_once_a_round_in_a_random_order(self):
        rows = self.plan()
        want = set(itertools.product([s.split(":")[0] for s in self.SPECS], ["a", "longer"],
                                     ["1", "4096e"], ["1", "2"]))
        size = len(self.SPECS) * 2 * 2 * 2
        self.assertEqual(len(rows), 3 * size)
        self.assertEqual(len({cell(r) for r in rows}), 3 * size)
        orders = []
        for i in range(3):
            part = rows[i * size:(i + 1) * size]
            self.assertEqual({r["trial"] for r in part}, {str(i + 1)})
            self.assertEqual({(r["table"], r["trace"], r["hash_mib"], r["threads"])
                              for r in part}, want)
            orders.append([cell(r)[:-1] for r in part])
        for order in orders:  # drawn, not as listed, and not the same every round
            self.assertNotEqual(order, sorted(order))
            self.assertGreater(len({t for t, *_ in order[:len(order) // 2]}), 1)
        self.assertNotEqual(orders[0], orders[1])
        self.assertNotEqual(orders[1], orders[2])
        self.assertEqual(len({r["run_id"] for r in rows}), 1)
        for row in rows:
            self.assert_counts_agree(row)

        os.unlink(self.out)
        self.assertEqual([cell(r) for r in self.plan()], [cell(r) for r in rows])
        os.unlink(self.out)
        self.assertNotEqual([cell(r) for r in self.plan("--seed", 2)], [cell(r) for r in rows])

    def test_tables_with_options(self):
        path, = self.small("a.tlt")
        rows = self.sweep("--tables", "spinlock:lock=ticket,stripes=64,xor:refresh=never",
                          "--traces", path, "--threads", 1, "--trials", 1)
        self.assertEqual({r["table"] for r in rows}, {"spinlock", "xor"})
        for row in rows:
            options = dict(o.split("=") for o in row["options"].split(";"))
            for name, value in ({"lock": "ticket", "stripes": "64", "refresh": "always"}
                                if row["table"] == "spinlock" else {"refresh": "never"}).items():
                self.assertEqual(options[name], value)

    def swept(self, *args):
        """Tables in the rows of a sweep, and what it said."""
        self.out.unlink(missing_ok=True)
        run = tearline("sweep", "--out", self.out, "--passes", 1, "--trials", 1, "--threads", 1,
                       *args)
        self.assertEqual(run.returncode, 0, run.stderr)
        return [r["table"] for r in self.file_rows(self.out)], run.stderr

    def test_all_tables(self):
        """Every one that is here and no control; report takes a floor for the baseline."""
        path, = self.small("a.tlt")
        names = [t.name for t in tables() if "tt" in t.kinds]
        swept, said = self.swept("--tables", "all", "--traces", path, "--lookahead", "0,8")
        self.assertEqual(Counter(swept), Counter(2 * names))
        for name, why in re.findall(r"^absent: ([\w-]+), (.*)$", tearline("tables").stdout, re.M):
            self.assertIn(f"left out: {name}, {why}\n", said)
        text = self.ok("report", self.out, "--baseline", "touch").split("\nSPEED\n")[1]
        self.assertEqual(len(re.findall(r"^trace a .*, lookahead [08]$", text, re.M)), 2)
        for name in names:
            self.assertEqual(len(re.findall(rf"^  {name} +1 ", text, re.M)), 2, name)

    def test_all_tables_that_hold_the_kind(self):
        for name, kind in workloads().items():
            swept, said = self.swept("--tables", "all", "--workload", name + ":ops=100")
            self.assertEqual(set(swept), {t.name for t in tables() if kind in t.kinds})
            self.assertEqual(re.findall(r"^left out: ([\w-]+), where entries are of kind (\w+)$",
                                        said, re.M),
                             [(t.name, kind) for t in sorted(tables(), key=lambda t: t.name)
                              if kind not in t.kinds])
        # of several sources, each with the tables that can
        swept, _ = self.swept("--tables", "all,xor:refresh=never", "--workload",
                              "wide:ops=100,uniform:ops=100")
        self.assertEqual(len(swept), 2 + sum(len({"pawn", "kv"} & set(t.kinds)) for t in tables()))

    def test_lookaheads(self):
        path, = self.small("a.tlt")
        rows = self.sweep("--tables", "xor", "--traces", path, "--threads", 1, "--trials", 2,
                          "--lookahead", "0,16,0,64")
        self.assertEqual(Counter(r["lookahead"] for r in rows), {"0": 2, "16": 2, "64": 2})
        self.refused(("sweep", "--tables", "xor", "--traces", path, "--lookahead", "0,65"),
                     "--lookahead", "from 0 to 64", "'0,65'")
        self.refused(("sweep", "--tables", "xor", "--traces", path, "--lookahead", "all"),
                     "--lookahead", "'all'")

    def test_workloads(self):
        rows = self.sweep("--tables", "xor", "--workload",
                          "uniform:store=50,ops=1000,hot-evict,hot-update:ops=500", "--threads", 1,
                          "--trials", 1)
        self.assertEqual({r["trace"] for r in rows},
                         {"uniform:store=50,ops=1000", "hot-evict", "hot-update:ops=500"})
        self.assertEqual({r["kind"] for r in rows}, {"kv"})

    def test_workloads_of_all_kinds_can_be_reported(self):
        """Each on a table of its kind, live clears beside none; all of it in one report."""
        names = workloads()
        for mode in "throughput", "audit":
            rows = self.sweep("--tables", "xor,unsync", "--workload",
                              ",".join(n + ":ops=1000" for n in names), "--threads", 1,
                              "--hash", "4096e", "--trials", 1, "--mode", mode)
        self.assertEqual({(r["trace"].split(":")[0], r["kind"]) for r in rows},
                         set(names.items()))
        text = self.ok("report", self.out)
        for name, kind in names.items():
            clears = "live" if name == "clears" else "drop"
            size = {"pawn": "1 MiB", "eval": "16 MiB"}.get(kind, "4096 entries")
            self.assertEqual(len(re.findall(rf"^trace {name}:ops=1000 .*, {size}, kind {kind}, "
                                            rf"clears {clears}(?:, witness 1)?$", text, re.M)),
                             2, name)
        made = self.ok("plot", self.out, "--out", self.dir / "pictures", "--format", "gp")
        # a replay as short as these may have no speed, and then no picture of it
        titles = [Path(path).read_text().split("\n")[0] for path in made.split()
                  if "/anomalies-" in path]
        for title in titles:
            live = "workload clears:" in title
            self.assertIn(f", clears {'live' if live else 'drop'}'", title)
        self.assertTrue(any("workload clears:" in title for title in titles))

    def test_a_table_without_a_kind_is_left_out(self):
        """Named or not, where it lacks a kind; nothing is left only if all of them do."""
        for lacks in [t.name for t in tables() if "pawn" not in t.kinds and "kv" in t.kinds][:2]:
            workload = "wide"
            swept, said = self.swept("--tables", f"xor,{lacks}", "--workload",
                                     f"hot-evict:ops=100,{workload}:ops=100")
            self.assertEqual(Counter(swept), {"xor": 2, lacks: 1})
            self.assertEqual(re.findall("^left out: .*$", said, re.M),
                             [f"left out: {lacks}, where entries are of kind pawn"])
            self.out.unlink()
            run = tearline("sweep", "--tables", lacks, "--workload", workload, "--out", self.out)
            self.assertEqual(run.returncode, 2)
            self.assertIn("--tables: none of them holds the kinds", run.stderr)
            self.assertFalse(self.out.exists())

    def test_what_is_listed_twice_is_once_in_the_plan(self):
        a, = self.small("a.tlt")
        shutil.copy(a, self.dir / "b.tlt")  # same operations, told apart by its name
        args = {"--tables": "xor", "--hash": "1", "--threads": "1", "--lookahead": "0",
                "--trials": "1"}
        uniform = ("--workload", "uniform:ops=100")
        for option, value, source, twice, nr in (
                ("--tables", "xor,unsync,xor:refresh=always", uniform, ["xor:refresh=always"], 2),
                ("--hash", "1,1.0,2,01,65536e,65536e", uniform, ["1.0", "01", "65536e"], 3),
                ("--hash", "none,0,0e", uniform, ["0", "0e"], 1),
                ("--threads", "1,1", uniform, ["1"], 1),
                ("--lookahead", "4,0,4", uniform, ["4"], 2),
                ("--traces", f"{a},{self.dir}/b.tlt,{self.dir}/a*", (), [a], 2),
                ("--workload", "uniform:ops=100,uniform:store=0,ops=100,uniform:ops=101", (),
                 ["uniform:store=0,ops=100"], 2)):
            swept, said = self.swept(*(x for p in {**args, option: value}.items() for x in p),
                                     *source)
            self.assertEqual(len(swept), nr, value)
            self.assertEqual(re.findall("^left out: (.*)$", said, re.M),
                             [f"{option} {t}, which is in the list already" for t in twice])

    def test_pattern_takes_traces_only(self):
        self.small("a.tlt", "b.tlt")
        (self.dir / "README.md").write_text("no trace\n")
        rows = self.sweep("--tables", "xor", "--traces", f"{self.dir}/*", "--threads", 1,
                          "--trials", 1)
        self.assertEqual(sorted(r["trace"] for r in rows), ["a", "b"])

    def test_name_that_needs_quotes(self):
        path, = self.small('a,"b" c.tlt')
        row, = self.sweep("--tables", "xor", "--traces", f"{self.dir}/*", "--threads", 1,
                          "--trials", 1)
        self.assertEqual(row["trace"], 'a,"b" c')
        self.assertIn('"a,""b"" c"', self.out.read_text())

    def test_several_kinds(self):
        path = trace("typhoon-*")
        counts, _ = trace_info(path)
        rows = self.sweep("--tables", "xor,seqlock", "--traces", path, "--kinds", "tt,pawn,eval",
                          "--threads", 1, "--trials", 1)
        self.assertEqual([r["kind"] for r in rows], ["tt", "pawn", "eval", "all"] * 2)
        for row in rows:
            if row["kind"] != "all":
                self.assertEqual((int(row["probes"]), int(row["stores"])), counts[row["kind"]])

    def test_one_cpu_has_one_thread_count(self):
        path, = self.small("a.tlt")
        cpu = min(os.sched_getaffinity(0))
        rows = self.sweep("--tables", "xor", "--traces", path, "--threads", "1,all,1",
                          "--trials", 2, preexec_fn=lambda: os.sched_setaffinity(0, [cpu]))
        self.assertEqual([(r["threads"], r["cpus"], r["trial"]) for r in rows],
                         [("1", str(cpu), "1"), ("1", str(cpu), "2")])

    def test_standard_output(self):
        path, = self.small("a.tlt")
        text = self.ok("sweep", "--tables", "xor,unsync", "--traces", path, "--threads", 1,
                       "--trials", 1, "--passes", 1)
        self.assertEqual(len(self.parse(text)), 2)


class Interrupted(Sweep):
    def start(self, *args):
        """A sweep that runs, and has written two rows."""
        process = subprocess.Popen(
            [TEARLINE, "sweep", "--out", str(self.out), *map(str, args)],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            # a shell that runs the tests in the background ignores it for them
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        while process.poll() is None and not (
                self.out.exists() and self.out.read_bytes().count(b"\n") > 2):
            os.sched_yield()
        self.assertIsNone(process.poll(), "it ended before it was interrupted")
        return process

    def test_interrupt_and_resume(self):
        path, = self.small("a.tlt")
        total = 3 * 40
        args = ("--tables", "xor,unsync,seqlock", "--traces", path, "--threads", 1, "--hash", 1,
                "--trials", 40)
        for number in signal.SIGINT, signal.SIGTERM:
            if self.out.exists():
                os.unlink(self.out)
            process = self.start(*args, "--seconds", 0.3)
            process.send_signal(number)
            out, err = process.communicate()
            self.assertEqual((process.returncode, out), (130, ""), err)
            rows = self.file_rows(self.out)
            self.assertGreaterEqual(len(rows), 2)
            self.assertIn(f"interrupted: {total - len(rows)} trials are missing", err)
            self.assertTrue(all(r["seconds"] and r["warnings"] is not None for r in rows))
        before = self.out.read_bytes()
        after = self.sweep(*args, "--resume")
        self.assertTrue(self.out.read_bytes().startswith(before))
        self.assertEqual(len(after), total)
        self.assertEqual(len({cell(r) for r in after}), total)
        self.assertEqual(self.sweep(*args, "--resume"), after)  # nothing is left to do

    def test_resume_does_what_is_missing(self):
        paths = self.small("a.tlt", "bb.tlt")
        args = ("--tables", "xor,unsync:refresh=never", "--traces", ",".join(paths), "--threads",
                "1,2", "--oversubscribe", "--hash", "1,none", "--trials", 2)
        whole = self.sweep(*args, "--resume")  # a file that isn't there is all missing
        self.assertEqual(len(whole), 32)
        kept = [r for i, r in enumerate(whole) if i % 3]
        with open(self.out, "w", newline="", encoding="utf-8") as f:
            writer = csv.DictWriter(f, COLUMNS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(kept)
        resumed = self.sweep(*args, "--resume")
        self.assertEqual(resumed[:len(kept)], kept)
        self.assertEqual([cell(r) for r in resumed[len(kept):]],
                         [cell(r) for i, r in enumerate(whole) if i % 3 == 0])
        self.assertEqual(Counter(map(cell, resumed)), Counter(map(cell, whole)))

    def test_resume_after_a_kill(self):
        """Wherever it came, between the rows of a trial too: each is there once, and whole."""
        path = trace("typhoon-*")
        args = ("--tables", "xor", "--traces", path, "--kinds", "tt,pawn,eval", "--threads", 1,
                "--trials", 2, "--hash", "1")
        whole = self.sweep(*args)
        lines = self.out.read_bytes().splitlines(keepends=True)
        self.assertEqual(len(lines), 9)
        for nr, part, left in ((0, 20, 0), (5, 0, 4), (5, 30, 4), (6, 0, 4), (7, 0, 4), (8, 1, 4),
                               (8, -1, 4), (9, 0, 8), (1, 0, 0), (1, 30, 0)):
            text = b"".join(lines[:nr]) + (lines[nr][:part] if part else b"")
            self.out.write_bytes(text)
            run = tearline("sweep", "--out", self.out, "--passes", 1, *args, "--resume")
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertEqual("cut short" in run.stderr, nr % 4 != 1 or part != 0, (nr, part))
            rows = self.file_rows(self.out)
            self.assertEqual(rows[:left], whole[:left])
            self.assertEqual([cell(r) for r in rows], [cell(r) for r in whole], (nr, part))
            self.assertEqual(len({r["started_utc"] for r in rows}), 2)

    def test_resume_on_another_machine_or_by_another_build(self):
        path, = self.small("a.tlt")
        args = ("--tables", "xor", "--traces", path, "--threads", 1, "--trials", 1)
        row, = self.sweep(*args)
        for column in "host", "cpu_model", "compiler", "flags", "version", "cpus", "schema":
            with open(self.out, "w", newline="", encoding="utf-8") as f:
                writer = csv.DictWriter(f, COLUMNS, lineterminator="\n")
                writer.writeheader()
                writer.writerow({**row, column: "1" + row[column]})
            rows = self.sweep(*args, "--resume")
            self.assertEqual([r[column] for r in rows], ["1" + row[column], row[column]])
            run = tearline("sweep", "--out", self.out, "--passes", 1, *args, "--resume")
            self.assertEqual("--resume: 1 of 2 rows are of another" in run.stderr,
                             column != "cpus")
            self.assertEqual(len(self.file_rows(self.out)), 2)

    def test_other_cells_are_not_those_in_the_file(self):
        path, = self.small("a.tlt")
        args = ("--tables", "xor", "--traces", path, "--threads", 1, "--trials", 1, "--resume")
        nr = len(self.sweep(*args))
        for more, rows in ((("--seed", 2), 1), (("--hash", 2), 1), (("--lookahead", 2), 1),
                           (("--caller", "chain"), 1), (("--clears", "drop"), 1),
                           (("--clears", "live"), 1), (("--pacing", "recorded"), 1),
                           (("--mode", "audit"), 1), (("--kinds", "tt,pawn"), 3),
                           (("--kinds", "pawn"), 1), (("--trials", 2), 1)):
            nr += rows
            self.assertEqual(len(self.sweep(*args, *more)), nr, more)
            self.assertEqual(len(self.sweep(*args, *more)), nr, more)
        # the same name, other content
        self.ok("trace", "cut", "--force", "--out", path, "--ops", 2000, FINE70)
        self.assertEqual(len(self.sweep(*args)), nr + 1)


class Errors(Sweep):
    def bad(self, args, *parts):
        """Refused before the first cell, and nothing is written."""
        self.refused(("sweep", "--out", self.out, "--passes", 1, *args), *parts)
        self.assertFalse(self.out.exists())
        self.refused(("sweep", "--passes", 1, *args), *parts)

    def test_lists(self):
        path, = self.small("a.tlt")
        ok = {"--tables": "xor", "--traces": path, "--threads": "1", "--hash": "1"}
        for option, value, parts in (
                ("--tables", "xor,nosuch", ("nosuch", "unsync")),
                ("--tables", "", ("--table",)),
                ("--tables", "xor,,unsync", ("--table",)),
                ("--tables", "refresh=never,xor", ("refresh=never",)),
                ("--tables", "xor:refresh=never,stripes=4", ("xor", "stripes")),
                ("--tables", "xor,spinlock:stripes=3", ("stripes", "power of two")),
                ("--tables", "xor,spinlock:lock=mcs,stripes=line", ("at most 65536",)),
                ("--traces", f"{self.dir}/*.csv", ("--traces", "no .tlt file")),
                ("--traces", f"{path},{self.dir}/gone.tlt", ("gone.tlt",)),
                ("--threads", "1,0", ("--threads", "'1,0'", "all")),
                ("--threads", "", ("--threads", "all")),
                ("--threads", "1,1000", ("1000", "--oversubscribe")),
                ("--hash", "1,64MB", ("--hash", "'64MB'")),
                ("--hash", "1,", ("--hash", "''")),
                ("--hash", "1,-1", ("--hash", "'-1'")),
                ("--trials", "0", ("--trials",)), ("--kinds", "eval", ("--kinds", "tt, pawn")),
                ("--kinds", "kv", ("--kinds",)), ("--pages", "17g", ("--pages", "1g")),
                ("--workload", "uniform:ops=x", ("ops", "'x'")),
                ("--seconds", "x", ("--seconds", "'x'"))):
            args = {**ok, option: value}
            if option == "--workload":
                del args["--traces"]
            if option == "--threads" and "1000" in value and len(os.sched_getaffinity(0)) >= 1000:
                continue
            # 16 MiB of lines are more than a queue lock has stripes for
            args["--hash"] = "16" if "lock=mcs" in value else args["--hash"]
            self.bad([x for pair in args.items() for x in pair], *parts)
        self.bad(("--tables", "xor"), "--traces", "--workload")
        self.bad(("--traces", path, "more"), "options only", "'more'")
        self.refused(("sweep", "--traces", path, "--resume"), "--resume", "--out")

    def test_a_trace_without_the_kind_is_found_before_the_first_cell(self):
        self.bad(("--traces", os.path.dirname(FINE70) + "/*", "--kinds", "eval", "--threads", "1"),
                 "--kinds", "holds no operation")

    def test_beyond_the_memory(self):
        with open("/proc/meminfo", encoding="ascii") as f:
            if int(re.search(r"MemAvailable: +(\d+)", f.read()).group(1)) >> 10 > 4194304:
                self.skipTest("4 TiB are free here")
        path, = self.small("a.tlt")
        self.bad(("--traces", path, "--threads", 1, "--hash", "1,4194304"), "--hash 4194304")

    def test_output(self):
        path, = self.small("a.tlt")
        args = ("sweep", "--tables", "xor", "--traces", path, "--threads", 1, "--passes", 1)
        self.refused((*args, "--out", "/dev/full"), "/dev/full", "No space left")
        self.refused((*args, "--out", self.dir / "no" / "x.csv"), "x.csv", "cannot open")
        foreign = ",".join(["tabel" if c == "table" else c for c in COLUMNS]) + "\n"
        for text, parts in ((foreign, ("expected table, got tabel",)), ("a,b\n1,2\n", ()),
                            ("a,b\n1,2", ("expected schema, got a",)),
                            (",".join(COLUMNS) + "\n1,x", ("cut short",))):
            for more in (), ("--resume",):
                if more and "cut short" in parts:
                    continue  # it mends that
                self.out.write_text(text)
                self.refused((*args, "--out", self.out, *more), "x.csv", *parts)
                self.assertEqual(self.out.read_text(), text)
        self.refused((*args, "--out", "/dev/null", "--resume"), "/dev/null", "regular file")

    def test_standard_streams_that_are_closed(self):
        """Whatever is opened next must not take their place."""
        path, = self.small("a.tlt")
        args = ["--tables", "xor", "--traces", path, "--threads", "1", "--passes", "1"]
        for closed, code in (("<&-", 0), (">&-", 2), ("2>&-", 0), ("<&- >&- 2>&-", 2)):
            for command in (["sweep", *args, "--trials", "2", "--out", self.out],
                            ["replay", "--table", "xor", "--trace", path, "--trials", "2",
                             "--passes", "1", "--csv", self.out]):
                self.out.unlink(missing_ok=True)
                run = subprocess.run(["sh", "-c", f'"$@" {closed}', "sh", TEARLINE, *command],
                                     capture_output=True, check=False)
                # a sweep prints nothing that would be missed
                self.assertEqual(run.returncode, code if command[0] == "replay" else 0, closed)
                self.assertEqual(len(self.file_rows(self.out)), 2, closed)


class Locale(Sweep):
    def german(self):
        env = dict(os.environ, LC_ALL="de_DE.UTF-8")
        known = subprocess.run(["locale", "-a"], capture_output=True, text=True, check=False)
        if re.search(r"^de_DE\.utf-?8$", known.stdout, re.M | re.I):
            return env
        if not shutil.which("localedef"):
            self.skipTest("no locale de_DE.UTF-8, and no localedef to make one")
        made = subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8",
                               str(self.dir / "de_DE.UTF-8")], capture_output=True, text=True,
                              check=False)
        if not (self.dir / "de_DE.UTF-8").is_dir():
            self.skipTest(f"cannot make the locale de_DE.UTF-8: {made.stderr}")
        return dict(env, LOCPATH=str(self.dir))

    def test_decimals_have_a_point(self):
        env = self.german()
        path, = self.small("a.tlt")
        row, = self.sweep("--tables", "xor", "--traces", path, "--threads", 1, "--trials", 1,
                          "--hash", "0.25", env=env)
        for column in "seconds", "mops", "ns_per_op", "stream_ns", "null_ns":
            self.assertRegex(row[column], r"\A\d+(\.\d+)?(e-?\d+)?\Z")
        self.assertEqual((row["hash_mib"], row["table_bytes"]), ("0.25", str(1 << 18)))
        self.refused(("sweep", "--traces", path, "--hash", "0,25x"), "--hash", "'25x'", env=env)


if __name__ == "__main__":
    main()
