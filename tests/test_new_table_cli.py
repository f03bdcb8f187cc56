#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""test_new_table_cli - `tearline new-table` in a copy of the source: what it writes is a table.

Built as a shared object, for that is quick, with the flags and against the headers of the tree.
"""
import os
import re
import shlex
import shutil
import subprocess

from cli import HERE, Cli, all_tables, main, tables

TREE = HERE.parent
CC = shlex.split(os.environ.get("CC", "cc"))
CFLAGS = shlex.split(os.environ.get("CFLAGS", "-O3"))


class NewTable(Cli):
    def setUp(self):
        super().setUp()
        self.tree = self.dir / "tree"
        for part in "tables", "harness", "tests/plugin":
            shutil.copytree(TREE / part, self.tree / part)

    def files(self):
        return {p.relative_to(self.tree): p.read_text(encoding="utf-8")
                for p in self.tree.rglob("*") if p.is_file()}

    def build(self, name):
        out = self.dir / f"{name}.so"
        run = subprocess.run([*CC, "-std=gnu11", *CFLAGS, "-O1", "-Wall", "-Wextra", "-Werror",
                              "-Wno-unused-parameter", "-Wshadow", "-Wmissing-prototypes",
                              "-D_GNU_SOURCE", "-I", self.tree / "harness", "-I",
                              self.tree / "tables", "-shared", "-fPIC", "-fvisibility=hidden",
                              "-o", out, self.tree / "tables" / f"{name}.c"],
                             capture_output=True, text=True, check=False)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        return out

    def test_it_is_a_table(self):
        said = self.ok("new-table", "my-own_2", "--tree", self.tree)
        self.assertEqual(len(said.splitlines()), 3)
        built = self.build("my-own_2")
        table, = all_tables(self.ok("tables", built))
        self.assertEqual(table.name, "my-own_2")
        self.assertIn("no false miss", table.fields["promises"])
        row, = self.replay("--table", built, "--workload", "hot-update:ops=20000", "--hash",
                           "64e", "--threads", 2, "--oversubscribe", "--mode", "audit")
        for fault in "torn_reads", "false_misses", "lost_stores", "stale_hits":
            self.assertEqual(row[fault], "0", fault)
        self.assertIn("SUCCESS: my-own_2 kept its promise",
                      self.ok("torture", "--table", built, "--seconds", 1))

    def test_three_places_and_no_other(self):
        before = self.files()
        self.ok("new-table", "mine", cwd=self.tree)
        self.ok("new-table", "another", cwd=self.tree)
        after = self.files()
        self.assertEqual({str(p) for p in set(after) - set(before)},
                         {"tables/mine.c", "tables/another.c"})
        changed = {str(p) for p in before if after[p] != before[p]}
        self.assertEqual(changed, {"tables/meson.build", "tables/README.md"})
        for p, text in before.items():  # what was there is there, in its order
            if str(p) in changed:
                lines = iter(after[p].splitlines())
                self.assertTrue(all(line in lines for line in text.splitlines()), p)
        listed = (self.tree / "tables/meson.build").read_text(encoding="utf-8")
        ours, controls = listed.split("\ncontrols = {")
        self.assertRegex(ours, r"\ntables = \{\n(  '[\w-]+': \[.*\],\n)+\}\n")
        self.assertEqual(re.findall(r"^  '(mine|another)': \[\],$", ours, re.M),
                         ["mine", "another"])
        self.assertNotIn("mine", controls)
        pages = (self.tree / "tables/README.md").read_text(encoding="utf-8")
        for name in "mine", "another":
            section, = re.findall(rf"^### `{name}`\n\n((?:[^#\n].*\n)+)\n#", pages, re.M)
            self.assertGreater(len(section.split()), 40)

    def test_what_is_taken(self):
        before = self.files()
        for name in [t.name for t in tables()] + ["line", "table", "sig16", "rcu", "witness_"]:
            if name == "witness_":
                self.ok("new-table", name, "--tree", self.tree)
                before = self.files()
            self.refused(("new-table", name, "--tree", self.tree), f"'{name}' is taken")
        for name in "", "9x", "Xor", "a b", "../x", "a/b", "-x", "a" * 33, "a.b":
            self.refused(("new-table", "--tree", self.tree, "--", name), f"got '{name}'")
        self.refused(("new-table", "--tree", self.tree), "one name")
        self.refused(("new-table", "--tree", self.tree, "a", "b"), "one name")
        self.assertEqual(self.files(), before)

    def test_all_or_nothing(self):
        def refused(*parts):
            before = self.files()
            self.refused(("new-table", "mine", "--tree", self.tree), *parts)
            self.assertEqual(self.files(), before)

        pages, listed = self.tree / "tables/README.md", self.tree / "tables/meson.build"
        whole = pages.read_text(encoding="utf-8")
        pages.write_text(whole.replace("\n## Containers", "\n## Baskets"), encoding="utf-8")
        refused("README.md", "'## Containers'")
        pages.write_text(whole, encoding="utf-8")
        whole = listed.read_text(encoding="utf-8")
        listed.write_text(whole.replace("tables = {", "tables = ["), encoding="utf-8")
        refused("meson.build", "tables = {")
        listed.write_text(whole, encoding="utf-8")
        (self.tree / "tables/meson.build.new").mkdir()
        refused("meson.build.new", "cannot open")
        (self.tree / "tables/meson.build.new").rmdir()
        listed.unlink()
        refused("meson.build", "No such file")
        self.refused(("new-table", "mine", "--tree", self.dir), "--tree", "source of tearline")


if __name__ == "__main__":
    main()
