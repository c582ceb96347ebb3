// A function marked so is compiled for several machines, and the best is taken at run time.
// (Which one is asked before the thread sanitizer is ready: there is one under it.)
#pragma once

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_THREAD__)
#define BOSCO_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define BOSCO_CLONES
#endif
