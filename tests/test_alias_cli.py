# SPDX-License-Identifier: BSD-2-Clause
"""Narrow signatures: refreshes of what only passes for a key prove nothing about it."""

import os

import cli

TRACE = os.path.join(os.environ["ALIAS_TRACES"], "alias-2t.tlt")


class Alias(cli.Cli):
    def test_no_miss_of_a_key_that_was_never_stored_is_false(self):
        for table in "xor32", "xor:sig=16":
            with self.subTest(table=table):
                row, = self.parse(self.ok(
                    "replay", "--table", table, "--trace", TRACE, "--threads", 2,
                    "--oversubscribe", "--mode", "audit", "--seconds", 1, "--csv", "-"))
                # the other key's entries were hit, and refreshed, again and again
                self.assertGreater(int(row["wrong_key_hits"]), 1000)
                self.assertGreater(int(row["refreshes"]), 1000)
                self.assertEqual(row["false_misses"], "0")


if __name__ == "__main__":
    cli.main()
