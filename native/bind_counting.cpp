// Glue for counting: Python buffers in, NumPy arrays out. The computation is in the headers.
#include <cstdint>
#include <initializer_list>
#include <optional>

#include "chance.hpp"
#include "close.hpp"
#include "count_pairs.hpp"
#include "factorize.hpp"
#include "python_buffer.hpp"
#include "sparse.hpp"
#include "weighted.hpp"

namespace confmat {
namespace {

// A one-dimensional array for as long as this lives, read as codes or as weights.
class View {
 public:
  View(nb::handle array, const char* what) : lent_(array), what_(what) {
    if (!lent_) nb::raise_python_error();
    if (lent_->ndim != 1) throw_type_error("%s: wanted one dimension, got %d", what, lent_->ndim);
  }

  std::size_t size() const { return static_cast<std::size_t>(lent_->shape[0]); }

  Codes codes() const {
    const Format format(lent_->format);
    const bool is_signed = format.is_one_of("bhilqn");
    if (!is_signed && !format.is_one_of("?BHILQN")) refuse("integers");
    return {source(format, "integers"), is_signed};
  }

  Weights weights() const {
    constexpr const char* wanted = "float64, int64 or uint64";
    const Format format(lent_->format);
    const bool is_signed = format.is_one_of("lqn"), is_float = format.letter == 'd';
    if (lent_->itemsize != 8 || !(is_float || is_signed || format.is_one_of("LQN"))) refuse(wanted);
    const WeightKind kind = is_float ? WeightKind::float64 : is_signed ? WeightKind::int64 : WeightKind::uint64;
    return {source(format, wanted), kind};
  }

 private:
  template <class... Arguments>
  [[noreturn]] static void throw_type_error(const char* message, Arguments... arguments) {
    PyErr_Format(PyExc_TypeError, message, arguments...);
    throw nb::python_error();
  }
  [[noreturn]] void refuse(const char* wanted) const {
    throw_type_error("%s: wanted %s, got elements of format '%s'", what_, wanted, lent_->format ? lent_->format : "B");
  }

  Source source(const Format& format, const char* wanted) const {
    const Py_ssize_t bytes = lent_->itemsize;
    if (format.counted || (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8)) refuse(wanted);
    return {static_cast<const unsigned char*>(lent_->buf), lent_.stride(0), static_cast<std::uint8_t>(bytes),
            format.swapped};
  }

  Lent lent_;
  const char* what_;
};

// Any Python integer; beyond 65 bits no code can be equal to it, so that the nearest stand-in will do.
Wide as_wide(nb::handle number) {
  const auto index = nb::steal(PyNumber_Index(number.ptr()));
  if (!index.is_valid()) throw nb::python_error();
  int overflow = 0;
  const long long small = PyLong_AsLongLongAndOverflow(index.ptr(), &overflow);
  if (overflow == 0) {
    if (small == -1 && PyErr_Occurred() != nullptr) throw nb::python_error();
    return small;
  }
  const auto size = nb::steal(PyNumber_Absolute(index.ptr()));
  if (!size.is_valid()) throw nb::python_error();
  const unsigned long long large = PyLong_AsUnsignedLongLong(size.ptr());
  if (PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    return overflow * (Wide{1} << 66);
  }
  return overflow * static_cast<Wide>(large);
}

Axis axis_of(nb::handle first, std::int64_t size) {
  if (size < 0) throw nb::value_error("the number of rows and of columns cannot be negative");
  return {as_wide(first), static_cast<std::uint64_t>(size)};
}

std::size_t table_size(const Axis& rows, const Axis& cols) {
  const Wide cells = static_cast<Wide>(rows.size) * static_cast<Wide>(cols.size);
  if (cells > (Wide{1} << 59)) throw std::bad_alloc();
  return static_cast<std::size_t>(cells);
}

void check_sparse_size(const Axis& rows, const Axis& cols) {
  const Wide cells = static_cast<Wide>(rows.size) * static_cast<Wide>(cols.size);
  if (cells >= (Wide{1} << 63)) throw nb::value_error("rows * cols must be below 2^63");
}

// Both sides of the pairs, and their weights, while a function reads them.
struct PairsView {
  PairsView(nb::handle actual, nb::handle predicted) : actual_(actual, "actual"), predicted_(predicted, "predicted") {
    if (actual_.size() != predicted_.size()) throw nb::value_error("actual and predicted differ in length");
    pairs = {actual_.codes(), predicted_.codes(), actual_.size()};
  }
  Pairs pairs;

 private:
  View actual_, predicted_;
};

struct WeightsView {
  WeightsView(nb::handle array, const PairsView& pairs) : view_(array, "weights"), weights(view_.weights()) {
    if (view_.size() != pairs.pairs.size) throw nb::value_error("weights differ in length from the pairs");
  }

 private:
  View view_;

 public:
  Weights weights;
};

nb::object totals_as_array(Buffer<double> totals, std::initializer_list<std::size_t> shape, WeightKind) {
  return as_array<double>(std::move(totals), shape);
}

nb::object totals_as_array(Buffer<std::uint64_t> totals, std::initializer_list<std::size_t> shape, WeightKind kind) {
  if (kind == WeightKind::int64) return as_array<std::int64_t>(std::move(totals), shape);
  return as_array<std::uint64_t>(std::move(totals), shape);
}

nb::tuple count_dense_of(nb::handle actual, nb::handle predicted, nb::handle first_row, std::int64_t rows,
                         nb::handle first_col, std::int64_t cols, int threads) {
  const PairsView view(actual, predicted);
  const Axis row_axis = axis_of(first_row, rows), col_axis = axis_of(first_col, cols);
  Buffer<std::int64_t> counts(table_size(row_axis, col_axis), Fill::zero);
  const std::int64_t outside =
      without_gil([&] { return count_dense(view.pairs, row_axis, col_axis, threads, counts.data()); });
  return nb::make_tuple(as_array<std::int64_t>(std::move(counts), {row_axis.size, col_axis.size}), outside);
}

nb::tuple count_weighted_of(nb::handle actual, nb::handle predicted, nb::handle weights, nb::handle first_row,
                            std::int64_t rows, nb::handle first_col, std::int64_t cols, int threads) {
  const PairsView view(actual, predicted);
  const WeightsView weights_view(weights, view);
  const Weights& w = weights_view.weights;
  const Axis row_axis = axis_of(first_row, rows), col_axis = axis_of(first_col, cols);
  table_size(row_axis, col_axis);
  return with_cell(w.kind, [&](auto cell) {
    auto result =
        without_gil([&] { return count_weighted<decltype(cell)>(view.pairs, w, row_axis, col_axis, threads); });
    return nb::make_tuple(totals_as_array(std::move(result.sums), {row_axis.size, col_axis.size}, w.kind),
                          as_array<double>(std::move(result.squares), {row_axis.size, col_axis.size}), result.outside);
  });
}

nb::tuple count_sparse_of(nb::handle actual, nb::handle predicted, nb::handle weights, nb::handle first_row,
                          std::int64_t rows, nb::handle first_col, std::int64_t cols, int threads) {
  const PairsView view(actual, predicted);
  const Axis row_axis = axis_of(first_row, rows), col_axis = axis_of(first_col, cols);
  check_sparse_size(row_axis, col_axis);
  if (weights.is_none()) {
    auto cells = without_gil([&] { return count_sparse(view.pairs, row_axis, col_axis, threads); });
    return nb::make_tuple(as_list(std::move(cells.row)), as_list(std::move(cells.col)),
                          as_list(std::move(cells.totals)), nb::none(), cells.outside);
  }
  const WeightsView weights_view(weights, view);
  const Weights& w = weights_view.weights;
  return with_cell(w.kind, [&](auto cell) {
    auto cells = without_gil([&] { return count_sparse<decltype(cell)>(view.pairs, w, row_axis, col_axis, threads); });
    const std::size_t found = cells.row.size();
    return nb::make_tuple(as_list(std::move(cells.row)), as_list(std::move(cells.col)),
                          totals_as_array(std::move(cells.totals), {found}, w.kind), as_list(std::move(cells.squares)),
                          cells.outside);
  });
}

nb::object as_int(Wide number, bool is_signed) {
  PyObject* const made = is_signed || number < 0 ? PyLong_FromLongLong(static_cast<long long>(number))
                                                 : PyLong_FromUnsignedLongLong(static_cast<unsigned long long>(number));
  if (made == nullptr) throw nb::python_error();
  return nb::steal(made);
}

nb::object count_close_of(nb::handle actual, nb::handle predicted, nb::handle max_span, int threads) {
  const PairsView view(actual, predicted);
  if (view.pairs.size == 0) throw nb::value_error("no pairs: their range is not known");
  const Wide most = as_wide(max_span);
  std::optional<CloseCount> result = without_gil([&] { return count_close(view.pairs, most, threads); });
  if (!result) return nb::none();
  const std::size_t span = result->span;
  return nb::make_tuple(as_int(result->low, result->low <= INT64_MAX),
                        as_array<std::int64_t>(std::move(result->counts), {span, span}));
}

nb::object factorize_ints_of(nb::handle values, nb::handle max_distinct) {
  const View view(values, "values");
  const Codes codes = view.codes();
  const Wide most = as_wide(max_distinct);
  const auto limit = static_cast<std::size_t>(std::clamp(most, Wide{0}, Wide{INT64_MAX}));
  std::optional<Factorized> result = without_gil([&] { return factorize(codes, view.size(), limit); });
  if (!result) return nb::none();
  const std::size_t distinct = result->distinct.size();
  const bool large = !codes.is_signed && codes.bytes == 8;
  return nb::make_tuple(as_list(std::move(result->codes)),
                        large ? as_array<std::uint64_t>(std::move(result->distinct), {distinct})
                              : as_array<std::int64_t>(std::move(result->distinct), {distinct}));
}

nb::object shared_by_chance_of(nb::handle rows, nb::handle cols, double total) {
  const View row_view(rows, "rows"), col_view(cols, "cols");
  const Weights r = row_view.weights(), c = col_view.weights();
  if (row_view.size() != col_view.size()) throw nb::value_error("rows and cols differ in length");
  if (r.kind != WeightKind::float64 || c.kind != WeightKind::float64) throw nb::type_error("wanted float64");
  bool fit = true;
  Buffer<double> means(row_view.size());
  without_gil([&] {
    SharedByChance shared(total, means.data());
    for (std::size_t i = 0; fit && i < means.size(); ++i) {
      if (i % 64 == 0) heed_interruption();
      const double row = element<double>(r, i), col = element<double>(c, i);
      fit = are_sizes(row, col, total);
      if (fit) shared.add(i, row, col);
    }
    shared.finish();
  });
  if (!fit) throw nb::value_error("wanted finite sizes near a bound, and a total above 0");
  return as_list(std::move(means));
}

}  // namespace

void bind_counting(nb::module_& m) {
  using nb::arg;
  m.def("count_dense", &count_dense_of, arg("actual"), arg("predicted"), arg("first_row"), arg("rows"),
        arg("first_col"), arg("cols"), arg("threads"), "Count the pairs into a table of int64: `(counts, outside)`.");
  m.def("count_weighted", &count_weighted_of, arg("actual"), arg("predicted"), arg("weights"), arg("first_row"),
        arg("rows"), arg("first_col"), arg("cols"), arg("threads"),
        "Sum the weights and their squares per cell: `(sums, squares, outside)`.");
  m.def("count_sparse", &count_sparse_of, arg("actual"), arg("predicted"), arg("weights").none(), arg("first_row"),
        arg("rows"), arg("first_col"), arg("cols"), arg("threads"),
        "Count into the cells that occur: `(row, col, sums, squares or None, outside)`.");
  m.def("count_close", &count_close_of, arg("actual"), arg("predicted"), arg("max_span"), arg("threads"),
        "Count integers whose range is not known: `(low, counts)`, or None above `max_span`.");
  m.def("factorize_ints", &factorize_ints_of, arg("values"), arg("max_distinct"),
        "Codes of integers among their sorted distinct values: `(codes, distinct)`; None above `max_distinct`.");
  m.def("shared_by_chance", &shared_by_chance_of, arg("rows"), arg("cols"), arg("total"),
        "For each pair of class sizes the mean of x log(x / mean) for the items x that they share by chance.");
}

}  // namespace confmat
