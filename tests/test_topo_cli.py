#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""`tearline topo` against golden output, on machines described by hwloc.

usage: test_topo_cli.py TEARLINE DIRECTORY HWLOC_VERSION [unittest options]
The directory holds the XML files and NAME.expected for each of CASES.
"""
import os
import re
import subprocess
import sys
import tempfile
import unittest

TEARLINE, DIRECTORY, HWLOC = sys.argv[1:4]
TEARLINE = os.path.abspath(TEARLINE)

BIG = {"HWLOC_SYNTHETIC": "pack:2 numa:2 l3:2 core:8 pu:2"}
HYBRID = {"HWLOC_XMLFILE": "hybrid.xml"}
PARTIAL = {"HWLOC_XMLFILE": "partial.xml"}
UNEVEN = {"HWLOC_XMLFILE": "uneven.xml"}
BARE = {"HWLOC_SYNTHETIC": "pu:4"}
MEMORIES = {"HWLOC_SYNTHETIC": "pack:2 [numa] l3:2 [numa] core:2 pu:1"}
HUGE = {"HWLOC_SYNTHETIC": "pack:2 core:275 pu:2"}

CASES = {
    "big-core": (BIG, "--threads 32 --placement core"),
    "big-compact": (BIG, "--threads 6 --placement compact"),
    "big-spread": (BIG, "--placement spread"),
    "huge-list": (HUGE, "--placement list:1099,0-2,1024"),
    "hybrid-core": (HYBRID, ""),
    "hybrid-spread": (HYBRID, "--placement spread"),
    "hybrid-compact": (HYBRID, "--placement compact"),
    "partial-core": (PARTIAL, ""),
    "partial-compact": (PARTIAL, "--placement compact"),
    "uneven-spread": (UNEVEN, "--placement spread"),
    "memories-spread": (MEMORIES, "--placement spread"),
    "bare-oversubscribed": (BARE, "--threads 6 --oversubscribe"),
    "bare-doubles": (BARE, "--placement list:3,1,3 --oversubscribe"),
}

ERRORS = [
    (BIG, "--threads 129",
     "--threads 129: only 128 CPUs are allowed (0-127); use fewer threads or --oversubscribe"),
    (BARE, "--threads 0",
     "topo: --threads: expected a whole number from 1 to 65536, got '0'"),
    (BARE, "--placement list:0,7",
     "--placement list:0,7: CPU 7 is not allowed (allowed: 0-3)"),
    (BARE, "--placement list:0,0",
     "--placement list:0,0: CPU 0 stands twice; name each once or use --oversubscribe"),
    (BARE, "--placement list:0 --threads 2",
     "--placement list:0: holds 1 CPU for --threads 2; name more or use --oversubscribe"),
    (BARE, "extra", "topo: expected options only, got 'extra'"),
    ({"HWLOC_XMLFILE": "absent.xml"}, "",
     "HWLOC_XMLFILE=absent.xml: cannot open: No such file or directory"),
    ({"HWLOC_XMLFILE": "."}, "", "HWLOC_XMLFILE=.: a directory: expected a regular file"),
    ({"HWLOC_XMLFILE": "bare-doubles.expected"}, "",
     "HWLOC_XMLFILE=bare-doubles.expected: hwloc cannot use this; expected a topology saved by "
     "lstopo"),
]


def topo(env, args, **more):
    clean = {k: v for k, v in os.environ.items() if not k.startswith("HWLOC_")}
    return subprocess.run([TEARLINE, "topo"] + args.split(), cwd=DIRECTORY,
                          env={**clean, **env}, capture_output=True, text=True, **more)


def version(text):
    return tuple(int(x) for x in text.split(".")[:2])


class Golden(unittest.TestCase):
    maxDiff = None

    def test_cases(self):
        for name, (env, args) in CASES.items():
            if env is HYBRID and version(HWLOC) < (2, 4):
                continue  # knows no kinds of cores
            with self.subTest(name):
                with open(os.path.join(DIRECTORY, name + ".expected")) as f:
                    expected = f.read()
                got = topo(env, args)
                self.assertEqual(got.stdout, expected)
                self.assertEqual(got.stderr, "")
                self.assertEqual(got.returncode, 0)

    def test_every_expectation_is_used(self):
        files = [f for f in os.listdir(DIRECTORY) if f.endswith(".expected")]
        self.assertEqual(sorted(files), sorted(name + ".expected" for name in CASES))

    def test_errors(self):
        for env, args, expected in ERRORS:
            with self.subTest(args):
                got = topo(env, args)
                self.assertEqual(got.stdout, "")
                self.assertEqual(got.stderr.splitlines()[-1], "tearline: " + expected)
                self.assertEqual(got.returncode, 2)

    def test_description_that_kills_the_library(self):
        with open(os.path.join(DIRECTORY, "partial.xml"), encoding="ascii") as f:
            whole = f.read()
        with tempfile.NamedTemporaryFile("w", suffix=".xml") as f:
            f.write(re.sub(r' complete_cpuset="[^"]*"', "", whole))
            f.flush()
            got = topo({"HWLOC_XMLFILE": f.name}, "")
        self.assertEqual((got.returncode, got.stdout), (2, ""))
        self.assertEqual(got.stderr, f"tearline: HWLOC_XMLFILE={f.name}: hwloc crashes on this; "
                                     "expected a whole description, as lstopo saves it\n")

    def test_full_disk(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full")
        with open("/dev/full", "w") as full:
            got = subprocess.run([TEARLINE, "topo"], stdout=full, stderr=subprocess.PIPE,
                                 text=True)
        self.assertEqual(got.returncode, 2)
        self.assertIn("cannot write to standard output", got.stderr)


class Mask(unittest.TestCase):
    """What taskset leaves is all there is."""

    def test_one_cpu(self):
        cpu = min(os.sched_getaffinity(0))
        got = topo({}, "", preexec_fn=lambda: os.sched_setaffinity(0, {cpu}))
        lines = got.stdout.splitlines()
        self.assertEqual(got.returncode, 0, got.stderr)
        self.assertEqual(lines[0], "machine: this system")
        self.assertEqual(lines[2], f"allowed: CPUs 1 ({cpu}), cores 1")
        self.assertEqual([line.split()[:2] for line in lines[4:]], [["0", str(cpu)]])

    def test_one_cpu_is_not_enough_for_two(self):
        cpu = min(os.sched_getaffinity(0))
        got = topo({}, "--threads 2", preexec_fn=lambda: os.sched_setaffinity(0, {cpu}))
        self.assertEqual(got.returncode, 2)
        self.assertEqual(got.stderr, f"tearline: --threads 2: only 1 CPU is allowed ({cpu}); "
                                     "use fewer threads or --oversubscribe\n")

    def test_mask_does_not_touch_other_machines(self):
        cpu = min(os.sched_getaffinity(0))
        got = topo(BARE, "", preexec_fn=lambda: os.sched_setaffinity(0, {cpu}))
        self.assertIn("allowed: CPUs 4 (0-3), cores 4\n", got.stdout)

    def test_all(self):
        """Without options there is one thread for each CPU of the mask."""
        lines = topo({}, "").stdout.splitlines()
        self.assertEqual(sorted(int(line.split()[1]) for line in lines[4:]),
                         sorted(os.sched_getaffinity(0)))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
