#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""test_uci - `tearline uci`: a conversation as a GUI has it, and as none should have it."""
import queue
import re
import subprocess
import threading
import unittest

from cli import TEARLINE, Cli, main

PATIENCE = 60  # seconds: only a hang takes as long


class Engine:
    """One that runs: say something, wait for a line."""

    def __init__(self, *args):
        self.process = subprocess.Popen([TEARLINE, "uci", *args], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        text=True)
        self.lines = queue.Queue()
        self.reader = threading.Thread(target=self.read)
        self.reader.start()

    def read(self):
        for line in self.process.stdout:
            self.lines.put(line.rstrip("\n"))

    def say(self, *lines):
        self.process.stdin.write("".join(line + "\n" for line in lines))
        self.process.stdin.flush()

    def wait(self, pattern):
        """The lines up to the first that matches, it included."""
        got = []
        while True:
            got.append(self.lines.get(timeout=PATIENCE))
            if re.match(pattern, got[-1]):
                return got

    def close(self):
        self.process.stdin.close()
        status = self.process.wait(PATIENCE)
        self.reader.join()
        errors = self.process.stderr.read()
        self.process.stdout.close()
        self.process.stderr.close()
        return status, errors


class Uci(Cli):
    def talk(self, text, *args):
        """All that is said to a whole input, which then ends."""
        return self.ok("uci", *args, input=text, timeout=PATIENCE).splitlines()

    def start(self, *args):
        engine = Engine(*args)
        self.addCleanup(lambda: engine.process.poll() is None and engine.process.kill())
        return engine

    def end(self, engine):
        self.assertEqual(engine.close(), (0, ""))

    def still_searches(self, engine):
        engine.say("isready")
        self.assertFalse(any(x.startswith("bestmove") for x in engine.wait("readyok")))

    def test_acceptance(self):
        lines = self.talk("uci\nsetoption name Hash value 16\nposition startpos\ngo depth 8\n")
        self.assertTrue(lines[0].startswith("id name tearline"))
        for option in ("Hash type spin", "Threads type spin", "Table type string"):
            self.assertTrue(any(x.startswith("option name " + option) for x in lines), option)
        self.assertIn("uciok", lines)
        info = [x for x in lines if x.startswith("info depth")]
        self.assertEqual(len(info), 8)
        self.assertRegex(info[-1], r"^info depth 8 score cp -?\d+ nodes \d+ nps \d+ time \d+ pv "
                                   r"[a-h][1-8][a-h][1-8]")
        self.assertEqual(lines[-1], "bestmove " + info[-1].split(" pv ")[1].split()[0])

    def test_positions(self):
        lines = self.talk("position fen 6k1/5ppp/8/8/8/8/8/4R2K w - - 0 1\ngo depth 3\n"
                          "position startpos moves f2f3 e7e5 g2g4\ngo depth 3\n"
                          "position fen 7k/5Q2/6K1/8/8/8/8/8 b - - 0 1\ngo depth 3\n")
        self.assertEqual([x for x in lines if x.startswith("bestmove")],
                         ["bestmove e1e8", "bestmove d8h4", "bestmove 0000"])
        self.assertIn(" score mate 1 ", lines[0])

    def test_what_is_wrong_is_said_and_changes_nothing(self):
        lines = self.talk("position fen 6k1/5ppp/8/8/8/8/8/4R2K w - - 0 1\n"
                          "position startpos moves e2e5\n"
                          "position fen 8/8/8\nposition nowhere\nposition startpos e2e4\n"
                          "setoption name Nope value 3\nsetoption Hash 16\n"
                          "setoption name Hash value lots\nsetoption name Threads value 0\n"
                          "setoption name Table value nope\ngo depth\ngo nodes many\n"
                          "xyzzy\n\n   \ndebug on\ngo depth 3\n")
        said = [x for x in lines if x.startswith("info string")]
        for part in ("move 1, 'e2e5'", "FEN: pieces", "startpos or fen", "expected moves",
                     "no option 'Nope'", "expected 'name NAME value VALUE'", "got 'lots'",
                     "Threads: expected", "--table nope", "go: depth", "go: nodes"):
            self.assertEqual(sum(part in x for x in said), 1, part)
        self.assertEqual(len(said), 11)
        self.assertEqual(lines[-1], "bestmove e1e8")

    def test_stop(self):
        engine = self.start()
        engine.say("position startpos", "go infinite")
        engine.wait("info depth 4 ")
        self.still_searches(engine)
        engine.say("stop")
        engine.wait("bestmove [a-h]")
        engine.say("stop", "isready")  # nothing runs: it is too late, and not kept
        engine.wait("readyok")
        engine.say("go depth 3")
        engine.wait("info depth 3 ")
        engine.wait("bestmove ")
        self.end(engine)

    def test_stop_before_it_began(self):
        engine = self.start()
        engine.say("go infinite\nstop")
        engine.wait("bestmove [a-h]")
        self.end(engine)

    def test_infinite_ends_only_when_told(self):
        engine = self.start()
        # soon through: one move, then mate
        engine.say("position fen 7k/8/6KP/8/8/8/8/R7 w - - 0 1", "go infinite")
        engine.wait("info depth 100 ")
        self.still_searches(engine)
        engine.say("stop")
        engine.wait("bestmove a1a8")
        self.end(engine)

    def test_options_wait_for_the_search(self):
        engine = self.start("--oversubscribe")
        engine.say("go infinite")
        engine.wait("info depth 3 ")
        engine.say("setoption name Hash value 1", "setoption name Table value seqlock",
                   "setoption name Threads value 2", "ucinewgame", "position startpos",
                   "setoption name Table value nope", "isready")
        self.assertFalse(any("nope" in x for x in engine.wait("readyok")))
        engine.say("stop")
        engine.wait("bestmove ")
        engine.wait("info string --table nope")
        engine.say("uci")
        said = engine.wait("uciok")
        self.assertTrue(any(re.match("option name Hash .* default 1 ", x) for x in said), said)
        self.assertTrue(any(re.match("option name Threads .* default 2 ", x) for x in said))
        self.assertIn("option name Table type string default seqlock", said)
        engine.say("go depth 6")
        engine.wait("bestmove [a-h]")
        self.end(engine)

    def test_end_of_input(self):
        """A search that will end is finished, one that will not is stopped."""
        self.assertRegex(self.talk("go infinite\n")[-1], "^bestmove [a-h]")
        lines = self.talk("go depth 6\nposition startpos moves e2e4\ngo nodes 20000\n")
        self.assertEqual(sum(x.startswith("bestmove") for x in lines), 2)
        self.assertEqual(self.talk(""), [])

    def test_quit(self):
        engine = self.start()
        engine.say("go infinite", "go infinite", "quit")
        engine.process.wait(PATIENCE)  # its input is still open
        self.end(engine)

    def test_clocks(self):
        """It ends by itself: the input does not, which would stop a search without limits."""
        engine = self.start()
        for clock in ("wtime 1 btime 1", "wtime -20 btime 5", "wtime 0 btime 0", "movetime 0",
                      "wtime 300 btime 300 winc 10 binc 10 movestogo 1"):
            engine.say(f"go {clock}")
            engine.wait("bestmove [a-h]")
        self.end(engine)

    def test_no_limit_is_negative(self):
        for limit in ("depth -1", "nodes -5", "movestogo -2", "wtime -x", "depth x"):
            lines = self.talk(f"go {limit}\n")
            self.assertRegex(lines[-1], "^info string go: .*expected a number", limit)

    def test_what_is_between_words(self):
        """A line is read the same by whoever takes it in and whoever obeys: "go\vdepth" is no go,
        and no search that others would wait for."""
        engine = self.start()
        engine.say("go\vdepth 2", "  \t ", " go  depth\t1 ", "stop")
        engine.wait("bestmove [a-h]")
        engine.say("isready")
        engine.wait("readyok")
        engine.say("go depth 3")
        self.assertTrue(any("depth 3 " in x for x in engine.wait("bestmove [a-h]")))
        self.end(engine)

    def test_many_new_games(self):
        lines = self.talk("".join(f"setoption name Hash value {n % 3}\nucinewgame\n"
                                  "position startpos\ngo nodes 500\n" for n in range(20)))
        self.assertEqual(sum(x.startswith("bestmove") for x in lines), 20)

    def test_arguments(self):
        self.refused(("uci", "--table", "nope"), "--table nope")
        self.refused(("uci", "extra"), "extra")


if __name__ == "__main__":
    main()
