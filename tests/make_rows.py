#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""make_rows - rows as a sweep would write them, for the tests of report and plot.

The figures are invented but behave: locks scale badly, unsync lies, xor forgets. Without
noise every trial k of a cell is its middle value times 1 + (k - middle trial) / 100, so
that medians and ranges are known. By hand: make_rows.py FILE [noise seed].
"""
import csv
import random
import re
import sys
from pathlib import Path

CSV_H = Path(__file__).resolve().parent.parent / "harness" / "csv.h"
COLUMNS = re.findall(r"^\tx\((\w+), ", CSV_H.read_text(), re.M)

TRACES = ["crafty-2t-fine70", "sf11-4t-mid", "uniform"]
# Mops of one thread, speed-up per further thread, false misses and torn reads per million
TABLES = {
    "null": (180.0, 0.98, None, None),
    "unsync": (40.0, 0.90, 30, 12),
    "xor": (38.0, 0.88, 80, 0),
    "seqlock": (30.0, 0.70, 0, 0),
    "spinlock": (20.0, 0.25, 0, 0),
    "ck_ht": (12.0, 0.50, 2, 0),
}
OPTIONS = {"null": "", "ck_ht": "shards=256;refresh=always"}
AUDITED = ["torn_reads", "wrong_key_hits", "false_misses", "possible_false_misses",
           "stale_hits", "lost_stores", "unusable_slots"]
PROBES = 5_000_000_000  # beyond 2^32
STORES = 1_000_000_000


def common(**more):
    row = dict.fromkeys(COLUMNS, "")
    row.update(
        schema=1, run_id="20260101T000000Z-1", started_utc="2026-01-01T00:00:00.000Z",
        host="bench", cpu_model="Example CPU @ 3.00GHz", cores=4, kernel="6.1.0",
        compiler="gcc 12.2.0", flags="-O3", version="v0.1-7-gabc", kind="tt",
        table_bytes=16 << 20, entries=1 << 20, page_size="2m", placement="core", cpus="0,1,2,3",
        oversubscribed=0, deal="split", clears="barrier", pacing="asap", caller="branch",
        lookahead=0, seed=1, seconds=1, overlap=0.99, refresh="always", hash_mib=16,
        options=OPTIONS.get(more["table"], "refresh=always;sig=64"))
    row.update(more)
    row["trace_hash"] = format(sum(map(ord, row["trace"])) * 0x9E3779B97F4A7C15 % 2**64, "016x")
    return row


def speed_row(table, trace, threads, trial, trials, size=16, noise=None):
    one, more, _, _ = TABLES[table]
    mops = one * (1 + (threads - 1) * more) * (1 - 0.1 * TRACES.index(trace))
    mops *= 1 + (trial - (trials + 1) / 2) / 100
    if noise:
        mops *= noise.gauss(1, 0.02)
    hits = 0 if table == "null" else PROBES // 2 - PROBES // (4 + size)
    return common(
        table=table, trace=trace, threads=threads, trial=trial, mode="throughput",
        hash_mib=size, ops=PROBES + STORES, probes=PROBES, stores=STORES, hits=hits,
        matches=hits, usable_hits=hits // 2, mops=f"{mops:.6g}",
        ns_per_op=f"{1000 * threads / mops:.6g}", stream_ns=1.5, null_ns=3.25)


def audit_row(table, trace, threads, trial):
    _, _, missed, torn = TABLES[table]
    scale = 0 if threads == 1 else threads / 4
    count = lambda per_million: int(per_million * scale * 100)
    row = common(
        table=table, trace=trace, threads=threads, trial=trial, mode="audit", probes=100_000_000,
        stores=20_000_000, contended_probes=int(2e6 * scale), contended_stores=int(1e6 * scale),
        mops=0.5, undetected_tear="9.54e-07")
    row.update(dict.fromkeys(AUDITED, 0))
    row.update(torn_reads=count(torn), false_misses=count(missed), copies_per_key=1.3,
               possible_false_misses=count(missed * 3), lost_stores=count(missed / 10),
               unusable_slots=int(missed * scale), stale_hits=count(torn / 2))
    return row


def sweep(trials=5, threads=(1, 2, 4), traces=TRACES, tables=tuple(TABLES), sizes=(16,),
          audit=True, noise=None):
    rows = [speed_row(table, trace, n, trial, trials, size, noise)
            for trial in range(1, trials + 1) for table in tables for trace in traces
            for n in threads for size in sizes]
    if audit:
        rows += [audit_row(table, trace, n, trial)
                 for trial in range(1, 4) for table in tables for trace in traces
                 for n in threads if TABLES[table][2] is not None]
    return rows


def write(path, rows, columns=COLUMNS):
    with open(path, "w", newline="", encoding="utf-8") as f:
        out = csv.DictWriter(f, columns, extrasaction="ignore", lineterminator="\n")
        out.writeheader()
        out.writerows(rows)


if __name__ == "__main__":
    rng = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    everything = sweep(sizes=(1, 16, 256), noise=rng)
    rng.shuffle(everything)
    write(sys.argv[1], everything)
