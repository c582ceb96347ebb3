// The rows of a growing tree: one compact record a row (number, target, all codes), kept together
// node by node, so that every pass over a node reads memory in order.
//
//   record: u32 row | u32 class? | i64 weight? | i64 weight*y? | i64 samples? | codes
//
// Of several outputs a record has no numbers: they are looked up by its row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "data/column.hpp"
#include "data/pages.hpp"
#include "data/parallel.hpp"
#include "data/sample.hpp"
#include "data/target.hpp"
#include "score/test.hpp"

namespace bosco {

struct Segment {
    std::byte* data = nullptr;
    std::size_t n = 0;
};

class Rows {
public:
    // `fractional` gives every record a weight, to be scaled by its share; a sample's rows come as
    // often as it says. Without a sample all rows come once.
    Rows(const Frame& frame, const Target& target, bool fractional, Pool& pool,
         const Sample* sample = nullptr);

    // Records of others, with their columns and target elsewhere: what they hold is the same, and their rows
    // are numbered as those are.
    Rows(const Rows& of, Segment segment, const Frame& frame, const Target& target);

    const Frame& frame() const { return frame_; }
    const Target& target() const { return target_; }
    Shape shape() const { return shape_; }
    std::size_t n_rows() const { return n_rows_; }
    Segment all() { return {buffer_.get(), n_rows_}; }
    Count weight() const { return total_; }  // of all rows together
    void release() { buffer_.reset(); }      // when all nodes are done
    // The rows of a segment will not be asked for again.
    void forget(Segment segment) const { bosco::forget(segment.data, segment.n * stride_); }
    // They will, but not for a while.
    void leave(Segment segment) const {
        if (mapped_) leave_in_file(segment.data, segment.n * stride_);
    }
    std::size_t stride() const { return stride_; }
    bool weighted() const { return weight_at_ != 0; }
    bool fractional() const { return fractional_; }
    bool in_files() const { return !frame_.scratch().empty(); }

    static std::uint32_t row(const std::byte* r) { return load<std::uint32_t>(r); }
    static std::uint32_t class_of(const std::byte* r) { return load<std::uint32_t>(r + 4); }
    Count weight(const std::byte* r) const { return weight_at_ ? load<Count>(r + weight_at_) : 1; }
    Count sum(const std::byte* r) const { return load<Count>(r + sum_at_); }
    Count samples(const std::byte* r) const { return samples_at_ ? load<Count>(r + samples_at_) : weight(r); }
    std::size_t code_at(std::uint32_t column) const { return code_at_[column]; }
    std::uint32_t code(const std::byte* r, std::uint32_t column) const {
        const std::byte* at = r + code_at_[column];
        switch (frame_.column(column).width) {
            case 1: return std::to_integer<std::uint32_t>(*at);
            case 2: return load<std::uint16_t>(at);
            default: return load<std::uint32_t>(at);
        }
    }
    void add_to(Count* cell, const std::byte* r) const {
        if (shape_.classes > 0) {
            cell[class_of(r)] += weight(r);
        } else {
            cell[0] += weight(r);
            if (shape_.several())
                target_.add_numbers(cell, row(r), weight(r));
            else
                cell[1] += sum(r);
        }
        if (shape_.apart) cell[shape_.tally()] += samples(r);
    }
    Count share(const std::byte* r) const { return weight(r) / target_.weight_at(row(r)); }
    // Gives a record another share of its row.
    void set_share(std::byte* r, Count share) const;

    template <class T>
    static T load(const std::byte* p) {
        T value;
        std::memcpy(&value, p, sizeof value);
        return value;
    }

private:
    // Records of some rows, the first of them where it is told.
    void write_targets(std::size_t begin, std::size_t end, const Sample* sample, std::byte* to);
    void write_codes(std::size_t begin, std::size_t end, const Sample* sample, std::byte* first);

    const Frame& frame_;
    const Target& target_;
    Shape shape_;
    bool fractional_;
    std::size_t n_rows_;
    Count total_ = 0;
    std::size_t stride_ = 0, weight_at_ = 0, sum_at_ = 0, samples_at_ = 0;
    std::vector<std::size_t> code_at_;
    Pages buffer_;
    bool mapped_ = false;  // do records lie in a file?
};

// What a node holds: its exact tally and, for a real target, the sum of squares.
struct Holding {
    std::vector<Count> tally;
    Wide squares = 0;
    bool pure = false;
};
Holding holding(const Rows& rows, Segment segment);

// Which branch a code leads to; `ask` means the raw value decides.
constexpr std::uint32_t ask = 0xffffffff;

// A test made ready for partitioning: by code where that suffices.
class Sorter {
public:
    Sorter(const Rows& rows, const Test& test, const std::vector<Test>* surrogates);
    // The branch of a record; -1: missing and to be shared.
    int branch(const std::byte* r) const {
        std::uint32_t code = 0;
        switch (width_) {
            case 1: code = std::to_integer<std::uint32_t>(r[at_]); break;
            case 2: code = Rows::load<std::uint16_t>(r + at_); break;
            default: code = Rows::load<std::uint32_t>(r + at_);
        }
        const std::uint32_t known = by_code_[code];
        return known != ask ? static_cast<int>(known) : ask_value(r, code);
    }
    // The branches of all records of a segment.
    template <class Branch>
    void ask_all(Segment segment, std::vector<Branch>& branch) const;

private:
    int ask_value(const std::byte* r, std::uint32_t code) const;
    template <class Branch>
    void ask_in_order(Segment segment, std::vector<Branch>& branch) const;

    const Rows& rows_;
    TestView test_;
    const std::vector<Test>* surrogates_;
    const Column& column_;
    std::vector<std::uint32_t> by_code_;
    std::size_t at_;
    int width_;
};

// Moves the records of a segment into branch order and returns the branches' segments.
std::vector<Segment> partition(const Rows& rows, Segment segment, const Sorter& sorter, int branches,
                               Room& aside);

// The fractional way: a missing row goes to every branch with its share. The branches' records
// are new memory, held by `owner`; `known`, unless given, receives the branches' weights of known rows.
std::vector<Segment> partition_shares(const Rows& rows, Segment segment, const Sorter& sorter, int branches,
                                      Pages& owner, std::vector<Count>& known);

}  // namespace bosco
