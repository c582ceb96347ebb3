// Large memory that goes back to the system when it is not needed any more; malloc may keep it. Where the
// rows lie in files, because memory has no room for them, so does what is made of them.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

namespace bosco {

struct GiveBack {
    std::size_t mapped = 0;  // bytes; 0: it came from new
    bool in_file = false;
    int file = -1;  // of the system, as long as there is one
    void operator()(std::byte* memory) const;
};
using Pages = std::unique_ptr<std::byte[], GiveBack>;

// So many bytes, with anything in them: of memory, or of a file without a name in the folder `scratch`.
Pages pages(std::size_t n, const std::string& scratch = {});

// The same where memory is asked for again and again, so that malloc should keep it.
Pages room(std::size_t n, const std::string& scratch);

// Writes bytes into pages. Those of a file are not mapped for it: that would cost a fault for each page.
void put(const Pages& pages, std::size_t at, const std::byte* from, std::size_t n);

// Room that is used again, and grows.
class Room {
public:
    std::byte* at_least(std::size_t n, const std::string& scratch) {
        if (n > size_) {
            size_ = 0;
            memory_.reset();
            memory_ = room(n, scratch);
            size_ = n;
        }
        return memory_.get();
    }

private:
    Pages memory_;
    std::size_t size_ = 0;
};

// Memory that was freed, and that malloc keeps for later, goes back to the system.
void give_back();

// What these bytes hold is not needed any more, though they are not freed yet.
void forget(std::byte* memory, std::size_t n);

// Of bytes that a file has: they will be asked for soon, so that the system may read them at once; they will
// not for a while, so that they need not stay in memory. What they hold stays as it is.
void expect_in_file(const std::byte* memory, std::size_t n);
void leave_in_file(const std::byte* memory, std::size_t n);
// From now on nothing is read but what is asked for, or expected: the system reads megabytes around a page
// otherwise, for which there may be no room.
void read_as_asked(const std::byte* memory, std::size_t n);
// As before that: they will be asked for one after the other.
void read_ahead(const std::byte* memory, std::size_t n);
// The latter of so many bytes of any pages: nothing is done where they do not lie in a file.
inline void leave(const Pages& pages, std::size_t begin, std::size_t n) {
    if (pages.get_deleter().in_file) leave_in_file(pages.get() + begin, n);
}

}  // namespace bosco
