#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""test_tables_cli - `tearline tables` and tables/README.md say all that is to be known, of all."""
import re
import unittest

from cli import HERE, Cli, all_tables, main, tables, tearline

README = HERE.parent / "tables" / "README.md"
PROGRESS = r"(?:wait-free|lock-free|obstruction-free|blocking)(?: \([^()]+\))?"
FIELDS = {
    "kinds": r"(?:tt|pawn|eval|kv)(?:, (?:tt|pawn|eval|kv))*",
    "progress": rf"probe {PROGRESS}, store {PROGRESS}",
    "reference": r".+",
    # of what stores something
    "written": r"by a probe: .+",
    "memory": r"\d+(?:\.\d+)?(?: to \d+)? bytes.*",
    "signature": r"(?:16|24|32|48|64) bits of the key",
    "promises": r"no torn read.*|nothing",
}
OF_FLOORS = ("kinds", "progress", "reference")


def faults(found):
    """What is missing or odd in what is said of these tables."""
    for table in found:
        for name, pattern in FIELDS.items():
            if name not in table.fields:
                if not table.floor or name in OF_FLOORS:
                    yield f"{table.name}: no {name}"
            elif not re.fullmatch(pattern, table.fields[name]):
                yield f"{table.name}: {name} is '{table.fields[name]}'"
        if set(table.defaults) != set(table.options):
            yield f"{table.name}: options without a default"
        for option, choices in table.options.items():
            if choices != "..." and table.defaults[option] not in choices.split("|"):
                yield f"{table.name}: {option} is none of {choices} by default"


def overview(text):
    """{table: (bytes, key bits)} of the table at the top, in its order."""
    grid = re.search(r"\AAt a glance.*\n\n(  table .*\n(?:  .*\n)+)", text).group(1)
    found = {}
    for line in grid.splitlines()[1:]:
        cells = re.split(r"  +", line.strip())
        found[cells[0]] = cells[1:]
    return found


class Listed(Cli):
    def test_every_table_has_every_field(self):
        self.assertEqual(list(faults(all_tables())), [])

    def test_what_is_missing_is_seen(self):
        text = tearline("tables").stdout
        for name in FIELDS:
            cut = re.sub(rf"^  {name} +.*\n", "", text, count=1, flags=re.M)
            if name == "kinds":  # without them a block is no table
                self.assertEqual(len(all_tables(cut)), len(all_tables()) - 1)
                continue
            self.assertEqual(len(list(faults(all_tables(cut)))), 1, name)
            odd = re.sub(rf"^(  {name} +).+$", r"\1 ", text, count=1, flags=re.M)
            self.assertEqual(len(list(faults(all_tables(odd)))), 1, name)
        odd = re.sub(r"\[always\]", "[sometimes]", text)
        self.assertTrue(list(faults(all_tables(odd))))

    def test_the_overview_is_of_the_same_tables(self):
        text = tearline("tables").stdout
        found = overview(text)
        self.assertEqual(list(found), [t.name for t in tables() if not t.floor])
        for table in tables():
            if table.floor:
                continue
            *_, memory, bits, kinds = found[table.name]
            self.assertEqual((memory, bits, kinds.split(" ")),
                             (table.fields["memory"].split(" bytes")[0], str(table.sig_bits),
                              table.kinds))
        for line in text.splitlines():
            self.assertLessEqual(len(line), 160, line)

    def test_common_options_are_explained_once(self):
        text = tearline("tables").stdout
        common = text.split("Options of many tables", 1)[1].split("Tables: ", 1)[0]
        names = re.findall(r"^  :(\w+)=", common, re.M)
        self.assertIn("refresh", names)
        self.assertEqual(len(names), len(set(names)))
        for help_text in re.findall(r"^ {13}(.*)$", common, re.M):
            self.assertEqual(text.count(help_text), 1)


def sections(text):
    return re.findall(r"^### `([\w-]+)`$", text, re.M)


class Readme(unittest.TestCase):
    def test_every_table_has_a_section_and_every_section_is_a_table(self):
        absent = re.findall(r"^absent: ([\w-]+),", tearline("tables").stdout, re.M)
        described = sections(README.read_text(encoding="utf-8"))
        self.assertEqual(len(described), len(set(described)))
        self.assertEqual(set(described), {t.name for t in tables()} | set(absent))

    def test_sections_say_something(self):
        text = README.read_text(encoding="utf-8")
        self.assertEqual(sections("### xor\n\n### `xor`\n"), ["xor"])
        for part in re.split(r"^### ", text, flags=re.M)[1:]:
            self.assertGreater(len(part.split()), 40, part)


if __name__ == "__main__":
    main()
