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

// The runs of equal keys in one bucket: visit(first record, one past the last).
template <class Record, class Visit>
void for_each_run(const Bucket<Record>& bucket, Visit&& visit) {
  const Record* const end = bucket.records + bucket.size;
  for (const Record* run = bucket.records; run != end;) {
    const Record* next = run + 1;
    while (next != end && next->key == run->key) ++next;
    visit(run, next);
    run = next;
  }
}

template <class Record>
std::size_t count_runs(const Bucket<Record>& bucket) {
  if (bucket.size == 0) return 0;
  std::size_t runs = 1;
  for (std::size_t i = 1; i < bucket.size; ++i) runs += bucket.records[i].key != bucket.records[i - 1].key;
  return runs;
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

// Reads the pairs that are inside as records, in order; returns their number and the largest key.
struct Gathered {
  std::size_t size = 0;
  std::uint64_t largest = 0;
};

template <class Record>
Gathered gather(const Pairs& pairs, const Source* weights, const Reach& reach, std::uint64_t width, Record* records) {
  constexpr std::uint64_t none = ~std::uint64_t{0};
  Gathered result;
  if (reach.size == 0) return result;
  std::uint64_t cells[kBlock];
  std::uint64_t room[kBlock];
  for (std::size_t begin = 0; begin < pairs.size; begin += kBlock) {
    const std::size_t n = std::min(kBlock, pairs.size - begin);
    wide_cells_of(pairs, reach, begin, n, width, cells);
    const std::uint64_t* bits = weights == nullptr ? nullptr : block_of(*weights, begin, n, room);
    for (std::size_t i = 0; i < n; ++i) {
      if (cells[i] == none) continue;
      result.largest = std::max(result.largest, cells[i]);
      if constexpr (sizeof(Record) == sizeof(Key)) {
        records[result.size++] = {cells[i]};
      } else {
        records[result.size++] = {cells[i], bits[i]};
      }
    }
  }
  return result;
}

// `total_of(first, last, total, square)` says what a run adds up to.
template <class Record, class Total, class TotalOf>
SparseCount<Total> count_sorted(const Pairs& pairs, const Source* weights, Axis rows, Axis cols, int threads,
                                const TotalOf& total_of) {
  threads = useful_threads(pairs.size, threads);
  const Keys keys(rows.size, cols.size);
  const Reach reach = reach_of(pairs, rows, cols);
  Buffer<Record> records(pairs.size);
  const Gathered inside = gather(pairs, weights, reach, keys.width(), records.data());
  Buffer<Record> spare(inside.size);
  Sorter<Record> sorter(records.data(), spare.data(), inside.size, inside.largest, threads);
  const std::vector<Bucket<Record>> buckets = sorter.sorted();
  const std::vector<std::size_t> starts = run_starts(buckets, threads);
  const std::size_t found = starts.back();
  SparseCount<Total> result{Buffer<std::int64_t>(found), Buffer<std::int64_t>(found), Buffer<Total>(found),
                            Buffer<double>(weights == nullptr ? 0 : found),
                            static_cast<std::int64_t>(pairs.size - inside.size)};
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
  return count_sorted<Key, std::int64_t>(pairs, nullptr, rows, cols, threads,
                                         [](const Key* first, const Key* last, std::int64_t& total, double*) {
                                           total = last - first;
                                         });
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
