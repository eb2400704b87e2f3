// Weights and their sums: float64 with a compensation that keeps what rounding would lose, integers exactly.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "codes.hpp"

namespace confmat {

enum class WeightKind { float64, int64, uint64 };

struct Weights : Source {
  WeightKind kind = WeightKind::float64;
};

// A sum of doubles as if carried with twice the digits (Knuth's two-sum).
struct FloatSum {
  double high = 0;
  double low = 0;

  void add(double x) {
    const double sum = high + x;
    const double taken = sum - high;
    low += (high - (sum - taken)) + (x - taken);
    high = sum;
  }
  void add(const FloatSum& other) {
    add(other.high);
    low += other.low;
  }
  // After an overflow `low` is not a number, and the infinity in `high` is the answer.
  double value() const { return std::isnan(low) ? high : high + low; }
};

// Modulo 2^64, where the two's complement of a sum is right whenever the sum itself fits.
struct IntSum {
  std::uint64_t bits = 0;

  void add(std::uint64_t x) { bits += x; }
  void add(const IntSum& other) { bits += other.bits; }
  std::uint64_t value() const { return bits; }
};

inline double as_double(std::uint64_t bits) {
  double value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

// The sum in a cell; weights travel as their 64 bits. Totals are doubles or the bits of an integer.
struct FloatCell {
  using Total = double;
  FloatSum sum, squares;

  void add(std::uint64_t bits) {
    const double weight = as_double(bits);
    sum.add(weight);
    squares.add(weight * weight);
  }
};

template <class Int>
struct IntCell {
  using Total = std::uint64_t;
  IntSum sum;
  FloatSum squares;

  void add(std::uint64_t bits) {
    const auto weight = static_cast<double>(static_cast<Int>(bits));
    sum.add(bits);
    squares.add(weight * weight);
  }
};

template <class Cell>
void merge(Cell& cell, const Cell& other) {
  cell.sum.add(other.sum);
  cell.squares.add(other.squares);
}

template <class F>
auto with_cell(WeightKind kind, F&& f) {
  switch (kind) {
    case WeightKind::float64: return f(FloatCell{});
    case WeightKind::int64: return f(IntCell<std::int64_t>{});
    default: return f(IntCell<std::uint64_t>{});
  }
}

}  // namespace confmat
