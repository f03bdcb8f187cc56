#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Makes traces/alias-2t.tlt: a key that is only probed, beside one that passes for it.

    make_alias.py TEARLINE OUT

Two threads probe a key that nobody stores, under ever new generations, and now and then store one
that differs from it in bit 40 alone: of the same line in a table of any usual size, and the
same to a signature of 16 or 32 bits. So their probes refresh another key's entry again and
again, and tear under each other's refreshes. Not one such miss is false, for the key was
never there."""

import os
import random
import struct
import subprocess
import sys
import tempfile

PROBES, STORES, GENERATION = 0, 1, 6
EXACT = 3
OPS = 20000  # of a thread


def record(stamp, key, op, depth=0, bound=0, move=0):
    alpha, beta = {PROBES: (-100, 100), STORES: (7, 0), GENERATION: (0, 0)}[op]
    return struct.pack("<QQIhhBBBBHBB", key, stamp, move, alpha, beta, op, depth, bound, 0,
                       0xffff, 0xff, 0)


def write_raw(path, thread, records):
    with open(path, "wb") as f:
        f.write(struct.pack("<8sIIQQ32s", b"RAWTRC01", 32, thread, len(records), 10**9,
                            b"alias"))
        f.write(b"".join(records))


def main(tearline, out):
    rng = random.Random(1)
    key = rng.getrandbits(64) & ~(1 << 40)
    streams = [], []
    for i in range(2 * OPS):
        if i % 8 == 0:
            streams[0].append(record(1000 * i, key, GENERATION))
        if i % 64 < 2:
            # always the same slot, so that a probe that tears there finds nothing else
            op = record(1000 * i + 1, key | 1 << 40, STORES, depth=5, bound=EXACT, move=1 + i)
        else:
            # deeper than any entry: every slot is read
            op = record(1000 * i + 1, key, PROBES, depth=200)
        streams[i % 2].append(op)
    with tempfile.TemporaryDirectory() as d:
        raw = [os.path.join(d, f"alias.t{t}.raw") for t in range(2)]
        for t in range(2):
            write_raw(raw[t], t, streams[t])
        subprocess.run([tearline, "trace", "import", "--out", out, *raw], check=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
