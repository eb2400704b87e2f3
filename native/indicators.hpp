// Several labels an item: two tables of zeros and ones, added up column by column in one pass.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <mutex>

#include "buffer.hpp"
#include "codes.hpp"
#include "multiversion.hpp"
#include "parallel.hpp"

namespace confmat {

// Items in rows, one after the other without gaps, labels in columns; aligned, in the machine's byte order.
struct Indicators {
  const unsigned char* actual = nullptr;
  const unsigned char* predicted = nullptr;
  std::size_t items = 0;
  std::size_t labels = 0;
  std::uint8_t bytes = 1;  // 1, 2, 4 or 8 an element
};

struct IndicatorSums {
  Buffer<std::int64_t> sums;  // three rows, one number a label: both, actual, predicted
  bool wrong = false;         // something was neither 0 nor 1; the sums then mean nothing
};

// Adds rows of `width` elements to three rows of sums of the same type, which overflow no sooner than 0 and 1 allow.
template <class U>
struct IndicatorLoop {
  static CONFMAT_INLINE U body(const U* __restrict actual, const U* __restrict predicted, std::size_t rows,
                               std::size_t width, U* __restrict both, U* __restrict true_sums,
                               U* __restrict predicted_sums) {
    U seen = 0;
    for (std::size_t row = 0; row < rows; ++row, actual += width, predicted += width) {
      for (std::size_t i = 0; i < width; ++i) {
        const U x = actual[i], y = predicted[i];
        seen = static_cast<U>(seen | x | y);
        both[i] = static_cast<U>(both[i] + (x & y));
        true_sums[i] = static_cast<U>(true_sums[i] + x);
        predicted_sums[i] = static_cast<U>(predicted_sums[i] + y);
      }
    }
    return seen;
  }
  CONFMAT_VERSIONS(U,
                   (const U* actual, const U* predicted, std::size_t rows, std::size_t width, U* both, U* true_sums,
                    U* predicted_sums),
                   (actual, predicted, rows, width, both, true_sums, predicted_sums))
};

// One worker's sums. Several items are taken as one long row, so that few labels fill the processor's registers too.
template <class U>
class IndicatorWorker {
 public:
  explicit IndicatorWorker(const Indicators& table)
      : table_(table),
        together_(std::max<std::size_t>(1, kLanes / table.labels)),
        lanes_(3 * together_ * table.labels, Fill::zero),
        sums_(3 * table.labels, Fill::zero) {}

  // Items begin .. end.
  void add(std::size_t begin, std::size_t end) {
    const std::size_t long_rows = (end - begin) / together_;
    for (std::size_t row = 0; row < long_rows; row += kMost) {
      add_rows(begin + row * together_, std::min(kMost, long_rows - row), together_);
    }
    for (std::size_t item = begin + long_rows * together_; item < end; ++item) add_rows(item, 1, 1);
  }

  void into(IndicatorSums& result) const {
    for (std::size_t i = 0; i < sums_.size(); ++i) {
      result.sums[i] = static_cast<std::int64_t>(static_cast<std::uint64_t>(result.sums[i]) + sums_[i]);
    }
    result.wrong = result.wrong || seen_ > 1;
  }

 private:
  static constexpr std::size_t kLanes = 256;
  // So many rows of ones fit the type of the data.
  static constexpr std::size_t kMost =
      sizeof(U) < 4 ? std::size_t{std::numeric_limits<U>::max()} : std::size_t{1} << 20;

  void add_rows(std::size_t item, std::size_t rows, std::size_t together) {
    const std::size_t width = together * table_.labels, first = item * table_.labels;
    U *const both = lanes_.data(), *const actual = both + width, *const predicted = actual + width;
    const auto loop = best_of<IndicatorLoop<U>>();
    seen_ = static_cast<U>(seen_ | loop(reinterpret_cast<const U*>(table_.actual) + first,
                                        reinterpret_cast<const U*>(table_.predicted) + first, rows, width, both, actual,
                                        predicted));
    const U* lane = lanes_.data();
    for (std::size_t part = 0; part < 3; ++part) {
      std::uint64_t* const sums = sums_.data() + part * table_.labels;
      for (std::size_t copy = 0; copy < together; ++copy) {
        for (std::size_t label = 0; label < table_.labels; ++label) sums[label] += *lane++;
      }
    }
    std::fill_n(lanes_.data(), 3 * width, U{0});
  }

  Indicators table_;
  std::size_t together_;
  Buffer<U> lanes_;
  Buffer<std::uint64_t> sums_;  // unsigned, since what is neither 0 nor 1 may overflow
  U seen_ = 0;
};

// There is at least one label.
inline IndicatorSums count_indicators(const Indicators& table, int threads) {
  IndicatorSums result{Buffer<std::int64_t>(3 * table.labels, Fill::zero), false};
  constexpr std::size_t cells_at_once = std::size_t{1} << 18;
  const std::size_t chunk = std::max<std::size_t>(64, cells_at_once / table.labels);
  Tasks chunks((table.items + chunk - 1) / chunk);
  std::mutex guard;
  with_width(table.bytes, [&](auto zero) {
    using U = decltype(zero);
    run_in_threads(useful_threads(table.items * table.labels, threads, cells_at_once), [&](int) {
      IndicatorWorker<U> mine(table);
      for (std::size_t task = 0; chunks.take(task);) {
        mine.add(task * chunk, std::min(table.items, (task + 1) * chunk));
      }
      const std::lock_guard<std::mutex> lock(guard);
      mine.into(result);
    });
  });
  return result;
}

}  // namespace confmat
