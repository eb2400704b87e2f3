// Glue for counting: Python buffers in, NumPy arrays out. What is computed is in the headers.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <initializer_list>
#include <optional>

#include "close.hpp"
#include "count_pairs.hpp"
#include "factorize.hpp"
#include "sparse.hpp"
#include "weighted.hpp"

namespace nb = nanobind;

namespace {

using namespace confmat;

// A view of an array for as long as this lives. The buffer protocol, unlike DLPack, also shows read-only memory,
// strides that are no multiple of the element and foreign byte orders.
class View {
 public:
  View(nb::handle array, const char* what) : what_(what) {
    if (PyObject_GetBuffer(array.ptr(), &view_, PyBUF_RECORDS_RO) != 0) throw nb::python_error();
    if (view_.ndim != 1) {
      const int dimensions = view_.ndim;
      PyBuffer_Release(&view_);
      throw_type_error("%s: wanted one dimension, got %d", what, dimensions);
    }
  }
  ~View() { PyBuffer_Release(&view_); }
  View(const View&) = delete;
  View& operator=(const View&) = delete;

  std::size_t size() const { return static_cast<std::size_t>(view_.shape[0]); }

  Codes codes() const {
    const char kind = format();
    const bool is_signed = one_of(kind, "bhilqn");
    if (!is_signed && !one_of(kind, "?BHILQN")) refuse("integers");
    return {source("integers"), is_signed};
  }

  Weights weights() const {
    const char kind = format();
    if (kind == 'd') return {source("float64"), WeightKind::float64};
    const bool is_signed = one_of(kind, "lqn");
    if (view_.itemsize != 8 || (!is_signed && !one_of(kind, "LQN"))) refuse("float64, int64 or uint64");
    return {source("float64, int64 or uint64"), is_signed ? WeightKind::int64 : WeightKind::uint64};
  }

 private:
  template <class... Arguments>
  [[noreturn]] static void throw_type_error(const char* message, Arguments... arguments) {
    PyErr_Format(PyExc_TypeError, message, arguments...);
    throw nb::python_error();
  }
  [[noreturn]] void refuse(const char* wanted) const {
    throw_type_error("%s: wanted %s, got elements of format '%s'", what_, wanted, view_.format);
  }

  static bool one_of(char kind, const char* kinds) {
    for (; *kinds != 0; ++kinds) {
      if (*kinds == kind) return true;
    }
    return false;
  }

  // The type character; a prefix only says byte order and alignment.
  char format() const {
    const char* format = view_.format == nullptr ? "B" : view_.format;
    if (one_of(*format, "<>=@!^")) ++format;
    return format[0] != 0 && format[1] == 0 ? format[0] : '\0';
  }

  Source source(const char* wanted) const {
    const Py_ssize_t bytes = view_.itemsize;
    if (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8) refuse(wanted);
    const char order = view_.format == nullptr ? '@' : view_.format[0];
    const bool big = order == '>' || order == '!', little = order == '<';
    const bool swapped = PY_BIG_ENDIAN ? little : big;
    return {static_cast<const unsigned char*>(view_.buf), view_.strides[0], static_cast<std::uint8_t>(bytes), swapped};
  }

  Py_buffer view_{};
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

// The array owns the memory from here on. Unsigned bits may be shown as `Shown`.
template <class Shown, class T>
nb::object as_array(Buffer<T> buffer, std::initializer_list<std::size_t> shape) {
  static_assert(sizeof(Shown) == sizeof(T));
  T* const memory = buffer.release();
  const nb::capsule owner(memory, [](void* pointer) noexcept { std::free(pointer); });
  return nb::cast(nb::ndarray<nb::numpy, Shown>(memory, shape, owner));
}

template <class T>
nb::object as_list(Buffer<T> buffer) {
  const std::size_t size = buffer.size();
  return as_array<T>(std::move(buffer), {size});
}

nb::object totals_as_array(Buffer<double> totals, std::initializer_list<std::size_t> shape, WeightKind) {
  return as_array<double>(std::move(totals), shape);
}

nb::object totals_as_array(Buffer<std::uint64_t> totals, std::initializer_list<std::size_t> shape, WeightKind kind) {
  if (kind == WeightKind::int64) return as_array<std::int64_t>(std::move(totals), shape);
  return as_array<std::uint64_t>(std::move(totals), shape);
}

// Runs `work` without the GIL and gives back what it returns.
template <class Work>
auto released(const Work& work) {
  const nb::gil_scoped_release release;
  return work();
}

nb::tuple count_dense_of(nb::handle actual, nb::handle predicted, nb::handle first_row, std::int64_t rows,
                         nb::handle first_col, std::int64_t cols, int threads) {
  const PairsView view(actual, predicted);
  const Axis row_axis = axis_of(first_row, rows), col_axis = axis_of(first_col, cols);
  Buffer<std::int64_t> counts(table_size(row_axis, col_axis), Fill::zero);
  const std::int64_t outside =
      released([&] { return count_dense(view.pairs, row_axis, col_axis, threads, counts.data()); });
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
        released([&] { return count_weighted<decltype(cell)>(view.pairs, w, row_axis, col_axis, threads); });
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
    auto cells = released([&] { return count_sparse(view.pairs, row_axis, col_axis, threads); });
    return nb::make_tuple(as_list(std::move(cells.row)), as_list(std::move(cells.col)),
                          as_list(std::move(cells.totals)), nb::none(), cells.outside);
  }
  const WeightsView weights_view(weights, view);
  const Weights& w = weights_view.weights;
  return with_cell(w.kind, [&](auto cell) {
    auto cells = released([&] { return count_sparse<decltype(cell)>(view.pairs, w, row_axis, col_axis, threads); });
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
  std::optional<CloseCount> result = released([&] { return count_close(view.pairs, most, threads); });
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
  std::optional<Factorized> result = released([&] { return factorize(codes, view.size(), limit); });
  if (!result) return nb::none();
  const std::size_t distinct = result->distinct.size();
  const bool large = !codes.is_signed && codes.bytes == 8;
  return nb::make_tuple(as_list(std::move(result->codes)),
                        large ? as_array<std::uint64_t>(std::move(result->distinct), {distinct})
                              : as_array<std::int64_t>(std::move(result->distinct), {distinct}));
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
}
