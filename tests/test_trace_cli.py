# SPDX-License-Identifier: BSD-2-Clause
"""tearline trace, from outside: exit codes, messages, and raw file -> trace -> CSV
against a reading of the raw files that shares no code with tearline.

TEARLINE is the program, TEARLINE_TRACES the directory of recorded traces.
TEARLINE_RAW, if set, is a directory of whole raw recordings (DIR/SET.tN.raw.zst),
which are then compared too; that takes minutes.
"""
import bz2
import csv
import glob
import gzip
import io
import lzma
import os
import re
import shutil
import signal
import struct
import subprocess
import tempfile
import time
import unittest

TEARLINE = os.environ.get("TEARLINE", "build/harness/tearline")
HERE = os.path.dirname(os.path.abspath(__file__))
TRACES = os.environ.get("TEARLINE_TRACES", os.path.join(HERE, "../workloads/traces"))
RAW = os.environ.get("TEARLINE_RAW")

OPS = ["tt_probe", "tt_store", "pawn_probe", "pawn_store", "eval_probe", "eval_store",
       "new_generation", "clear"]
BOUNDS = ["none", "upper", "lower", "exact"]
HITS = ["miss", "hit", "usable"]


def run(*args, **kwargs):
    return subprocess.run([TEARLINE, "trace", *args], capture_output=True, text=True, **kwargs)


def raw_bytes(path):
    if path.endswith(".zst"):
        return subprocess.run(["zstd", "-dcq", path], capture_output=True, check=True).stdout
    with open(path, "rb") as f:
        return f.read()


def raw_file(thread=0, records=(), engine=b"Crafty", hz=1000000000, count=None):
    count = len(records) if count is None else count
    head = b"RAWTRC01" + struct.pack("<IIQQ32s", 32, thread, count, hz, engine)
    return head + b"".join(struct.pack("<QQIhhBBBBHBB", *r) for r in records)


def record(key=1, tsc=1000, move=0, value=0, beta=0, op=0, depth=0, bound=0, hit=0, ply=0xffff,
           next_depth=0xff, flags=0):
    return key, tsc, move, value, beta, op, depth, bound, hit, ply, next_depth, flags


def frame(content):
    """In a frame of zstd, as it is."""
    return (b"\x28\xb5\x2f\xfd\x20" + bytes([len(content)]) +
            (len(content) << 3 | 1).to_bytes(3, "little") + content)


def seconds(ticks, hz):
    return "%d.%09d" % (ticks // hz, ticks % hz * 10**9 // hz)


def expected_rows(paths):
    """What export has to say of these raw files, from the layout alone."""
    raws = sorted((raw_bytes(p) for p in paths), key=lambda b: struct.unpack_from("<I", b, 12))
    hz = struct.unpack_from("<Q", raw_bytes(paths[0]), 24)[0]
    zero = min(struct.unpack_from("<Q", b, 64 + 8)[0] for b in raws if len(b) > 64)
    for b in raws:
        thread = struct.unpack_from("<I", b, 12)[0]
        for r in struct.iter_unpack("<QQIhhBBBBHBB", b[64:]):
            key, tsc, move, value, beta, op, depth, bound, hit, ply, nextd, flags = r
            probe, store = op in (0, 2, 4), op in (1, 3, 5)
            yield {
                "thread": str(thread), "tick": str(tsc), "seconds": seconds(tsc - zero, hz),
                "op": OPS[op], "key": "0x%016x" % key,
                "move": "" if probe else str(move), "value": "" if probe else str(value),
                "bound": BOUNDS[bound] if store else "",
                "alpha": str(value) if probe else "", "beta": str(beta) if probe else "",
                "hit": HITS[hit] if probe else "", "depth": str(depth),
                "next_depth": "" if nextd == 255 else str(nextd),
                "ply": "" if ply == 0xffff else str(min(ply, 254)),
                "threat": str(flags & 1), "engine_flags": str(flags >> 1 & 7),
            }


class TraceCase(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.dir)

    def path(self, name, content=None):
        p = os.path.join(self.dir, name)
        if content is not None:
            with open(p, "wb") as f:
                f.write(content)
        return p

    def ok(self, *args, **kwargs):
        r = run(*args, **kwargs)
        self.assertEqual((r.returncode, r.stderr), (0, ""), args)
        return r.stdout

    def refused(self, text, *args, status=2, **kwargs):
        """One line on stderr with this in it, nothing on stdout."""
        r = run(*args, **kwargs)
        self.assertEqual(r.returncode, status, (args, r.stderr))
        self.assertEqual(r.stderr.count("\n"), 1, r.stderr)
        self.assertTrue(r.stderr.startswith("tearline: "), r.stderr)
        self.assertIn(text, r.stderr)
        return r

    def small(self, name="small.tlt"):
        out = self.path(name)
        self.ok("import", "--out", out, *sorted(glob.glob(HERE + "/data/crafty-4t-*.raw")))
        return out


class RoundTrip(TraceCase):
    def compare(self, raws):
        out, rows = self.path("t.tlt"), self.path("t.csv")
        self.ok("import", "--force", "--out", out, *reversed(raws))
        self.ok("export", "--force", "--csv", rows, out)
        self.assertRegex(self.ok("verify", out), r"t\.tlt: OK\n")
        nr = 0
        with open(rows, newline="") as f:
            self.assertNotIn("\r", f.read())
            f.seek(0)
            reader = csv.DictReader(f)
            for nr, (got, want) in enumerate(zip(reader, expected_rows(raws)), 1):
                if got != want:
                    self.assertEqual(got, want, "row %d" % nr)
            self.assertIsNone(next(reader, None))
        self.assertEqual(nr, sum(len(raw_bytes(p)) // 32 - 2 for p in raws))
        return nr

    def test_samples(self):
        for pattern in "crafty-4t-*", "typhoon-2t-*":
            raws = sorted(glob.glob("%s/data/%s.raw" % (HERE, pattern)))
            self.assertEqual(len(raws), 2)
            self.assertGreaterEqual(self.compare(raws), 1200)

    def test_every_field(self):
        records = [record(op=7, tsc=5, value=-3), record(op=6, tsc=5, key=2**64 - 1, move=2**32 - 1)]
        for op in range(6):
            for i in range(4):
                probe = op % 2 == 0
                records.append(record(
                    key=i << 62 | op, tsc=10**9 * (op * 4 + i + 1), move=0 if probe else 2**31 + i,
                    value=(-32768, 32767, 0, -1)[i], beta=(32767, -32768, 1, 0)[i] if probe else 0,
                    op=op, depth=(0, 254, 1, 255)[i], bound=0 if probe else i,
                    hit=min(i, 2) if probe else 0, ply=(0, 254, 255, 0xffff)[i],
                    next_depth=(0, 254, 255, 7)[i], flags=(0, 15, 240, 255)[i]))
        self.compare([self.path("a.raw", raw_file(3, records, hz=3))])

    def test_compressed(self):
        if not shutil.which("zstd"):
            self.skipTest("no zstd program")
        raw = self.path("z.raw", raw_bytes(HERE + "/data/typhoon-2t-mid3-head.t0.raw"))
        subprocess.run(["zstd", "-q", "-19", raw], check=True)
        self.compare([raw + ".zst"])

    def test_whole_recordings(self):
        if not RAW:
            self.skipTest("TEARLINE_RAW is not set")
        runs = sorted({re.sub(r"\.t\d+\.raw\.zst$", "", p)
                       for p in glob.glob(RAW + "/*/*.raw.zst")})
        self.assertTrue(runs)
        for r in runs:
            with self.subTest(run=r):
                self.compare(sorted(glob.glob(r + ".t*.raw.zst")))


class Import(TraceCase):
    def refuse(self, text, *contents):
        raws = [self.path("r%d.raw" % i, c) for i, c in enumerate(contents)]
        r = self.refused(text, "import", "--out", self.path("x.tlt"), *raws)
        self.assertIn(self.dir, r.stderr)
        self.assertFalse([f for f in os.listdir(self.dir) if not f.endswith(".raw")])

    def test_errors(self):
        good = raw_file(0, [record()])
        self.refuse("not a raw recording", b"A" * 100)
        self.refuse("header of 64 expected", b"RAWTRC01")
        self.refuse("header of 64 expected", b"")
        self.refuse("2 records expected, the file ends after 1", raw_file(0, [record()], count=2))
        self.refuse("more bytes follow at offset 96", good + b"\0" * 32)
        self.refuse("record 1 at offset 96: its time stamp", raw_file(0, [record(), record(tsc=9)]))
        self.refuse("record 0 at offset 64: expected an operation", raw_file(0, [record(op=8)]))
        self.refuse("both of thread 0", good, good)
        self.refuse("one recording expected", good, raw_file(1, engine=b"Stockfish"))
        self.refuse("0 Hz", raw_file(hz=0))
        self.refuse("zstd", b"\x28\xb5\x2f\xfd" + b"\xff" * 50)

    def test_mate(self):
        raw = self.path("a.raw", raw_file(0, [record()], engine=b"Nameless"))
        out = self.path("a.tlt")
        r = run("import", "--out", out, raw)
        self.assertEqual(r.returncode, 0)
        self.assertRegex(r.stderr, r"^tearline: .*'Nameless' unknown, 32567 assumed.*\n$")
        self.assertIn("32567", self.ok("info", out))
        self.ok("import", "--out", out, "--force", "--mate", "31000", raw)
        self.assertIn("scores of 31000", self.ok("info", out))
        for engine, mate in (b"Crafty 1", 32001), (b"Stockfish 11", 31508), (b"Typhoon", 32567):
            raw = self.path("b.raw", raw_file(0, [record()], engine=engine))
            self.ok("import", "--out", out, "--force", raw)
            self.assertIn("scores of %d " % mate, self.ok("info", out))

    def test_output(self):
        raw = self.path("a.raw", raw_file(0, [record()]))
        self.refused("/dev/full", "import", "--out", "/dev/full", raw)
        self.refused("No such file", "import", "--out", "/nowhere/x.tlt", raw)
        self.assertEqual(os.listdir(self.dir), ["a.raw"])

    def test_no_room(self):
        """A limit on file sizes stands for a full disk."""
        if "fsanitize=thread" in subprocess.run([TEARLINE, "--version"], capture_output=True,
                                                text=True).stdout:
            self.skipTest("ThreadSanitizer's runtime dies of the signal itself")
        out = self.path("b.tlt")
        raws = sorted(glob.glob(HERE + "/data/crafty-4t-*.raw"))
        for limit in 0, 1000, 4000:
            r = subprocess.run(["sh", "-c", 'ulimit -f $0; exec "$@"', str(limit // 512), TEARLINE,
                                "trace", "import", "--out", out, *raws],
                               capture_output=True, text=True)
            self.assertEqual(r.returncode, 2, r.stderr)
            self.assertIn("cannot write: File too large", r.stderr)
            self.assertEqual(os.listdir(self.dir), [])


class Verify(TraceCase):
    def test_verify(self):
        good = self.small()
        with open(good, "rb") as f:
            content = f.read()
        bad = self.path("bad.tlt", content[:-1])
        gone = self.path("gone.tlt")
        self.assertEqual(self.ok("verify", good, good), "%s: OK\n" % good * 2)
        r = self.refused("bad.tlt: cut short at offset %d" % (len(content) - 1), "verify", bad,
                         status=1)
        self.assertEqual(r.stdout, "")
        self.refused("1 bytes too many", "verify", self.path("long.tlt", content + b"x"), status=1)
        self.refused("stream 1 block 0 at offset", "verify", status=1, *[
            self.path("flip.tlt", content[:-20] + bytes([content[-20] ^ 1]) + content[-19:])])
        self.refused("cut short at offset 0", "verify", self.path("empty.tlt", b""), status=1)
        self.refused("gone.tlt: cannot open", "verify", gone)
        self.refused("regular file", "verify", self.dir)
        r = run("verify", bad, good, gone)
        self.assertEqual(r.returncode, 2)
        self.assertEqual(r.stdout, "%s: OK\n" % good)
        self.assertEqual(r.stderr.count("\n"), 2)
        r = run("verify", good, bad)
        self.assertEqual(r.returncode, 1)
        self.refused("cut short", "info", bad)
        self.refused("cut short", "export", "--csv", "-", bad)

    def test_recorded(self):
        traces = sorted(glob.glob(TRACES + "/*.tlt"))
        self.assertGreaterEqual(len(traces), 6)
        self.assertLessEqual(sum(os.path.getsize(t) for t in traces), 11500000)
        self.assertEqual(self.ok("verify", *traces), "".join(t + ": OK\n" for t in traces))

    def test_readme(self):
        """The table in the traces' README is what info says of them."""
        with open(os.path.join(TRACES, "README.md")) as f:
            readme = f.read()
        for t in sorted(glob.glob(TRACES + "/*.tlt")):
            info = self.ok("info", t)
            row = re.search(r"\| `%s` \|(.*)\|" % re.escape(os.path.basename(t)), readme)
            self.assertIsNotNone(row, t)
            cells = [c.strip() for c in row.group(1).split("|")]
            self.assertEqual(cells[0], re.search(r"records +(\d+)", info).group(1))
            self.assertIn(re.search(r"hash +(\w+)", info).group(1), cells)


class Info(TraceCase):
    def test_figures(self):
        records = [record(op=7, tsc=1000), record(op=0, key=1, tsc=2000, hit=2),
                   record(op=0, key=2, tsc=3000, hit=1), record(op=0, key=1, tsc=4000),
                   record(op=1, key=3, tsc=5000, bound=3), record(op=2, key=1, tsc=1001000)]
        other = [record(op=0, key=9, tsc=500, hit=2)]
        raws = [self.path("a.raw", raw_file(0, records, hz=1000000)),
                self.path("b.raw", raw_file(4, other, hz=1000000))]
        out = self.path("a.tlt")
        self.ok("import", "--out", out, *raws)
        info = self.ok("info", out)
        for want in (r"source +Crafty\n", r"format +1\n", r"hash +[0-9a-f]{16}\n",
                     r"size +%d bytes" % os.path.getsize(out), r"records +7 in 2 streams\n",
                     r"duration +1\.000 s, clock 1000000 Hz\n", r"scores of 32001 ",
                     r"\n  tt +4 +1 +4 +75\.0% +50\.0%\n", r"\n  pawn +1 +0 +1 +0\.0% +0\.0%\n",
                     r"\n  thread +records +seconds +tt_probe +tt_store +pawn_probe +clear\n",
                     r"\n  0 +6 +1\.000 +3 +1 +1 +1\n", r"\n  4 +1 +0\.000 +1 +0 +0 +0\n"):
            self.assertRegex(info, want)
        self.assertEqual(self.ok("info", out, out), info + "\n" + info)


class Export(TraceCase):
    def test_locale(self):
        out = self.small()
        plain = self.ok("export", "--csv", "-", out)
        env = dict(os.environ, LC_ALL="de_DE.UTF-8", LANG="de_DE.UTF-8")
        self.assertEqual(self.ok("export", "--csv", "-", out, env=env), plain)
        rows = list(csv.DictReader(io.StringIO(plain)))
        self.assertEqual(len(rows), 2000)
        self.assertTrue(all(re.fullmatch(r"\d+\.\d{9}", r["seconds"]) for r in rows))

    def test_no_room(self):
        out = self.small()
        self.refused("/dev/full: cannot write", "export", "--csv", "/dev/full", out)
        self.assertTrue(os.path.exists("/dev/full"))
        with open("/dev/full", "w") as full:
            r = subprocess.run([TEARLINE, "trace", "export", "--csv", "-", out], stdout=full,
                               stderr=subprocess.PIPE, text=True)
            self.assertEqual(r.returncode, 2)
            self.assertIn("standard output", r.stderr)
            r = subprocess.run([TEARLINE, "trace", "info", out], stdout=full,
                               stderr=subprocess.PIPE, text=True)
            self.assertEqual(r.returncode, 2)
        self.refused("cannot write", "export", "--csv", "/nowhere/x.csv", out)


class Cut(TraceCase):
    def rows(self, trace):
        rows = list(csv.DictReader(io.StringIO(self.ok("export", "--csv", "-", trace))))
        for r in rows:
            del r["seconds"]
        return rows

    def test_cut(self):
        out, cut = self.small(), self.path("cut.tlt")
        whole = self.rows(out)
        order = sorted(whole, key=lambda r: int(r["tick"]))  # stable: ties by stream

        def want(rows, first, nr):
            return sorted(rows[first:first + nr], key=lambda r: int(r["thread"]))

        for first, nr in (0, 2000), (0, 1), (300, 900), (990, 20), (1999, 5):
            self.ok("cut", "--force", "--out", cut, "--from", str(first), "--ops", str(nr), out)
            self.assertEqual(self.rows(cut), want(order, first, nr))
        self.ok("cut", "--force", "--out", cut, "--threads", " 3 ", "--ops", "10", out)
        self.assertEqual(self.rows(cut), [r for r in whole if r["thread"] == "3"][:10])
        self.ok("cut", "--force", "--out", cut, "--threads", "3, 0-0", "--kinds", "pawn ", out)
        self.assertEqual(self.rows(cut), [r for r in whole if not r["op"].startswith("tt")])
        self.ok("verify", cut)
        self.ok("cut", "--force", "--small", "--out", cut, "--ops", "7", out)
        self.assertEqual(len(self.rows(cut)), 7)

    def test_errors(self):
        out, cut = self.small(), self.path("cut.tlt")
        self.refused("behind the last of 2000", "cut", "--out", cut, "--from", "2000", out)
        self.refused("no thread 1", "cut", "--out", cut, "--threads", "0,1", out)
        for bad in "", "x", "0,", "3-0", "0-99999999", "-1", "4294967296":
            self.refused("--threads: expected a list", "cut", "--out", cut, "--threads=" + bad, out)
        for bad in "", "tt,", "all", "TT":
            self.refused("--kinds: expected a list", "cut", "--out", cut, "--kinds", bad, out)
        self.refused("--ops: expected", "cut", "--out", cut, "--ops", "0", out)
        self.refused("--from: expected", "cut", "--out", cut, "--from", str(2**64 - 1), out)
        self.refused("behind the last", "cut", "--out", cut, "--from", str(2**64 - 2), out)
        self.refused("one trace expected", "cut", "--out", cut, out, out)
        self.assertFalse(os.path.exists(cut))


class Files(TraceCase):
    """What is no trace and no recording, and what must not be written over."""

    def test_no_regular_file(self):
        fifo = self.path("fifo")
        os.mkfifo(fifo)
        for path, what in (("/dev/zero", "a device"), (self.dir, "a directory"),
                           (fifo, "a named pipe")):
            want = "%s: %s: expected a regular file\n" % (path, what)
            self.refused(want, "info", path, timeout=60)
            self.refused(want, "import", "--out", self.path("x.tlt"), path, timeout=60)

    def test_compressed(self):
        trace, raw = self.small(), raw_file(0, [record()])
        for name, content in (("gzip", gzip.compress(raw)), ("xz", lzma.compress(raw)),
                              ("bzip2", bz2.compress(raw))):
            path = self.path("x", content)
            self.refused("x: compressed with " + name, "import", "--out", self.path("y"), path)
            self.refused("x: compressed with " + name, "info", path)
        with open(trace, "rb") as f:
            self.refused("compressed with gzip: expected a tearline trace", "info",
                         self.path("x", gzip.compress(f.read())))
        self.refused("compressed with zstd", "info",
                     self.path("x", b"\x28\xb5\x2f\xfd" + b"x" * 200))

    def test_not_over_what_is_read(self):
        trace, raw = self.small(), self.path("a.raw", raw_file(0, [record()]))
        os.link(trace, self.path("hard"))
        os.symlink(raw, self.path("soft"))
        before = {p: self.content(p) for p in (trace, raw)}
        for args in (("export", "--csv", trace, trace), ("export", "--csv", trace, self.path("hard")),
                     ("cut", "--ops", "1", "--out", self.path("hard"), trace),
                     ("import", "--out", raw, self.path("soft")),
                     ("import", "--out", self.path("soft"), raw)):
            for force in (), ("--force",):
                self.refused("written over what is read", *args, *force)
        with open(trace, "ab") as out:
            r = subprocess.run([TEARLINE, "trace", "export", "--csv", "-", trace], stdout=out,
                               stderr=subprocess.PIPE, check=False)
            self.assertEqual(r.returncode, 2)
        self.assertEqual(before, {p: self.content(p) for p in (trace, raw)})

    def content(self, path):
        with open(path, "rb") as f:
            return f.read()

    def test_not_over_what_exists(self):
        trace, raw = self.small(), self.path("a.raw", raw_file(0, [record()]))
        old = self.path("old", b"precious")
        for args in (("export", "--csv", old, trace), ("cut", "--ops", "1", "--out", old, trace),
                     ("import", "--out", old, raw)):
            self.refused("old: exists; --force replaces it", *args)
            self.assertEqual(self.content(old), b"precious")
            self.ok(*args, "--force")
            self.assertNotEqual(self.content(old), b"precious")
            self.path("old", b"precious")
        self.assertFalse([f for f in os.listdir(self.dir) if f.startswith(".")])
        self.ok("export", "--csv", "/dev/null", trace)

    def test_no_room_for_rows(self):
        """A limit on file sizes stands for a full disk."""
        trace = self.small()
        r = subprocess.run(["sh", "-c", 'ulimit -f 8; exec "$@"', "sh", TEARLINE, "trace", "export",
                            "--csv", self.path("x.csv"), trace], capture_output=True, text=True,
                           check=False)
        if r.returncode < 0:
            self.skipTest("ThreadSanitizer's runtime dies of the signal itself")
        self.assertEqual(r.returncode, 2)
        self.assertIn("x.csv: cannot write: File too large", r.stderr)
        self.assertEqual(os.listdir(self.dir), ["small.tlt"])

    def test_stopped_half_way(self):
        """No half file, no temporary, and what was there stays."""
        trace = max(glob.glob(TRACES + "/*.tlt"), key=os.path.getsize)
        old = self.path("old.csv", b"precious")
        for number in signal.SIGTERM, signal.SIGINT, signal.SIGHUP:
            with subprocess.Popen([TEARLINE, "trace", "export", "--force", "--csv", old, trace]) as p:
                while p.poll() is None and len(os.listdir(self.dir)) == 1:
                    time.sleep(0.001)
                p.send_signal(number)
            self.assertEqual(p.returncode, -number)
            self.assertEqual(os.listdir(self.dir), ["old.csv"])
            self.assertEqual(self.content(old), b"precious")


class Names(TraceCase):
    def test_error_is_one_line_of_text(self):
        name = b"a\x1b[31m\n\xff\xe2\x82b\xc3\xa9\xc2\x85.tlt"
        r = subprocess.run([TEARLINE.encode(), b"trace", b"info", name], capture_output=True,
                           check=False, cwd=self.dir)
        self.assertEqual(r.stderr, b"tearline: a\\x1b[31m\\x0a\\xff\\xe2\\x82b\xc3\xa9\\xc2\\x85.tlt: "
                                   b"cannot open: No such file or directory\n")

    def test_long_name_ends_with_a_character(self):
        for shift in range(4):
            name = "x" * shift + "\u20ac" * 40
            path = self.path(name + ".tlt")
            shutil.copy(self.small("s%d.tlt" % shift), path)
            r = subprocess.run([TEARLINE, "replay", "--table", "null", "--trace", path, "--passes",
                                "1", "--csv", "-"], capture_output=True, text=True, check=True)
            row, = csv.DictReader(io.StringIO(r.stdout))
            self.assertEqual(row["trace"], name[:shift + (63 - shift) // 3])

    def test_long_error_ends_with_a_character(self):
        for shift in range(3):
            r = run("info", "y" * shift + "\u20ac" * 300)  # strict decoding
            self.assertEqual(r.returncode, 2)
            self.assertEqual(r.stderr.count("\n"), 1)
            self.assertNotIn("\\x", r.stderr)

    def test_closed_output(self):
        for args in ("info", self.small()), ("export", "--csv", "-", self.small("b.tlt")):
            r = subprocess.run(["sh", "-c", 'exec "$@" >&-', "sh", TEARLINE, "trace", *args],
                               capture_output=True, text=True, check=False)
            self.assertEqual(r.returncode, 2)
            self.assertIn("standard output", r.stderr)
            self.assertNotIn("Success", r.stderr)


class Claims(TraceCase):
    """A header says how much there is: is there so much, and room for it?"""

    def test_more_than_the_file_can_hold(self):
        self.refused("1099511627776 records expected, the file ends after 1 and 0 bytes",
                     "import", "--out", self.path("x.tlt"),
                     self.path("a.raw", raw_file(0, [record()], count=2**40)))
        self.refused("says that it holds 1099511627776 records, which ", "import", "--out",
                     self.path("x.tlt"), self.path("b.raw", frame(raw_file(count=2**40))))

    def test_more_than_there_is_memory(self):
        """Zeros compress so well that it could be true."""
        path = self.path("a.raw", frame(raw_file(count=2**37)))
        os.truncate(path, 1 << 28)  # no byte of it on disk
        self.refused("says that it holds 137438953472 records: needs 3145728 MiB and page tables, "
                     "but only ", "import", "--out", self.path("x.tlt"), path)


class Keys(TraceCase):
    """Numbers counted up, as keys, all meet in the first line."""

    def test_top_bits(self):
        raw = self.path("a.raw", raw_file(0, [record(key=i, tsc=i, op=i % 2) for i in range(300)]))
        out = self.path("a.tlt")
        r = run("import", "--out", out, raw)
        want = "tt: the top 55 bits of all keys are the same"
        self.assertEqual(r.returncode, 0)
        self.assertEqual(r.stderr.count("\n"), 1)
        self.assertIn("trace import: " + want, r.stderr)
        self.assertIn(want, self.ok("info", out))
        replay = [TEARLINE, "replay", "--table", "xor", "--passes", "1", "--trace"]
        warning = "the top bits of all keys are the same"
        self.assertIn(warning, subprocess.run([*replay, out], capture_output=True, text=True,
                                              check=True).stdout)
        mixed = raw_file(0, [record(key=i * 0x9e3779b97f4a7c15 % 2**64, tsc=i) for i in range(300)])
        self.ok("import", "--out", out, "--force", self.path("a.raw", mixed))
        self.assertNotIn("top", self.ok("info", out))
        self.assertNotIn(warning, subprocess.run([*replay, out], capture_output=True, text=True,
                                                 check=True).stdout)


class Usage(TraceCase):
    def test_usage(self):
        self.refused("expected info, verify, import, export or cut")
        self.refused("got 'inof'", "inof", "x")
        self.refused("trace info: expected a trace file", "info")
        self.refused("trace import: --out FILE expected", "import", "x")
        self.refused("trace import: expected the raw files", "import", "--out", "x")
        self.refused("trace export: --csv FILE expected", "export", "x")
        self.refused("trace cut: --out FILE expected", "cut", "x")
        self.refused("trace: --ops: only has an effect with cut", "info", "--ops", "3", "x")
        self.refused("trace: --mate: only has an effect with import", "cut", "--out", "y", "--mate", "3", "x")
        self.refused("--mate: expected", "import", "--mate", "40000", "--out", "x", "y")
        self.refused("--mate: expected", "import", "--mate", "0", "--out", "x", "y")
        self.refused("unknown option", "info", "--frob")
        self.refused("x.tlt: cannot open", "info", self.path("x.tlt"))
        help_text = self.ok("--help")
        for word in ("info", "verify", "import", "export", "cut", "--kinds", "example"):
            self.assertIn(word, help_text)


if __name__ == "__main__":
    unittest.main()
