// Glue for tables of zeros and ones: Python buffers in, NumPy arrays out. The computation is in the header.
#include "indicators.hpp"
#include "python_buffer.hpp"

namespace confmat {
namespace {

// Two axes, whole numbers or booleans, rows without gaps; anything else is a TypeError.
class TableView {
 public:
  TableView(nb::handle array, const char* what) : lent_(array) {
    if (!lent_) nb::raise_python_error();
    if (lent_->ndim != 2) refuse(what, "two dimensions");
    const Format format(lent_->format);
    if (!format.is_one_of("?bhilqnBHILQN") || format.counted || format.swapped)
      refuse(what, "integers of this machine");
    if (!is_gapless(lent_)) refuse(what, "rows one after the other, aligned");
  }

  std::size_t rows() const { return static_cast<std::size_t>(lent_->shape[0]); }
  std::size_t columns() const { return static_cast<std::size_t>(lent_->shape[1]); }
  std::uint8_t bytes() const { return static_cast<std::uint8_t>(lent_->itemsize); }
  const unsigned char* data() const { return static_cast<const unsigned char*>(lent_->buf); }

 private:
  [[noreturn]] static void refuse(const char* what, const char* wanted) {
    PyErr_Format(PyExc_TypeError, "%s: wanted %s", what, wanted);
    throw nb::python_error();
  }

  Lent lent_;
};

nb::tuple count_indicators_of(nb::handle actual, nb::handle predicted, int threads) {
  const TableView truth(actual, "actual"), answers(predicted, "predicted");
  if (truth.rows() != answers.rows() || truth.columns() != answers.columns() || truth.bytes() != answers.bytes()) {
    throw nb::value_error("actual and predicted differ in shape or width");
  }
  if (truth.columns() == 0) throw nb::value_error("there is no label");
  const Indicators table{truth.data(), answers.data(), truth.rows(), truth.columns(), truth.bytes()};
  IndicatorSums found = without_gil([&] { return count_indicators(table, threads); });
  return nb::make_tuple(as_array<std::int64_t>(std::move(found.sums), {std::size_t{3}, table.labels}), found.wrong);
}

}  // namespace

void bind_indicators(nb::module_& m) {
  using nb::arg;
  m.def("count_indicators", &count_indicators_of, arg("actual"), arg("predicted"), arg("threads"),
        "Ones of each column in both tables, in the first and in the second: `(sums, wrong)`.");
}

}  // namespace confmat
