// Frame and Target: the data as the core sees it; what tells its rows apart.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <functional>

#include "bind.hpp"
#include "data/fingerprint.hpp"

namespace bosco::bind {
namespace {

using Any = nb::ndarray<nb::ro, nb::device::cpu>;

DType dtype_of(const Any& a) {
    const auto t = a.dtype();
    const auto is = [&](auto type) { return t == nb::dtype<decltype(type)>(); };
    if (is(float{})) return DType::f32;
    if (is(double{})) return DType::f64;
    if (is(std::int8_t{})) return DType::i8;
    if (is(std::int16_t{})) return DType::i16;
    if (is(std::int32_t{})) return DType::i32;
    if (is(std::int64_t{})) return DType::i64;
    if (is(std::uint8_t{}) || is(bool{})) return DType::u8;
    if (is(std::uint16_t{})) return DType::u16;
    if (is(std::uint32_t{})) return DType::u32;
    if (is(std::uint64_t{})) return DType::u64;
    throw Error("this dtype cannot be a numeric column");
}

void add_columns(PyFrame& self, nb::object x, std::size_t ndim, bool in_file) {
    const auto a = nb::cast<Any>(x);
    if (a.ndim() != ndim) throw Error(ndim == 1 ? "expected one dimension" : "expected two dimensions");
    if (a.shape(0) != self.frame.n_rows()) throw Error("the array has another number of rows");
    const auto size = static_cast<std::ptrdiff_t>(a.itemsize());
    Raw raw;
    raw.data = static_cast<const std::byte*>(a.data());
    raw.stride = static_cast<std::ptrdiff_t>(a.stride(0)) * size;
    raw.dtype = dtype_of(a);
    raw.in_file = in_file;
    if (ndim == 1) {
        self.frame.add_numeric(raw);
    } else {
        const auto step = static_cast<std::ptrdiff_t>(a.stride(1)) * size;
        for (std::size_t j = 0; j < a.shape(1); ++j, raw.data += step) self.frame.add_numeric(raw);
    }
    self.kept.push_back(std::move(x));
}

void add_sparse(PyFrame& self, const Vector<std::int32_t>& begin, const Vector<std::int32_t>& rows,
                const Vector<double>& values) {
    const auto first = span_of(begin), row = span_of(rows);
    const auto stored = static_cast<std::int32_t>(row.size());
    if (first.empty() || first.front() != 0 || first.back() != stored || values.shape(0) != row.size())
        throw Error("the parts of a sparse matrix do not fit together");
    for (std::size_t j = 0; j + 1 < first.size(); ++j) {
        if (first[j] > first[j + 1] || first[j + 1] > stored)
            throw Error("the columns of a sparse matrix overlap");
        const auto own = row.subspan(first[j], first[j + 1] - first[j]);
        if (std::ranges::adjacent_find(own, std::ranges::greater_equal()) != own.end())
            throw Error("the rows of a sparse column must ascend");
        if (!own.empty() && (own.front() < 0 || static_cast<std::size_t>(own.back()) >= self.frame.n_rows()))
            throw Error("a sparse column has a row that is not there");
        Raw raw;
        raw.data = reinterpret_cast<const std::byte*>(values.data() + first[j]);
        raw.dtype = DType::stored;
        raw.rows = own;
        self.frame.add_numeric(raw);
    }
    self.kept.push_back(nb::cast(rows));
    self.kept.push_back(nb::cast(values));
}

template <class Code>
void add_coded(PyFrame& self, const Vector<Code>& codes, nb::object kept, std::uint32_t n_codes,
               bool ordered) {
    if (codes.shape(0) != self.frame.n_rows()) throw Error("the codes have another number of rows");
    self.frame.add_coded(reinterpret_cast<const std::byte*>(codes.data()), sizeof(Code), n_codes, ordered);
    self.kept.push_back(std::move(kept));
}

Loss loss_of(const std::string& said) {
    if (said == "poisson") return Loss::poisson;
    return said == "absolute" ? Loss::absolute : Loss::squared;
}

PyTarget target_of(const std::optional<Vector<Count>>& weight, const std::optional<Vector<Count>>& count,
                   double weight_scale, std::size_t n) {
    PyTarget t;
    const auto keep = [&](const std::optional<Vector<Count>>& a, std::span<const Count>& to) {
        if (!a) return;
        to = span_of(*a);
        if (to.size() != n) throw Error("weights or counts differ in length from the target");
        for (const Count c : to)
            if (c <= 0) throw Error("weights and counts must be positive");
        t.kept.push_back(nb::cast(*a));
    };
    keep(weight, t.target.weight);
    keep(count, t.target.count);
    // Where there is no row, samples are counted apart all the same: a number that nobody looks at says so.
    static constexpr Count none = 1;
    if (count && n == 0) t.target.count = {&none, 1};
    t.target.weight_scale = weight_scale;
    return t;
}

Truth truth_of(const std::optional<Vector<std::uint32_t>>& classes,
               const std::optional<Vector<double>>& numbers) {
    Truth truth;
    if (classes) truth.classes = span_of(*classes);
    if (numbers) truth.numbers = span_of(*numbers);
    return truth;
}

}  // namespace

void bind_frame(nb::module_& m) {
    nb::class_<PyFrame>(m, "Frame", "Columns as the core sees them.")
        .def(
            "__init__", [](PyFrame* self, std::size_t n_rows) { new (self) PyFrame{Frame(n_rows), {}}; },
            nb::arg("n_rows"))
        .def(
            "add_matrix", [](PyFrame& self, nb::object x) { add_columns(self, std::move(x), 2, false); },
            nb::arg("x"), "Adds each column of a matrix of numbers; NaN is missing. No copy is made.")
        .def(
            "add_numeric",
            [](PyFrame& self, nb::object x, bool in_file) { add_columns(self, std::move(x), 1, in_file); },
            nb::arg("x"), nb::arg("in_file") = false,
            "Adds a column of numbers; NaN is missing. No copy is made. `in_file`: the system maps it into "
            "memory from a file, and may drop it.")
        .def(
            "add_sparse",
            [](PyFrame& self, const Vector<std::int32_t>& begin, const Vector<std::int32_t>& rows,
               const Vector<double>& values) { add_sparse(self, begin, rows, values); },
            nb::arg("begin"), nb::arg("rows"), nb::arg("values"),
            "Adds the columns of a sparse matrix: column j has values[begin[j]:begin[j + 1]] in these rows, "
            "ascending, and 0 in the others. No copy is made.")
        .def(
            "add_coded",
            [](PyFrame& self, nb::object codes, std::uint32_t n_codes, bool ordered) {
                const auto a = nb::cast<nb::ndarray<nb::ro, nb::ndim<1>, nb::device::cpu>>(codes);
                if (a.dtype() == nb::dtype<std::uint8_t>())
                    add_coded(self, nb::cast<Vector<std::uint8_t>>(codes), codes, n_codes, ordered);
                else if (a.dtype() == nb::dtype<std::uint16_t>())
                    add_coded(self, nb::cast<Vector<std::uint16_t>>(codes), codes, n_codes, ordered);
                else if (a.dtype() == nb::dtype<std::uint32_t>())
                    add_coded(self, nb::cast<Vector<std::uint32_t>>(codes), codes, n_codes, ordered);
                else
                    throw Error("codes must be uint8, uint16 or uint32");
            },
            nb::arg("codes"), nb::arg("n_codes"), nb::arg("ordered"),
            "Adds a column of levels: 0 is missing, 1..n_codes are the levels.")
        .def(
            "lie_in", [](PyFrame& self, const std::string& folder) { self.frame.lie_in(folder); },
            nb::arg("folder"), "What is made of the rows lies in files without a name in this folder.")
        .def(
            "encode",
            [](PyFrame& self, int n_threads, int max_bins,
               const std::optional<std::vector<std::pair<Vector<double>, bool>>>& edges) {
                std::vector<GivenEdges> given;
                if (edges)
                    for (const auto& [values, coarse] : *edges)
                        given.push_back({{values.data(), values.data() + values.shape(0)}, coarse});
                unlocked([&](const auto& poll) {
                    self.frame.encode(n_threads, max_bins, poll, edges ? &given : nullptr);
                });
            },
            nb::arg("n_threads") = 1, nb::arg("max_bins") = 255, nb::arg("edges").none() = nb::none(),
            "Gives columns of numbers their codes; `edges`: (values, whether they are edges of coarse bins) "
            "of every column, as another frame has them.")
        .def_prop_ro("n_rows", [](const PyFrame& f) { return f.frame.n_rows(); })
        .def_prop_ro("n_columns", [](const PyFrame& f) { return f.frame.n_columns(); })
        .def(
            "is_coarse", [](const PyFrame& f, std::uint32_t j) { return f.frame.column(j).coarse; },
            nb::arg("column"))
        .def(
            "n_codes", [](const PyFrame& f, std::uint32_t j) { return f.frame.column(j).n_codes; },
            nb::arg("column"), "How many codes the column's domain has, missing apart.")
        .def(
            "has_missing", [](const PyFrame& f, std::uint32_t j) { return f.frame.has_missing(j); },
            nb::arg("column"))
        .def(
            "values",
            [](nb::object self, std::uint32_t j) {
                const auto& values = nb::cast<PyFrame&>(self).frame.column(j).values;
                return view(values.data(), values.size(), self);
            },
            nb::arg("column"), "The values of codes 1.., or the upper edges of coarse bins.")
        .def(
            "codes",
            [](const PyFrame& f, std::uint32_t j) {
                const Column& c = f.frame.column(j);
                if (c.codes == nullptr) throw Error("the frame must be encoded first");
                std::vector<std::uint32_t> out;
                for (std::size_t row = 0; row < f.frame.n_rows(); ++row) out.push_back(c.code(row));
                return give(std::move(out));
            },
            nb::arg("column"));

    nb::class_<PyTarget>(m, "Target", "What is to be learned, in fixed point.")
        .def_static(
            "classes",
            [](Vector<std::uint32_t> codes, int n_classes, std::optional<Vector<Count>> weight,
               std::optional<Vector<Count>> count, double weight_scale) {
                PyTarget t = target_of(weight, count, weight_scale, codes.shape(0));
                if (n_classes < 1) throw Error("there must be a class");
                for (const auto c : span_of(codes))
                    if (c >= static_cast<std::uint32_t>(n_classes))
                        throw Error("a class code is out of range");
                t.target.classes = span_of(codes);
                t.target.n_classes = n_classes;
                t.kept.push_back(nb::cast(codes));
                return t;
            },
            nb::arg("codes"), nb::arg("n_classes"), nb::arg("weight").none(), nb::arg("count").none(),
            nb::arg("weight_scale") = 1.0)
        .def_static(
            "real",
            [](Vector<Count> y, std::optional<Vector<Count>> weight, std::optional<Vector<Count>> count,
               double weight_scale, double center, double scale, const std::string& loss) {
                PyTarget t = target_of(weight, count, weight_scale, y.shape(0));
                t.target.y = span_of(y);
                t.target.center = center;
                t.target.scale = scale;
                t.target.loss = loss_of(loss);
                t.kept.push_back(nb::cast(y));
                return t;
            },
            nb::arg("y"), nb::arg("weight").none(), nb::arg("count").none(), nb::arg("weight_scale") = 1.0,
            nb::arg("center") = 0.0, nb::arg("scale") = 1.0, nb::arg("loss") = "squared")
        .def_static(
            "several",
            [](Matrix<Count> y, int outputs, std::optional<Vector<Count>> weight,
               std::optional<Vector<Count>> count, double weight_scale, double scale,
               const std::string& loss) {
                PyTarget t = target_of(weight, count, weight_scale, y.shape(0));
                if (y.shape(1) < 2 || outputs < 1 || static_cast<std::size_t>(outputs) > y.shape(1))
                    throw Error("several outputs are two numbers or more");
                t.target.y = {y.data(), y.shape(0) * y.shape(1)};
                t.target.sums = static_cast<int>(y.shape(1));
                t.target.outputs = outputs;
                t.target.scale = scale;
                t.target.loss = loss_of(loss);
                t.kept.push_back(nb::cast(y));
                return t;
            },
            nb::arg("y"), nb::arg("outputs"), nb::arg("weight").none(), nb::arg("count").none(),
            nb::arg("weight_scale") = 1.0, nb::arg("scale") = 1.0, nb::arg("loss") = "squared",
            "Several numbers a row, of so many outputs: those of classes have a number for each class, 1 "
            "for the row's and 0 for the others.")
        .def_prop_ro("n_rows", [](const PyTarget& t) { return t.target.n_rows(); });

    m.attr("column_bits") = column_bits;
    m.attr("truth_bits") = truth_bits;
    m.def(
        "row_keys",
        [](const PyFrame& f, std::uint64_t seed, const std::optional<Vector<std::uint32_t>>& classes,
           const std::optional<Vector<double>>& numbers, int n_threads) {
            const Truth truth = truth_of(classes, numbers);
            return give(
                unlocked([&](const auto& poll) { return row_keys(f.frame, truth, seed, n_threads, poll); }));
        },
        nb::arg("frame"), nb::arg("seed"), nb::arg("classes").none() = nb::none(),
        nb::arg("numbers").none() = nb::none(), nb::arg("n_threads") = 1,
        "A number of 40 bits for each row: 32 from its columns, then 8 from them and its target.");
    m.def(
        "fingerprint",
        [](const PyFrame& f, std::uint64_t seed, const std::optional<Vector<std::uint32_t>>& classes,
           const std::optional<Vector<double>>& numbers, std::size_t most, int n_threads) {
            const Truth truth = truth_of(classes, numbers);
            Fingerprint found = unlocked([&](const auto& poll) {
                return fingerprint(row_keys(f.frame, truth, seed, n_threads, poll), most);
            });
            return std::make_pair(give(std::move(found.keys)), found.below);
        },
        nb::arg("frame"), nb::arg("seed"), nb::arg("classes").none(), nb::arg("numbers").none(),
        nb::arg("most"), nb::arg("n_threads") = 1,
        "The smallest different keys of the rows, and what their first 32 bits are all below.");
}

}  // namespace bosco::bind
