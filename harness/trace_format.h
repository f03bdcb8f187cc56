/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * trace_format - the bytes of a .tlt file; trace.h is what the rest of tearline sees
 *
 *	header | table of streams | table of blocks | block | block | ...
 *
 * All in the byte order of the mark, which is little-endian on every machine that
 * wrote one so far; a machine of the other order refuses. The blocks of stream 0
 * come first, then those of stream 1, without gaps, so a block's place follows from
 * the table and cannot disagree with it. Every byte is under exactly one checksum,
 * and the header says how long the file is.
 *
 * Columns, after the way column stores keep tables: up to TLT_BLOCK_OPS operations
 * are taken apart and each field is laid out on its own, because zstd sees what two
 * neighbours of one field have in common, and not what a key and a depth have.
 *
 *	key	  u64, XOR the key before it of the same kind: a move changes a Zobrist
 *		  key by a few constants, so the differences repeat where keys do not
 *	extra	  u32, first that of the block's probes (beta - alpha), then the others'
 *		  (move)
 *	value	  u16, likewise in two parts
 *	op, flags, depth, next_depth, ply	u8 each
 *	gap	  five planes of u8, least significant first, of gap / gap_step; then
 *		  gap % gap_step. The clocks seen advance in steps (21 ticks on one).
 */
#ifndef TEARLINE_TRACE_FORMAT_H
#define TEARLINE_TRACE_FORMAT_H

#include "trace.h"

/* As PNG's: a transfer that strips bit 7 or translates line ends breaks it. */
#define TLT_MAGIC "\211TLT\r\n\032\n"
#define TLT_BYTE_ORDER 0x01020304u
#define TLT_VERSION 1
#define TLT_BLOCK_OPS 65536u
#define TLT_MAX_STREAMS 4096u
#define TLT_MAX_GAP_STEP 255u
#define TLT_LEVEL 19
#define TLT_LEVEL_FAST 6

struct tlt_header {
	char magic[8];
	uint32_t byte_order;
	uint32_t version;
	uint64_t file_size;
	uint64_t tsc_hz;
	uint64_t hash; /* struct trace */
	int32_t mate;
	uint32_t nr_streams;
	uint32_t nr_blocks;
	uint32_t gap_step;
	char source[64];
	uint64_t tables_sum; /* xxh64 of both tables */
	uint64_t header_sum; /* xxh64 of everything above */
};
_Static_assert(sizeof(struct tlt_header) == 136, "no padding in the file");

struct tlt_stream {
	uint32_t thread;
	uint32_t nr_blocks;
	uint64_t nr;
	uint64_t start;
};
_Static_assert(sizeof(struct tlt_stream) == 24, "no padding in the file");

struct tlt_block {
	uint32_t nr; /* operations, 1..TLT_BLOCK_OPS */
	uint32_t bytes; /* of the zstd frame */
	uint64_t sum; /* xxh64 of the frame, seeded with tlt_block_seed() */
};
_Static_assert(sizeof(struct tlt_block) == 16, "no padding in the file");

/* The checksum covers where the block belongs: two swapped blocks both fail. */
static inline uint64_t tlt_block_seed(uint32_t stream, uint32_t block)
{
	return (uint64_t)stream << 32 | block;
}

/* What one operation takes in columns. */
#define TLT_OP_BYTES 25u
#define TLT_BLOCK_BYTES (TLT_BLOCK_OPS * TLT_OP_BYTES)

/* Operations to columns; `to` holds nr * TLT_OP_BYTES, 8-byte aligned. */
void tlt_pack(const struct trace_op *op, size_t nr, uint32_t gap_step, void *to);

/* And back. Returns nr if all is well, else the index of the first bad operation. */
size_t tlt_unpack(const void *from, size_t nr, uint32_t gap_step, struct trace_op *op);

/* The largest step of which nearly all gaps are multiples; 1 if there is none. */
uint32_t tlt_gap_step(const struct trace *t);

/* trace.hash, fed stream by stream: tlt_hash_stream(), then its operations. */
struct XXH64_state_s;
void tlt_hash_stream(struct XXH64_state_s *state, const struct trace_stream *s);

#endif
