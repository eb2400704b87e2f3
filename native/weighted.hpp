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

// Pairs begin .. end into one table of `reach.size + 1` cells; the last collects what is outside.
template <class Cell>
std::int64_t add_weights(const Pairs& pairs, const Weights& weights, const Reach& reach, std::size_t begin,
                         std::size_t end, Cell* table) {
  const auto outside_cell = static_cast<std::uint32_t>(reach.size);
  std::int64_t outside = 0;
  alignas(64) std::uint32_t cells[kBlock];
  alignas(64) std::uint64_t room[kBlock];
  for (; begin < end; begin += kBlock) {
    const std::size_t n = std::min(kBlock, end - begin);
    cells_of(pairs, reach, begin, n, outside_cell, cells);
    const std::uint64_t* bits = block_of(weights, begin, n, room);
    for (std::size_t i = 0; i < n; ++i) {
      table[cells[i]].add(bits[i]);
      outside += cells[i] == outside_cell;
    }
  }
  return outside;
}

// The pairs are cut into parts whose number depends on nothing but their count, and the parts are added in order,
// so that the rounding of a float sum does not depend on the threads.
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
    result.sums[reach.base + cell] = whole.sum.value();
    result.squares[reach.base + cell] = whole.squares.value();
  }
  for (const std::int64_t count : outside) result.outside += count;
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
  // A table with compensation for far more cells than there are pairs would be mostly for nothing.
  const bool mostly_empty = reach.size > 4096 && reach.size / 2 > pairs.size;
  if (!mostly_empty && reach.size < UINT32_MAX) {
    add_in_parts<Cell>(pairs, weights, reach, useful_threads(pairs.size, threads), result);
    return result;
  }
  const SparseCount<Total> cells = count_sparse<Cell>(pairs, weights, rows, cols, threads);
  for (std::size_t i = 0; i < cells.row.size(); ++i) {
    const std::size_t cell = static_cast<std::size_t>(cells.row[i]) * cols.size + static_cast<std::size_t>(cells.col[i]);
    result.sums[cell] = cells.totals[i];
    result.squares[cell] = cells.squares[i];
  }
  result.outside = cells.outside;
  return result;
}

}  // namespace confmat
