// Glue for sweeps over thresholds: Python buffers in, NumPy arrays out. What is computed is in the header.
#include <cstdint>

#include "python_buffer.hpp"
#include "sweep.hpp"

namespace confmat {
namespace {

// float64 one after the other, aligned; anything else is a TypeError.
class ScoresView {
 public:
  ScoresView(nb::handle array, const char* what) : lent_(array) {
    if (!lent_) nb::raise_python_error();
    const Format format(lent_->format);
    const bool plain = lent_->ndim == 1 && lent_->itemsize == 8 && format.is_one_of("d") && !format.counted &&
                       !format.swapped && (lent_->strides[0] == 8 || lent_->shape[0] <= 1);
    if (!plain || reinterpret_cast<std::uintptr_t>(lent_->buf) % 8 != 0) refuse(what, "float64 without gaps");
  }

  std::size_t size() const { return static_cast<std::size_t>(lent_->shape[0]); }
  const double* data() const { return static_cast<const double*>(lent_->buf); }
  double* to_write(const char* what) const {
    if (lent_->readonly) refuse(what, "an array that may be written to");
    return static_cast<double*>(lent_->buf);
  }

 private:
  [[noreturn]] static void refuse(const char* what, const char* wanted) {
    PyErr_Format(PyExc_TypeError, "%s: wanted %s", what, wanted);
    throw nb::python_error();
  }

  Lent lent_;
};

template <class Count>
nb::object swept(double* scores, std::size_t items, const ScoresView& hits, std::size_t size) {
  Buffer<Count> reached(2 * size);
  {
    const nb::gil_scoped_release release;
    sweep(scores, items, hits.data(), hits.size(), reached.data(), reached.data() + size);
  }
  return as_array<Count>(std::move(reached), {std::size_t{2}, size});
}

nb::object sweep_of(nb::handle scores, nb::handle hits) {
  const ScoresView all(scores, "scores"), some(hits, "hits");
  if (all.size() == 0) throw nb::value_error("scores: wanted room for infinity");
  double* const values = all.to_write("scores");
  const std::size_t items = all.size() - 1;
  std::size_t size = 0;
  {
    const nb::gil_scoped_release release;
    size = thresholds_among(values + 1, items);
  }
  if (items <= INT32_MAX) return swept<std::int32_t>(values, items, some, size);
  return swept<std::int64_t>(values, items, some, size);
}

}  // namespace

void bind_sweep(nb::module_& m) {
  using nb::arg;
  m.def("sweep", &sweep_of, arg("scores"), arg("hits"),
        "Hits and other items at or above each threshold, (2, G); the thresholds are then the first G of `scores`.");
}

}  // namespace confmat
