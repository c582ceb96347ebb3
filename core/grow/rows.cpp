#include "grow/rows.hpp"

#include <algorithm>
#include <array>

#include "data/blocks.hpp"
#include "grow/swap.hpp"
#include "score/criterion.hpp"

namespace bosco {
namespace {

// The number in the table of the i-th row that takes part.
std::uint32_t row_of(const Sample* sample, std::size_t i) {
    return sample != nullptr ? sample->rows[i] : static_cast<std::uint32_t>(i);
}

}  // namespace

Rows::Rows(const Frame& frame, const Target& target, bool fractional, Pool& pool, const Sample* sample)
    : frame_(frame),
      target_(target),
      shape_(target.shape()),
      fractional_(fractional),
      n_rows_(sample != nullptr ? sample->rows.size() : target.n_rows()) {
    const bool repeats = sample != nullptr && !sample->times.empty();
    std::size_t at = target.real() ? 4 : 8;  // only classes need the second word
    const auto reserve = [&](bool wanted, std::size_t& where) {
        if (!wanted) return;
        where = at;
        at += 8;
    };
    reserve(!target.weight.empty() || fractional || repeats, weight_at_);
    reserve(target.real() && !shape_.several(), sum_at_);
    reserve(shape_.apart, samples_at_);
    for (std::uint32_t j = 0; j < frame.n_columns(); ++j) {
        code_at_.push_back(at);
        at += static_cast<std::size_t>(frame.column(j).width);
    }
    stride_ = (at + 3) / 4 * 4;
    const std::size_t n = n_rows_;
    buffer_ = room(n * stride_, frame.scratch());
    mapped_ = buffer_.get_deleter().in_file;
    constexpr std::size_t block = 1024;
    const std::size_t blocks = mapped_ ? rows_in_block / block : 1;
    pool.run_blocks(n, blocks * block, [&](std::size_t first, std::size_t last) {
        std::vector<std::byte> aside(mapped_ ? (last - first) * stride_ : 0);
        std::byte* const to = aside.empty() ? buffer_.get() + first * stride_ : aside.data();
        for (std::size_t begin = first; begin < last; begin += block) {
            const std::size_t end = std::min(last, begin + block);
            write_targets(begin, end, sample, to + (begin - first) * stride_);
            write_codes(begin, end, sample, to + (begin - first) * stride_);
        }
        put(buffer_, first * stride_, aside.data(), aside.size());
    });
    for (std::size_t i = 0; i < n; ++i) total_ += weight_at_ ? weight(buffer_.get() + i * stride_) : 1;
}

Rows::Rows(const Rows& of, Segment segment, const Frame& frame, const Target& target)
    : frame_(frame),
      target_(target),
      shape_(of.shape_),
      fractional_(of.fractional_),
      n_rows_(segment.n),
      total_(of.total_),  // of the whole tree, by which histograms are laid out
      stride_(of.stride_),
      weight_at_(of.weight_at_),
      sum_at_(of.sum_at_),
      samples_at_(of.samples_at_),
      code_at_(of.code_at_),
      mapped_(of.mapped_) {}

void Rows::write_targets(std::size_t begin, std::size_t end, const Sample* sample, std::byte* to) {
    const bool repeats = sample != nullptr && !sample->times.empty();
    const Count share = fractional_ ? Count{1} << share_bits : 1;
    const Count unit = repeats && sample->shares ? 1 : share;
    for (std::size_t i = begin; i < end; ++i) {
        std::byte* r = to + (i - begin) * stride_;
        const std::uint32_t number = row_of(sample, i);
        std::memcpy(r, &number, 4);
        if (!target_.real()) std::memcpy(r + 4, &target_.classes[number], 4);
        set_share(r, repeats ? unit * sample->times[i] : share);
    }
}

void Rows::write_codes(std::size_t begin, std::size_t end, const Sample* sample, std::byte* first) {
    for (std::uint32_t j = 0; j < frame_.n_columns();) {
        // Columns whose codes lie side by side are copied together.
        const Column& c = frame_.column(j);
        std::size_t bytes = static_cast<std::size_t>(c.width);
        std::uint32_t k = j + 1;
        for (; k < frame_.n_columns() && frame_.column(k).codes == c.codes + bytes &&
               frame_.column(k).code_stride == c.code_stride;
             ++k)
            bytes += static_cast<std::size_t>(frame_.column(k).width);
        std::byte* to = first + code_at_[j];
        const auto copy = [&](auto few) {
            for (std::size_t i = begin; i < end; ++i, to += stride_)
                few(to, c.codes + row_of(sample, i) * c.code_stride);
        };
        // Sizes are known, so that no function is called: the last word may overlap the one before.
        if (bytes == 1)
            copy([](std::byte* a, const std::byte* of) { *a = *of; });
        else if (bytes < 8)
            copy([bytes](std::byte* a, const std::byte* of) { std::memcpy(a, of, bytes); });
        else
            copy([bytes](std::byte* a, const std::byte* of) {
                for (std::size_t w = 0; w + 8 < bytes; w += 8) std::memcpy(a + w, of + w, 8);
                std::memcpy(a + bytes - 8, of + bytes - 8, 8);
            });
        j = k;
    }
}

void Rows::set_share(std::byte* r, Count share) const {
    const std::size_t i = row(r);
    const auto store = [&](std::size_t at, Count value) {
        if (at != 0) std::memcpy(r + at, &value, 8);
    };
    const Count w = target_.weight_at(i) * share;
    store(weight_at_, w);
    if (sum_at_ != 0) store(sum_at_, w * target_.y[i]);
    if (samples_at_ != 0) store(samples_at_, target_.count[i] * share);
}

Holding holding(const Rows& rows, Segment segment) {
    Holding h;
    h.tally.assign(static_cast<std::size_t>(rows.shape().slots()), 0);
    const std::byte* r = segment.data;
    for (std::size_t i = 0; i < segment.n; ++i, r += rows.stride()) rows.add_to(h.tally.data(), r);
    if (rows.shape().classes > 0) {
        h.pure = segment.n > 0 && rows.shape().only_class(h.tally.data()) >= 0;
        return h;
    }
    h.pure = true;
    const Target& target = rows.target();
    r = segment.data;
    if (rows.shape().several()) {
        for (std::size_t i = 0; i < segment.n; ++i, r += rows.stride()) {
            h.pure = h.pure && target.same_numbers(Rows::row(r), Rows::row(segment.data));
            h.squares += beside(target, Rows::row(r), rows.weight(r));
        }
        return h;
    }
    for (std::size_t i = 0; i < segment.n; ++i, r += rows.stride()) {
        const Count y = target.y[Rows::row(r)];
        h.pure = h.pure && y == target.y[Rows::row(segment.data)];
        h.squares += beside(target.loss, rows.weight(r), rows.sum(r), y);
    }
    return h;
}

Sorter::Sorter(const Rows& rows, const Test& test, const std::vector<Test>* surrogates)
    : rows_(rows),
      test_(test),
      surrogates_(surrogates),
      column_(test_.column_of(rows.frame())),
      at_(rows.code_at(static_cast<std::uint32_t>(test.column))),
      width_(column_.width) {
    by_code_.assign(column_.n_codes + 1, ask);
    const auto below = [&](std::uint32_t code) {
        return static_cast<std::uint32_t>(test_.ask(column_.value(code)));
    };
    for (std::uint32_t code = 1; code <= column_.n_codes; ++code) {
        if (test.kind == TestKind::map) {
            by_code_[code] = test.jumps[code];
        } else if (!column_.coarse) {
            by_code_[code] = below(code);
        } else {
            // Bin (edge before, edge]: decided if no threshold lies inside it.
            const std::uint32_t low = code == 1 ? 0 : below(code - 1);
            const auto cuts = static_cast<std::uint32_t>(test.thresholds.size());
            if (low == (code == column_.n_codes ? cuts : below(code))) by_code_[code] = low;
        }
    }
}

int Sorter::ask_value(const std::byte* r, std::uint32_t code) const {
    if (code != 0) return test_.ask(column_, Rows::row(r));
    if (surrogates_ != nullptr)
        for (const TestView s : *surrogates_)
            if (const int b = s.ask(s.column_of(rows_.frame()), Rows::row(r)); b >= 0) return b;
    return test_.missing;
}

template <class Branch>
void Sorter::ask_all(Segment segment, std::vector<Branch>& branch) const {
    branch.resize(segment.n);
    if (rows_.in_files() && column_.coarse) return ask_in_order(segment, branch);
    for (std::size_t i = 0; i < segment.n; ++i)
        branch[i] = static_cast<Branch>(this->branch(segment.data + i * rows_.stride()));
}

// What codes leave open is asked last, in the order of the file.
template <class Branch>
void Sorter::ask_in_order(Segment segment, std::vector<Branch>& branch) const {
    struct Open {
        std::uint32_t row, index;
    };
    std::vector<Open> open;
    for (std::size_t i = 0; i < segment.n; ++i) {
        const std::byte* const r = segment.data + i * rows_.stride();
        const auto code = std::to_integer<std::uint32_t>(r[at_]);  // coarse codes are bytes
        if (code != 0 && by_code_[code] == ask)
            open.push_back({Rows::row(r), static_cast<std::uint32_t>(i)});
        else
            branch[i] = static_cast<Branch>(this->branch(r));
    }
    each_in_order(
        column_.raw, rows_.frame().n_rows(), open, [](const Open& o) { return o.row; },
        [&](const Open& o, double value) { branch[o.index] = static_cast<Branch>(test_.ask(value)); });
}

namespace {

// Two branches, in place: what lies on the wrong side changes places. Rows of a node have no order.
std::vector<Segment> partition_two(const Rows& rows, Segment segment, const std::vector<std::uint8_t>& branch,
                                   std::size_t left) {
    const std::size_t stride = rows.stride(), n = segment.n;
    std::size_t i = 0, j = left;
    for (;;) {
        while (i < left && branch[i] == 0) ++i;
        if (i == left) break;
        while (branch[j] != 0) ++j;  // as many are wrong on either side
        swap_records(segment.data + i++ * stride, segment.data + j++ * stride, stride);
    }
    return {{segment.data, left}, {segment.data + left * stride, n - left}};
}

}  // namespace

std::vector<Segment> partition(const Rows& rows, Segment segment, const Sorter& sorter, int branches,
                               Room& aside) {
    const std::size_t stride = rows.stride(), n = segment.n;
    if (branches == 2) {
        std::vector<std::uint8_t> branch;
        sorter.ask_all(segment, branch);
        std::size_t right = 0;
        for (const std::uint8_t b : branch) right += b;
        return partition_two(rows, segment, branch, n - right);
    }
    std::vector<std::size_t> count(static_cast<std::size_t>(branches), 0);
    std::vector<std::uint32_t> branch;
    sorter.ask_all(segment, branch);
    for (const std::uint32_t b : branch) ++count[b];
    std::vector<Segment> parts;
    std::vector<std::size_t> next;
    std::size_t at = 0;
    for (const std::size_t c : count) {
        parts.push_back({segment.data + at * stride, c});
        next.push_back(at);
        at += c;
    }
    std::byte* const to = aside.at_least(n * stride, rows.frame().scratch());
    for (std::size_t i = 0; i < n; ++i)
        std::memcpy(to + next[branch[i]]++ * stride, segment.data + i * stride, stride);
    std::memcpy(segment.data, to, n * stride);
    return parts;
}

std::vector<Segment> partition_shares(const Rows& rows, Segment segment, const Sorter& sorter, int branches,
                                      Pages& owner, std::vector<Count>& known) {
    const std::size_t stride = rows.stride(), n = segment.n;
    const auto k = static_cast<std::size_t>(branches);
    std::vector<int> branch;
    sorter.ask_all(segment, branch);
    const bool given = !known.empty();
    known.resize(k, 0);
    std::vector<std::size_t> count(k, 0);
    std::size_t missing = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const std::byte* r = segment.data + i * stride;
        if (branch[i] < 0) {
            ++missing;
        } else {
            if (!given) known[static_cast<std::size_t>(branch[i])] += rows.weight(r);
            ++count[static_cast<std::size_t>(branch[i])];
        }
    }
    std::vector<std::size_t> next(k);
    std::size_t at = 0;
    for (std::size_t b = 0; b < k; ++b) {
        next[b] = at;
        at += count[b] + (known[b] > 0 ? missing : 0);
    }
    owner = room(std::max<std::size_t>(at, 1) * stride, rows.frame().scratch());
    const std::vector<std::size_t> first = next;
    for (std::size_t i = 0; i < n; ++i) {
        const std::byte* r = segment.data + i * stride;
        const auto put = [&](std::size_t b) {
            std::byte* to = owner.get() + next[b]++ * stride;
            std::memcpy(to, r, stride);
            return to;
        };
        if (branch[i] >= 0) {
            put(static_cast<std::size_t>(branch[i]));
            continue;
        }
        deal_out(rows.share(r), known, [&](std::size_t b, Count part) { rows.set_share(put(b), part); });
    }
    std::vector<Segment> parts;
    for (std::size_t b = 0; b < k; ++b)
        parts.push_back({owner.get() + first[b] * stride, next[b] - first[b]});
    return parts;
}

}  // namespace bosco
