// Large memory that goes back to the system when it is not needed any more; malloc may keep it.
#pragma once

#include <cstddef>
#include <memory>

namespace bosco {

struct GiveBack {
    std::size_t mapped = 0;  // bytes; 0: it came from new
    void operator()(std::byte* memory) const;
};
using Pages = std::unique_ptr<std::byte[], GiveBack>;

// So many bytes, with anything in them.
Pages pages(std::size_t n);

// What these bytes hold is not needed any more, though they are not freed yet.
void forget(std::byte* memory, std::size_t n);

}  // namespace bosco
