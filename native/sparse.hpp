// Counting into the cells that occur, in memory proportional to the number of pairs: sort the cells, measure runs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "buffer.hpp"
#include "cells.hpp"
#include "count_pairs.hpp"
#include "parallel.hpp"
#include "radix_sort.hpp"
#include "weights.hpp"

namespace confmat {

template <class Total>
struct SparseCount {
  Buffer<std::int64_t> row, col;
  Buffer<Total> totals;
  Buffer<double> squares;  // empty without weights
  std::int64_t outside = 0;
};

// How a cell becomes a key: row and column side by side where their bits fit, which spares a division per cell.
struct Keys {
  std::uint64_t cols;
  unsigned shift;  // 0: key = row * cols + col

  Keys(std::uint64_t rows, std::uint64_t columns) : cols(columns), shift(bits_of(columns == 0 ? 0 : columns - 1)) {
    if (shift == 0 || shift + bits_of(rows == 0 ? 0 : rows - 1) > 63) shift = 0;
  }
  std::uint64_t width() const { return shift == 0 ? cols : std::uint64_t{1} << shift; }
  std::uint64_t row(std::uint64_t key) const { return shift == 0 ? key / cols : key >> shift; }
  std::uint64_t col(std::uint64_t key) const { return shift == 0 ? key % cols : key & (width() - 1); }
};

template <class Record>
Record make_record(std::uint64_t key, std::uint64_t weight) {
  if constexpr (sizeof(Record) == sizeof(CellKey)) {
    (void)weight;
    return {key};
  } else {
    return {key, weight};
  }
}

// Where the runs of each bucket begin among all runs, and how many there are in the end.
template <class Record>
std::vector<std::size_t> run_starts(const std::vector<Bucket<Record>>& buckets, int threads) {
  std::vector<std::size_t> starts(buckets.size() + 1);
  Tasks tasks(buckets.size());
  run_in_threads(threads, [&](int) {
    for (std::size_t b = 0; tasks.take(b);) starts[b + 1] = count_runs(buckets[b]);
  });
  for (std::size_t b = 0; b < buckets.size(); ++b) starts[b + 1] += starts[b];
  return starts;
}

// Appends the pairs begin .. end that are inside, in order.
template <class Record>
Bucket<Record> gather_slice(const Pairs& pairs, const Source* weights, const Reach& reach, std::uint64_t width,
                            std::size_t begin, std::size_t end, Record* records, std::uint64_t& largest_key) {
  constexpr std::uint64_t none = ~std::uint64_t{0};
  alignas(64) std::uint64_t cells[kBlock];
  alignas(64) std::uint64_t room[kBlock];
  std::size_t size = 0;
  std::uint64_t largest = 0;
  for (const std::size_t first = begin; begin < end; begin += kBlock) {
    if ((begin - first) % kStretch == 0) heed_interruption();
    const std::size_t n = std::min(kBlock, end - begin);
    wide_cells_of(pairs, reach, begin, n, width, cells);
    const std::uint64_t* const bits = weights == nullptr ? cells : block_of(*weights, begin, n, room);
    for (std::size_t i = 0; i < n; ++i) {  // without a branch: what is outside is overwritten
      records[size] = make_record<Record>(cells[i], bits[i]);
      const bool inside = cells[i] != none;
      size += inside;
      largest = std::max(largest, inside ? cells[i] : 0);
    }
  }
  largest_key = largest;
  return {records, size};
}

// The pairs begin .. end that are inside, as records, into memory for all of them.
template <class Record>
void gather(const Pairs& pairs, const Source* weights, const Reach& reach, std::uint64_t width, std::size_t begin,
            std::size_t end, int threads, Sliced<Record>& result) {
  if (reach.size == 0) return;
  const auto slices = static_cast<std::size_t>(threads);
  const std::size_t length = ((end - begin) / slices / kBlock + 1) * kBlock;
  result.slices.resize(slices);
  std::vector<std::uint64_t> largest(slices);
  Tasks tasks(slices);
  run_in_threads(threads, [&](int) {
    for (std::size_t slice = 0; tasks.take(slice);) {
      const std::size_t first = std::min(end, begin + slice * length), last = std::min(end, first + length);
      result.slices[slice] = gather_slice(pairs, weights, reach, width, first, last,
                                          result.memory.data() + (first - begin), largest[slice]);
    }
  });
  result.largest_key = *std::max_element(largest.begin(), largest.end());
}

// `total_of(first, last, total, square)` says what a run adds up to.
template <class Record, class Total, class TotalOf>
SparseCount<Total> count_sorted(const Pairs& pairs, const Source* weights, Axis rows, Axis cols, int threads,
                                const TotalOf& total_of) {
  threads = useful_threads(pairs.size, threads);
  const Keys keys(rows.size, cols.size);
  const Reach reach = reach_of(pairs, rows, cols);
  Sliced<Record> records(pairs.size);
  gather(pairs, weights, reach, keys.width(), 0, pairs.size, threads, records);
  const std::size_t inside = records.size();
  Buffer<Record> spare;
  const std::vector<Bucket<Record>> buckets = sort_records(records, spare, threads);
  const std::vector<std::size_t> starts = run_starts(buckets, threads);
  const std::size_t found = starts.back();
  SparseCount<Total> result{Buffer<std::int64_t>(found), Buffer<std::int64_t>(found), Buffer<Total>(found),
                            Buffer<double>(weights == nullptr ? 0 : found),
                            static_cast<std::int64_t>(pairs.size - inside)};
  Tasks tasks(buckets.size());
  run_in_threads(threads, [&](int) {
    for (std::size_t b = 0; tasks.take(b);) {
      std::size_t place = starts[b];
      for_each_run(buckets[b], [&](const Record* first, const Record* last) {
        result.row[place] = static_cast<std::int64_t>(keys.row(first->key));
        result.col[place] = static_cast<std::int64_t>(keys.col(first->key));
        total_of(first, last, result.totals[place], weights == nullptr ? nullptr : &result.squares[place]);
        ++place;
      });
    }
  });
  return result;
}

// Without weights. The caller promises that rows.size * cols.size is below 2^63.
inline SparseCount<std::int64_t> count_sparse(const Pairs& pairs, Axis rows, Axis cols, int threads) {
  return count_sorted<CellKey, std::int64_t>(
      pairs, nullptr, rows, cols, threads,
      [](const CellKey* first, const CellKey* last, std::int64_t& total, double*) { total = last - first; });
}

template <class Cell>
SparseCount<typename Cell::Total> count_sparse(const Pairs& pairs, const Weights& weights, Axis rows, Axis cols,
                                               int threads) {
  using Total = typename Cell::Total;
  return count_sorted<KeyAndWeight, Total>(
      pairs, &weights, rows, cols, threads,
      [](const KeyAndWeight* first, const KeyAndWeight* last, Total& total, double* square) {
        Cell cell;
        for (; first != last; ++first) cell.add(first->weight);
        total = cell.sum.value();
        *square = cell.squares.value();
      });
}

}  // namespace confmat
