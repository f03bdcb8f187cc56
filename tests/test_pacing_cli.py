# SPDX-License-Identifier: BSD-2-Clause
"""replay --pacing recorded: never earlier than the stamps say, and otherwise the same.

That something takes at least so long is no judging by the clock: a wait can't be shorter than
it is. How much longer it takes is nobody's business here.
"""
import re
import signal
import struct
import subprocess
import time
from pathlib import Path

from cli import COUNTS, TEARLINE, TIMES, Cli, main, tearline, trace

TT_PROBE, TT_STORE, PAWN_PROBE, GENERATION, CLEAR = 0, 1, 2, 6, 7
MS = 1000  # of a clock of 1 MHz


class Pacing(Cli):
    def make(self, name, *streams, hz=1000000):
        """A trace of these streams of (op, tick); keys are few, so that some hit."""
        raws = []
        for thread, ops in enumerate(streams):
            raws.append(self.dir / f"{name}.{thread}")
            records = b"".join(
                struct.pack("<QQIhhBBBBHBB", (i % 7 + 1) * 0x9e3779b97f4a7c15 % 2**64, tick, 0,
                            5, 0, op, 3, 3 if op == TT_STORE else 0, 0, 1, 0xff, 0)
                for i, (op, tick) in enumerate(ops))
            raws[-1].write_bytes(b"RAWTRC01" + struct.pack("<IIQQ32s", 32, thread, len(ops), hz,
                                                           b"Crafty") + records)
        out = self.dir / f"{name}.tlt"
        self.ok("trace", "import", "--out", out, *raws)
        return out

    def uneven(self, name="uneven", clear_at=None):
        """100 ms in two streams: 40 ms of nothing in one, the other begins after 30."""
        first = [(GENERATION, 50)] + [(op, 100 + i // 2 * 200 + (40 * MS if i > 40 else 0))
                                      for i, op in enumerate([TT_STORE, TT_PROBE] * 100)]
        first += [(TT_PROBE, 100 + 100 * MS)]
        if clear_at is not None:
            first = sorted(first + [(CLEAR, clear_at)], key=lambda x: x[1])
        second = [(TT_PROBE if i % 3 else TT_STORE, 30 * MS + i * 350) for i in range(200)]
        return self.make(name, first, second)

    def both(self, *args):
        """The rows of the same replay, at once and as recorded."""
        asap, recorded = (self.replay(*args, "--pacing", p) for p in ("asap", "recorded"))
        self.assertEqual({r["pacing"] for r in asap}, {"asap"})
        self.assertEqual({r["pacing"] for r in recorded}, {"recorded"})
        return asap, recorded

    def test_takes_the_recorded_time(self):
        path = self.uneven()
        for mode in "throughput", "audit":
            (asap,), (recorded,) = self.both("--table", "xor", "--trace", path, "--mode", mode)
            self.assertGreaterEqual(float(recorded["seconds"]), 0.1)
            self.assertEqual(asap["ops"], recorded["ops"])

    def test_each_pass_takes_it(self):
        path = self.uneven()
        for clears in "barrier", "live", "drop":
            row, = self.replay("--table", "xor", "--trace", path, "--pacing", "recorded",
                               "--passes", 3, "--clears", clears)
            self.assertGreaterEqual(float(row["seconds"]), 0.3, clears)

    def test_a_meeting_takes_nothing_away(self):
        """A clear in the midst of a wait: before it and after it as long as recorded."""
        path = self.uneven(clear_at=20 * MS)
        for clears in "barrier", "live":
            row, = self.replay("--table", "spinlock", "--trace", path, "--pacing", "recorded",
                               "--clears", clears)
            self.assertGreaterEqual(float(row["seconds"]), 0.1, clears)

    def test_counts_are_those_of_full_speed(self):
        """One thread: the same operations in the same order, whenever they are done."""
        path = self.dir / "short.tlt"
        self.ok("trace", "cut", "--out", path, "--ops", 30000, trace("typhoon-2t-mid3"))
        for more in ((), ("--mode", "audit"), ("--passes", 2), ("--clears", "live"),
                     ("--clears", "drop", "--passes", 2), ("--lookahead", 8)):
            asap, recorded = self.both("--table", "xor", "--trace", path, "--kinds",
                                       "tt,pawn,eval", "--hash", 1, *more)
            self.assertEqual(len(recorded), 4)
            for a, b in zip(asap, recorded):
                for c in COUNTS + ["ops", "torn_reads", "false_misses", "lost_stores"]:
                    self.assertEqual(a[c], b[c], (more, c))

    def test_however_dealt(self):
        """More threads than CPUs, and than streams: nobody waits for who can't run."""
        path = self.uneven(clear_at=20 * MS)
        for deal in "split", "clone", "salt":
            for mode in "throughput", "audit":
                args = ("--table", "xor", "--trace", path, "--deal", deal, "--threads", 5,
                        "--mode", mode, "--oversubscribe")
                asap, recorded = self.both(*args)
                self.assertEqual(asap[0]["ops"], recorded[0]["ops"], (deal, mode))
                self.assertEqual(recorded[0]["torn_reads"], "0" if mode == "audit" else "")

    def test_no_figure_of_speed(self):
        path = self.uneven()
        row, = self.replay("--table", "xor", "--trace", path, "--pacing", "recorded")
        for c in ("mops", "ns_per_op", "stream_ns", "null_ns"):
            self.assertEqual(row[c], "", c)
        for c in set(TIMES) - {"mops", "ns_per_op"}:
            self.assertNotEqual(row[c], "", c)
        text = self.ok("replay", "--table", "xor", "--trace", path, "--passes", 1, "--pacing",
                       "recorded")
        self.assertRegex(text, r"\nrecorded pacing: \d+ of \d+ operations began more than \d+ us "
                               r"late\n")
        self.assertNotIn("Mops", text)

    def test_a_pace_that_nobody_keeps(self):
        """20,000 operations at once: most begin later, and the row says so."""
        path = self.make("dense", [(TT_STORE if i % 2 else TT_PROBE, 1) for i in range(20000)]
                         + [(TT_PROBE, 2)])
        args = ("replay", "--table", "xor", "--trace", path, "--passes", 1)
        text = self.ok(*args, "--pacing", "recorded")
        late, ops = re.search(r"recorded pacing: (\d+) of (\d+) operations", text).groups()
        self.assertGreater(int(late), 1000)
        self.assertEqual(ops, "20001")
        self.assertRegex(text, r"warnings: .*the recorded pace was not kept")
        self.assertNotIn("pace", self.ok(*args))

    def test_sweep_and_report_keep_them_apart(self):
        path, out = self.uneven(), self.dir / "rows.csv"
        for pacing in "asap", "recorded":
            for mode in "throughput", "audit":
                self.ok("sweep", "--tables", "xor,unsync", "--traces", path, "--threads", 1,
                        "--trials", 1, "--passes", 1, "--pacing", pacing, "--mode", mode,
                        "--out", out)
        rows = self.file_rows(out)
        self.assertEqual(sorted(r["pacing"] for r in rows), ["asap"] * 4 + ["recorded"] * 4)
        text = self.ok("report", out, "--baseline", "unsync")
        self.assertRegex(text, r"(?m)^.*pacing recorded")
        self.assertRegex(text, r"(?m)^.*pacing asap")

    def catches(self, pid, number):
        status = Path(f"/proc/{pid}/status").read_text(encoding="ascii", errors="replace")
        return int(re.search(r"SigCgt:\s+(\w+)", status).group(1), 16) >> (number - 1) & 1

    def test_time_and_interrupt(self):
        """The time is up, or somebody asks: nobody waits for what is due in a minute."""
        path = self.make("long", [(TT_STORE, 1), (TT_PROBE, 2), (TT_PROBE, 600000 * MS)])
        row, = self.parse(self.ok("replay", "--table", "xor", "--trace", path, "--seconds",
                                  0.05, "--pacing", "recorded", "--csv", "-", timeout=60))
        self.assertLess(int(row["ops"]), 3)
        for mode in "throughput", "audit":
            with subprocess.Popen([TEARLINE, "replay", "--table", "xor", "--trace", path,
                                   "--passes", "1", "--pacing", "recorded", "--mode", mode],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE) as p:
                while not self.catches(p.pid, signal.SIGINT):
                    time.sleep(0.01)
                p.send_signal(signal.SIGINT)
                p.communicate(timeout=60)
            self.assertEqual(p.returncode, 130, mode)

    def test_refused(self):
        path = self.make("flat", [(TT_STORE, 7), (TT_PROBE, 7)], [(TT_PROBE, 7)])
        args = ("replay", "--table", "xor", "--pacing", "recorded")
        self.refused((*args, "--trace", path), "--pacing recorded", "flat", "same stamp")
        self.refused((*args, "--workload", "uniform"), "--pacing: only", "with --trace")
        self.refused(("sweep", "--tables", "xor", "--workload", "uniform", "--pacing",
                      "recorded"), "--pacing: only", "with --traces")
        self.refused(("sweep", "--tables", "xor", "--workload", "uniform", "--traces",
                      self.uneven(), "--pacing", "recorded"), "--pacing recorded", "--trace")
        self.refused(("replay", "--table", "xor", "--trace", path, "--pacing", "slow"),
                     "--pacing", "asap|recorded", "'slow'")
        # what it does not ask for, it does not need
        self.assertEqual(tearline("replay", "--table", "xor", "--trace", path, "--passes",
                                  1).returncode, 0)


if __name__ == "__main__":
    main()
