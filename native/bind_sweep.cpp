// Glue for sweeps over thresholds: Python buffers in, NumPy arrays out. The computation is in the header.
#include <cstdint>

#include "python_buffer.hpp"
#include "sweep.hpp"

namespace confmat {
namespace {

template <class Count>
nb::object swept(double* scores, std::size_t items, const NumbersView& hits, std::size_t size) {
  Buffer<Count> reached(2 * size);
  without_gil(
      [&] { sweep(scores, items, hits.data<double>(), hits.size(), size, reached.data(), reached.data() + size); });
  return as_array<Count>(std::move(reached), {std::size_t{2}, size});
}

nb::object sweep_of(nb::handle scores, nb::handle hits) {
  const NumbersView all(scores, "scores", "d", "float64"), some(hits, "hits", "d", "float64");
  if (all.size() == 0) throw nb::value_error("scores: wanted room for infinity");
  double* const values = all.to_write();
  const std::size_t items = all.size() - 1;
  const std::size_t size = without_gil([&] { return thresholds_among(values + 1, items); });
  if (items <= INT32_MAX) return swept<std::int32_t>(values, items, some, size);
  return swept<std::int64_t>(values, items, some, size);
}

template <class Total>
nb::tuple as_halves(Halves<Total> halves, std::size_t size) {
  nb::object below = nb::none();
  if (halves.below.size() != 0) below = as_array<Total>(std::move(halves.below), {std::size_t{2}, size});
  return nb::make_tuple(as_array<Total>(std::move(halves.above), {std::size_t{2}, size}), below);
}

template <class Weight>
nb::tuple swept_weighted(const NumbersView& scores, const NumbersView& truth, const NumbersView& weights, int threads) {
  WeightedSweep<Weight> found = without_gil([&] {
    return sweep_weighted(scores.data<double>(), truth.data<std::uint8_t>(), weights.data<Weight>(), scores.size(),
                          threads);
  });
  const std::size_t size = found.thresholds.size();
  return nb::make_tuple(as_list(std::move(found.thresholds)), as_halves(std::move(found.sums), size),
                        as_halves(std::move(found.squares), size));
}

nb::tuple sweep_weighted_of(nb::handle scores, nb::handle truth, nb::handle weights, int threads) {
  const NumbersView all(scores, "scores", "d", "float64"), hits(truth, "truth", "?", "booleans", 1, 1);
  const NumbersView each(weights, "weights", "dlqn", "int64 or float64");
  if (all.size() != hits.size() || all.size() != each.size()) {
    throw nb::value_error("scores, truth and weights differ in length");
  }
  return each.is_float() ? swept_weighted<double>(all, hits, each, threads)
                         : swept_weighted<std::int64_t>(all, hits, each, threads);
}

}  // namespace

void bind_sweep(nb::module_& m) {
  using nb::arg;
  m.def("sweep", &sweep_of, arg("scores"), arg("hits"),
        "Hits and other items at or above each threshold, (2, G); the thresholds are then the first G of `scores`.");
  m.def("sweep_weighted", &sweep_weighted_of, arg("scores"), arg("truth"), arg("weights"), arg("threads"),
        "Thresholds, and sums of weights and of their squares above and below each: `(thresholds, sums, squares)`.");
}

}  // namespace confmat
