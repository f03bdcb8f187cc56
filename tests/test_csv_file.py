#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""test_csv_file - files on disk: round trips, appending, full disks, cut rows, locales."""
import csv
import io
import os
import resource
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from make_rows import COLUMNS, sweep, write

TOOL = os.environ["CSV_TOOL"]
AWKWARD = ['a,"b" c', '"', "two\nlines", "cr\r\nlf", ",", "ümlaut 表", " blanks ", "x;y=1"]


def tool(*args, **more):
    return subprocess.run([TOOL, *map(str, args)], capture_output=True, check=False, **more)


class CsvFile(unittest.TestCase):
    def setUp(self):
        self.dir = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.dir)
        self.file = self.dir / "x.csv"

    def rows(self):
        with open(self.file, newline="", encoding="utf-8") as f:
            return list(csv.DictReader(f))

    def assert_error(self, run, *parts):
        error = run.stderr.decode()
        self.assertEqual(run.returncode, 2, error)
        self.assertEqual(error.count("\n"), 1, error)
        for part in parts:
            self.assertIn(part, error)

    def test_written_rows_are_read_by_python(self):
        for text in AWKWARD:
            run = tool("write", self.file, "table=xor", f"options={text}", "probes=4294967297")
            self.assertEqual(run.returncode, 0, run.stderr)
        rows = self.rows()
        self.assertEqual([r["options"] for r in rows], AWKWARD)
        self.assertEqual(list(rows[0]), COLUMNS)
        self.assertEqual({r["probes"] for r in rows}, {"4294967297"})
        self.assertEqual({r["torn_reads"] for r in rows}, {""})
        self.assertNotIn(b"\r", self.file.read_bytes().replace(b"cr\r\nlf", b""))

    def test_rows_of_python_are_read(self):
        names = ["a", "b,\"c\"", "d"]
        table = [[x, y, "1"] for x in AWKWARD for y in AWKWARD]
        for end in ("\n", "\r\n"):
            for bom in ("", "\ufeff"):
                with open(self.file, "w", newline="", encoding="utf-8") as f:
                    f.write(bom)
                    csv.writer(f, lineterminator=end).writerows([names] + table)
                got = tool("read", self.file).stdout.decode().split("\0")[:-1]
                self.assertEqual(got[0], "3")
                self.assertEqual(got[1:4], names)
                self.assertEqual(got[4:], sum(table, []))

    def test_standard_streams(self):
        run = tool("write", "-", "table=xor", "--", "table=seqlock")
        self.assertEqual([r["table"] for r in csv.DictReader(io.StringIO(run.stdout.decode()))],
                         ["xor", "seqlock"])
        back = tool("read", "-", input=run.stdout).stdout.decode().split("\0")
        self.assertEqual(back[0], str(len(COLUMNS)))
        self.assertEqual(back.count("seqlock"), 1)

    def test_appends_to_its_own_file(self):
        tool("write", self.file, "table=a")
        tool("write", self.file, "table=b", "--", "table=c")
        self.assertEqual([r["table"] for r in self.rows()], ["a", "b", "c"])
        self.file.write_text("")
        tool("write", self.file, "table=d")
        self.assertEqual([r["table"] for r in self.rows()], ["d"])

    def test_refuses_another_header(self):
        other = list(COLUMNS)
        other[10] = "tabel"
        for columns, parts in ((other, ["column 11", "expected table, got tabel"]),
                               (COLUMNS[:-1], [f"column {len(COLUMNS)}", "no more columns"]),
                               (COLUMNS + ["more"], [f"column {len(COLUMNS) + 1}", "got more"])):
            write(self.file, [], columns)
            before = self.file.read_bytes()
            self.assert_error(tool("write", self.file, "table=a"), str(self.file), *parts)
            self.assertEqual(self.file.read_bytes(), before)

    def test_refuses_a_row_cut_by_a_crash(self):
        write(self.file, sweep(trials=1, audit=False))
        whole = self.file.read_bytes()
        lines = whole.count(b"\n")
        for cut in (1, 20):
            self.file.write_bytes(whole[:-cut])
            self.assert_error(tool("write", self.file, "table=a"), f"{self.file}:{lines}:",
                              "cut short")
            self.assertEqual(self.file.read_bytes(), whole[:-cut])
        # cut at the end of a line within a quoted field
        self.file.write_bytes(whole + b'1,"x\n')
        self.assert_error(tool("write", self.file, "table=a"), f"{self.file}:{lines + 1}:",
                          "cut short")
        # a quote that is open for longer than a row is none of a crash
        self.file.write_bytes(whole + b'1,"x\n' + whole)
        self.assert_error(tool("write", self.file, "table=a"), "quote")
        self.file.write_bytes(b"\x00binary\n\x01no line")
        self.assertNotIn("remove", tool("write", self.file, "table=a").stderr.decode())

    def meddle(self, change, answer):
        """A run whose file is changed after its first row."""
        self.file.unlink(missing_ok=True)
        with subprocess.Popen([TOOL, "pause", self.file], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
            run.stdout.readline()
            change()
            error = run.communicate(answer)[1].decode()
        return run.returncode, error

    def test_file_that_is_taken_away(self):
        def replace():
            self.file.rename(self.dir / "old.csv")
            self.file.write_bytes((self.dir / "old.csv").read_bytes())

        def append():
            with open(self.file, "a", encoding="ascii") as f:
                f.write("more\n")

        for change, says in ((self.file.unlink, "removed"), (replace, "replaced"),
                             (lambda: self.file.rename(self.dir / "y.csv"), "renamed"),
                             (lambda: os.truncate(self.file, 10), "cut short"),
                             (append, "another program")):
            for answer in b"go on\n", b"close\n":
                code, error = self.meddle(change, answer)
                self.assertEqual(code, 2, (says, answer))
                self.assertRegex(error, rf"\A[^\n]*{self.file}: [^\n]*{says}[^\n]*\n\Z")
        self.assertEqual(self.meddle(lambda: None, b"go on\n"), (0, ""))
        self.assertEqual(len(self.rows()), 2)

    def test_full_disk(self):
        self.assert_error(tool("write", "/dev/full", "table=a"), "/dev/full", "No space left")
        with open("/dev/full", "w") as full:
            run = subprocess.run([TOOL, "write", "-", "table=a"], stdout=full,
                                 stderr=subprocess.PIPE, check=False)
        self.assert_error(run, "No space left")

    def limited(self, size, *args):
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
        return tool(*args, preexec_fn=limit)

    def test_partial_row_is_cut_off_again(self):
        tool("write", self.file, "table=a", "--", "table=b")
        before = self.file.read_bytes()
        row = len(before.splitlines()[1])
        run = self.limited(len(before) + 10, "write", self.file, "table=c")
        self.assert_error(run, str(self.file), "File too large")
        self.assertEqual(self.file.read_bytes(), before)
        # one row more fits, the next doesn't: the first stays
        run = self.limited(len(before) + row + 10, "write", self.file, "table=c", "--", "table=d")
        self.assert_error(run, "File too large")
        self.assertEqual([r["table"] for r in self.rows()], ["a", "b", "c"])
        self.assertEqual(tool("write", self.file, "table=e").returncode, 0)

    def test_partial_row_of_redirected_output(self):
        size = len(",".join(COLUMNS)) + 1 + len(COLUMNS) + 1 + 10  # one row, a bit of the next
        with open(self.file, "w") as out:
            run = subprocess.run([TOOL, "write", "-", "table=a", "--", "table=b"], stdout=out,
                                 stderr=subprocess.PIPE, check=False, preexec_fn=lambda:
                                 resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)))
        self.assert_error(run, "File too large")
        self.assertTrue(self.file.read_bytes().endswith(b"\n"))
        self.assertEqual([r["table"] for r in self.rows()], ["a"])

    def test_header_that_does_not_fit(self):
        self.assert_error(self.limited(100, "write", self.file, "table=a"), "File too large")
        self.assertEqual(self.file.read_bytes(), b"")
        self.assertEqual(tool("write", self.file, "table=a").returncode, 0)

    def test_places_that_cannot_be_written(self):
        self.assert_error(tool("write", self.dir / "no" / "x.csv"), "x.csv", "No such file")
        self.assert_error(tool("write", self.dir), str(self.dir), "directory")
        if os.geteuid() != 0:
            self.file.touch(mode=0o444)
            self.assert_error(tool("write", self.file), str(self.file), "Permission denied")

    def test_second_writer_is_kept_out(self):
        holder = ("import fcntl, sys; f = open(sys.argv[1], 'a'); fcntl.flock(f, fcntl.LOCK_EX);"
                  "print('locked', flush=True); sys.stdin.read()")
        tool("write", self.file, "table=a")
        with subprocess.Popen(["python3", "-c", holder, self.file], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE) as other:
            other.stdout.readline()
            self.assert_error(tool("write", self.file, "table=b"), "another tearline")
            other.stdin.close()
        self.assertEqual(tool("write", self.file, "table=c").returncode, 0)
        self.assertEqual([r["table"] for r in self.rows()], ["a", "c"])

    def german(self):
        """An environment in which the decimal point is a comma, or a reason why not."""
        env = dict(os.environ, LC_ALL="de_DE.UTF-8")
        if tool("numbers", self.dir / "try.csv", env=env).stdout.startswith(b","):
            return env
        if not shutil.which("localedef"):
            self.skipTest("no locale de_DE.UTF-8, and no localedef to make one")
        made = subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", self.dir / "de_DE.UTF-8"],
                              capture_output=True, check=False)
        env["LOCPATH"] = str(self.dir)
        if not tool("numbers", self.dir / "try.csv", env=env).stdout.startswith(b","):
            self.skipTest(f"cannot make the locale de_DE.UTF-8: {made.stderr.decode()}")
        return env

    def test_numbers_have_a_point_in_every_locale(self):
        run = tool("numbers", self.file, env=self.german())
        self.assertEqual(run.stdout, b", 1,5\n")  # the locale is really in force there
        row = self.rows()[0]
        self.assertEqual(row["probes"], str(2**64 - 1))
        self.assertEqual(row["mops"], "1234.57")
        self.assertEqual(row["ns_per_op"], "0.000123")

    def test_provenance(self):
        self.assertEqual(tool("env", self.file).returncode, 0)
        row = self.rows()[0]
        self.assertEqual(row["host"], os.uname().nodename)
        self.assertEqual(row["kernel"], os.uname().release)
        self.assertEqual(row["schema"], "2")
        self.assertRegex(row["started_utc"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")
        self.assertTrue(row["cpu_model"])
        self.assertEqual("sanitizer build" in row["warnings"], "-fsanitize" in row["flags"])


if __name__ == "__main__":
    unittest.main()
