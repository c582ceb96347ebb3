// What depends on the machine, and is left out where the compiler has it not.
#pragma once

// A function marked so is compiled for several machines, and the best is taken at run time.
// (Which one is asked before the thread sanitizer is ready: there is one under it.)
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_THREAD__)
#define BOSCO_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define BOSCO_CLONES
#endif

// A function marked so is compiled for a machine that has these; whoever calls it has asked.
#if defined(__x86_64__) && defined(__GNUC__)
#define BOSCO_TARGET(words) __attribute__((target(words)))
#else
#define BOSCO_TARGET(words)
#endif

namespace bosco {

inline bool machine_has_avx512() {
#if defined(__x86_64__) && defined(__GNUC__)
    return __builtin_cpu_supports("avx512bw") != 0 && __builtin_cpu_supports("avx512vl") != 0;
#else
    return false;
#endif
}
inline bool machine_has_avx2() {
#if defined(__x86_64__) && defined(__GNUC__)
    return __builtin_cpu_supports("avx2") != 0;
#else
    return false;
#endif
}

// Asks for memory ahead of its use.
inline void prefetch([[maybe_unused]] const void* at) {
#ifdef __GNUC__
    __builtin_prefetch(at);
#endif
}

}  // namespace bosco
