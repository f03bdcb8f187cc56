#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""test_search_cli - `tearline search`: what a working table is known by, and the options."""
import re
import unittest

from cli import Cli, line_tables, main, tables

FINE_70 = "8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1"
# Nodes within which Ka1-b1 is found with a working table. One thread needs 27,000 (lines) or
# 46,000 (one entry a key); without a table 20 million are not enough.
BUDGET = 400000
WINNING = 1.5  # pawns: one more is won for good
RETRIES = 5  # of several threads, which are not deterministic
# Of all tables with lines of four slots and whole keys. It changes with the search, the
# evaluation and the policy, and with nothing else: `tearline search` with BENCH.
BENCH = ("--bench", "--depth", 6, "--hash", "4096e")
SIGNATURE = 201428

ITERATION = re.compile(r"^ +(\d+) +([+-]\d+\.\d\d|-?#\d+) +(\d+) +(\d+) +(\d+\.\d+) +(\d+\.\d)"
                       r" +(\d+\.\d)  (.*)$", re.M)


class Iteration:
    def __init__(self, fields):
        self.depth, self.nodes = int(fields[0]), int(fields[2])
        self.score = fields[1] if "#" in fields[1] else float(fields[1])
        self.hits, self.usable = float(fields[5]), float(fields[6])
        self.pv = fields[7].split()


def iterations(text):
    return [Iteration(f) for f in ITERATION.findall(text)]


def finds_fine_70(text):
    """Is Ka1-b1 preferred, with a winning score, from an iteration of 16 to 28 on?"""
    return any(16 <= i.depth <= 28 and i.pv[0] == "a1b1" and i.score >= WINNING
               for i in iterations(text)) and "bestmove a1b1" in text


def promises_something(table):
    return not table.floor and table.fields["promises"] != "nothing"


class Fine70(Cli):
    def search(self, table, threads, **more):
        return self.ok("search", "--fen", FINE_70, "--depth", 28, "--nodes", BUDGET, "--table",
                       table, "--threads", threads, "--oversubscribe", "--hash",
                       more.get("hash", 16))

    def check(self, table, threads):
        for _ in range(RETRIES if threads > 1 else 1):
            if finds_fine_70(self.search(table, threads)):
                return
        self.fail(f"{table}, {threads} threads: no Kb1")

    def test_every_sound_table(self):
        found = [t.name for t in tables() if "tt" in t.kinds and promises_something(t)]
        self.assertIn("xor", found)
        for table in found:
            for threads in (1, 2, 4):
                with self.subTest(table=table, threads=threads):
                    self.check(table, threads)

    def test_without_a_table(self):
        for threads in (1, 2):
            self.assertFalse(finds_fine_70(self.search("xor", threads, hash=0)))
        self.assertFalse(finds_fine_70(self.search("null", 1)))

    def test_hits_are_shown(self):
        text = self.search("xor", 1)
        last = iterations(text)[-1]
        self.assertGreater(last.hits, 70)
        self.assertGreater(last.usable, 30)
        self.assertLess(last.usable, last.hits)
        text = self.search("xor", 1, hash=0)
        self.assertTrue(all(i.hits == i.usable == 0 for i in iterations(text)))
        self.assertRegex(text, r"\ntt +0 bytes +\d+ probes +\d+ stores  hits   0\.0 %")


class Bench(Cli):
    def signature(self, *args):
        text = self.ok("search", *BENCH, *args)
        best = re.findall(r"nodes  (bestmove .*)", text)
        self.assertEqual(len(best), 12)
        return int(re.search(r"^signature (\d+)$", text, re.M).group(1)), best

    def test_golden(self):
        self.assertEqual(self.signature()[0], SIGNATURE)

    def test_all_line_tables_agree(self):
        wanted = self.signature("--table", "unsync")
        self.assertEqual(wanted[0], SIGNATURE)
        for spec, kinds in line_tables():
            if "tt" not in kinds:
                continue
            with self.subTest(table=spec):
                self.assertEqual(self.signature("--table", spec), wanted)

    def test_tables_of_others_make_no_difference(self):
        """Who has the pawn and evaluation tables changes no result on one thread."""
        wanted = self.signature()
        for sharing in ("shared", "none"):
            self.assertEqual(self.signature("--pawn", sharing, "--eval", sharing), wanted)

    def test_what_changes_it_is_seen(self):
        for args in (("--hash", "0"), ("--hash", "64e"), ("--table", "cluster10"),
                     ("--depth", 5)):
            self.assertNotEqual(self.signature(*args)[0], SIGNATURE, args)


class Search(Cli):
    def test_iterations(self):
        text = self.ok("search", "--depth", 5)
        found = iterations(text)
        self.assertEqual([i.depth for i in found], [1, 2, 3, 4, 5])
        self.assertEqual([i.nodes for i in found], sorted(i.nodes for i in found))
        self.assertIn(f"bestmove {found[-1].pv[0]} ", text)
        self.assertRegex(text, r"\nnodes \d+  seconds .*  rejected hash moves 0\n")

    def test_mate(self):
        text = self.ok("search", "--fen", "6k1/5ppp/8/8/8/8/8/4R2K w - - 0 1", "--depth", 3)
        self.assertRegex(text, r"bestmove e1e8  score +#1 ")
        text = self.ok("search", "--fen", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1")
        self.assertRegex(text, r"bestmove 0000  score +\+0\.00 ")
        text = self.ok("search", "--fen", "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1")
        self.assertRegex(text, r"bestmove 0000  score +-#0 ")

    def test_nodes(self):
        text = self.ok("search", "--nodes", 12345)
        self.assertIn("\nnodes 12345 ", text)

    def test_threads(self):
        text = self.ok("search", "--depth", 8, "--threads", 3, "--oversubscribe", "--pawn",
                       "shared", "--eval", "shared", "--table", "seqlock")
        self.assertEqual(len(iterations(text)), 8)

    def test_memory(self):
        def size(kind, *args):
            text = self.ok("search", "--depth", 2, "--threads", 2, "--oversubscribe", *args)
            return int(re.search(rf"^{kind} +(\d+) bytes", text, re.M).group(1))
        self.assertEqual(size("tt", "--hash", "0.25"), 1 << 18)
        self.assertEqual(size("pawn"), 2 << 20)
        self.assertEqual(size("pawn", "--pawn", "shared"), 1 << 20)
        self.assertEqual(size("eval", "--eval", "none"), 0)
        self.assertEqual(size("eval", "--eval-hash", "1024e"), 2 * 1024 * 16)

    def test_refused(self):
        self.refused(("search", "--fen", "8/8"), "FEN: pieces")
        self.refused(("search", "--bench", "--fen", FINE_70), "--fen", "--bench")
        self.refused(("search", "--depth", 0), "--depth", "from 1 to 100")
        self.refused(("search", "--table", "nope"), "--table nope")
        self.refused(("search", "--hash", "64MB"), "--hash", "64MB")
        self.refused(("search", "--pawn", "some"), "--pawn", "private|shared|none")
        self.refused(("search", "--threads", 4000), "--threads")


if __name__ == "__main__":
    main()
