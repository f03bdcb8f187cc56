// SPDX-License-Identifier: BSD-2-Clause
/* dimensions - the one list of what may not be mixed. */
#include "dimensions.h"

/* clang-format off */
const enum csv_column dim_machine[] = {
	COL_host, COL_cpu_model, COL_cores, COL_kernel, COL_compiler, COL_flags, COL_version, NR_COLS
};
const enum csv_column dim_trace[] = {
	COL_trace, COL_hash_mib, COL_kind, COL_trace_hash, NR_COLS
};
const enum csv_column dim_setting[] = {
	COL_placement, COL_deal, COL_clears, COL_pacing, COL_caller, COL_lookahead, COL_witness,
	NR_COLS
};
const enum csv_column dim_variant[] = { COL_table, COL_options, NR_COLS };
const enum csv_column dim_curve[] = { COL_table, COL_options, COL_page_size, NR_COLS };
const enum csv_column dim_cell[] = {
	COL_table, COL_options, COL_page_size, COL_threads, NR_COLS
};
/* clang-format on */
