#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""test_torture_cli - tearline torture from outside: verdicts, what repeats them, the watchdog.

TORTURE_BAD is the same command with two tables more: `liar`, which lies without any race,
and `hang`, whose lock is not always dropped.
"""
import os
import re
import signal
import subprocess
import time

from cli import HERE, TEARLINE, Cli, main, sanitized, tables, tearline

BAD = os.environ.get("TORTURE_BAD", str(HERE.parent / "build" / "tests" / "torture_bad"))
CPUS = sorted(os.sched_getaffinity(0))
REPEAT = re.compile(r"repeat with: tearline torture (--table \S+ --seconds \S+ --threads \d+ "
                    r"--seed \d+ --slice \d+)$", re.M)


def one_cpu():
    os.sched_setaffinity(0, CPUS[:1])


def sanitizers():
    return re.findall(r"-fsanitize=(\S+)", tearline("--version").stdout)


def bad(*args, **more):
    return subprocess.run([BAD, *map(str, args)], capture_output=True, text=True, check=False,
                          **more)


def last(text):
    return text.rstrip("\n").split("\n")[-1]


def trials(rows):
    """The first row of each trial: where there are several kinds, there are as many rows."""
    return [r for i, r in enumerate(rows) if not i or r["trial"] != rows[i - 1]["trial"]]


def what(row):
    """What ran in a slice, and with which numbers."""
    return tuple(row[c] for c in ("trace", "kind", "hash_mib", "placement", "threads", "seed"))


class Verdicts(Cli):
    def torture(self, *args, status=0, **more):
        """Output and rows of a run."""
        out = self.dir / "torture.csv"
        out.unlink(missing_ok=True)
        run = tearline("torture", *args, "--csv", out, **more)
        self.assertEqual(run.returncode, status, (args, run.stdout, run.stderr))
        return run.stdout, self.file_rows(out)

    def check_rows(self, rows):
        nr = len(trials(rows))
        self.assertTrue(rows)
        self.assertEqual([r["trial"] for r in trials(rows)], [str(i + 1) for i in range(nr)])
        self.assertEqual(len({r["seed"] for r in rows}), nr)
        for row in rows:
            self.assertEqual((row["mode"], row["mops"]), ("audit", ""))
            if row["kind"] == "all":
                continue
            self.assert_counts_agree(row)
            self.assertNotEqual(row["torn_reads"], "")

    def test_every_table(self):
        for table in tables():
            with self.subTest(table=table.name):
                if table.floor:
                    self.refused(("torture", "--table", table.name), table.name, "floor")
                    continue
                text, rows = self.torture("--table", table.name, "--seconds", 0.3)
                self.check_rows(rows)
                self.assertTrue(last(text).startswith("SUCCESS: " + table.name), text)
                self.assertNotIn("FAILURE", text)
                self.assertFalse([r for r in rows if "FAILURE" in r["warnings"]])

    def test_what_promises_nothing(self):
        text, _ = self.torture("--table", "unsync", "--seconds", 1)
        self.assertRegex(last(text), r"^SUCCESS: unsync promises nothing in \d+ slices, "
                                     r"\d+ ops; seen: ")

    def test_what_runs(self):
        """The rotation: all workloads in turn, alone and mixed; other variants in time."""
        text, rows = self.torture("--table", "xor", "--seconds", 4, "--threads", 3)
        self.check_rows(rows)
        slices = trials(rows)
        names = [r["trace"].split(":")[0] for r in slices]
        self.assertLessEqual({r["clears"] for r in rows}, {"barrier", "drop", "live"})
        turn = names.index(names[0], 1) if names[0] in names[1:] else len(names)
        self.assertEqual(len(set(names[:turn])), turn)
        self.assertEqual(names, (names[:turn] * len(names))[:len(names)])
        self.assertEqual(len({what(r)[:-1] for r in slices}), len(slices))
        self.assertLessEqual({r["threads"] for r in rows}, {"3", "6", "8", "16"})
        self.assertLessEqual({r["placement"] for r in rows},
                             {"core", "compact", "spread", f"list:{CPUS[0]}"})
        for name in set(names):
            self.assertRegex(text, rf"(?m)^  {re.escape(name)} ")

    def test_seed(self):
        """A seed settles what each slice is; how many there are is the clock's business."""
        runs = [self.torture("--table", "seqlock", "--seconds", 0.5, "--seed", seed)[1]
                for seed in (7, 7, 8)]
        for one, two in zip(runs[0], runs[1]):
            self.assertEqual(what(one), what(two))
            self.assertEqual(one["trace_hash"], two["trace_hash"])
        for one, two in zip(runs[0], runs[2]):
            self.assertEqual(what(one)[:-1], what(two)[:-1])
            self.assertNotEqual(one["seed"], two["seed"])

    def test_slice(self):
        _, rows = self.torture("--table", "seqlock", "--seconds", 0.7)
        for row in trials(rows)[:3]:
            text, again = self.torture("--table", "seqlock", "--seconds", 0.3, "--slice",
                                       row["trial"])
            self.assertEqual(what(again[0]), what(row))
            self.assertEqual(len({what(r)[:-1] for r in trials(again)}), 1)
            self.assertIn(f"from slice {row['trial']} on", text)

    def test_slices_never_end(self):
        """A long run has more slices than there are combinations; each can be repeated."""
        text, rows = self.torture("--table", "seqlock", "--seconds", 0.5, "--slice", 100001)
        self.assertEqual(rows[0]["trial"], "100001")
        _, again = self.torture("--table", "seqlock", "--seconds", 0.2, "--slice",
                                rows[-1]["trial"])
        self.assertEqual(what(again[0]), what(rows[-1]))

    def test_claims_what_was_measured(self):
        seen = set()
        for nr in range(1, 7):
            text, rows = self.torture("--table", "seqlock", "--seconds", 0.2, "--slice", nr)
            measured = rows[0]["false_misses"] != ""
            claim = ", no false miss" if measured else ""
            self.assertIn(f"kept its promise (no torn read{claim}) in", last(text))
            self.assertEqual("not measured in these slices: false_misses" in text, not measured)
            seen.add(measured)
        self.assertEqual(seen, {False, True})

    def test_one_cpu(self):
        text, rows = self.torture("--table", "spinlock:lock=ticket", "--seconds", 1,
                                  preexec_fn=one_cpu)
        self.check_rows(rows)
        self.assertIn("on 1 CPU;", text)
        for row in rows:
            self.assertIn(row["threads"], ("2", "4", "8", "16"))
            self.assertEqual(set(row["cpus"].split(",")), {str(CPUS[0])})
            self.assertEqual(row["oversubscribed"], "1")

    def test_shake(self):
        """Threads are stopped amid operations: counted, for the clock proves nothing."""
        text, rows = self.torture("--table", "seqlock", "--seconds", 1, "--shake")
        self.check_rows(rows)
        slices, stops = re.search(r"(?m)^shaken: (\d+) slices, threads stopped (\d+) times within "
                                  r"operations;", text).groups()
        self.assertEqual(int(slices), len(trials(rows)))
        if "thread" not in sanitizers():  # which holds signals back until a thread waits
            self.assertGreater(int(stops), 0)

    def test_rows_instead_of_the_summary(self):
        run = tearline("torture", "--table", "xor", "--seconds", 0.3, "--csv", "-")
        self.assertEqual(run.returncode, 0)
        self.check_rows(self.parse(run.stdout))
        self.assertTrue(last(run.stderr).startswith("SUCCESS: xor kept its promise"))

    def test_refused(self):
        out = self.dir / "x.csv"
        for args, parts in (
                ((), ("--table", "--controls")),
                (("--table", "xor", "--controls"), ("--table", "--controls")),
                (("--table", "nonesuch"), ("nonesuch", "xor")),
                (("--table", "xor:refresh=perhaps"), ("refresh", "perhaps")),
                (("--table", "spinlock:lock=mcs,stripes=3"), ("stripes", "'3'")),
                (("--table", "xor", "--seconds", 0), ("--seconds", "more than 0")),
                (("--table", "xor", "--seconds", -1), ("--seconds", "'-1'")),
                (("--table", "xor", "--slice", -1), ("--slice", "'-1'")),
                (("--table", "xor", "--watchdog", 0), ("--watchdog", "'0'")),
                (("--table", "xor", "--threads", 100000), ("--threads", "'100000'")),
                (("--controls", "--runs", 0), ("--runs", "'0'")),
                (("--controls", "--slice", 1), ("--slice",)),
                (("--table", "xor", "more"), ("more",))):
            self.refused(("torture", "--csv", out, *args), *parts)
            self.assertFalse(out.exists(), args)
        self.refused(("torture", "--table", "xor", "--csv", self.dir / "no" / "x.csv"), "x.csv")

    def test_interrupt(self):
        out = self.dir / "x.csv"
        with subprocess.Popen([TEARLINE, "torture", "--table", "seqlock", "--seconds", "600",
                               "--csv", str(out)], stdout=subprocess.PIPE, text=True) as run:
            while not out.exists() or out.read_text().count("\n") < 3:
                self.assertIsNone(run.poll())
                time.sleep(0.05)
            run.send_signal(signal.SIGINT)
            text = run.communicate()[0]
        self.assertEqual(run.returncode, 130)
        self.assertRegex(last(text), r"^INTERRUPTED: seqlock kept its promise .* in \d+ slices")
        self.check_rows(self.file_rows(out))


class Bad(Cli):
    def test_liar(self):
        """Caught, and each command that it prints catches it again, at the same place."""
        out = self.dir / "x.csv"
        run = bad("--table", "liar", "--seconds", 1, "--seed", 42, "--csv", out)
        self.assertEqual(run.returncode, 1, (run.stdout, run.stderr))
        failures = re.findall(r"^FAILURE: liar, in .* torn_reads.* on (\S+) \(", run.stdout, re.M)
        self.assertTrue(last(run.stdout).startswith("FAILURE: liar"))
        self.assertNotIn("SUCCESS", run.stdout)
        rows = self.file_rows(out)
        self.assertEqual(set(failures), {r["trace"] for r in rows})
        for row in rows:
            if row["kind"] == "all":
                continue
            self.assertGreater(int(row["torn_reads"]), 0)
            self.assertRegex(row["warnings"], r"(^|;)FAILURE: torn_reads(, \w+)*$")
        commands = REPEAT.findall(run.stdout)
        self.assertEqual(len(commands), len(failures))
        for command, workload in zip(commands[:3], failures):
            again = bad(*command.replace("--seconds 1 ", "--seconds 0.2 ").split(), "--csv", "-")
            self.assertEqual(again.returncode, 1, (command, again.stderr))
            self.assertRegex(again.stderr, rf"(?m)^FAILURE: liar, in .* on {workload} ")
            nr = command.split()[-1]
            self.assertEqual(what(self.parse(again.stdout)[0]),
                             what(next(r for r in rows if r["trial"] == nr)))

    def test_liar_on_one_cpu(self):
        run = bad("--table", "liar", "--seconds", 0.1, "--threads", 1, preexec_fn=one_cpu)
        self.assertEqual(run.returncode, 1, (run.stdout, run.stderr))

    def check_hang(self, threads, **more):
        out = self.dir / "x.csv"
        out.unlink(missing_ok=True)
        run = bad("--table", "hang", "--seconds", 20, "--watchdog", 1, "--threads", threads,
                  "--csv", out, timeout=120, **more)
        self.assertEqual(run.returncode, 1, (run.stdout, run.stderr))
        self.assertRegex(last(run.stdout), r"^FAILURE: hang hung on .*: no operation began for "
                                           r"1 s; repeat with: ")
        self.assertEqual(len(REPEAT.findall(run.stdout)), 1)
        row = self.file_rows(out)[-1]
        self.assertEqual((row["table"], row["warnings"].split(";")[-1], row["torn_reads"],
                          row["ops"]), ("hang", "FAILURE: hung", "", ""))
        stacks = re.split(r"(?m)^thread (\d+) on CPU (\d+), (\d+) operations begun:\n",
                          run.stderr)
        self.assertEqual(stacks[1::4], [str(i) for i in range(int(row["threads"]))])
        self.assertEqual(",".join(stacks[2::4]), row["cpus"])
        self.assertTrue(all(int(n) > 0 for n in stacks[3::4]), stacks[3::4])
        for stack in stacks[4::4]:
            self.assertNotIn("no answer", stack)
            self.assertRegex(stack, "crew_main")
            if not sanitized():
                self.assertRegex(stack, "hang_wait_for_lock")

    def test_a_signal_ends_what_hangs(self):
        """... of a replay, where no table hangs by itself for as long as the watchdog waits."""
        with subprocess.Popen([BAD, "replay", "--table", "hang", "--workload", "hot-evict",
                               "--threads", "2", "--oversubscribe", "--mode", "audit",
                               "--seconds", "600"], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True) as run:
            time.sleep(1)
            self.assertIsNone(run.poll())
            run.send_signal(signal.SIGTERM)
            err = run.communicate(timeout=25)[1]
        self.assertEqual(run.returncode, 130, err)
        self.assertIn("interrupted: after 1.5 s not all of 2 threads", err)

    def test_crash(self):
        """It dies as it would have, and says in a line what it was at."""
        args = ("--workload", "hot-update", "--threads", 2, "--oversubscribe", "--seed", 77)
        for command in (("replay", "--table", "crash", *args),
                        ("replay", "--table", "crash", "--mode", "audit", *args),
                        ("replay", "--table", "crash", "--hash", "1e", *args),
                        ("--table", "crash", "--seconds", 1, "--seed", 77)):
            run = bad(*command)
            self.assertNotIn(run.returncode, (0, 1, 2, 130), run.stderr)
            line = re.search(r"(?m)^tearline: crash: (SIG\w+) in table crash \(.*\) on (\S+), "
                             r"hash (\S+), \d+ threads, .*, seed (\d+)(.*)$", run.stderr)
            self.assertIsNotNone(line, run.stderr)
            if not sanitized():
                self.assertEqual(-run.returncode, getattr(signal, line.group(1)))
            if command[0] == "replay":
                self.assertEqual(line.group(4), "77")
            else:
                self.assertRegex(line.group(5), r"^; repeat with: tearline torture --table crash .* "
                                                r"--slice 1$")

    def test_hang(self):
        self.check_hang(2)
        self.check_hang(3, preexec_fn=one_cpu)


class Controls(Cli):
    LINE = re.compile(r"^  (\S+)  +(\S+)  +(\d+)  +(\S.*?)  +(?:(\d+) of (\d+)|"
                      r"(not applicable here \(one CPU\)))  +(?:\[([\d.]+), ([\d.]+)\]|-)  +\S",
                      re.M)

    def check(self, run, runs):
        """Every line by itself, and the exit code by all of them; {name: caught or None}."""
        found = {}
        for name, _, threads, _, caught, of, absent, lo, hi in self.LINE.findall(run.stdout):
            found[name] = None if absent else int(caught)
            if absent:
                self.assertGreater(int(threads), 1)
                self.assertEqual(lo, "")
                continue
            self.assertEqual(int(of), runs)
            self.assertLessEqual(float(lo), 100 * int(caught) / runs)
            self.assertGreaterEqual(float(hi), 100 * int(caught) / runs)
            self.assertEqual(f"FAILURE: {name} was not caught" in run.stdout, caught == "0")
        self.assertIn("unsync", found)
        missed = 0 in found.values()
        self.assertEqual(run.returncode, int(missed), (run.stdout, run.stderr))
        self.assertEqual(last(run.stdout).split(":")[0], "FAILURE" if missed else "SUCCESS")
        return found

    def test_controls(self):
        """All of tearline's, and one that never shows what it must."""
        found = self.check(bad("--controls", "--runs", 2), 2)
        self.assertEqual(found["liar"], 0)

    def test_one_cpu(self):
        found = self.check(tearline("torture", "--controls", "--runs", 1, preexec_fn=one_cpu), 1)
        self.assertIsNone(found["unsync"])


if __name__ == "__main__":
    main()
