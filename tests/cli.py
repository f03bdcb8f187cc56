# SPDX-License-Identifier: BSD-2-Clause
"""cli - what the tests of tearline's commands share.

TEARLINE is the program, TEARLINE_TRACES the directory of recorded traces. What tables
there are, what they hold and what a trace contains is asked, never written down.
"""
import csv
import glob
import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
TEARLINE = os.environ.get("TEARLINE", str(HERE.parent / "build" / "tearline"))
TRACES = os.environ.get("TEARLINE_TRACES", str(HERE.parent / "workloads" / "traces"))
RESULTS_README = HERE.parent / "results" / "README.md"

COLUMNS = re.findall(r"^\| `(\w+)` \|", RESULTS_README.read_text(), re.M)
COUNTS = ["probes", "stores", "hits", "matches", "usable_hits", "exact_hits", "lower_hits",
          "upper_hits", "exact_stores", "lower_stores", "upper_stores", "drops", "bumps",
          "refreshes"]
TIMES = ["seconds", "overlap", "ops", "mops", "ns_per_op"]
AUDITED = ["contended_probes", "contended_stores", "torn_reads", "wrong_key_hits",
           "false_misses", "possible_false_misses", "stale_hits", "lost_stores",
           "unusable_slots", "duplicate_keys", "copies_per_key", "undetected_tear",
           "wrong_answers", "ghost_hits", "dead_pair_misses", "contradictions"]
LATENCIES = ["p50_ns", "p90_ns", "p99_ns", "p999_ns", "p9999_ns", "max_ns"]


def tearline(*args, **more):
    return subprocess.run([TEARLINE, *map(str, args)], capture_output=True, text=True,
                          check=False, **more)


def run(*args, **more):
    """Its output. What it wrote is shown if it fails."""
    done = subprocess.run([*map(str, args)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, check=False, **more)
    assert done.returncode == 0, (args, done.returncode, done.stdout)
    return done.stdout


def sanitized():
    return "-fsanitize" in tearline("--version").stdout


class Table:
    def __init__(self, name, block, group):
        self.name = name
        self.fields = dict(re.findall(r"^  ([a-z][a-z ]{0,9}?) {2,}(\S.*)$", block, re.M))
        self.kinds = self.fields["kinds"].split(", ")
        self.options = dict(re.findall(r"^  :(\w+)=(\S+) \[", block, re.M))
        self.defaults = dict(re.findall(r"^  :(\w+)=\S+ \[(.*)\]$", block, re.M))
        self.floor = group.startswith("Floors")
        self.control = group.startswith("Controls")
        self.sig_bits = int(self.fields.get("signature", "64 ").split(" ")[0])
        slots = re.search(r"; in lines of (\d+) slots$", self.fields.get("memory", ""))
        self.lines = bool(slots)
        # Four slots and whole keys, as many at a size in bytes: with one thread all have the
        # same outcome.
        self.usual = (self.lines and slots.group(1) == "4" and self.sig_bits == 64 and
                      "spare" not in self.fields["memory"])
        self.planted = self.fields.get("planted")
        self.shows = re.search(r"^  must show  (.*) \(--workload (\S+) --threads (\d+)"
                               r"(?: --witness no)?\)$", block, re.M)


def all_tables(text=None):
    """What `tearline tables` lists, in its order."""
    found, group = [], ""
    for block in (text or tearline("tables").stdout).split("\n\n"):
        if re.match(r"(Tables|Floors|Controls):?\b", block):
            group = block
        elif "\n  kinds" in block:
            found.append(Table(block.split("\n")[0], block, group))
    return found


def tables():
    """Tables and floors: what is to be right. Controls are not."""
    return [t for t in all_tables() if not t.control]


def controls():
    return [t for t in all_tables() if t.control]


def line_tables():
    """(spec, kinds) of the tables of one layout class, with every lock there is."""
    return [(t.name + (f":lock={lock}" if lock else ""), t.kinds)
            for t in tables() if t.usual for lock in t.options.get("lock", "").split("|")]


def workloads():
    """{name: kind} of the workloads that `replay --help` names."""
    text = " ".join(tearline("replay", "--help").stdout.split())
    listed = re.search(r"--workload .*? with options", text).group(0)
    return dict(re.findall(r"([\w-]+) \((tt|pawn|eval|kv)\):", listed))


def sizes(kinds, tt, pawn, evals):
    """Options for tables of these kinds: of others, nobody may ask for a size."""
    return [x for of, *option in (("tt kv", "--hash", tt), ("pawn", "--pawn-hash", pawn),
                                  ("eval", "--eval-hash", evals))
            if set(of.split()) & set(kinds) for x in option]


def traces():
    return sorted(glob.glob(TRACES + "/*.tlt"))


def trace(pattern):
    """A recorded trace: the first that matches."""
    return sorted(glob.glob(f"{TRACES}/{pattern}.tlt"))[0]


def trace_info(path):
    """{kind: (probes, stores)} and the number of streams, as `trace info` tells."""
    text = tearline("trace", "info", path).stdout
    counts = {k: (int(p), int(s)) for k, p, s in
              re.findall(r"^  (tt|pawn|eval|kv) +(\d+) +(\d+) ", text, re.M)}
    return counts, int(re.search(r"records +\d+ in (\d+) stream", text).group(1))


class Cli(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.dir = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.dir)

    def parse(self, text):
        """Rows of a CSV with exactly our header."""
        lines = list(csv.reader(io.StringIO(text)))
        self.assertEqual(lines[0], COLUMNS)
        self.assertNotIn("\r", text)
        self.assertTrue(text.endswith("\n"))
        for line in lines[1:]:
            self.assertEqual(len(line), len(COLUMNS), line)
        return [dict(zip(COLUMNS, line)) for line in lines[1:]]

    def ok(self, *args, **more):
        run = tearline(*args, **more)
        self.assertEqual(run.returncode, 0, (args, run.stderr))
        return run.stdout

    def replay(self, *args, **more):
        """Rows of one replay of one pass."""
        return self.parse(self.ok("replay", "--passes", 1, "--csv", "-", *args, **more))

    def file_rows(self, path):
        with open(path, newline="", encoding="utf-8") as f:
            return self.parse(f.read())

    def refused(self, args, *parts, **more):
        """Exit 2, one line on stderr that has these parts, nothing on stdout."""
        run = tearline(*args, **more)
        self.assertEqual(run.returncode, 2, (args, run.stdout, run.stderr))
        self.assertRegex(run.stderr, r"\Atearline: [^\n]+\n\Z")
        self.assertEqual(run.stdout, "", args)
        for part in parts:
            self.assertIn(part, run.stderr)
        return run.stderr

    def counts(self, row):
        return {c: row[c] for c in COUNTS}

    def assert_counts_agree(self, row):
        """What holds between the counts of any row that has them."""
        n = {c: int(row[c]) for c in COUNTS if row[c]}
        self.assertLessEqual(n["hits"], n["probes"])
        self.assertGreaterEqual(n["matches"], n["hits"])
        if row["ops"]:
            self.assertEqual(n["probes"] + n["stores"], int(row["ops"]))
        if row["kind"] != "tt":
            self.assertEqual(set(n), {"probes", "stores", "hits", "matches"})
            return
        self.assertEqual(n["usable_hits"], n["exact_hits"] + n["lower_hits"] + n["upper_hits"])
        self.assertLessEqual(n["usable_hits"], n["hits"])
        self.assertLessEqual(n["drops"], n["stores"])
        if row["exact_stores"]:
            self.assertEqual(n["stores"],
                             n["exact_stores"] + n["lower_stores"] + n["upper_stores"])


def main():
    """unittest.main(), or with `--part I/N` only every Nth test, so that parts can run at once."""
    part, of = 0, 1
    if len(sys.argv) > 2 and sys.argv[1] == "--part":
        part, of = map(int, sys.argv[2].split("/"))
        del sys.argv[1:3]

    class Loader(unittest.TestLoader):
        def loadTestsFromModule(self, module, **more):
            def flat(suite):
                for test in suite:
                    yield from flat(test) if isinstance(test, unittest.TestSuite) else (test,)

            tests = list(flat(super().loadTestsFromModule(module, **more)))
            return unittest.TestSuite(tests[part::of])

    unittest.main(testLoader=Loader())
