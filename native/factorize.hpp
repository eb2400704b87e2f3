// Codes of integers among their sorted distinct values: by a bitmap over a moderate range, else by hashing or
// sorting.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "buffer.hpp"
#include "codes.hpp"
#include "radix_sort.hpp"
#include "seed.hpp"
#include "sparse.hpp"

namespace confmat {

struct Factorized {
  Buffer<std::int32_t> codes;
  Buffer<std::uint64_t> distinct;  // ascending; the bits of int64 or uint64
};

// Positions of the values above the lowest of their type, as uint64: unsigned order is the order of the values.
template <class Visit>
void for_each_position(const Codes& values, std::size_t size, Visit&& visit) {
  constexpr std::size_t block = 512;
  with_width(values.bytes, [&](auto zero) {
    using U = decltype(zero);
    alignas(64) U room[block];
    const U flip = values.is_signed ? static_cast<U>(U{1} << (8 * sizeof(U) - 1)) : U{0};
    for (std::size_t begin = 0; begin < size; begin += block) {
      if (begin % kStretch == 0) heed_interruption();
      const std::size_t n = std::min(block, size - begin);
      const U* const codes = block_of(values, begin, n, room);
      for (std::size_t i = 0; i < n; ++i) {
        if (!visit(begin + i, static_cast<std::uint64_t>(static_cast<U>(codes[i] ^ flip)))) return;
      }
    }
  });
}

inline unsigned ones_of(std::uint64_t word) { return static_cast<unsigned>(__builtin_popcountll(word)); }

// One bit per value between `low` and `low + last`, and how many bits are set before each word.
inline std::optional<Factorized> factorize_by_bitmap(const Codes& values, std::size_t size, std::uint64_t low,
                                                     std::uint64_t last, std::size_t max_distinct) {
  const std::size_t words = static_cast<std::size_t>(last / 64 + 1);
  Buffer<std::uint64_t> present(words, Fill::zero);
  // min(): were the array changed by someone else meanwhile, nothing worse than a wrong code may happen.
  for_each_position(values, size, [&](std::size_t, std::uint64_t position) {
    const std::uint64_t bit = std::min(position - low, last);
    present[bit / 64] |= std::uint64_t{1} << (bit % 64);
    return true;
  });
  Buffer<std::uint32_t> before(words);
  std::size_t distinct = 0;
  for (std::size_t word = 0; word < words; ++word) {
    before[word] = static_cast<std::uint32_t>(distinct);
    distinct += ones_of(present[word]);
  }
  if (distinct > max_distinct) return std::nullopt;
  Factorized result{Buffer<std::int32_t>(size), Buffer<std::uint64_t>(distinct)};
  for (std::size_t word = 0, next = 0; word < words; ++word) {
    for (std::uint64_t bit = 0; bit < 64; ++bit) {
      if ((present[word] >> bit) & 1) result.distinct[next++] = low + word * 64 + bit;
    }
  }
  for_each_position(values, size, [&](std::size_t i, std::uint64_t position) {
    const std::uint64_t bit = std::min(position - low, last);
    const std::uint64_t smaller = present[bit / 64] & ((std::uint64_t{1} << (bit % 64)) - 1);
    result.codes[i] = static_cast<std::int32_t>(before[bit / 64] + ones_of(smaller));
    return true;
  });
  return result;
}

// Open addressing with linear probing, at most half full.
class CodeTable {
 public:
  CodeTable() : slots_(std::size_t{1} << bits_, Fill::zero) {}

  std::int32_t code_of(std::uint64_t value) {
    for (std::size_t i = place_of(value);; i = (i + 1) & (slots_.size() - 1)) {
      Slot& slot = slots_[i];
      if (slot.code == 0) return insert(slot, value);
      if (slot.value == value) return slot.code - 1;
    }
  }
  const std::vector<std::uint64_t>& values() const { return values_; }

 private:
  struct Slot {
    std::uint64_t value;
    std::int32_t code;  // plus one; 0: free
  };

  std::size_t place_of(std::uint64_t value) const {
    value = (value ^ seed_) * 0x9E3779B97F4A7C15U;
    value = (value ^ (value >> 32)) * 0xD6E8FEB86659FD93U;
    return static_cast<std::size_t>((value ^ (value >> 29)) >> (64 - bits_));
  }

  std::int32_t insert(Slot& slot, std::uint64_t value) {
    values_.push_back(value);
    const auto code = static_cast<std::int32_t>(values_.size());
    slot = {value, code};
    if (values_.size() * 2 > slots_.size()) grow();
    return code - 1;
  }

  void grow() {
    bits_ += 2;
    Buffer<Slot> larger(std::size_t{1} << bits_, Fill::zero);
    std::int32_t code = 0;
    for (const std::uint64_t value : values_) {
      std::size_t i = place_of(value);
      while (larger[i].code != 0) i = (i + 1) & (larger.size() - 1);
      larger[i] = {value, ++code};
    }
    slots_ = std::move(larger);
  }

  unsigned bits_ = 10;
  std::uint64_t seed_ = Seed::of_process().first;
  Buffer<Slot> slots_;
  std::vector<std::uint64_t> values_;  // in order of appearance
};

// By sorting the values together with their places: the way when most values differ, where a hash table would
// miss the cache every time.
inline std::optional<Factorized> factorize_by_sorting(const Codes& values, std::size_t size, std::uint64_t low,
                                                      std::uint64_t last, std::size_t max_distinct) {
  Sliced<KeyAndWeight> records(size);
  for_each_position(values, size, [&](std::size_t i, std::uint64_t position) {
    records.memory[i] = {std::min(position - low, last), i};
    return true;
  });
  records.slices = {{records.memory.data(), size}};
  records.largest_key = last;
  Buffer<KeyAndWeight> spare;
  const auto buckets = sort_records(records, spare, 1);
  std::size_t distinct = 0;
  for (const auto& bucket : buckets) distinct += count_runs(bucket);
  heed_interruption();
  if (distinct > max_distinct) return std::nullopt;
  Factorized result{Buffer<std::int32_t>(size), Buffer<std::uint64_t>(distinct)};
  std::size_t next = 0;
  for (const auto& bucket : buckets) {
    heed_interruption();
    for_each_run(bucket, [&](const KeyAndWeight* first, const KeyAndWeight* end) {
      result.distinct[next] = low + first->key;
      for (; first != end; ++first) result.codes[first->weight] = static_cast<std::int32_t>(next);
      ++next;
    });
  }
  return result;
}

// From codes in order of appearance to codes in order of value.
inline Factorized in_order(const std::vector<std::uint64_t>& values, Buffer<std::int32_t> codes) {
  Sliced<KeyAndWeight> records(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    records.memory[i] = {values[i], i};
    records.largest_key = std::max(records.largest_key, values[i]);
  }
  records.slices = {{records.memory.data(), values.size()}};
  Buffer<KeyAndWeight> spare;
  Factorized result{std::move(codes), Buffer<std::uint64_t>(values.size())};
  Buffer<std::int32_t> rank(values.size());
  std::size_t next = 0;
  for (const auto& bucket : sort_records(records, spare, 1)) {
    for (std::size_t i = 0; i < bucket.size; ++i, ++next) {
      result.distinct[next] = bucket.records[i].key;
      rank[bucket.records[i].weight] = static_cast<std::int32_t>(next);
    }
  }
  in_stretches(result.codes.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) result.codes[i] = rank[static_cast<std::size_t>(result.codes[i])];
  });
  return result;
}

inline std::optional<Factorized> factorize_wide(const Codes& values, std::size_t size, std::uint64_t low,
                                                std::uint64_t last, std::size_t max_distinct) {
  constexpr std::size_t cached = std::size_t{1} << 15, too_large = std::size_t{1} << 19;
  CodeTable table;
  Buffer<std::int32_t> codes(size);
  bool too_many = false, sort_instead = false;
  for_each_position(values, size, [&](std::size_t i, std::uint64_t position) {
    codes[i] = table.code_of(position);
    const std::size_t distinct = table.values().size();
    too_many = distinct > max_distinct;
    sort_instead = distinct > too_large || (distinct > cached && distinct > i / 4);
    return !too_many && !sort_instead;
  });
  if (too_many) return std::nullopt;
  if (sort_instead) return factorize_by_sorting(values, size, low, last, max_distinct);
  return in_order(table.values(), std::move(codes));
}

// Nothing as soon as more than max_distinct distinct values are known to exist.
inline std::optional<Factorized> factorize(const Codes& values, std::size_t size, std::size_t max_distinct) {
  max_distinct = std::min<std::size_t>(max_distinct, INT32_MAX - 1);
  if (size == 0) return Factorized{Buffer<std::int32_t>(0), Buffer<std::uint64_t>(0)};
  const Wide lowest = values.type().lowest();
  const Range range = range_of(values, 0, size);
  const auto low = static_cast<std::uint64_t>(range.low - lowest);
  const auto last = static_cast<std::uint64_t>(range.high - range.low);
  const std::uint64_t moderate = std::max<std::uint64_t>(1 << 12, std::min<std::uint64_t>(size * 8, 1 << 27));
  std::optional<Factorized> result = last < moderate ? factorize_by_bitmap(values, size, low, last, max_distinct)
                                                     : factorize_wide(values, size, low, last, max_distinct);
  if (result) {
    const auto offset = static_cast<std::uint64_t>(lowest);
    for (std::size_t i = 0; i < result->distinct.size(); ++i) result->distinct[i] += offset;
  }
  return result;
}

}  // namespace confmat
