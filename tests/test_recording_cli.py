# SPDX-License-Identifier: BSD-2-Clause
"""search --record: what a search prints of its tables is what the trace and a replay say."""
import os
import re
import signal
import subprocess

from cli import TEARLINE, Cli, main, sanitized, tearline, trace_info

SEARCH = ("search", "--bench", "--depth", 5, "--hash", "4096e", "--pawn-hash", "256e",
          "--eval-hash", "1024e")
SIZES = ("--hash", "4096e", "--pawn-hash", "256e", "--eval-hash", "1024e")


def printed(text):
    """{kind: (probes, stores, hit percentage)} of what a search prints."""
    return {k: (int(p), int(s), h) for k, p, s, h in
            re.findall(r"^(tt|pawn|eval) .* (\d+) probes +(\d+) stores  hits +(\d+\.\d) %",
                       text, re.M)}


class Record(Cli):
    def record(self, *args, name="own.tlt"):
        run = tearline(*SEARCH, "--record", self.dir / name, *args)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertRegex(run.stderr, rf"\A\S*{name}: \d+ operations of \d+ threads\n\Z")
        return self.dir / name, run.stdout

    def test_one_thread(self):
        path, text = self.record("--table", "spinlock")
        self.assertEqual(text.splitlines()[-1],
                         self.ok(*SEARCH, "--table", "spinlock").splitlines()[-1])
        self.assertIn("OK", self.ok("trace", "verify", path))
        counts, streams = trace_info(path)
        self.assertEqual(streams, 1)
        rows = {r["kind"]: r for r in
                self.replay("--table", "xor", "--trace", path, *SIZES, "--kinds",
                            "tt,pawn,eval")}
        for kind, (probes, stores, hits) in printed(text).items():
            row = rows[kind]
            self.assertEqual(counts[kind], (probes, stores))
            self.assertEqual((int(row["probes"]), int(row["stores"])), (probes, stores))
            self.assertEqual(f"{100 * int(row['hits']) / probes:.1f}", hits)
        self.assertEqual(len(printed(text)), 3)

    def test_threads(self):
        path, text = self.record("--threads", 3, "--oversubscribe")
        counts, streams = trace_info(path)
        self.assertEqual(streams, 3)
        self.assertEqual(counts, {k: v[:2] for k, v in printed(text).items()})
        for pacing in "asap", "recorded":
            row, = self.replay("--table", "xor", "--trace", path, "--threads", 2, "--pacing",
                               pacing, "--mode", "audit", "--oversubscribe")
            self.assertEqual((int(row["probes"]), int(row["stores"])), counts["tt"])
            self.assertEqual(row["torn_reads"], "0")

    def test_one_position(self):
        path = self.dir / "fine.tlt"
        self.ok("search", "--fen", "8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1", "--depth", 8,
                "--record", path)
        self.assertIn("tearline search", self.ok("trace", "info", path))

    def test_nothing_half_written(self):
        """Nobody searches for what can't be kept; and what was there before stays."""
        for bad in ("/nowhere/x.tlt", "/dev/full", self.dir):
            self.refused((*SEARCH, "--record", bad), str(bad))
        self.assertEqual(os.listdir(self.dir), [])
        if sanitized():
            return  # ThreadSanitizer's runtime dies of the signal itself
        path = self.dir / "old.tlt"
        path.write_text("precious")
        run = subprocess.run(["sh", "-c", 'ulimit -f 1; exec "$@"', "sh", TEARLINE,
                              *map(str, SEARCH), "--record", str(path)], check=False,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertEqual(run.returncode, 2)
        self.assertRegex(run.stderr, r"\Atearline: \S+old\.tlt: cannot write: [^\n]+\n\Z")
        self.assertEqual(path.read_text(), "precious")
        self.assertEqual(os.listdir(self.dir), ["old.tlt"])

    def test_interrupted(self):
        """What was done until then is a trace."""
        for number in signal.SIGINT, signal.SIGHUP:
            path = self.dir / f"part{number}.tlt"
            with subprocess.Popen([TEARLINE, "search", "--depth", "100", "--record", path],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE) as p:
                for _ in range(4):  # it is at work
                    self.assertTrue(p.stdout.readline())
                p.send_signal(number)
                p.communicate(timeout=120)
            self.assertEqual(p.returncode, 130)
            self.assertIn("OK", self.ok("trace", "verify", path))


if __name__ == "__main__":
    main()
