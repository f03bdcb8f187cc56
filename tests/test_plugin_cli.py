#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""test_plugin_cli - tables in shared objects: what a good one does, how a bad one is refused.

PLUGIN is the example, TABLE_INCLUDE the headers as they will be installed, CC the compiler
with which the bad ones are built, CFLAGS what it must be given to go with tearline.
"""
import gzip
import os
import re
import shlex
import shutil
import struct
import subprocess
import tempfile
from pathlib import Path

from cli import HERE, TEARLINE, Cli, main, tables, tearline, trace

PLUGIN = Path(os.environ.get("PLUGIN", HERE.parent / "build/tests/plugin/example.so"))
INCLUDE = Path(os.environ.get("TABLE_INCLUDE", HERE.parent / "build/include"))
CC = shlex.split(os.environ.get("CC", "cc"))
CFLAGS = shlex.split(os.environ.get("CFLAGS", ""))
STRICT = ["-std=gnu11", "-Wall", "-Wextra", "-Werror"]
# The hooks of a table have parameters that it need not use.
TABLE_FLAGS = [*STRICT, "-Wno-unused-parameter", "-O1"]
TYPHOON = trace("typhoon-*")

# A table that holds nothing; what a case is about is put in.
HEAD = """
#include <tearline/table.h>
static int create(struct table *t, const struct table_params *p, struct err *e)
{
	return err_set(e, "made");
}
static void clear(struct table *t, unsigned part, unsigned parts)
{
}
"""
CLASS = """
static struct table_class NAME_class = {
	.name = "NAME", .summary = "s", .reference = "r", .probe_progress = "p",
	.store_progress = "p", .promises = PROMISE_NOTHING, .kinds = 1u << KIND_TT,
	.create = create, .clear = clear,
};
"""
REGISTER = "TABLE_REGISTER(NAME);\n"
GOOD = HEAD + CLASS + REGISTER


class Plugin(Cli):
    def compile(self, source, *flags, name="x", out="x.so", include=INCLUDE):
        """Build a table outside the tree; its path."""
        c_file = self.dir / (out + ".c")
        c_file.write_text(source.replace("NAME", name))
        subprocess.run([*CC, *TABLE_FLAGS, "-fvisibility=hidden", *flags, f"-I{include}", "-shared",
                        "-fPIC", "-o", self.dir / out, c_file], check=True)
        return self.dir / out

    def with_table(self, spec, *parts):
        """Refused, with one line that names the option and the object."""
        path = re.sub(r"(\.so):.*", r"\1", str(spec))
        return self.refused(("replay", "--table", spec, "--trace", TYPHOON), f"--table {path}: ",
                            *parts)


class Refused(Plugin):
    def test_good_but_for_its_create(self):
        """What the other cases leave out is all that is wrong with them."""
        self.refused(("replay", "--table", self.compile(GOOD), "--trace", TYPHOON),
                     "tearline: made\n")

    def test_file(self):
        text = self.dir / "notes.txt"
        text.write_text("a table, some day\n")
        empty = self.dir / "empty.so"
        empty.touch()
        cut = self.dir / "cut.so"
        cut.write_bytes(PLUGIN.read_bytes()[:1000])
        self.with_table(self.dir / "none.so", "No such file")
        self.with_table(self.dir / "none.so:refresh=never", "No such file")
        self.refused(("tables", "none.so"), "--table ./none.so: ", "No such file")
        self.with_table(str(self.dir) + "/", "directory")
        self.with_table(text, "expected a shared object")
        fifo = self.dir / "fifo.so"
        os.mkfifo(fifo)
        self.with_table("/dev/zero", "a device: expected a regular file")
        self.with_table(fifo, "a named pipe: expected a regular file")
        packed = self.dir / "packed.so"
        packed.write_bytes(gzip.compress(PLUGIN.read_bytes()))
        self.with_table(packed, "compressed with gzip: expected a shared object")
        self.with_table(empty, "expected a shared object")
        self.with_table(cut, "cut short")
        self.with_table(TEARLINE, "cannot be loaded")

    def test_cut_without_section_headers(self):
        """What the loader maps is not all there: it would die of it."""
        content = bytearray(PLUGIN.read_bytes())
        content[40:48] = bytes(8)  # e_shoff
        content[60:64] = bytes(4)  # e_shnum, e_shstrndx
        cut = self.dir / "cut.so"
        cut.write_bytes(content)
        self.ok("tables", cut)
        phoff, = struct.unpack_from("<Q", content, 32)
        size, nr = struct.unpack_from("<HH", content, 54)
        end = max(offset + length for offset, length in
                  (struct.unpack_from("<8xQ16xQ", content, phoff + size * i) for i in range(nr)))
        for part in 0.3, 0.5, 0.999:
            cut.write_bytes(content[:int(end * part)])
            self.with_table(cut, "cut short")

    def test_registers_no_table(self):
        self.with_table(self.compile(HEAD + CLASS, "-Wno-unused-variable"), "registers no table")

    def test_registers_two(self):
        second = (CLASS + REGISTER).replace("NAME", "second")
        self.with_table(self.compile(GOOD + second), "registers 2 tables, expected one")

    def test_name_that_exists(self):
        for table in tables():
            self.with_table(self.compile(GOOD.replace('"NAME"', f'"{table.name}"')),
                            f"a table named '{table.name}', which exists")
        x, y = self.compile(GOOD), self.compile(GOOD, "-DOTHER", out="y.so")
        self.refused(("tables", x, y), f"--table {y}: ", "named 'x', which exists")

    def test_name(self):
        for name in "", "a b", "a:b", "a,b":
            self.with_table(self.compile(GOOD.replace('"NAME"', f'"{name}"')), f"named '{name}'",
                            "expected letters")

    def test_missing_member(self):
        for member in "name", "summary", "reference", "kinds", "create", "clear":
            left_out = re.sub(rf"\.{member} = [^,]*,", "", GOOD)
            self.with_table(self.compile(left_out, "-Wno-unused-function"), "lacks: " + member)

    def test_promises(self):
        forgotten = GOOD.replace(".promises = PROMISE_NOTHING, ", "")
        self.with_table(self.compile(forgotten), "lacks: promises (PROMISE_NOTHING")
        both = GOOD.replace("PROMISE_NOTHING", "PROMISE_NOTHING | PROMISE_NO_TEAR")
        self.with_table(self.compile(both), "table x: its promises are 0x11: expected")

    def test_options_of_a_class(self):
        def table(*options):
            members = ", ".join("{ %s }" % ", ".join(f'"{o}"' for o in option) for option in options)
            return self.compile(GOOD.replace(".kinds", ".options = { %s }, .kinds" % members),
                                "-Wno-error")

        self.with_table(table(("lock", "cas|fas", "mcs", "h")),
                        "the default 'mcs' of its option lock is none of cas|fas")
        self.with_table(table(*((f"o{i}", "a|b", "a", "h") for i in range(9))),
                        "table x: has more than 8 options")
        self.refused(("replay", "--trace", TYPHOON, "--table",
                      table(*((f"o{i}", "a|b", "a", "h") for i in range(8)))), "tearline: made\n")

    def test_create(self):
        """One that fails says why, and one that does not has made a table."""
        for what, message in (("return -1", "x: its create fails and does not say why"),
                              ("return 0", "x: its create sets no loops"),
                              ("static const struct table_loops l; t->loops = &l; return 0",
                               "x: its create sets no single operations")):
            self.refused(("replay", "--trace", TYPHOON, "--table",
                          self.compile(GOOD.replace('return err_set(e, "made")', what))), message)

    def test_missing_symbol(self):
        call = 'int no_such_function(void);\n' + GOOD.replace(
            'err_set(e, "made")', "no_such_function()")
        self.with_table(self.compile(call), "undefined symbol", "no_such_function")

    def test_function_of_tearline_instead_of_its_own(self):
        # line_create() is tearline's, too, and comes first.
        taken = GOOD.replace("static int create", "int line_create").replace(
            ".create = create", ".create = line_create")
        self.with_table(self.compile(taken, "-fvisibility=default"), "not its own", "static")
        self.refused(("replay", "--table", self.compile(taken), "--trace", TYPHOON), "made")

    def test_absent_here(self):
        absent = GOOD.replace("static struct", 'static const char *absent(void)\n{\n\treturn '
                              '"needs a unicorn";\n}\nstatic struct').replace(
                                  ".kinds", ".absent = absent, .kinds")
        self.with_table(self.compile(absent), "needs a unicorn")

    def test_in_a_list(self):
        self.refused(("sweep", "--tables", f"xor,{self.dir}/none.so", "--traces", TYPHOON),
                     f"--table {self.dir}/none.so: ", "No such file")


class Abi(Plugin):
    def headers(self, change):
        """The headers of another tearline: table.h as change() makes it of ours."""
        include = Path(tempfile.mkdtemp(dir=self.dir))
        shutil.copytree(INCLUDE, include, dirs_exist_ok=True)
        table_h = include / "tearline" / "table.h"
        ours = table_h.read_text()
        theirs = change(ours)
        self.assertNotEqual(theirs, ours)
        table_h.write_text(theirs)
        return include

    def test_other_abi(self):
        # Nothing is where it was: whoever read the name would read this.
        def change(text):
            text = re.sub(r"(#define TABLE_ABI) \d+", r"\1 4711", text)
            return text.replace("struct table_class {", "struct table_class {\n\tlong pad[64];")

        bad = GOOD.replace(".name", ".pad = { 1, 2, 3 }, .name")
        message = self.with_table(self.compile(bad, include=self.headers(change)),
                                  "built for table ABI 4711, this tearline has ",
                                  "rebuild it against these headers")
        ours = re.search(r"#define TABLE_ABI (\d+)", (INCLUDE / "tearline/table.h").read_text())
        self.assertIn(f"this tearline has {ours.group(1)}:", message)

    def test_other_sizes(self):
        for struct in "table", "table_class", "worker", "table_loops":
            with self.subTest(struct=struct):
                include = self.headers(lambda text, s=struct: re.sub(
                    rf"^(struct {s} {{)$", r"\1\n\tlong new[64];", text, flags=re.M))
                self.with_table(self.compile(GOOD, include=include), "structs of other sizes")


class Good(Plugin):
    args = ("--trace", TYPHOON, "--kinds", "tt,pawn,eval", "--hash", 0.25)

    def test_replay(self):
        """As a table of the tree does, and the rows tell them apart."""
        rows = self.replay("--table", f"{PLUGIN}:wait=yield", *self.args)
        want = self.replay("--table", "xor", *self.args)
        for row, other in zip(rows, want, strict=True):
            self.assertEqual(row["table"], "example")
            self.assertRegex(row["options"], r"^wait=yield;refresh=always;.*;"
                                             r"plugin=example\.so#[0-9a-f]{16} (gcc|clang) [\d.]+ "
                                             r"(optimised|-O[0s])( avx\w+)?( sanitized)?$")
            self.assertEqual(self.counts(row), self.counts(other))
            self.assertNotIn("plugin", other["options"])

    def test_what_built_it(self):
        """Of the object, whatever built tearline: its speed is the object's."""
        source = (HERE / "plugin" / "example.c").read_text()
        for flags, built in (("-O0", "-O0"), ("-Os", "-Os"), ("-O2", "optimised")):
            table = self.compile(source, *CFLAGS, flags, out=f"o{flags}.so")
            row, = self.replay("--table", table, "--workload", "uniform:ops=100")
            self.assertRegex(row["options"], rf"plugin=o{flags}\.so#\w+ (gcc|clang) [\d.]+ {built}")
            self.assertEqual("the table's object was built without optimisation" in row["warnings"],
                             flags == "-O0")
            if not CFLAGS:
                self.assertNotIn("with a sanitizer", row["warnings"])

    def test_options(self):
        self.refused(("replay", "--table", f"{PLUGIN}:wait=sleep", *self.args[:2]),
                     "--table example", "wait", "pause|yield", "'sleep'")
        self.refused(("replay", "--table", f"{PLUGIN}:stripes=4", *self.args[:2]),
                     "--table example", "'stripes'")

    def test_audit(self):
        row, = self.replay("--table", PLUGIN, "--mode", "audit", "--workload", "hot-evict",
                           "--threads", 2, "--oversubscribe")
        self.assertGreater(int(row["hits"]), 0)
        for fault in "torn_reads", "false_misses", "stale_hits", "lost_stores", "unusable_slots":
            self.assertEqual(row[fault], "0")

    def test_liar_is_caught(self):
        source = (HERE / "liar_table.c").read_text().replace(".broken = true,", "")
        source = re.sub(r'#include "(\w+\.h)"', r"#include <tearline/\1>", source)
        liar = self.compile(source, *CFLAGS, "-Wno-unused-variable", out="liar.so")
        run = tearline("torture", "--table", liar, "--seconds", 0.5, "--threads", 1)
        self.assertEqual(run.returncode, 1, run.stderr)
        self.assertRegex(run.stdout, rf"\AFAILURE: liar, on one thread: .*; repeat with: "
                                     rf"tearline torture --table {re.escape(str(liar))}\n\Z")
        # so it is where nobody looks for that alone; without the promise it is no fault
        honest = self.compile(source.replace("PROMISE_NO_TEAR | PROMISE_NO_FALSE_MISS", "PROMISE_NOTHING"),
                              *CFLAGS, "-Wno-unused-variable", name="honest", out="honest.so")
        for table, code in (liar, 1), (honest, 0):
            args = ("--workload", "hot-update:ops=100", "--mode", "audit", "--passes", 1)
            out = self.dir / "x.csv"
            out.unlink(missing_ok=True)
            for more in ("replay", "--table", table), ("replay", "--table", table, "--csv", "-"), \
                        ("sweep", "--tables", table, "--threads", 1, "--out", out):
                run = tearline(*more, *args)
                self.assertEqual(run.returncode, code, run.stderr)
                said = run.stdout if len(more) == 3 else run.stderr
                self.assertEqual(len(re.findall(r"^FAILURE: .*promise", said, re.M)), code)
            for row in self.file_rows(out):
                self.assertGreater(int(row["torn_reads"]), 0)
                self.assertEqual("FAILURE: torn_reads" in row["warnings"], code == 1)

    def test_wrong_on_one_thread(self):
        """What takes no race is found without one: a key that is never found, a word that is
        another, a crash, a hang. The sound one passes, and is tortured."""
        source = (HERE / "liar_table.c").read_text().replace(".broken = true,", "")
        source = re.sub(r'#include "(\w+\.h)"', r"#include <stdlib.h>\n#include <tearline/\1>\n"
                        "static int planted;", source)
        for old, new in (("t->loops =", 'planted = atoi(getenv("PLANTED")); t->loops ='),
                         ("word[0] ^= LIE;", "word[nr - 1] += planted == 2 && nr == 7;"),
                         ("return match;", """if (planted == 3 && sig == UINT64_MAX)
                                                  abort();
                                              while (planted == 4 && sig == UINT64_MAX)
                                                  ;
                                              return match && (planted != 1 || sig != UINT64_MAX);
                          """)):
            self.assertIn(old, source)
            source = source.replace(old, new)
        table = self.compile(source, *CFLAGS, "-Wno-unused-variable")
        for planted, found, more in (
                (1, "every key is found once stored: of kind tt: expected ", ()),
                (2, "single operations: of kind pawn: expected ", ()),
                (3, "died of signal 6", ()),
                (4, "not through after 4 s", ("--watchdog", 1))):
            run = tearline("torture", "--table", table, "--seconds", 0.5, *more,
                           env={**os.environ, "PLANTED": str(planted)})
            self.assertEqual(run.returncode, 1, (planted, run.stdout, run.stderr))
            self.assertIn("FAILURE: liar, on one thread: " + found, run.stdout)
        self.assertIn("SUCCESS: example", self.ok("torture", "--table", PLUGIN, "--seconds", 0.3))

    def test_tables(self):
        text = self.ok("tables", PLUGIN, "null")
        self.assertEqual(re.findall(r"^(\w+)$", text, re.M), ["example", "null"])
        self.assertIn(":wait=pause|yield [pause]", text)
        self.assertNotIn("example", [t.name for t in tables()])
        self.refused(("tables", "null", "xorr"), "--table xorr")

    def test_paths(self):
        where = self.dir / "v1:2,3"
        where.mkdir()
        shutil.copy(PLUGIN, where)
        shutil.copy(PLUGIN, self.dir / "b=c.so")
        shutil.copy(PLUGIN, self.dir / "libexample.so.1")
        for spec in (f"{where}/example.so", f"{where}/example.so:wait=yield", "./b=c.so",
                     "b=c.so:wait=yield", "./libexample.so.1:wait=yield"):
            row, *_ = self.replay("--table", spec, *self.args, cwd=self.dir)
            self.assertEqual(row["table"], "example")
            self.assertIn("wait=yield" if "yield" in spec else "wait=pause", row["options"])

    def test_sweep(self):
        os.symlink(PLUGIN, self.dir / "again.so")
        out = self.dir / "x.csv"
        args = ("sweep", "--tables",
                f"{PLUGIN},{PLUGIN}:wait=yield,refresh=never,{self.dir}/again.so:refresh=stale,xor",
                "--traces", TYPHOON, "--threads", 1, "--hash", 0.25, "--trials", 1, "--passes", 1,
                "--out", out)
        self.ok(*args)
        rows = self.file_rows(out)
        self.assertEqual(sorted((r["table"], r["refresh"]) for r in rows),
                         [("example", "always"), ("example", "never"), ("example", "stale"),
                          ("xor", "always")])
        self.assertEqual(len({r["options"].split(";")[-1] for r in rows if r["table"] == "example"}),
                         1)
        report = self.ok("report", out)
        self.assertIn("example:wait=yield,refresh=never", report)
        self.assertNotIn("plugin=", report)
        self.ok(*args, "--resume")
        self.assertEqual(len(self.file_rows(out)), 4)

    def test_beside_all(self):
        for names in f"all,{PLUGIN}", f"{PLUGIN},all":
            text = self.ok("sweep", "--tables", names, "--workload", "uniform:ops=64", "--threads", 1,
                           "--hash", "64e", "--trials", 1, "--passes", 1)
            found = [r["table"] for r in self.parse(text)]
            self.assertEqual(sorted(found),
                             sorted(["example"] + [t.name for t in tables() if "kv" in t.kinds]))

    def test_another_object_of_that_name(self):
        """A table that was built anew is another one, to --resume and in a report."""
        mine = self.dir / "mine.so"
        out = self.dir / "x.csv"
        args = ("sweep", "--tables", mine, "--traces", TYPHOON, "--threads", 1, "--trials", 1,
                "--passes", 1, "--out", out, "--resume")
        for content in PLUGIN.read_bytes(), PLUGIN.read_bytes() + b"\n":
            mine.write_bytes(content)
            self.ok(*args)
        rows = self.file_rows(out)
        self.assertEqual(len({r["options"] for r in rows}), 2)
        self.assertEqual(len(set(re.findall(r"example:\S*plugin=mine\.so#[0-9a-f]{16}",
                                            self.ok("report", out)))), 2)


class Headers(Plugin):
    def test_each_on_its_own(self):
        for header in sorted((INCLUDE / "tearline").glob("*.h")):
            if re.search(r"^(static .*\bT|NEEDS)\(", header.read_text(), re.M):
                continue  # a template, or what it begins with
            source = self.dir / "one.c"
            source.write_text(f"#include <tearline/{header.name}>\n")
            subprocess.run([*CC, *STRICT, f"-I{INCLUDE}", "-fsyntax-only", source], check=True)

    def outside(self, table, without=""):
        """A table of the tree as a shared object: its file includes what is installed."""
        installed = {h.name for h in (INCLUDE / "tearline").glob("*.h")}
        tree = HERE.parent / "tables"
        for path in *tree.glob("*.h"), tree / (table.name + ".c"):
            if path.name in installed:
                continue
            text = re.sub(r'#include "(\w+\.h)"',
                          lambda m: f"#include <tearline/{m[1]}>" if m[1] in installed else m[0],
                          path.read_text())
            (self.dir / path.name).write_text(text)
        text = (self.dir / (table.name + ".c")).read_text().replace(without, "")
        return self.compile(text.replace(f'.name = "{table.name}"', f'.name = "{table.name}-outside"'),
                            *CFLAGS, out=table.name + ".so")

    def test_tables_of_the_tree(self):
        """One for each template: what a table is built from is all there."""
        for table in tables():
            if table.name not in ("xor", "ck_ht", "null"):
                continue
            outside = self.outside(table)
            args = ("--trace", TYPHOON, "--hash", 0.25, "--kinds",
                    ",".join(k for k in table.kinds if k != "kv"))
            rows = self.replay("--table", outside, *args)
            self.assertEqual({r["table"] for r in rows}, {table.name + "-outside"})
            self.assertEqual([self.counts(r) for r in rows],
                             [self.counts(r) for r in self.replay("--table", table.name, *args)])

    def test_single_operations(self):
        """Whoever includes a template has them; who has loops alone is told to."""
        out = self.ok("perft", "--depth", 5, "--table", PLUGIN, "--hash", 1)
        self.assertRegex(out, r"hits [1-9]\d* of \d+ probes")
        self.assertIn("\nnodes 4865609\n", out)
        stream = next(t for t in tables() if t.name == "stream")
        loops = self.outside(stream, without="	.ops = stream_ops_by_kind,\n")
        self.refused(("perft", "--depth", 4, "--table", loops, "--hash", 1),
                     "--table stream-outside", "single operations")


class Deficient(Plugin):
    """The first error names what a template misses."""

    def first_error(self, source, *flags):
        c_file = self.dir / "x.c"
        c_file.write_text(source)
        run = subprocess.run([*CC, *TABLE_FLAGS, *flags, f"-I{INCLUDE}", "-fsyntax-only", c_file],
                             stderr=subprocess.PIPE, text=True, check=False,
                             env={**os.environ, "LC_ALL": "C"})
        return next((line for line in run.stderr.splitlines() if " error: " in line), "")

    def test_line_table(self):
        whole = (HERE / "plugin" / "example.c").read_text()
        self.assertEqual(self.first_error(whole), "")
        for line, want in (("#define TABLE example", "define TABLE to the prefix"),
                           ("#define LINE_EXCLUSION LINE_LOCKED", "define LINE_EXCLUSION to LINE_FREE"),
                           ("#define LINE_PLAIN", "example_load")):
            self.assertIn(want, self.first_error(whole.replace(line + "\n", "")))
        for name in "begin_write", "end_write":
            self.assertIn("example_" + name, self.first_error(whole.replace(f"T({name})", "T(other)")))
        self.assertIn("LINE_LOCK", self.first_error(whole.replace("LINE_LOCKED", "LINE_LOCK")))

    def test_container_table(self):
        """With a scheme of which nothing but the names is right."""
        names = ["region", "begin_read", "end_read", "begin_write", "end_write", "get", "set",
                 "walk_region", "clear_region"]
        head = "#include <tearline/container.h>\n#include <tearline/template.h>\n#define TABLE x\n"
        tail = "#define CONTAINER_WORDS 1\n#include <tearline/container_table.h>\n"
        for name in names:
            rest = "".join(f"int T({n})(void);\n" for n in names if n != name)
            self.assertIn("x_" + name, self.first_error(head + rest + tail))
        every = "".join(f"int T({n})(void);\n" for n in names)
        self.assertIn("define CONTAINER_WORDS", self.first_error(
            head + every + tail.replace("#define CONTAINER_WORDS 1\n", "")))


if __name__ == "__main__":
    main()
