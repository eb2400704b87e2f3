// From two blocks of codes to a block of cell numbers, with the range check in the same vector loop.
#pragma once

#include <cstddef>
#include <cstdint>

#include "codes.hpp"

namespace confmat {

// Pairs per block: the buffers of one block stay in the first-level cache.
constexpr std::size_t kBlock = 512;

struct Pairs {
  Codes actual;
  Codes predicted;
  std::size_t size = 0;
};

// Asks for the codes two blocks ahead while a block is counted: the loop over cells reads no codes, and the
// processor would otherwise stop looking ahead in them. An address past the end is never read.
class Ahead {
 public:
  static constexpr std::size_t step = 8;  // pairs per call of fetch

  Ahead(const Pairs& pairs, std::size_t begin)
      : actual_(address(pairs.actual, begin)),
        predicted_(address(pairs.predicted, begin)),
        actual_stride_(static_cast<std::uintptr_t>(pairs.actual.stride)),
        predicted_stride_(static_cast<std::uintptr_t>(pairs.predicted.stride)) {}

  CONFMAT_INLINE void fetch(std::size_t i) const {
    __builtin_prefetch(reinterpret_cast<const void*>(actual_ + i * actual_stride_));
    __builtin_prefetch(reinterpret_cast<const void*>(predicted_ + i * predicted_stride_));
  }

 private:
  static std::uintptr_t address(const Source& source, std::size_t begin) {
    return reinterpret_cast<std::uintptr_t>(source.data) +
           (begin + 2 * kBlock) * static_cast<std::uintptr_t>(source.stride);
  }
  std::uintptr_t actual_, predicted_, actual_stride_, predicted_stride_;
};

template <class U, class Cell>
struct CellsLoop {  // both sides of one width: one pass
  static CONFMAT_INLINE void body(const U* actual, const U* predicted, std::size_t n, const Window& rows,
                                  const Window& cols, Cell width, Cell outside, Cell* cells) {
    const U low_row = static_cast<U>(rows.low), last_row = static_cast<U>(rows.size - 1);
    const U low_col = static_cast<U>(cols.low), last_col = static_cast<U>(cols.size - 1);
    for (std::size_t i = 0; i < n; ++i) {
      const U row = static_cast<U>(actual[i] - low_row);
      const U col = static_cast<U>(predicted[i] - low_col);
      const Cell cell = static_cast<Cell>(static_cast<Cell>(row) * width + static_cast<Cell>(col));
      cells[i] = (row <= last_row) & (col <= last_col) ? cell : outside;
    }
  }
  CONFMAT_VERSIONS(void,
                   (const U* actual, const U* predicted, std::size_t n, const Window& rows, const Window& cols,
                    Cell width, Cell outside, Cell* cells),
                   (actual, predicted, n, rows, cols, width, outside, cells))
};

// Positions on one axis, as Position (uint32 or uint64); all ones: outside.
template <class U, class Position>
struct PositionsLoop {
  static CONFMAT_INLINE void body(const U* codes, std::size_t n, const Window& window, Position* positions) {
    const U low = static_cast<U>(window.low), last = static_cast<U>(window.size - 1);
    const Position shift = static_cast<Position>(window.shift);
    for (std::size_t i = 0; i < n; ++i) {
      const U position = static_cast<U>(codes[i] - low);
      positions[i] = position <= last ? static_cast<Position>(static_cast<Position>(position) + shift)
                                      : static_cast<Position>(~Position{0});
    }
  }
  CONFMAT_VERSIONS(void, (const U* codes, std::size_t n, const Window& window, Position* positions),
                   (codes, n, window, positions))
};

template <class Position, class Cell>
struct JoinLoop {
  static CONFMAT_INLINE void body(const Position* rows, const Position* cols, std::size_t n, Position width,
                                  Cell outside, Cell* cells) {
    constexpr Position none = static_cast<Position>(~Position{0});
    for (std::size_t i = 0; i < n; ++i) {
      const Cell cell = static_cast<Cell>(rows[i] * width + cols[i]);
      cells[i] = (rows[i] != none) & (cols[i] != none) ? cell : outside;
    }
  }
  CONFMAT_VERSIONS(void,
                   (const Position* rows, const Position* cols, std::size_t n, Position width, Cell outside,
                    Cell* cells),
                   (rows, cols, n, width, outside, cells))
};

template <class Position>
void positions_of(const Codes& codes, std::size_t begin, std::size_t n, const Window& window, Position* positions) {
  with_width(codes.bytes, [&](auto zero) {
    using U = decltype(zero);
    alignas(64) U room[kBlock];
    best_of<PositionsLoop<U, Position>>()(block_of(codes, begin, n, room), n, window, positions);
  });
}

// The part of a rows x cols table that the two types can reach: it starts at cell `base` and has `size` cells,
// counted through the gaps between its rows, so that its cells are numbered as in the table.
struct Reach {
  Window rows, cols;
  std::uint64_t width = 0;
  std::uint64_t base = 0;
  std::uint64_t size = 0;
};

// The caller promises that rows.size * cols.size is below 2^63.
inline Reach reach_of(const Pairs& pairs, Axis rows, Axis cols) {
  Reach reach{window_of(pairs.actual.type(), rows), window_of(pairs.predicted.type(), cols), cols.size, 0, 0};
  if (reach.rows.size == 0 || reach.cols.size == 0) return reach;
  reach.base = reach.rows.shift * cols.size + reach.cols.shift;
  reach.size = (reach.rows.size - 1) * cols.size + reach.cols.size;
  return reach;
}

// Cells begin .. begin+n (n <= kBlock), numbered from reach.base; `outside` where a code has no place.
// Cell (uint8 or uint32) must hold their numbers and `outside`.
template <class Cell>
void cells_of(const Pairs& pairs, const Reach& reach, std::size_t begin, std::size_t n, Cell outside, Cell* cells) {
  if (pairs.actual.bytes == pairs.predicted.bytes) {
    with_width(pairs.actual.bytes, [&](auto zero) {
      using U = decltype(zero);
      alignas(64) U room_a[kBlock];
      alignas(64) U room_p[kBlock];
      best_of<CellsLoop<U, Cell>>()(block_of(pairs.actual, begin, n, room_a),
                                    block_of(pairs.predicted, begin, n, room_p), n, reach.rows, reach.cols,
                                    static_cast<Cell>(reach.width), outside, cells);
    });
    return;
  }
  alignas(64) std::uint32_t rows[kBlock];
  alignas(64) std::uint32_t cols[kBlock];
  Window from_base_rows = reach.rows, from_base_cols = reach.cols;
  from_base_rows.shift = from_base_cols.shift = 0;
  positions_of(pairs.actual, begin, n, from_base_rows, rows);
  positions_of(pairs.predicted, begin, n, from_base_cols, cols);
  best_of<JoinLoop<std::uint32_t, Cell>>()(rows, cols, n, static_cast<std::uint32_t>(reach.width), outside, cells);
}

// The same with 64-bit cells numbered from the table's first; all ones: outside.
inline void wide_cells_of(const Pairs& pairs, const Reach& reach, std::size_t begin, std::size_t n, std::uint64_t width,
                          std::uint64_t* cells) {
  alignas(64) std::uint64_t rows[kBlock];
  alignas(64) std::uint64_t cols[kBlock];
  positions_of(pairs.actual, begin, n, reach.rows, rows);
  positions_of(pairs.predicted, begin, n, reach.cols, cols);
  best_of<JoinLoop<std::uint64_t, std::uint64_t>>()(rows, cols, n, width, ~std::uint64_t{0}, cells);
}

}  // namespace confmat
