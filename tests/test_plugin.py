#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""test_plugin - a table outside the tree, from `meson install` to the full table suite.

Installs this build to a directory, copies tests/plugin/ to another, builds it there with
nothing but what was installed, and holds the object to all that a table in tables/ is held to.
argv: the programs of the suite, test_table, test_identity and test_hammer.
"""
import os
import re
import shlex
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

import cli
from cli import HERE, Cli, run, trace

MESON = shlex.split(os.environ.get("MESON", "meson"))
BUILD = os.environ.get("TEARLINE_BUILD", str(HERE.parent / "build"))
CC = os.environ.get("CC", "cc")
CFLAGS = os.environ.get("CFLAGS", "-O3")
SUITE = {Path(p).name: p for p in sys.argv[1:]}
FINE70 = trace("crafty-2t-fine70")
TYPHOON = trace("typhoon-2t-mid3")


class Installed(Cli):
    @classmethod
    def setUpClass(cls):
        cls.root = Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.root)
        run(*MESON, "install", "-C", BUILD, "--no-rebuild", "--destdir", cls.root / "installed")
        cls.pc, = cls.root.rglob("tearline.pc")
        prefix = re.search(r"^prefix=(.*)$", cls.pc.read_text(), re.M).group(1)
        # As if it had been installed where it is now.
        cls.prefix = Path(f"{cls.root}/installed{prefix}")
        cls.pkg_config = ["pkg-config", f"--define-variable=prefix={cls.prefix}"]
        cls.env = {**os.environ, "PKG_CONFIG_PATH": str(cls.pc.parent)}
        cli.TEARLINE, = (p for p in cls.prefix.rglob("bin/tearline") if p.is_file())
        shutil.copytree(HERE / "plugin", cls.root / "mine")
        cls.made = run("make", "-C", cls.root / "mine", "CC=" + CC, "CFLAGS=" + CFLAGS,
                       "PKG_CONFIG=" + shlex.join(cls.pkg_config), env=cls.env)
        cls.object = cls.root / "mine" / "example.so"

    def test_built_without_a_warning_or_the_tree(self):
        self.assertNotIn("warning", self.made)
        self.assertIn(f"-I{self.prefix}/include", run(*self.pkg_config, "--cflags", "tearline",
                                                      env=self.env))
        self.assertNotIn(str(HERE.parent / "harness"), self.made)

    def test_abi(self):
        header, = self.prefix.rglob("table.h")
        abi = re.search(r"^#define TABLE_ABI (\d+)$", header.read_text(), re.M).group(1)
        self.assertEqual(run(*self.pkg_config, "--variable=abi", "tearline", env=self.env),
                         abi + "\n")

    def test_suite(self):
        for program, *args in (("test_table",), ("test_identity", FINE70),
                               ("test_identity", TYPHOON), ("test_hammer", FINE70)):
            with self.subTest(program=program):
                run(SUITE[program], self.object, *args)
        run(SUITE["test_table"], f"{self.object}:wait=yield")

    def test_commands(self):
        self.assertIn("\nexample\n", self.ok("tables", self.object))
        out = self.dir / "x.csv"
        for command in (("replay", "--table", self.object, "--csv", out),
                        ("sweep", "--tables", f"xor,{self.object}:wait=yield", "--trials", 1,
                         "--out", out)):
            self.ok(*command, "--trace" if command[0] == "replay" else "--traces", FINE70,
                    "--threads", 1, "--passes", 1, "--kinds", "tt,pawn")
        self.assertEqual([r["table"] for r in self.file_rows(out)].count("example"), 2 * 3)
        self.assertIn("example:wait=yield", self.ok("report", out, "--baseline", "xor"))
        self.assertIn("SUCCESS: example kept its promise",
                      self.ok("torture", "--table", self.object, "--seconds", 1))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
