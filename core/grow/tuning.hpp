// Where one way of counting gives way to another. They change the time, never the tree.
#pragma once

#include <cstddef>

namespace bosco {

struct Tuning {
    std::size_t small_rows = 4096;     // up to here a node's columns are sorted, not counted; …
    std::size_t cheaper = 4;           // … where bounds are cheap up to so many times fewer
    std::size_t parallel_rows = 2048;  // above it the threads share the columns of a node
    bool presort = true;               // sort a small node's columns once for all below it
    std::size_t pack_rows = 1 << 17;   // from here on a tree comes packed, if it may
    // Rows in files that are more than so many bytes, with their values, are looked up in order, and moved
    // together node by node.
    std::size_t together_bytes = std::size_t{96} << 20;
};

}  // namespace bosco
