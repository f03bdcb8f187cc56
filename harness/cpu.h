/* SPDX-License-Identifier: BSD-2-Clause */
/* cpu - what this processor can do beyond what the program was compiled for */
#ifndef TEARLINE_CPU_H
#define TEARLINE_CPU_H

#include <stdbool.h>

/* Why load16() and store16() (wide.h) are not known to be atomic here; NULL: they are. */
const char *cpu_lacks_load16(void);
/* Likewise for cmpxchg16_relaxed() beside them. */
const char *cpu_lacks_cmpxchg16(void);

#ifdef __x86_64__
bool cpu_has_avx2(void); /* and BMI2 */
bool cpu_has_avx512(void); /* F, DQ and VL, besides */
#endif

#endif
