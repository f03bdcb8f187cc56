#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""test_install - what is installed is whole, and stays so where it is moved to.

Installs this build below a directory, moves that tree, and uses what is in it: the program, its
trace and scripts, the headers, the pages, the completions.
"""
import os
import re
import shlex
import shutil
import tempfile
from pathlib import Path

import cli
from cli import HERE, Cli, main, run

MESON = shlex.split(os.environ.get("MESON", "meson"))
BUILD = os.environ.get("TEARLINE_BUILD", str(HERE.parent / "build"))
CC = shlex.split(os.environ.get("CC", "cc"))


class Moved(Cli):
    @classmethod
    def setUpClass(cls):
        cls.root = Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.root)
        run(*MESON, "install", "-C", BUILD, "--no-rebuild", "--destdir", cls.root / "first")
        program, = (p for p in (cls.root / "first").rglob("bin/tearline"))
        cls.moved = cls.root / "moved here"
        program.parent.parent.rename(cls.moved)
        cls.was = str(program.parent.parent).removeprefix(str(cls.root / "first"))
        cli.TEARLINE = str(cls.moved / "bin" / "tearline")

    def file(self, pattern):
        found, = self.moved.rglob(pattern)
        return found

    def test_examples_name_the_trace(self):
        trace = self.file("traces/crafty-2t-fine70.tlt")
        for args in (("replay", "--help"), ("help", "trace"), ("--help",)):
            text = self.ok(*args, env={**os.environ, "COLUMNS": "900"}, cwd="/")
            self.assertIn(f" {trace}", text)
        self.assertIn("OK", self.ok("trace", "verify", trace))
        self.assertIn(" Mops, ", self.ok("replay", "--table", "xor", "--trace", trace,
                                        "--passes", 1))

    def test_manual_names_it_where_it_was_to_be(self):
        man = self.file("man1/tearline.1*").read_text(encoding="utf-8").replace("\\-", "-")
        self.assertIn(f"{self.was}/share/tearline/traces/crafty-2t-fine70.tlt", man)

    def test_record_header(self):
        source = self.dir / "engine.c"
        source.write_text("#include <tearline/record.h>\nint main(void) { return 0; }\n",
                          encoding="utf-8")
        run(*CC, "-Wall", "-Werror", "-D_POSIX_C_SOURCE=200112L", "-fsyntax-only",
            f"-I{self.moved / 'include'}", source)

    def test_pages_point_at_what_is_there(self):
        pages = [p for p in self.moved.rglob("doc/tearline/**/*.md")]
        self.assertIn("README.md", [p.name for p in pages])
        for page in pages:
            for link in re.findall(r"\]\(([^)#]+)", page.read_text(encoding="utf-8")):
                if "://" not in link:
                    self.assertTrue((page.parent / link).exists(), (page.name, link))

    def test_completions(self):
        for shell, pattern in (("bash", "completions/tearline"), ("zsh", "_tearline")):
            self.assertEqual(self.file(pattern).read_text(encoding="utf-8"),
                             self.ok("--completion", shell))


if __name__ == "__main__":
    main()
