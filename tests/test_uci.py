#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""test_uci - `tearline uci`: a conversation as a GUI has it, and as none should have it."""
import queue
import re
import subprocess
import threading
import time
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
                         ["bestmove e1e8", "bestmove d8h4", "bestmove (none)"])
        self.assertIn(" score mate 1 ", lines[0])

    def test_what_is_wrong_is_said_and_changes_nothing(self):
        lines = self.talk("position fen 6k1/5ppp/8/8/8/8/8/4R2K w - - 0 1\n"
                          "position startpos moves e2e5\n"
                          "position fen 8/8/8\nposition nowhere\nposition startpos e2e4\n"
                          "setoption name Nope value 3\nsetoption Hash 16\n"
                          "setoption name Hash value lots\nsetoption name Threads value 0\n"
                          "setoption name Table value nope\n"
                          "xyzzy\n\n   \ndebug on\n"
                          "position fen 6k1/5ppp/8/8/8/8/8/4R2K w - - 0 1\n"
                          "go depth\ngo nodes many\ngo depth 3\n")
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

    def test_what_came_before_quit_is_answered(self):
        self.assertIn("uciok", self.talk("uci\nquit\n"))
        lines = self.talk("setoption name Hash value 2\ngo infinite\nucinewgame\nuci\n"
                          "go ponder\nquit\ngo depth 1\nisready\n")
        self.assertEqual(sum(x.startswith("bestmove ") for x in lines), 2)
        self.assertIn("option name Hash type spin default 2 min 0 max 1048576", lines)
        self.assertNotIn("readyok", lines)  # what came behind it is not

    def test_every_go_is_answered(self):
        for bad in ("depth x", "depth", "wtime 1000 btime", "movestogo -2",
                    "nodes 99999999999999999999", "searchmoves e2e5", "searchmoves"
                    " e2e4 depth y", "searchmoves e2e4 e7e5 depth 1"):
            lines = self.talk(f"go {bad}\n")
            self.assertEqual(len(lines), 2, lines)
            self.assertRegex(lines[0], "^info string go: ", bad)
            self.assertEqual(lines[1], "bestmove 0000", bad)

    def test_infinite_and_ponder_wait(self):
        """Whatever else is said: an end of the search is none of the wait."""
        for go, end in (("infinite depth 1", "stop"), ("depth 1 infinite movetime 1", "stop"),
                        ("infinite wtime 1 btime 1", "stop"), ("ponder depth 1", "ponderhit"),
                        ("ponder depth 1", "stop"), ("ponder wtime 1 btime 1", "ponderhit"),
                        ("infinite ponder depth 1", "stop")):
            with self.subTest(go=go, end=end):
                engine = self.start()
                engine.say("go " + go)
                engine.wait("info depth 1 ")
                self.still_searches(engine)
                if end == "stop" and "infinite" in go:
                    engine.say("ponderhit")  # not what it waits for
                    self.still_searches(engine)
                engine.say(end)
                engine.wait("bestmove [a-h]")
                self.end(engine)

    def test_a_hit_before_it_began(self):
        engine = self.start()
        engine.say("go ponder depth 2\nponderhit")
        engine.wait("bestmove [a-h]")
        engine.say("go ponder depth 1")  # and not kept for the next
        engine.wait("info depth 1 ")
        self.still_searches(engine)
        engine.say("ponderhit")
        engine.wait("bestmove [a-h]")
        self.end(engine)

    def test_the_clock_runs_from_the_hit(self):
        """Of a second, which pondering does not use up: then it ends by itself."""
        engine = self.start()
        engine.say("go ponder movetime 200")
        engine.wait("info depth 5 ")
        time.sleep(0.3)
        self.still_searches(engine)
        hit = time.monotonic()
        engine.say("ponderhit")
        engine.wait("bestmove [a-h]")
        self.assertGreater(time.monotonic() - hit, 0.15)
        self.end(engine)

    def test_searchmoves(self):
        fen = "position fen 6k1/5ppp/8/8/8/8/8/4R2K w - - 0 1\n"
        lines = self.talk(fen + "go depth 4 searchmoves h1g1 h1h2\n"
                          "go searchmoves e1e2 depth 3\ngo searchmoves e1e8 e1e2 nodes 500\n"
                          "go depth 4\n", "--threads", 2, "--oversubscribe")
        best = [x.split()[1] for x in lines if x.startswith("bestmove")]
        self.assertIn(best[0], ("h1g1", "h1h2"))
        self.assertEqual(best[1:], ["e1e2", "e1e8", "e1e8"])
        for line in lines[:4]:
            self.assertRegex(line, " pv h1(g1|h2)")

    def test_searchmoves_leave_no_score_behind(self):
        """A queen given away, which was the only move asked for: not what the position is worth."""
        fen = "position fen 6k1/5ppp/4p3/3p4/8/8/PPP2PPP/3Q2K1 b - - 0 1"
        lines = self.talk(f"{fen} moves h7h6\ngo depth 6 searchmoves d1d5\n"
                          f"{fen}\ngo depth 3 searchmoves h7h6\n")
        scores = [int(x.split(" score cp ")[1].split()[0]) for x in lines
                  if x.startswith("info depth")]
        self.assertLess(scores[5], 500)  # white's, a queen less
        self.assertLess(scores[-1], -900)  # black's: she is still there

    def test_no_move_from_a_position_that_was_refused(self):
        refused = ("position fen 8/8/8", "position startpos moves e2e5", "position",
                   "position startpos moves e2e4 e7e5 e1e3")
        for position in refused:
            lines = self.talk(f"position startpos moves e2e4\n{position}\ngo depth 1\n"
                              "go depth 1\nposition startpos\ngo depth 1\n")
            self.assertEqual([x for x in lines if x.startswith("bestmove 0000")],
                             2 * ["bestmove 0000"], position)
            self.assertRegex(lines[-1], "bestmove [a-h][12]")
        lines = self.talk(f"{refused[0]}\nucinewgame\ngo depth 1\n")
        self.assertRegex(lines[-1], "bestmove [a-h][12]")

    def test_the_end_of_the_game(self):
        mated = self.talk("position startpos moves f2f3 e7e5 g2g4 d8h4\ngo depth 5\n")
        self.assertRegex(mated[0], "^info depth 1 score mate 0 nodes .* time [0-9]+$")
        self.assertEqual(mated[-1], "bestmove (none)")
        stale = self.talk("position fen 7k/5Q2/6K1/8/8/8/8/8 b - - 0 1\ngo depth 5\n")
        self.assertRegex(stale[0], "^info depth 1 score cp 0 ")
        self.assertEqual(stale[-1], "bestmove (none)")

    def test_mate_is_a_limit(self):
        engine = self.start()
        engine.say("position fen 7k/8/6KP/8/8/8/8/R7 w - - 0 1", "go mate 2")
        self.assertTrue(any("score mate 1 " in x for x in engine.wait("bestmove a1a8")))
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
            self.assertRegex(lines[0], "^info string go: .*expected a number", limit)

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
