// Counting pairs into a dense table of int64, by the way that suits its size.
//
//   few pairs      straight into the result
//   small tables   every thread has tables of 32 bits, interleaved so that equal neighbours need not wait
//   large tables   pairs are first sorted into parts of the table that fit the cache (partition.hpp)
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "buffer.hpp"
#include "cells.hpp"
#include "parallel.hpp"
#include "partition.hpp"

namespace confmat {

// What a thread takes at a time, in pairs.
constexpr std::size_t kChunk = std::size_t{1} << 16;

// Room for a table in the second-level cache of one core.
constexpr std::uint64_t kSmallTable = std::uint64_t{1} << 17;

inline void count_few(const Pairs& pairs, const Reach& reach, std::int64_t* table, std::int64_t& outside) {
  constexpr std::uint64_t none = ~std::uint64_t{0};
  std::uint64_t cells[kBlock];
  for (std::size_t begin = 0; begin < pairs.size; begin += kBlock) {
    const std::size_t n = std::min(kBlock, pairs.size - begin);
    wide_cells_of(pairs, reach, begin, n, reach.width, cells);
    for (std::size_t i = 0; i < n; ++i) {
      if (cells[i] == none) {
        ++outside;
      } else {
        ++table[cells[i]];
      }
    }
  }
}

// Tables of one thread: `Lanes` of them, so that consecutive pairs go to different ones. The last cell of each
// collects what is outside.
template <unsigned Lanes>
class Counters {
 public:
  explicit Counters(std::size_t cells) : stride_(cells + kPad), counts_(Lanes * stride_, Fill::zero) {}

  void add(const std::uint32_t* cells, std::size_t n) {
    std::uint32_t* const counts = counts_.data();
    std::size_t i = 0;
    for (; i + Lanes <= n; i += Lanes) {
      for (unsigned lane = 0; lane < Lanes; ++lane) ++counts[lane * stride_ + cells[i + lane]];
    }
    for (; i < n; ++i) ++counts[cells[i]];
  }

  std::uint64_t total(std::size_t cell) const {
    std::uint64_t sum = 0;
    for (unsigned lane = 0; lane < Lanes; ++lane) sum += counts_[lane * stride_ + cell];
    return sum;
  }

  void clear() { std::fill_n(counts_.data(), counts_.size(), 0U); }

 private:
  static constexpr std::size_t kPad = 16;  // one cell for outside; a cache line keeps the lanes apart
  std::size_t stride_;
  Buffer<std::uint32_t> counts_;
};

template <unsigned Lanes>
std::int64_t count_small(const Pairs& pairs, const Reach& reach, std::int64_t* table, int threads, bool stop_outside) {
  const auto size = static_cast<std::size_t>(reach.size);
  const auto outside_cell = static_cast<std::uint32_t>(size);
  Tasks chunks((pairs.size + kChunk - 1) / kChunk);
  std::mutex result_guard;
  std::int64_t outside = 0;
  run_in_threads(threads, [&](int) {
    Counters<Lanes> counters(size);
    std::uint64_t room = 0;  // pairs that surely still fit 32 bits
    const auto flush = [&] {
      const std::lock_guard<std::mutex> lock(result_guard);
      for (std::size_t cell = 0; cell < size; ++cell) table[cell] += static_cast<std::int64_t>(counters.total(cell));
      outside += static_cast<std::int64_t>(counters.total(size));
    };
    room = UINT32_MAX;
    alignas(64) std::uint32_t cells[kBlock];
    for (std::size_t chunk = 0; chunks.take(chunk);) {
      if (room < kChunk) {
        flush();
        counters.clear();
        room = UINT32_MAX;
      }
      room -= kChunk;
      const std::size_t end = std::min(pairs.size, (chunk + 1) * kChunk);
      for (std::size_t begin = chunk * kChunk; begin < end; begin += kBlock) {
        const std::size_t n = std::min(kBlock, end - begin);
        cells_of(pairs, reach, begin, n, outside_cell, cells);
        counters.add(cells, n);
      }
      if (stop_outside && counters.total(size) != 0) chunks.stop();
    }
    flush();
  });
  return outside;
}

// Counts into `table` (rows.size x cols.size, zeros) and returns how many pairs had no place in it.
// With `stop_outside` the answer may be incomplete as soon as something is outside.
inline std::int64_t count_dense(const Pairs& pairs, Axis rows, Axis cols, int threads, std::int64_t* table,
                                bool stop_outside = false) {
  const Reach reach = reach_of(pairs, rows, cols);
  if (reach.size == 0) return static_cast<std::int64_t>(pairs.size);
  const bool few = pairs.size < 4096 || pairs.size / 2 < reach.size / 16;
  if (few || reach.size > kPartitionLimit) {
    std::int64_t outside = 0;
    count_few(pairs, reach, table, outside);
    return outside;
  }
  threads = useful_threads(pairs.size, threads);
  std::int64_t* const reached = table + reach.base;
  if (reach.size <= 4096) return count_small<8>(pairs, reach, reached, threads, stop_outside);
  if (reach.size <= kSmallTable) return count_small<2>(pairs, reach, reached, threads, stop_outside);
  return count_small<1>(pairs, reach, reached, threads, stop_outside);
}

}  // namespace confmat
