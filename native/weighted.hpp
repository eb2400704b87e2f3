// Summing weights into a dense table, with their squares.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "buffer.hpp"
#include "cells.hpp"
#include "parallel.hpp"
#include "sparse.hpp"
#include "weights.hpp"

namespace confmat {

template <class Total>
struct WeightedCount {
  Buffer<Total> sums;
  Buffer<double> squares;
  std::int64_t outside = 0;
};

template <class Cell>
void store(const Cell& cell, std::size_t place, WeightedCount<typename Cell::Total>& result) {
  result.sums[place] = cell.sum.value();
  result.squares[place] = cell.squares.value();
}

// Pairs begin .. end into one table of `reach.size + 1` cells; the last collects what is outside.
template <class Cell>
std::int64_t add_weights(const Pairs& pairs, const Weights& weights, const Reach& reach, std::size_t begin,
                         std::size_t end, Cell* table) {
  const auto outside_cell = static_cast<std::uint32_t>(reach.size);
  std::int64_t outside = 0;
  alignas(64) std::uint32_t cells[kBlock];
  alignas(64) std::uint64_t room[kBlock];
  for (const std::size_t first = begin; begin < end; begin += kBlock) {
    if ((begin - first) % kStretch == 0) heed_interruption();
    const std::size_t n = std::min(kBlock, end - begin);
    cells_of(pairs, reach, begin, n, outside_cell, cells);
    const std::uint64_t* const bits = block_of(weights, begin, n, room);
    const Ahead ahead(pairs, begin);
    for (std::size_t i = 0; i < n; ++i) {
      if (i % Ahead::step == 0) ahead.fetch(i);
      table[cells[i]].add(bits[i]);
      outside += cells[i] == outside_cell;
    }
  }
  return outside;
}

// Small tables. The pairs are cut into parts whose number depends on nothing but their count, and the parts are
// added in order, so that the rounding of a float sum does not depend on the threads.
template <class Cell>
void add_in_parts(const Pairs& pairs, const Weights& weights, const Reach& reach, int threads,
                  WeightedCount<typename Cell::Total>& result) {
  const auto size = static_cast<std::size_t>(reach.size);
  const std::size_t parts = pairs.size >= 200'000 && size <= (std::size_t{1} << 16) ? 8 : 1;
  std::vector<Buffer<Cell>> tables(parts);
  std::vector<std::int64_t> outside(parts);
  Tasks tasks(parts);
  run_in_threads(std::min(threads, static_cast<int>(parts)), [&](int) {
    for (std::size_t part = 0; tasks.take(part);) {
      Buffer<Cell> table(size + 1, Fill::zero);
      outside[part] = add_weights(pairs, weights, reach, pairs.size / parts * part,
                                  part + 1 == parts ? pairs.size : pairs.size / parts * (part + 1), table.data());
      tables[part] = std::move(table);
    }
  });
  for (std::size_t cell = 0; cell < size; ++cell) {
    Cell whole = tables[0][cell];
    for (std::size_t part = 1; part < parts; ++part) merge(whole, tables[part][cell]);
    store(whole, reach.base + cell, result);
  }
  for (const std::int64_t count : outside) result.outside += count;
}

// Large tables: round by round, the pairs are brought into buckets of neighbouring cells, each of which fits the
// cache and belongs to one thread. Inside a bucket they keep their order.
template <class Cell>
void add_in_buckets(const Pairs& pairs, const Weights& weights, const Reach& reach, int threads,
                    WeightedCount<typename Cell::Total>& result) {
  constexpr std::size_t cached = 8192;  // cells
  Reach from_base = reach;
  from_base.rows.shift = from_base.cols.shift = 0;
  const auto size = static_cast<std::size_t>(reach.size);
  Buffer<Cell> table(size, Fill::zero);
  const std::size_t round = std::max<std::size_t>(std::size_t{1} << 22, 2 * size);
  result.outside = static_cast<std::int64_t>(pairs.size);
  Sliced<KeyAndWeight> records(std::min(round, pairs.size));
  Buffer<KeyAndWeight> sorted(std::min(round, pairs.size));
  for (std::size_t begin = 0; begin < pairs.size; begin += round) {
    const std::size_t end = std::min(pairs.size, begin + round);
    gather(pairs, &weights, from_base, reach.width, begin, end, threads, records);
    result.outside -= static_cast<std::int64_t>(records.size());
    const unsigned bits = records.key_bits();
    const unsigned shift = bits - leading_bits(bits, std::size_t{1} << bits, cached);
    const auto buckets = scatter_leading(records, shift, sorted.data(), threads);
    Tasks tasks(buckets.size());
    run_in_threads(threads, [&](int) {
      for (std::size_t b = 0; tasks.take(b);) {
        const KeyAndWeight* const last = buckets[b].records + buckets[b].size;
        for (const KeyAndWeight* record = buckets[b].records; record != last; ++record) {
          table[record->key].add(record->weight);
        }
      }
    });
  }
  for (std::size_t cell = 0; cell < size; ++cell) store(table[cell], reach.base + cell, result);
}

// The caller promises that rows.size * cols.size is below 2^63.
template <class Cell>
WeightedCount<typename Cell::Total> count_weighted(const Pairs& pairs, const Weights& weights, Axis rows, Axis cols,
                                                   int threads) {
  using Total = typename Cell::Total;
  const auto size = static_cast<std::size_t>(rows.size * cols.size);
  WeightedCount<Total> result{Buffer<Total>(size, Fill::zero), Buffer<double>(size, Fill::zero), 0};
  const Reach reach = reach_of(pairs, rows, cols);
  if (reach.size == 0) {
    result.outside = static_cast<std::int64_t>(pairs.size);
    return result;
  }
  constexpr std::uint64_t small = 1 << 18;
  const int useful = useful_threads(pairs.size, threads);
  if (reach.size <= small && (reach.size <= 4096 || reach.size / 2 <= pairs.size)) {
    add_in_parts<Cell>(pairs, weights, reach, useful, result);
    return result;
  }
  // A table with compensation for far more cells than there are pairs would be mostly for nothing.
  if (reach.size / 2 <= pairs.size && reach.size < UINT32_MAX) {
    add_in_buckets<Cell>(pairs, weights, reach, useful, result);
    return result;
  }
  const SparseCount<Total> cells = count_sparse<Cell>(pairs, weights, rows, cols, threads);
  for (std::size_t i = 0; i < cells.row.size(); ++i) {
    const std::size_t cell =
        static_cast<std::size_t>(cells.row[i]) * cols.size + static_cast<std::size_t>(cells.col[i]);
    result.sums[cell] = cells.totals[i];
    result.squares[cell] = cells.squares[i];
  }
  result.outside = cells.outside;
  return result;
}

}  // namespace confmat
