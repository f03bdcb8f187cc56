#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""test_commands_cli - what all commands have in common: help, words that are nearly right, options
that would do nothing, completion."""
import fcntl
import os
import re
import shlex
import shutil
import struct
import subprocess
import termios

from cli import HERE, TEARLINE, Cli, main, tables, tearline, trace, workloads

FINE70 = trace("crafty-2t-fine70")
NO_EFFECT = "only has an effect "


def commands():
    return re.findall(r"^  ([\w-]+)  +\S", tearline("--help").stdout.split("\nexample")[0], re.M)


def options(command):
    """{option without dashes: metavar or ''} as --help tells."""
    return dict(re.findall(r"^  --([\w-]+) ?(\S*)", tearline(command, "--help").stdout, re.M))


class Help(Cli):

    def test_commands(self):
        names = commands()
        self.assertIn("replay", names)
        sections = re.split(r"^\.SS ", self.ok("--man"), flags=re.M)[1:]
        manual = {s.split("\n")[0].replace("\\", ""): s for s in sections}
        self.assertEqual(list(manual), names)
        for name in names:
            text = self.ok(name, "--help")
            self.assertTrue(text.startswith(f"tearline {name} - "))
            listed = [o.replace("\\", "") for o in re.findall(r"^\.BR (\\-\\-\S+)", manual[name],
                                                             re.M)]
            self.assertEqual(re.findall(r"^  (--[\w-]+)", text, re.M), [*listed, "--help"])
            described, examples = text.split("\nexample:\n")
            for used in re.findall(r"(--[a-z][\w-]*)", described):
                self.assertIn(used, [*listed, "--help"], name)
            self.assertIn(f"  tearline {name} ", examples + " ")
            self.refused((name, "--no-such-option"), name, "--no-such-option")
        self.refused(("no-such-command",), "no-such-command", "--help")

    def test_version(self):
        for word in "version", "--version", "-V":
            self.assertEqual(self.ok(word), self.ok("--version"))
            self.refused((word, "x"), word, "'x'")
        self.assertRegex(self.ok("--version"), r"\Atearline \d+\.\d+\.\d+ \(.+\), \w+ [^\n]*\n\Z")

    def test_help(self):
        for word in "help", "--help", "-h":
            self.assertEqual(self.ok(word), self.ok("help"))
            self.refused((word, "sweep", "plot"), "'plot'")
            self.refused((word, "swep"), "'swep'", "did you mean sweep?")
        for name in commands():
            self.assertEqual(self.ok("help", name), self.ok(name, "--help"))

    def test_width(self):
        """Only a word that is wider, as a path in an example, is beyond it."""
        def fits(text, width):
            for line in text.splitlines():
                if len(line) > width and not re.match(r"  tearline \w+$", line):
                    self.assertLessEqual(len(line.split()), 3 if "--" in line else 1, line)
        for name in commands():
            for width in 40, 63, 80, 132:
                fits(self.ok("help", name, env={**os.environ, "COLUMNS": str(width)}).
                     split("\nexample")[0], width)
        usual = {k: v for k, v in os.environ.items() if k != "COLUMNS"}
        wide = self.ok("help", "sweep", env={**usual, "COLUMNS": "80"})
        for bad in ({}, {"COLUMNS": "none"}, {"COLUMNS": "0"}, {"COLUMNS": "-3"}):
            self.assertEqual(self.ok("help", "sweep", env={**usual, **bad}), wide, bad)

    def test_width_of_a_terminal(self):
        ours, theirs = os.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 100, 0, 0))
        env = {k: v for k, v in os.environ.items() if k != "COLUMNS"}
        got = b""
        with subprocess.Popen([TEARLINE, "topo", "--help"], stdout=theirs, env=env) as run:
            os.close(theirs)
            try:
                while part := os.read(ours, 65536):
                    got += part
            except OSError:  # that is how its end is told
                pass
        os.close(ours)
        self.assertEqual(run.returncode, 0)
        self.assertEqual(got.decode().replace("\r", ""),
                         self.ok("topo", "--help", env={**env, "COLUMNS": "100"}))

    def test_lists(self):
        text = self.ok("replay", "--help")
        for name, kind in workloads().items():
            self.assertRegex(text, rf"(?m)^ {{32}}{name} \({kind}\): ")

    def test_columns_of_tables(self):
        """Each column of the overview stands at the beginning of a line that explains it."""
        titles = re.search(r"^  (table .*)$", self.ok("tables"), re.M).group(1)
        text = self.ok("tables", "--help")
        for title in re.split(r"  +", titles.strip())[1:]:
            self.assertRegex(text, rf"(?m)^(\w+, )*{title}(, \w+)*: ", title)

    def examples(self, name):
        text = self.ok(name, "--help", env={**os.environ, "COLUMNS": "100"})
        return text.split("\nexample:\n")[1].replace("\\\n", "").splitlines()

    def test_examples_name_what_is_there(self):
        """Files that are read are those of the source, or come from an example before."""
        for name in commands():
            made = set()
            for line in self.examples(name):
                words = shlex.split(line)
                made.update(b for a, b in zip(words, words[1:]) if a in ("--out", "--csv",
                                                                      "--record"))
                for word in words:
                    if not re.search(r"\.(tlt|csv)$|/traces/", word) or word in made:
                        continue
                    where = HERE.parent / word
                    self.assertTrue(list(where.parent.glob(where.name)), (name, word))

    def test_examples_are_commands(self):
        """They are understood: all that is missing is the memory, or the time, to run them."""
        for name in commands():
            for line in self.examples(name):
                for command in re.findall(r"tearline ([\w-]+)((?: +'[^']*'| +[^|]\S*)*)", line):
                    listed = options(command[0])
                    for used in re.findall(r"--([a-z][\w-]*)", command[1]):
                        self.assertIn(used, listed, line)

    def test_no_arguments(self):
        run = tearline()
        self.assertEqual((run.returncode, run.stdout), (2, ""))
        self.assertEqual(run.stderr, self.ok("--help"))

    def test_manual(self):
        if not shutil.which("groff"):
            self.skipTest("no groff")
        run = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-z"], input=self.ok("--man"),
                             capture_output=True, text=True, check=False)
        self.assertEqual((run.returncode, run.stderr), (0, ""))

    def test_man_reads_it(self):
        if not shutil.which("man"):
            self.skipTest("no man")
        run = subprocess.run(["man", "-l", "-"], input=self.ok("--man"), capture_output=True,
                             text=True, check=False,
                             env=dict(os.environ, MANROFFSEQ="", LC_ALL="C.UTF-8"))
        if "minimized" in run.stdout:
            self.skipTest("man is a stub on this system")
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertIn("NAME", run.stdout)


class Hints(Cli):
    """An unknown word that is nearly a known one."""

    def meant(self, word, *args):
        self.refused(args, f"did you mean {word}?")

    def test_every_place(self):
        replay = ("replay", "--workload", "uniform", "--table")
        for word, *args in (
                ("replay", "repaly"), ("version", "versoin"), ("help", "hlep"),
                ("--threads", "replay", "--thraeds", "2"), ("--hash", "replay", "--hsah=2"),
                ("audit", "replay", "--mode", "auditt"), ("chain", "replay", "--caller", "CHAIN"),
                ("verify", "trace", "verfiy", FINE70),
                ("xor-simd", *replay, "xorsimd"), ("seqlock", *replay, "seqlcok:impl=ck"),
                ("sig16", *replay, "sgi16"), ("refresh", *replay, "xor:refersh=never"),
                ("never", *replay, "xor:refresh=nevr"),
                ("xor", "sweep", "--workload", "uniform", "--tables", "spinlock,xro"),
                ("xor", "torture", "--table", "xoor"), ("xor", "tables", "xorr"),
                ("spinlock", "perft", "--depth", "1", "--table", "spinlok"),
                ("cluster10", "search", "--table", "cluster01"),
                ("hot-evict", "replay", "--table", "xor", "--workload", "hotevict"),
                ("store", "replay", "--table", "xor", "--workload", "uniform:stor=1"),
                ("pawn", "replay", "--table", "xor", "--trace", FINE70, "--kinds", "tt,pawns"),
                ("pawn", "trace", "cut", "--out", "/dev/null", "--kinds", "pwan", FINE70),
                ("compact", "topo", "--placement", "compct"),
                ("spread", "replay", "--table", "xor", "--trace", FINE70, "--placement",
                 "spred"),
                ("private", "search", "--pawn", "privat")):
            with self.subTest(args=args):
                self.meant(word, *args)

    def test_baseline(self):
        out = self.dir / "x.csv"
        self.ok("sweep", "--tables", "xor", "--workload", "uniform:ops=10", "--threads", 1,
                "--hash", "64e", "--trials", 1, "--passes", 1, "--out", out)
        self.meant("xor", "report", out, "--baseline", "xir")

    def test_nothing_is_near(self):
        for args in (("sometable",), ("x",), ("replay", "--frobnicate"),
                     ("replay", "--table", "mytable", "--workload", "uniform"),
                     ("replay", "--table", "xor", "--workload", "uniform", "--mode", "sleep"),
                     ("replay", "--table", "x" * 500, "--workload", "uniform"),
                     ("replay", "--table", "", "--workload", "uniform"),
                     ("replay", "--table", "xor", "--workload", "")):
            self.assertNotIn("did you mean", self.refused(args), args)

    def test_lists_are_for_sweep(self):
        for args in (("--table", "xor,seqlock", "--workload", "uniform"),
                     ("--table", "xor:refresh=never,seqlock:impl=ck", "--workload", "uniform"),
                     ("--table", "xor", "--workload", "uniform,bump"),
                     ("--table", "xor", "--trace", f"{FINE70},{FINE70}"),
                     ("--table", "xor", "--trace", FINE70, "--threads", "1,2"),
                     ("--table", "xor", "--trace", FINE70, "--lookahead", "0,4")):
            self.refused(("replay", *args), "for several use tearline sweep")
        path = self.dir / "a,b.tlt"
        shutil.copy(FINE70, path)
        self.ok("replay", "--table", "xor:refresh=never,sig=32", "--trace", path, "--passes", 1)


# Of each option of each command: ALWAYS, or what it needs: (without it, with it). A new option
# is missing here until somebody has said when it has an effect.
ALWAYS = ()
AUDIT, SPEED = ("--mode", "audit"), ("--mode", "throughput")
GONE = "/nonexistent/x.tlt"
CELL = {
    "mode": ALWAYS, "passes": ALWAYS, "kinds": ALWAYS, "placement": ALWAYS, "pages": ALWAYS,
    "oversubscribe": ALWAYS, "threads": ALWAYS, "lookahead": ALWAYS, "trials": ALWAYS,
    "witness": [(SPEED, AUDIT), ((), AUDIT)],
    "caller": [(AUDIT, ())],
    "seconds": [(("--passes", 1), ()), (("--passes", 1), ("--passes", 0))],
}
ENGINE = {
    "table": ALWAYS, "hash": ALWAYS, "threads": ALWAYS, "pawn": ALWAYS, "eval": ALWAYS,
    "placement": ALWAYS, "oversubscribe": ALWAYS, "pages": ALWAYS,
    "pawn-hash": [(("--pawn", "none"), ("--pawn", "shared")), (("--pawn", "none"), ())],
    "eval-hash": [(("--eval", "none"), ("--eval", "shared")), (("--eval", "none"), ())],
}


def of_kinds(traces, *base):
    """Sizes of tables for which there are, and are not, operations."""
    def on(workload, *more):
        return (*base, "--workload", workload + ":ops=8", "--passes", 1, *more)
    recorded = (*base, traces, FINE70, "--passes", 1)
    return {
        "hash": [(on("slot"), on("uniform")), (on("wide"), on("bump")),
                 ((*recorded, "--kinds", "pawn"), recorded)],
        "pawn-hash": [(on("uniform"), on("wide")),
                      (recorded, (*recorded, "--kinds", "tt,pawn"))],
        "eval-hash": [(on("uniform"), on("slot")), (on("bump"), on("slot"))],
    }


def of_traces(traces):
    made = [(("--workload", "uniform"), (traces, GONE))]
    return {"deal": made, "clears": made, "pacing": made}


VERBS = ("info", "verify", "import", "export", "cut")


def of_verbs(*verbs):
    return [((other, GONE), (verb, GONE)) for verb in verbs for other in VERBS
            if other not in verbs]


EFFECTS = {
    "topo": {"threads": ALWAYS, "placement": ALWAYS, "oversubscribe": [((), ("--threads", 1)),
                               ((), ("--placement", "list:0,0"))]},
    "tables": {},
    "trace": {"out": of_verbs("import", "cut"), "mate": of_verbs("import"),
              "csv": of_verbs("export"), "from": of_verbs("cut"), "ops": of_verbs("cut"),
              "threads": of_verbs("cut"), "kinds": of_verbs("cut"),
              "force": of_verbs("import", "cut", "export"), "small": of_verbs("import", "cut")},
    "replay": {**CELL, **of_kinds("--trace", "--table", "spinlock"), **of_traces("--trace"),
               "table": ALWAYS, "trace": ALWAYS, "workload": ALWAYS, "csv": ALWAYS,
               "seed": [((), AUDIT), ((), ("--workload", "uniform")),
                        (("--deal", "clone"), ("--deal", "salt"))]},
    "sweep": {**CELL, **of_kinds("--traces", "--tables", "spinlock", "--threads", 1),
              **of_traces("--traces"),
              "tables": ALWAYS, "traces": ALWAYS, "workload": ALWAYS, "out": ALWAYS,
              "seed": ALWAYS, "resume": ALWAYS},
    "report": {"baseline": [(("--schema",), (GONE,))], "schema": ALWAYS},
    "plot": {"out": ALWAYS, "format": ALWAYS},
    "torture": {"table": ALWAYS, "controls": ALWAYS, "threads": ALWAYS, "seed": ALWAYS,
                "watchdog": ALWAYS, "csv": ALWAYS, "shake": ALWAYS,
                "seconds": [(("--controls",), ("--table", "nope"))],
                "slice": [(("--controls",), ("--table", "nope"))],
                "runs": [(("--table", "xor"), ("--controls", "--csv", "/nonexistent/x"))]},
    "perft": {"fen": ALWAYS, "depth": ALWAYS, "threads": ALWAYS, "table": ALWAYS,
              "divide": ALWAYS, "placement": ALWAYS, "oversubscribe": ALWAYS,
              "hash": [(("--depth", 1), ("--depth", 1, "--table", "xor"))]},
    "search": {**ENGINE, "fen": ALWAYS, "depth": ALWAYS, "nodes": ALWAYS, "movetime": ALWAYS,
               "bench": ALWAYS, "record": ALWAYS},
    "uci": ENGINE,
    "new-table": {"tree": ALWAYS},
}
# A line on which an option that always has an effect is tried, and which ends soon.
TRIED = {
    "replay": ("--table", "nope", "--trace", GONE), "sweep": ("--tables", "nope", "--traces", GONE),
    "torture": ("--table", "nope"), "perft": ("--depth", 1, "--fen", "8"),
    "search": ("--fen", "8"), "uci": ("--table", "nope"), "report": (GONE,), "plot": (GONE,),
}
VALUES = {"pawn": "none", "eval": "none", "hash": "64e", "pawn-hash": "64e", "eval-hash": "64e",
          "kinds": "tt", "table": "nope", "fen": "8", "traces": GONE, "out": GONE}


class Effects(Cli):
    def value(self, option, metavar):
        if not metavar:
            return ()
        if option in VALUES:
            return (VALUES[option],)
        return (metavar.split("|")[0] if "|" in metavar and metavar != "FILE|-" else 1,)

    def said(self, command, option, metavar, beside):
        run = tearline(command, *beside, f"--{option}", *self.value(option, metavar),
                       stdin=subprocess.DEVNULL)
        return run.returncode, run.stdout, run.stderr

    def check(self, command, option, metavar, needs):
        if not needs:
            error = self.said(command, option, metavar, TRIED.get(command, ()))[2]
            self.assertNotIn(NO_EFFECT, error)
            return
        for without, beside in needs:
            base = TRIED.get(command, ()) if "--workload" not in without and \
                "--table" not in without and "--tables" not in without and command in (
                    "replay", "sweep", "search", "uci") else ()
            status, out, error = self.said(command, option, metavar, (*base, *without))
            self.assertEqual((status, out), (2, ""), (without, error))
            self.assertRegex(error, rf"\Atearline: {command}: --{option}: {NO_EFFECT}.+\n\Z")
            error = self.said(command, option, metavar, (*base, *beside))[2]
            self.assertNotIn(NO_EFFECT, error, beside)

    def test_every_option_of_every_command(self):
        self.assertEqual(sorted(EFFECTS), sorted(commands()))
        for command, known in EFFECTS.items():
            listed = options(command)
            del listed["help"]
            self.assertEqual(sorted(listed), sorted(known), command)
            for option, metavar in listed.items():
                with self.subTest(command=command, option=option):
                    self.check(command, option, metavar, known[option])

    def test_help_says_what_the_refusal_says(self):
        text = " ".join(self.ok("replay", "--help").split())
        for command, args in (("replay", ("--witness", "no")), ("replay", ("--seed", 2))):
            error = self.refused((command, *TRIED["replay"], *args), NO_EFFECT)
            self.assertIn(f"(only {error.split(NO_EFFECT)[1].strip()})", text)

    def test_files_beside_schema(self):
        self.refused(("report", "--schema", "x.csv"), "--schema", "'x.csv'")


BASH = r"""
source "$1"; shift
COMP_WORDS=(tearline "$@"); COMP_CWORD=$#
_tearline tearline "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"
printf '%s\n' "${COMPREPLY[@]}"
"""


class Completion(Cli):
    def setUp(self):
        super().setUp()
        self.script = self.dir / "tearline"
        self.script.write_text(self.ok("--completion", "bash"), encoding="utf-8")

    def proposed(self, *words, **more):
        run = subprocess.run(["bash", "--norc", "-c", BASH, "bash", self.script, *words],
                             capture_output=True, text=True, check=False, **more)
        self.assertEqual((run.returncode, run.stderr), (0, ""), words)
        return run.stdout.split("\n")[:-1]

    def test_commands(self):
        for before in ((), ("help",)):
            self.assertEqual(self.proposed(*before, ""), [*commands(), "help", "version"])
        self.assertEqual(self.proposed("pe"), ["perft"])

    def test_options(self):
        for command in commands():
            self.assertEqual(self.proposed(command, "--"), ["--" + o for o in options(command)])

    def test_values(self):
        found = [t.name for t in tables()]
        self.assertLessEqual(set(found), set(self.proposed("replay", "--table", "")))
        self.assertEqual(self.proposed("sweep", "--tables", "xor-s"), ["xor-simd"])
        self.assertEqual(self.proposed("replay", "--mode", ""), ["throughput", "audit"])
        self.assertEqual(set(self.proposed("replay", "--workload", "")), set(workloads()))
        self.assertEqual(self.proposed("trace", "i"), ["info", "import"])
        self.assertEqual(self.proposed("replay", "--threads", ""), [""])

    def test_files(self):
        (self.dir / "a b.tlt").touch()
        (self.dir / "a dir").mkdir()
        for words in (("replay", "--trace"), ("trace", "info"), ("report",), ("tables",)):
            self.assertEqual(sorted(self.proposed(*words, "a", cwd=self.dir)),
                             ["a b.tlt", "a dir"], words)
        self.assertEqual(self.proposed("plot", "--out", "a", cwd=self.dir), ["a dir"])
        self.assertEqual(self.proposed("topo", "a", cwd=self.dir), [""])

    def test_zsh(self):
        text = self.ok("--completion", "zsh")
        self.assertTrue(text.startswith("#compdef tearline\n"))
        for command in commands():
            part = text.split(f"\n\t{command})\n")[1].split("\n\t\t;;\n")[0]
            self.assertEqual(re.findall(r"'--([\w-]+)\[", part), list(options(command)))
        if not shutil.which("zsh"):
            self.skipTest("no zsh to ask what it makes of it")
        run = subprocess.run(["zsh", "-n"], input=text, capture_output=True, text=True, check=False)
        self.assertEqual((run.returncode, run.stderr), (0, ""))

    def test_refused(self):
        self.refused(("--completion",), "bash or zsh")
        self.refused(("--completion", "fish"), "'fish'")


if __name__ == "__main__":
    main()
