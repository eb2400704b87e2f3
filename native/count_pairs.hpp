// Counting pairs into a dense table of int64, by the way that suits its size.
//
//   few pairs      straight into the result
//   few cells      codes of one and two bytes are compared with every cell, or two pairs are one step
//   small tables   every thread has tables of its own, of narrower counters, and adds them in the end
//   large tables   pairs are first sorted into parts of the table that fit the cache (partition.hpp)
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <numeric>
#include <utility>
#include <vector>

#include "buffer.hpp"
#include "cells.hpp"
#include "parallel.hpp"
#include "partition.hpp"

namespace confmat {

// Cells up to which each way is the fastest: measured, and easily explained by the caches of one core.
constexpr std::uint64_t kFirstCache = 1 << 10;    // 8 tables of 4 bytes: 32 KB
constexpr std::uint64_t kSecondCache = 1 << 16;   // 2 tables of 4 bytes: 512 KB
constexpr std::uint64_t kWideCounters = 1 << 20;  // 4 MB
constexpr std::uint64_t kByteCounters = 1 << 23;  // 8 MB

inline void count_few(const Pairs& pairs, const Reach& reach, std::int64_t* table, std::int64_t& outside) {
  constexpr std::uint64_t none = ~std::uint64_t{0};
  std::uint64_t cells[kBlock];
  for (std::size_t begin = 0; begin < pairs.size; begin += kBlock) {
    if (begin % kStretch == 0) heed_interruption();
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

// Tables of one thread: `Lanes` of them, so that consecutive pairs go to different ones and equal neighbours need
// not wait for each other. The last cell of each collects what is outside.
template <unsigned Lanes, std::uint64_t Room = UINT32_MAX>
class LaneCounters {
 public:
  using Cell = std::uint32_t;

  explicit LaneCounters(std::size_t size) : size_(size), stride_(size + kPad), counts_(Lanes * stride_, Fill::zero) {}

  void add(const std::uint32_t* cells, std::size_t n, const Ahead& ahead) {
    static_assert(Ahead::step % Lanes == 0);
    std::uint32_t* const counts = counts_.data();
    std::size_t i = 0;
    for (; i + Ahead::step <= n; i += Ahead::step) {
      ahead.fetch(i);
      for (unsigned j = 0; j < Ahead::step; ++j) ++counts[j % Lanes * stride_ + cells[i + j]];
    }
    for (; i < n; ++i) ++counts[cells[i]];
    room_ -= n;
  }

  bool outside_seen() const { return total(size_) != 0; }

  // Whether another chunk might overflow 32 bits.
  bool full() const { return room_ < kChunk; }

  // Moves everything counted so far to the result.
  void flush(std::int64_t* table, std::int64_t& outside) {
    for (std::size_t cell = 0; cell < size_; ++cell) table[cell] += static_cast<std::int64_t>(total(cell));
    outside += static_cast<std::int64_t>(total(size_));
    std::fill_n(counts_.data(), counts_.size(), 0U);
    room_ = Room;
  }

 private:
  std::uint64_t total(std::size_t cell) const {
    std::uint64_t sum = 0;
    for (unsigned lane = 0; lane < Lanes; ++lane) sum += counts_[lane * stride_ + cell];
    return sum;
  }

  static constexpr std::size_t kPad = 16;  // one cell for outside; a cache line keeps the lanes apart
  std::size_t size_, stride_;
  Buffer<std::uint32_t> counts_;
  std::uint64_t room_ = Room;  // pairs that surely still fit 32 bits
};

// One table of bytes, an eighth of the result: it stays in the cache where wider counters would not. A cell that
// wraps around is noted, and stands for 256 pairs.
template <std::size_t MostWrapped = std::size_t{1} << 20>
class ByteCounters {
 public:
  using Cell = std::uint32_t;

  explicit ByteCounters(std::size_t size) : size_(size), counts_(size + 1, Fill::zero) {}

  void add(const std::uint32_t* cells, std::size_t n, const Ahead& ahead) {
    for (std::size_t i = 0; i < n; ++i) {
      if (i % Ahead::step == 0) ahead.fetch(i);
      if (++counts_[cells[i]] == 0) wrapped_.push_back(cells[i]);
    }
  }

  bool outside_seen() const { return counts_[size_] != 0; }
  bool full() const { return wrapped_.size() >= MostWrapped; }

  void flush(std::int64_t* table, std::int64_t& outside) {
    const auto size = static_cast<std::uint32_t>(size_);
    for (const std::uint32_t cell : wrapped_) (cell == size ? outside : table[cell]) += 256;
    wrapped_.clear();
    for (std::size_t cell = 0; cell < size_; ++cell) table[cell] += counts_[cell];
    outside += counts_[size_];
    std::fill_n(counts_.data(), counts_.size(), std::uint8_t{0});
  }

 private:
  std::size_t size_;
  Buffer<std::uint8_t> counts_;
  std::vector<std::uint32_t> wrapped_;
};

// For a few cells, such as those of three classes: every cell's number is compared with vectors of cells, and the
// bytes that come out are subtracted from sums of bytes, which are emptied before they wrap around.
class ComparedCounters {
 public:
  using Cell = std::uint8_t;
  static constexpr std::size_t most = 12;  // nine, or two classes and one more on a side, as guessed in close.hpp

  explicit ComparedCounters(std::size_t size) : size_(size) {}

  void add(const Cell* cells, std::size_t n, const Ahead& ahead) {
    for (std::size_t i = 0; i < n; i += 32) ahead.fetch(i);
    const std::size_t whole = n - n % kWidth;
    best_of<Loop>()(cells, whole, size_, sums_);
    for (std::size_t i = whole; i < n; ++i) ++counts_[cells[i]];
    pairs_ += static_cast<std::int64_t>(whole);
    if (++blocks_ == 255 / (kBlock / kWidth)) empty_sums();
  }

  bool outside_seen() {
    empty_sums();
    return counts_[size_] != 0;
  }
  bool full() const { return false; }

  void flush(std::int64_t* table, std::int64_t& outside) {
    empty_sums();
    for (std::size_t cell = 0; cell < size_; ++cell) table[cell] += counts_[cell];
    outside += counts_[size_];
    std::fill_n(counts_, size_ + 1, 0);
  }

 private:
  static constexpr std::size_t kWidth = 64;
  using Sums = Cell[most][kWidth];

  struct Loop {
    template <std::size_t Bytes>  // of a vector register: compilers take a longer vector apart, byte by byte
    static CONFMAT_INLINE void body(const Cell* cells, std::size_t n, std::size_t size, Sums& sums) {
      constexpr std::size_t registers = kWidth / Bytes;
      typedef Cell Vector __attribute__((vector_size(Bytes), aligned(1), may_alias));
      for (std::size_t cell = 0; cell < size; ++cell) {
        Vector sum[registers];
        const Vector wanted = Vector{} + static_cast<Cell>(cell);
        for (std::size_t j = 0; j < registers; ++j) sum[j] = reinterpret_cast<const Vector*>(sums[cell])[j];
        for (std::size_t i = 0; i < n; i += kWidth) {
          for (std::size_t j = 0; j < registers; ++j) {
            sum[j] -= (Vector)(reinterpret_cast<const Vector*>(cells + i)[j] == wanted);
          }
        }
        for (std::size_t j = 0; j < registers; ++j) reinterpret_cast<Vector*>(sums[cell])[j] = sum[j];
      }
    }
    static void any(const Cell* cells, std::size_t n, std::size_t size, Sums& sums) { body<16>(cells, n, size, sums); }
#if defined(CONFMAT_X86)
    CONFMAT_AVX2 static void avx2(const Cell* cells, std::size_t n, std::size_t size, Sums& sums) {
      body<32>(cells, n, size, sums);
    }
    CONFMAT_AVX512 static void avx512(const Cell* cells, std::size_t n, std::size_t size, Sums& sums) {
      body<64>(cells, n, size, sums);
    }
#endif
  };

  void empty_sums() {
    for (std::size_t cell = 0; cell < size_; ++cell) {
      const std::int64_t sum = std::accumulate(sums_[cell], sums_[cell] + kWidth, 0);
      counts_[cell] += sum;
      pairs_ -= sum;
    }
    counts_[size_] += std::exchange(pairs_, 0);
    blocks_ = 0;
    std::memset(sums_, 0, sizeof sums_);
  }

  std::size_t size_, blocks_ = 0;
  std::int64_t pairs_ = 0;  // in the sums, and outside
  std::int64_t counts_[most + 1] = {};
  alignas(kWidth) Sums sums_ = {};
};

// For small tables: neighbours are counted together, so that there are half as many counters to increase. Their table
// is the square of the pairs' own.
class JoinedCounters {
 public:
  using Cell = std::uint8_t;
  static constexpr std::size_t most = 144;  // 145^2 counters of two bytes, four times: 168 KB

  // Pairs that are worth clearing the tables and adding them up.
  static std::size_t worth(std::size_t size) { return kLanes * (size + 1) * (size + 1); }

  explicit JoinedCounters(std::size_t size)
      : size_(size), side_(size + 1), stride_(side_ * side_ + 32), counts_(kLanes * stride_, Fill::zero) {}

  void add(const Cell* cells, std::size_t n, const Ahead& ahead) {
    alignas(64) std::uint16_t joined[kBlock / 2];
    best_of<Loop>()(cells, n / 2, static_cast<std::uint16_t>(side_), joined);
    std::uint16_t* const counts = counts_.data();
    std::size_t i = 0;
    for (; i + Ahead::step <= n / 2; i += Ahead::step) {
      ahead.fetch(2 * i);
      for (unsigned j = 0; j < Ahead::step; ++j) ++counts[j % kLanes * stride_ + joined[i + j]];
    }
    for (; i < n / 2; ++i) ++counts[joined[i]];
    if (n % 2 != 0) ++sums_[cells[n - 1]];
    room_ -= n;
  }

  bool outside_seen() const {
    unsigned seen = sums_[size_];
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      const std::uint16_t* const counts = counts_.data() + lane * stride_;
      for (std::size_t i = 0; i < side_; ++i) seen |= counts[size_ * side_ + i] | counts[i * side_ + size_];
    }
    return seen != 0;
  }
  bool full() const { return room_ < kChunk; }

  void flush(std::int64_t* table, std::int64_t& outside) {
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      const std::uint16_t* counts = counts_.data() + lane * stride_;
      for (std::size_t first = 0; first < side_; ++first, counts += side_) {
        std::uint32_t sum = 0;
        for (std::size_t second = 0; second < side_; ++second) {
          sum += counts[second];
          sums_[second] += counts[second];
        }
        sums_[first] += sum;
      }
    }
    for (std::size_t cell = 0; cell < size_; ++cell) table[cell] += sums_[cell];
    outside += sums_[size_];
    std::fill_n(counts_.data(), counts_.size(), std::uint16_t{0});
    std::fill_n(sums_, side_, 0U);
    room_ = kRoom;
  }

 private:
  static constexpr unsigned kLanes = 4;  // as in LaneCounters
  static constexpr std::size_t kRoom = 2 * kLanes * (UINT16_MAX - Ahead::step);

  struct Loop {
    static CONFMAT_INLINE void body(const Cell* cells, std::size_t n, std::uint16_t side, std::uint16_t* joined) {
      for (std::size_t i = 0; i < n; ++i) {
        joined[i] = static_cast<std::uint16_t>(cells[2 * i] * side + cells[2 * i + 1]);
      }
    }
    CONFMAT_VERSIONS(void, (const Cell* cells, std::size_t n, std::uint16_t side, std::uint16_t* joined),
                     (cells, n, side, joined))
  };

  std::size_t size_, side_, stride_;
  Buffer<std::uint16_t> counts_;
  std::uint32_t sums_[most + 1] = {};
  std::size_t room_ = kRoom;  // pairs that surely still fit 16 bits
};

template <class Counters>
std::int64_t count_with(const Pairs& pairs, const Reach& reach, std::int64_t* table, int threads, bool stop_outside) {
  using Cell = typename Counters::Cell;
  const auto size = static_cast<std::size_t>(reach.size);
  Tasks chunks((pairs.size + kChunk - 1) / kChunk);
  std::mutex result_guard;
  std::int64_t outside = 0;
  run_in_threads(threads, [&](int) {
    Counters counters(size);
    const auto flush = [&] {
      const std::lock_guard<std::mutex> lock(result_guard);
      counters.flush(table, outside);
    };
    alignas(64) Cell cells[kBlock];
    for (std::size_t chunk = 0; chunks.take(chunk);) {
      const std::size_t end = std::min(pairs.size, (chunk + 1) * kChunk);
      for (std::size_t begin = chunk * kChunk; begin < end; begin += kBlock) {
        const std::size_t n = std::min(kBlock, end - begin);
        cells_of(pairs, reach, begin, n, static_cast<Cell>(size), cells);
        counters.add(cells, n, Ahead(pairs, begin));
      }
      if (counters.full()) flush();
      if (stop_outside && counters.outside_seen()) chunks.stop();
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
  const bool few = pairs.size < 4096 || pairs.size < reach.size / 8;
  if (few || reach.size > kPartitionLimit) {
    std::int64_t outside = 0;
    count_few(pairs, reach, table, outside);
    return outside;
  }
  std::int64_t* const reached = table + reach.base;
  const std::uint64_t size = reach.size;
  threads = useful_threads(pairs.size, threads, size <= kSecondCache ? light_items_per_thread : 100'000);
  // Codes of four and eight bytes are not read fast enough to gain from it, and two widths are joined in 32 bits.
  if (pairs.actual.bytes <= 2 && pairs.actual.bytes == pairs.predicted.bytes) {
    if (size <= ComparedCounters::most)
      return count_with<ComparedCounters>(pairs, reach, reached, threads, stop_outside);
    if (size <= JoinedCounters::most && pairs.size / static_cast<std::size_t>(threads) >= JoinedCounters::worth(size)) {
      return count_with<JoinedCounters>(pairs, reach, reached, threads, stop_outside);
    }
  }
  if (size <= kFirstCache) return count_with<LaneCounters<8>>(pairs, reach, reached, threads, stop_outside);
  if (size <= kSecondCache) return count_with<LaneCounters<2>>(pairs, reach, reached, threads, stop_outside);
  if (size <= kWideCounters) return count_with<LaneCounters<1>>(pairs, reach, reached, threads, stop_outside);
  if (size <= kByteCounters) return count_with<ByteCounters<>>(pairs, reach, reached, threads, stop_outside);
  return count_partitioned(pairs, reach, reached, threads, stop_outside);
}

}  // namespace confmat
