#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""test_controls_cli - tables broken on purpose, from outside: listed apart, used if named."""
from cli import Cli, all_tables, controls, main, tables, tearline, trace

FAULTS = ["torn_reads", "wrong_key_hits", "false_misses", "stale_hits", "lost_stores",
          "unusable_slots", "duplicate_keys"]
TYPHOON = trace("typhoon-*")


def takes_a_race(table):
    return int(table.shows.group(3)) > 1


def control(name):
    """A control by name, or None where it was not built."""
    return next((t for t in controls() if t.name == name), None)


class Listed(Cli):
    def test_each_says_what_is_planted_and_what_shows_it(self):
        self.assertGreaterEqual(len(controls()), 3)
        for table in controls():
            self.assertTrue(table.planted, table.name)
            self.assertTrue(table.shows, table.name)
            shows = table.shows.group(1).split(", ")
            self.assertLessEqual(set(shows), set(FAULTS), table.name)
        for table in tables():
            self.assertFalse(table.planted, table.name)
        # The one that is no worse than it says, and is a control all the same.
        self.assertEqual([t.name for t in tables() if t.shows], ["unsync"])

    def test_apart(self):
        names = [t.name for t in all_tables()]
        self.assertEqual(names, [t.name for t in tables()] + [t.name for t in controls()])
        message = self.refused(("replay", "--table", "xorr", "--trace", TYPHOON), "tearline tables")
        for table in controls():
            self.assertNotIn(table.name, message)
        # What a sweep takes by itself has no control among it.
        for command in "replay", "sweep":
            text = tearline(command, "--help").stdout
            for table in controls():
                self.assertNotIn(table.name, text)


class Named(Cli):
    def test_replay(self):
        for table in controls():
            for kind in table.kinds:
                source = ("--workload", "uniform:ops=2000") if kind == "kv" else \
                         ("--trace", TYPHOON, "--kinds", kind)
                row, = self.replay("--table", table.name, *source)
                self.assertEqual((row["table"], row["kind"]), (table.name, kind))
                self.assert_counts_agree(row)

    def test_sweep(self):
        names = {t.name for t in controls()}
        out = self.dir / "x.csv"
        self.ok("sweep", "--tables", ",".join(names), "--workload", "uniform:ops=2000", "--threads",
                1, "--trials", 1, "--passes", 1, "--out", out)
        self.assertEqual({r["table"] for r in self.file_rows(out)}, names)

    def test_alone_as_good_as_what_was_broken(self):
        args = ("--trace", TYPHOON, "--kinds", "tt,pawn,eval", "--hash", 0.25)
        want = [self.counts(r) for r in self.replay("--table", "xor", *args)]
        for table in controls():
            if takes_a_race(table):
                got = [self.counts(r) for r in self.replay("--table", table.name, *args)]
                self.assertEqual(got, want, table.name)


class Seen(Cli):
    """What takes no race shows on any machine, every time."""

    def audit(self, name, *args):
        run = tearline("replay", "--passes", 1, "--csv", "-", "--table", name, "--mode", "audit",
                       *args)
        row, = self.parse(run.stdout)
        # What it promises it may break, as a control does; then it says so.
        self.assertEqual(run.returncode, "FAILURE: " in row["warnings"], run.stderr)
        return {f: int(row[f] or 0) for f in FAULTS}

    def test_bare_field(self):
        source = ("--workload", "generation:lines=64,store=10")
        faults = self.audit("xor-bare-field", *source)
        self.assertGreater(faults["unusable_slots"], 0)
        self.assertGreater(faults["lost_stores"], 0)
        self.assertEqual(faults["torn_reads"], 0)
        self.assertFalse(any(self.audit("xor", *source).values()))

    def test_sig16(self):
        if not control("sig16"):
            self.skipTest("built without Concurrency Kit")
        source = ("--workload", "uniform:ops=1000000", "--hash", 4)
        faults = self.audit("sig16", *source)
        self.assertGreater(faults["wrong_key_hits"], 0)
        self.assertEqual((faults["torn_reads"], faults["unusable_slots"]), (0, 0))
        self.assertFalse(any(self.audit("seqlock", *source).values()))


if __name__ == "__main__":
    main()
