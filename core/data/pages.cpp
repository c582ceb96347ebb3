#include "data/pages.hpp"

#include <cstdint>
#include <new>

#ifdef __linux__
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace bosco {

#ifdef __linux__

constexpr std::size_t large = std::size_t{1} << 20;

Pages pages(std::size_t n) {
    if (n < large) return {new std::byte[n], {}};
    void* const memory = mmap(nullptr, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    return {static_cast<std::byte*>(memory), {n}};
}

void GiveBack::operator()(std::byte* memory) const {
    if (mapped == 0)
        delete[] memory;
    else
        munmap(memory, mapped);
}

void forget(std::byte* memory, std::size_t n) {
    static const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    const auto begin = reinterpret_cast<std::uintptr_t>(memory);
    const std::uintptr_t first = (begin + page - 1) / page * page, last = (begin + n) / page * page;
    if (first < last) madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED);
}

#else

Pages pages(std::size_t n) { return {new std::byte[n], {}}; }
void GiveBack::operator()(std::byte* memory) const { delete[] memory; }
void forget(std::byte*, std::size_t) {}

#endif

}  // namespace bosco
