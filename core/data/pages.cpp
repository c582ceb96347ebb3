#include "data/pages.hpp"

#include <cstdint>
#include <cstring>
#include <new>
#include <utility>

#ifdef __GLIBC__
#include <malloc.h>
#endif
#ifdef __linux__
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <system_error>

#include "data/error.hpp"
#endif

namespace bosco {

Pages room(std::size_t n, const std::string& scratch) {
    return scratch.empty() ? Pages(new std::byte[n], {}) : pages(n, scratch);
}

void give_back() {
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

#ifdef __linux__

constexpr std::size_t large = std::size_t{1} << 20;

namespace {

// A file that nobody else can open, and that is gone with its last user.
class Nameless {
public:
    explicit Nameless(const std::string& folder) {
#ifdef O_TMPFILE
        id_ = open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
        if (id_ >= 0) return;
#endif
        std::string name = folder + "/bosco-XXXXXX";  // not every file system can do without
        id_ = mkostemp(name.data(), O_CLOEXEC);
        if (id_ < 0) refuse(folder, errno);
        unlink(name.c_str());
    }
    ~Nameless() {
        if (id_ >= 0) close(id_);
    }
    int release() { return std::exchange(id_, -1); }
    Nameless(const Nameless&) = delete;
    Nameless& operator=(const Nameless&) = delete;

    // Takes the room on the disk at once: a page that finds none later would end the process.
    std::byte* map(std::size_t n, const std::string& folder) const {
        if (const int error = posix_fallocate(id_, 0, static_cast<off_t>(n)); error != 0)
            refuse(folder, error);
        void* const memory = mmap(nullptr, n, PROT_READ | PROT_WRITE, MAP_SHARED, id_, 0);
        if (memory == MAP_FAILED) refuse(folder, errno);
        return static_cast<std::byte*>(memory);
    }

private:
    [[noreturn]] static void refuse(const std::string& folder, int error) {
        throw NoRoom("The folder for scratch files, " + folder +
                     ", cannot hold what is made of the rows: " + std::generic_category().message(error) +
                     ". Hint: name a folder on a disk with room, as scratch=.");
    }
    int id_ = -1;
};

}  // namespace

Pages pages(std::size_t n, const std::string& scratch) {
    if (n < large) return {new std::byte[n], {}};
    if (!scratch.empty()) {
        Nameless file(scratch);
        std::byte* const memory = file.map(n, scratch);
        return {memory, {n, true, file.release()}};
    }
    void* const memory = mmap(nullptr, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    return {static_cast<std::byte*>(memory), {n, false, -1}};
}

void GiveBack::operator()(std::byte* memory) const {
    if (mapped == 0)
        delete[] memory;
    else
        munmap(memory, mapped);
    if (file >= 0) close(file);
}

void put(const Pages& pages, std::size_t at, const std::byte* from, std::size_t n) {
    if (n == 0) return;
    const int file = pages.get_deleter().file;
    if (file < 0) {
        std::memcpy(pages.get() + at, from, n);
        return;
    }
    while (n > 0) {
        const ssize_t done = pwrite(file, from, n, static_cast<off_t>(at));
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0)
            throw NoRoom("What is made of the rows cannot be written to the folder for scratch files: " +
                         std::generic_category().message(errno) + ".");
        from += done;
        at += static_cast<std::size_t>(done);
        n -= static_cast<std::size_t>(done);
    }
}

namespace {

// Advises the system about the whole pages of some bytes; or about all pages that they touch.
void advise(const std::byte* memory, std::size_t n, int advice, bool all) {
    static const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    const auto begin = reinterpret_cast<std::uintptr_t>(memory), end = begin + n;
    const std::uintptr_t first = (all ? begin : begin + page - 1) / page * page;
    const std::uintptr_t last = (all ? end + page - 1 : end) / page * page;
    if (first < last) madvise(reinterpret_cast<void*>(first), last - first, advice);
}

}  // namespace

void forget(std::byte* memory, std::size_t n) { advise(memory, n, MADV_DONTNEED, false); }
void expect_in_file(const std::byte* memory, std::size_t n) { advise(memory, n, MADV_WILLNEED, true); }
void leave_in_file(const std::byte* memory, std::size_t n) { advise(memory, n, MADV_DONTNEED, true); }
void read_as_asked(const std::byte* memory, std::size_t n) { advise(memory, n, MADV_RANDOM, true); }
void read_ahead(const std::byte* memory, std::size_t n) { advise(memory, n, MADV_NORMAL, true); }

#else

Pages pages(std::size_t n, const std::string&) { return {new std::byte[n], {}}; }
void GiveBack::operator()(std::byte* memory) const { delete[] memory; }
void put(const Pages& pages, std::size_t at, const std::byte* from, std::size_t n) {
    if (n > 0) std::memcpy(pages.get() + at, from, n);
}
void forget(std::byte*, std::size_t) {}
void expect_in_file(const std::byte*, std::size_t) {}
void leave_in_file(const std::byte*, std::size_t) {}
void read_as_asked(const std::byte*, std::size_t) {}
void read_ahead(const std::byte*, std::size_t) {}

#endif

}  // namespace bosco
