#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""test_plot - pictures come out, show what is in the rows, and nothing that is not."""
import os
import shutil
import struct
import subprocess
import tempfile
import unittest
import zlib
from pathlib import Path

from make_rows import sweep, write

TEARLINE = os.environ["TEARLINE"]
PLOTS = Path(__file__).resolve().parent.parent / "plots"
# as in plots/common.gp and plots/anomalies.gp
XOR, SEQLOCK = bytes.fromhex("D55E00"), bytes.fromhex("0072B2")


def unfilter(kind, line, before, step):
    out = bytearray(line)
    for i, x in enumerate(line):
        left = out[i - step] if i >= step else 0
        up = before[i]
        corner = before[i - step] if i >= step else 0
        near = min((abs(up - corner), 0, left), (abs(left - corner), 1, up),
                   (abs(left + up - 2 * corner), 2, corner))[2]
        out[i] = (x + (0, left, up, (left + up) // 2, near)[kind]) & 255
    return out


def colours(path, left=0, top=0, right=1000, bottom=700):
    """Colour -> number of pixels in a box of a PNG without palette; checks its size."""
    data = path.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n", path
    width, height, depth, kind = struct.unpack(">IIBB", data[16:26])
    assert (width, height, depth) == (1000, 700, 8), (width, height, depth)
    step = {2: 3, 6: 4}[kind]
    at, packed = 8, b""
    while at < len(data):
        size, name = struct.unpack(">I4s", data[at:at + 8])
        packed += data[at + 8:at + 8 + size] if name == b"IDAT" else b""
        at += 12 + size
    raw = zlib.decompress(packed)
    count, before = {}, bytes(width * step)
    for y in range(height):
        start = y * (width * step + 1)
        before = unfilter(raw[start], raw[start + 1:start + 1 + width * step], before, step)
        if not top <= y < bottom:
            continue
        for x in range(left * step, right * step, step):
            pixel = bytes(before[x:x + 3])
            count[pixel] = count.get(pixel, 0) + 1
    return count


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

    def pictures(self, rows):
        write(self.file, rows)
        run = self.plot(self.file, "--out", self.out)
        self.assertEqual(run.returncode, 0, run.stderr)
        made = {p.name: p for p in self.out.iterdir()}
        self.assertEqual(sorted(Path(line).name for line in run.stdout.splitlines()), sorted(made))
        return made, run.stderr

    def assert_error(self, run, *parts):
        self.assertEqual(run.returncode, 2, run.stdout)
        self.assertEqual(run.stderr.count("\n"), 1, run.stderr)
        for part in parts:
            self.assertIn(part, run.stderr)

    def test_pictures(self):
        self.need_gnuplot()
        made, talk = self.pictures(sweep(trials=3, traces=["uniform", "sf11-4t-mid"],
                                         sizes=(1, 16)))
        want = [f"{what}-{trace}-tt{size}.png" for trace in ("uniform", "sf11-4t-mid")
                for what, size in (("scaling", "-1"), ("scaling", "-16"), ("hits", ""),
                                   ("anomalies", "-16"))]
        self.assertEqual(sorted(made), sorted(want))
        self.assertEqual(talk, "")
        for name in ("scaling-uniform-tt-16.png", "anomalies-uniform-tt-16.png"):
            seen = colours(made[name])
            self.assertGreater(seen.get(XOR, 0), 100, name)
            self.assertGreater(seen.get(SEQLOCK, 0), 100, name)

    def test_only_what_is_there_is_drawn(self):
        self.need_gnuplot()
        made, talk = self.pictures(sweep(trials=1, traces=["uniform"], tables=("seqlock",),
                                         audit=False))
        self.assertEqual(list(made), ["scaling-uniform-tt-16.png"])
        seen = colours(made["scaling-uniform-tt-16.png"])
        self.assertGreater(seen.get(SEQLOCK, 0), 100)
        self.assertEqual(seen.get(XOR, 0), 0)
        self.assertIn("anomalies: no audit rows: no picture\n", talk)
        self.assertIn("hits: no trace at more than one size: no picture\n", talk)

    def test_unmeasured_counts_are_not_drawn(self):
        self.need_gnuplot()
        rows = [r for r in sweep(trials=1, traces=["uniform"]) if r["mode"] == "audit"]
        with_torn, _ = self.pictures(rows)
        before = colours(with_torn["anomalies-uniform-tt-16.png"])
        for row in rows:
            row["torn_reads"] = ""
        without, _ = self.pictures(rows)
        after = colours(without["anomalies-uniform-tt-16.png"])
        # only the symbol in the key is left
        self.assertGreater(after.get(XOR, 0), 0)
        self.assertLess(after[XOR], before[XOR])

    def test_zero_is_drawn_where_it_is_measured(self):
        self.need_gnuplot()
        counts = ["torn_reads", "wrong_key_hits", "false_misses", "possible_false_misses",
                  "stale_hits", "lost_stores"]
        row = next(r for r in sweep(trials=1, traces=["uniform"]) if r["mode"] == "audit")
        for count, coloured in ((0, True), (7, False), ("", False)):
            row.update(dict.fromkeys(counts, count))
            row.update(unusable_slots=0, wrong_key_hits=count if coloured else 7)
            made, _ = self.pictures([row])
            # the band of the zeros, inside the axes; greys are the band's own and its grid's
            band = colours(made["anomalies-uniform-tt-16.png"], 120, 550, 690, 655)
            self.assertEqual(any(len(set(c)) > 1 for c in band), coloured, count)

    def test_circumstances_have_their_own_pictures(self):
        self.need_gnuplot()
        rows = sweep(trials=1, traces=["uniform"], audit=False)
        chain = [dict(r, caller="chain") for r in rows]
        made, _ = self.pictures(rows + chain)
        self.assertEqual(sorted(made), ["scaling-uniform-tt-16-caller-branch.png",
                                        "scaling-uniform-tt-16-caller-chain.png"])

    def test_awkward_fields(self):
        self.need_gnuplot()
        rows = sweep(trials=1, traces=["uniform"], audit=False)
        for row in rows:
            row.update(trace='a/b "c", d\ne', threads=row["threads"] * 8, options="")
        made, _ = self.pictures(rows)
        self.assertEqual(len(made), 1)
        self.assertGreater(colours(next(iter(made.values()))).get(XOR, 0), 100)

    def test_standard_input(self):
        self.need_gnuplot()
        write(self.file, sweep(trials=1, traces=["uniform"], audit=False))
        with open(self.file) as rows:
            run = self.plot("-", "--out", self.out, stdin=rows)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(len(list(self.out.iterdir())), 1)

    def test_scripts_run_by_hand(self):
        self.need_gnuplot()
        write(self.dir / "it's.csv", sweep(trials=1, traces=["uniform"], sizes=(1, 16)))
        for script, name in (("scaling", "scaling-uniform-tt-16.png"),
                             ("anomalies", "anomalies-uniform-tt-16.png"),
                             ("hits", "hits-uniform-tt.png")):
            run = subprocess.run(["gnuplot", "-e", "csv='it''s.csv'; out='.'",
                                  PLOTS / f"{script}.gp"], cwd=self.dir, capture_output=True,
                                 text=True, check=False)
            self.assertEqual((run.returncode, run.stderr), (0, ""))
            self.assertGreater(colours(self.dir / name).get(XOR, 0), 100)
        run = subprocess.run(["gnuplot", PLOTS / "scaling.gp"], capture_output=True, text=True,
                             check=False)
        self.assertEqual(run.returncode, 2)
        self.assertIn("usage: gnuplot -e", run.stderr)

    def test_bad_input(self):
        write(self.file, sweep(trials=1), ["table", "mops"])
        self.assert_error(self.plot(self.file), "missing columns: kind, trace, hash_mib")
        write(self.file, [])
        self.assert_error(self.plot(self.file), "nothing to draw")
        self.assert_error(self.plot(), "expected one CSV file")
        write(self.file, sweep(trials=1))
        self.assert_error(self.plot(self.file, "--out", self.file), "no directory")
        self.assert_error(self.plot(self.file, "--out", self.dir / "a" / "b"), "cannot make")

    def test_without_gnuplot(self):
        write(self.file, sweep(trials=1))
        env = dict(os.environ, PATH=str(self.dir))
        self.assert_error(self.plot(self.file, "--out", self.out, env=env),
                          "gnuplot is not installed")
        self.assertEqual(list(self.out.iterdir()), [])

    def test_gnuplot_that_fails(self):
        write(self.file, sweep(trials=1))
        fake = self.dir / "gnuplot"
        fake.write_text("#!/bin/sh\nexit 1\n")
        fake.chmod(0o755)
        env = dict(os.environ, PATH=f"{self.dir}:{os.environ['PATH']}")
        self.assert_error(self.plot(self.file, "--out", self.out, env=env), "gnuplot failed")

    def test_leaves_no_temporary_files(self):
        self.need_gnuplot()
        temp = self.dir / "tmp"
        temp.mkdir()
        write(self.file, sweep(trials=1, traces=["uniform"], audit=False))
        run = self.plot(self.file, "--out", self.out, env=dict(os.environ, TMPDIR=str(temp)))
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(list(temp.iterdir()), [])


if __name__ == "__main__":
    unittest.main()
