#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""test_perft_cli - tearline perft from outside: what it prints, and what it refuses."""
import os
import re
import signal
import subprocess
import time

from cli import TEARLINE, Cli, all_tables, main, tables, tearline

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
MANY_CPUS = 4096


class Counts(Cli):
    def nodes(self, *args):
        """The total, of the one line that begins so."""
        return int(re.fullmatch(r"(?:.*\n)*nodes (\d+)\n", self.ok("perft", *args)).group(1))

    def test_start(self):
        for depth, total in enumerate([20, 400, 8902, 197281], 1):
            self.assertEqual(self.nodes("--depth", depth), total)

    def test_divide(self):
        out = self.ok("perft", "--depth", 3, "--divide", "--table", "xor", "--fen", KIWIPETE)
        moves = dict(re.findall(r"^([a-h][1-8][a-h][1-8][nbrq]?): (\d+)$", out, re.M))
        self.assertEqual(len(moves), 48)
        self.assertEqual(sum(map(int, moves.values())), 97862)
        self.assertEqual((moves["e1g1"], moves["e1c1"], moves["a1b1"]), ("2059", "1887", "1969"))
        self.assertNotIn("e1g1", self.ok("perft", "--depth", 3, "--fen", KIWIPETE))

    def test_no_moves(self):
        for fen in ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",  # stalemate
                    "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3"):  # mate
            for depth in 1, 4:
                self.assertEqual(self.nodes("--fen", fen, "--depth", depth, "--table", "xor",
                                            "--threads", 3, "--oversubscribe"), 0)

    def test_every_table_by_its_name(self):
        for table in tables():
            if "kv" in table.kinds:
                out = self.ok("perft", "--depth", 4, "--table", table.name, "--threads", 2,
                              "--oversubscribe", "--hash", 1)
                self.assertIn(f"{table.name} (", out)
                self.assertRegex(out, r"\nperft 4: 197281 nodes, .* hits \d+ of \d+ probes")

    def test_size_of_the_table(self):
        self.assertIn(", 65536 entries, 1048576 bytes, 1 threads on CPUs ",
                      self.ok("perft", "--depth", 3, "--table", "xor", "--hash", 1))
        for size in "0", "none":
            out = self.ok("perft", "--depth", 3, "--table", "xor", "--hash", size)
            self.assertIn("no table, 1 threads", out)
            self.assertNotIn("probes", out)
        self.assertIn("no table", self.ok("perft", "--depth", 3))

    def test_narrow_signatures_show(self):
        args = ("--fen", KIWIPETE, "--depth", 5, "--hash", "64e", "--table")
        self.assertNotEqual(self.nodes(*args, "xor:sig=16"), 193690690)
        self.assertEqual(self.nodes(*args, "xor"), 193690690)


class Refused(Cli):
    def test_position(self):
        self.refused(("perft", "--depth", 1, "--fen", "8/8/8/8/8/8/8/8 w - - 0 1"),
                     "FEN: pieces: white has 0 kings, expected one")
        self.refused(("perft", "--depth", 1, "--fen", KIWIPETE.replace("KQkq", "KQxq")),
                     "FEN: castling: character 61 is 'x', expected one of KQkq or a space")

    def test_depth(self):
        self.refused(("perft",), "--depth is missing")
        for depth in 0, 31, -1, "x", "":
            self.refused(("perft", "--depth", depth), "--depth", "1 to 30")

    def test_table(self):
        self.refused(("perft", "--depth", 2, "--table", "xorr"), "--table xorr", "no such table")
        self.refused(("perft", "--depth", 2, "--table", "xor:refresh=often"), "option refresh")
        for table in all_tables():
            if "kv" not in table.kinds:
                self.refused(("perft", "--depth", 2, "--table", table.name),
                             f"--table {table.name}", "kind kv")

    def test_size(self):
        for size in "-1", "x", "64MB", "", "1e9":
            self.refused(("perft", "--depth", 2, "--table", "xor", "--hash", size), "--hash")
        self.refused(("perft", "--depth", 2, "--table", "xor", "--hash", 4194304 * 1024),
                     "--hash")

    def test_threads(self):
        self.refused(("perft", "--depth", 2, "--threads", 0), "--threads")
        self.refused(("perft", "--depth", 2, "--threads", MANY_CPUS), "CPU")
        self.refused(("perft", "--depth", 2, "--placement", "middle"), "--placement")
        self.ok("perft", "--depth", 2, "--threads", os.cpu_count() + 1, "--oversubscribe")

    def test_more_than_64_bits(self):
        """Of so many plies between these walls all but the count is small."""
        self.refused(("perft", "--depth", 30, "--table", "xor", "--hash", 16, "--fen",
                      "7k/8/8/p1p1p1p1/P1P1P1P1/8/8/K7 w - - 0 1"), "--depth 30", "64 bits")


class Interrupted(Cli):
    def catches(self, pid):
        """Has the process said what it does on SIGINT?"""
        with open(f"/proc/{pid}/status", encoding="ascii") as f:
            caught = int(re.search(r"SigCgt:\s+(\w+)", f.read()).group(1), 16)
        return caught >> signal.SIGINT - 1 & 1

    def test_ends_at_once(self):
        for table in (), ("--table", "xor"):
            with subprocess.Popen([TEARLINE, "perft", "--depth", "12", *table],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
                while not self.catches(run.pid):
                    time.sleep(0.01)
                run.send_signal(signal.SIGINT)
                out, err = run.communicate(timeout=60)
            self.assertEqual((run.returncode, out, err), (130, b"", b""))


class Help(Cli):
    def test_options(self):
        text = self.ok("perft", "--help")
        for option in "fen", "depth", "threads", "table", "hash", "divide":
            self.assertIn(f"--{option}", text)
        self.assertIn("perft", tearline("--man").stdout)


if __name__ == "__main__":
    main()
