// Rows numbered from 0, with their targets side by side: those of a small node, or all of them.
#pragma once

#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "grow/rows.hpp"
#include "grow/sprout.hpp"
#include "score/growth.hpp"

namespace bosco {

struct LocalRows {
    explicit LocalRows(const Target& given) : target(given), shape(given.shape()) {}

    // The rows of a segment of records.
    void load(const Rows& rows, Segment segment) {
        resize(segment.n, rows.weighted());
        for (std::size_t i = 0; i < segment.n; ++i) {
            const std::byte* r = segment.data + i * rows.stride();
            number[i] = Rows::row(r);
            if (shape.classes > 0)
                cls[i] = Rows::class_of(r);
            else if (!shape.several())
                sum[i] = rows.sum(r);
            if (rows.weighted()) weight[i] = rows.weight(r);
            if (shape.apart) samples[i] = rows.samples(r);
            total += rows.weight(r);
        }
    }
    // All rows of the table by their own numbers; those that a sample leaves out weigh nothing.
    void load(const Sample* sample) {
        const std::size_t n = target.n_rows();
        const bool drawn = sample != nullptr;
        resize(n, drawn || !target.weight.empty());
        std::iota(number.begin(), number.end(), 0u);
        std::vector<std::uint32_t> times(drawn ? n : 0, 0);
        if (drawn)
            for (std::size_t i = 0; i < sample->rows.size(); ++i)
                times[sample->rows[i]] = sample->times.empty() ? 1 : sample->times[i];
        for (std::size_t i = 0; i < n; ++i) {
            const Count share = drawn ? times[i] : 1, w = target.weight_at(i) * share;
            if (shape.classes > 0)
                cls[i] = target.classes[i];
            else if (!shape.several())
                sum[i] = w * target.y[i];
            if (!weight.empty()) weight[i] = w;
            if (shape.apart) samples[i] = target.count[i] * share;
            total += w;
        }
    }
    // Some rows of others.
    void load(const LocalRows& from, std::span<const std::uint32_t> rows) {
        resize(rows.size(), !from.weight.empty());
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const std::uint32_t r = rows[i];
            number[i] = from.number[r];
            if (shape.classes > 0)
                cls[i] = from.cls[r];
            else if (!shape.several())
                sum[i] = from.sum[r];
            if (!weight.empty()) weight[i] = from.weight[r];
            if (shape.apart) samples[i] = from.samples[r];
            total += weight_of(i);
        }
    }

    Count weight_of(std::size_t i) const { return weight.empty() ? 1 : weight[i]; }
    void add_to(Count* cell, std::size_t i) const {
        if (shape.classes > 0) {
            cell[cls[i]] += weight_of(i);
        } else {
            cell[0] += weight_of(i);
            if (shape.several())
                target.add_numbers(cell, number[i], weight_of(i));
            else
                cell[1] += sum[i];
        }
        if (shape.apart) cell[shape.tally()] += samples[i];
    }

    // What a new node holds, its rows being at(0) .. at(n - 1); returns whether it is pure.
    template <class At>
    bool fill(Sprout& child, std::size_t n, At at, const Growth& growth, Nursery& nursery) const {
        child.tally = nursery.counts(static_cast<std::size_t>(shape.slots()));
        std::fill_n(child.tally, shape.slots(), 0);
        if (shape.classes == 2 && !shape.apart) {  // two sums in registers
            Count all = 0, ones = 0;
            for (std::size_t k = 0; k < n; ++k) {
                const Count w = weight_of(at(k));
                all += w;
                ones += cls[at(k)] * w;
            }
            child.tally[0] = all - ones, child.tally[1] = ones;
        } else {
            for (std::size_t k = 0; k < n; ++k) add_to(child.tally, at(k));
        }
        bool pure = n == 0 || shape.only_class(child.tally) >= 0;
        Wide squares = 0;
        if (shape.several()) {
            pure = true;
            for (std::size_t k = 0; k < n; ++k) {
                squares += beside(target, number[at(k)], weight_of(at(k)));
                pure = pure && target.same_numbers(number[at(k)], number[at(0)]);
            }
        } else if (shape.classes == 0) {
            pure = true;
            for (std::size_t k = 0; k < n; ++k) {
                const Count y = target.y[number[at(k)]];
                squares += beside(target.loss, weight_of(at(k)), sum[at(k)], y);
                pure = pure && y == target.y[number[at(0)]];
            }
        }
        child.impurity = pure ? 0 : impurity_of(growth.criterion, shape, child.tally, squares);
        return pure;
    }

    const Target& target;
    Shape shape;
    std::vector<std::uint32_t> number, cls;  // in the table; class
    std::vector<Count> weight, sum, samples;
    Count total = 0;  // weight

private:
    void resize(std::size_t n, bool weighted) {
        number.resize(n);
        cls.resize(shape.classes > 0 ? n : 0);
        sum.resize(shape.classes > 0 || shape.several() ? 0 : n);  // of several outputs they are looked up
        weight.resize(weighted ? n : 0);
        samples.resize(shape.apart ? n : 0);
        total = 0;
    }
};

}  // namespace bosco
