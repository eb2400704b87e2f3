// Counting integers whose range is not known: guess it from a sample, count, and only start again if it was wrong.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <optional>

#include "buffer.hpp"
#include "codes.hpp"
#include "count_pairs.hpp"
#include "parallel.hpp"

namespace confmat {

struct CloseCount {
  Wide low = 0;
  std::size_t span = 0;
  Buffer<std::int64_t> counts;  // span x span, at the start of memory that may be longer
};

inline Range united(Range a, Range b) { return {std::min(a.low, b.low), std::max(a.high, b.high)}; }

inline Range range_of(const Pairs& pairs, int threads) {
  const Range first_pair = united(range_of(pairs.actual, 0, 1), range_of(pairs.predicted, 0, 1));
  Range all = first_pair;
  std::mutex all_guard;
  Tasks chunks((pairs.size + kChunk - 1) / kChunk);
  run_in_threads(useful_threads(pairs.size, threads, light_items_per_thread), [&](int) {
    Range mine = first_pair;
    for (std::size_t chunk = 0; chunks.take(chunk);) {
      const std::size_t begin = chunk * kChunk, end = std::min(pairs.size, begin + kChunk);
      mine = united(mine, united(range_of(pairs.actual, begin, end), range_of(pairs.predicted, begin, end)));
    }
    const std::lock_guard<std::mutex> lock(all_guard);
    all = united(all, mine);
  });
  return all;
}

// Every step-th pair and the first ones.
inline Range sampled_range(const Pairs& pairs) {
  constexpr std::size_t head = 2048, spread = 16384;
  const std::size_t step = std::max<std::size_t>(pairs.size / spread, 1);
  const std::size_t first = std::min(head, pairs.size);
  Range range = united(range_of(pairs.actual, 0, first), range_of(pairs.predicted, 0, first));
  for (Codes side : {pairs.actual, pairs.predicted}) {
    side.stride *= static_cast<std::ptrdiff_t>(step);
    range = united(range, range_of(side, 0, (pairs.size + step - 1) / step));
  }
  return range;
}

// Whether row or column i of the square table holds anything.
inline bool occurs(const Buffer<std::int64_t>& table, std::size_t size, std::size_t i) {
  for (std::size_t j = 0; j < size; ++j) {
    if (table[i * size + j] != 0 || table[j * size + i] != 0) return true;
  }
  return false;
}

// The table without the rows and columns before the first and after the last class that occurs.
inline CloseCount trimmed(Wide low, std::size_t size, Buffer<std::int64_t> table) {
  std::size_t first = 0, end = size;
  while (first + 1 < end && !occurs(table, size, first)) ++first;
  while (end > first + 1 && !occurs(table, size, end - 1)) --end;
  const std::size_t span = end - first;
  if (span != size) {  // in place: rows only move towards the start, and fresh memory would cost page faults
    for (std::size_t i = 0; i < span; ++i) {
      std::memmove(table.data() + i * span, table.data() + (first + i) * size + first, span * sizeof(std::int64_t));
    }
  }
  return {low + static_cast<Wide>(first), span, std::move(table)};
}

inline std::optional<CloseCount> count_exactly(const Pairs& pairs, Wide max_span, int threads) {
  const Range range = range_of(pairs, threads);
  const Wide wide_span = range.high - range.low + 1;
  if (wide_span > max_span) return std::nullopt;
  const auto span = static_cast<std::size_t>(wide_span);
  if (span > (std::size_t{1} << 31)) throw std::bad_alloc();
  CloseCount result{range.low, span, Buffer<std::int64_t>(span * span, Fill::zero)};
  const Axis axis{range.low, span};
  count_dense(pairs, axis, axis, threads, result.counts.data());
  return result;
}

// The table over low .. high of both sides together; nothing when that is more than max_span classes.
// There is at least one pair.
inline std::optional<CloseCount> count_close(const Pairs& pairs, Wide max_span, int threads) {
  constexpr std::size_t worth_guessing = 32768;
  if (pairs.size < worth_guessing) return count_exactly(pairs, max_span, threads);
  const Range sample = sampled_range(pairs);
  const Wide seen = sample.high - sample.low + 1;
  if (seen > max_span) return std::nullopt;
  // A little more than was seen, because a sample seldom holds the extremes of many classes.
  constexpr Wide largest_guess = Wide{1} << 14;
  if (seen > largest_guess) return count_exactly(pairs, max_span, threads);
  const Wide margin = seen / 256 + 1;
  const Wide span = std::min(seen + 2 * margin, std::max(seen, max_span));
  const Wide low = sample.low - std::min(margin, (span - seen) / 2);
  const auto size = static_cast<std::size_t>(span);
  Buffer<std::int64_t> table(size * size, Fill::zero);
  const Axis axis{low, size};
  if (count_dense(pairs, axis, axis, threads, table.data(), true) != 0) return count_exactly(pairs, max_span, threads);
  return trimmed(low, size, std::move(table));
}

}  // namespace confmat
