// What depends on the machine, and is left out where the compiler has it not.
#pragma once

// A function marked so is compiled for several machines, and the best is taken at run time.
// (Which one is asked before the thread sanitizer is ready: there is one under it.)
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_THREAD__)
#define BOSCO_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define BOSCO_CLONES
#endif

// Can functions be compiled for a machine that has more than the one at hand may have?
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define BOSCO_MANY_MACHINES
#endif

namespace bosco {

// Asks for memory ahead of its use.
inline void prefetch([[maybe_unused]] const void* at) {
#ifdef __GNUC__
    __builtin_prefetch(at);
#endif
}

}  // namespace bosco
