// Sorting records by a 64-bit key, stably: one scatter by the leading bits into buckets that fit the cache, then
// least-significant-digit passes inside each bucket. Threads share slices in the first step, buckets in the second.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "buffer.hpp"
#include "parallel.hpp"

namespace confmat {

struct CellKey {
  std::uint64_t key;
};

struct KeyAndWeight {
  std::uint64_t key;
  std::uint64_t weight;
};

inline unsigned bits_of(std::uint64_t value) {
  unsigned bits = 0;
  for (; value != 0; value >>= 1) ++bits;
  return bits;
}

template <class Record>
void insertion_sort(Record* records, std::size_t n) {
  for (std::size_t i = 1; i < n; ++i) {
    const Record record = records[i];
    std::size_t j = i;
    for (; j > 0 && records[j - 1].key > record.key; --j) records[j] = records[j - 1];
    records[j] = record;
  }
}

constexpr unsigned kDigit = 8;
constexpr std::size_t kDigits = std::size_t{1} << kDigit;
using Histogram = std::array<std::size_t, kDigits>;

// One pass: records go to `out` by the digit at `shift`. Nothing moves, and false comes back, if all share it.
template <class Record>
bool scatter_digit(const Record* records, std::size_t n, Record* out, unsigned shift, Histogram& ends) {
  const auto digit = [shift](const Record& record) { return (record.key >> shift) & (kDigits - 1); };
  if (ends[digit(records[0])] == n) return false;
  std::size_t start = 0;
  for (std::size_t& end : ends) start += std::exchange(end, start);
  in_stretches(n, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) out[ends[digit(records[i])]++] = records[i];
  });
  return true;
}

// Sorts by the lowest `bits` bits and returns where the sorted records are: in `records` or in `spare`.
template <class Record>
Record* sort_digits(Record* records, Record* spare, std::size_t n, unsigned bits) {
  if (n <= 48) {
    insertion_sort(records, n);
    return records;
  }
  const unsigned passes = (bits + kDigit - 1) / kDigit;
  std::array<Histogram, 8> histograms;
  std::fill_n(histograms.begin(), passes, Histogram{});
  in_stretches(n, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      std::uint64_t key = records[i].key;
      for (unsigned pass = 0; pass < passes; ++pass, key >>= kDigit) ++histograms[pass][key & (kDigits - 1)];
    }
  });
  for (unsigned pass = 0; pass < passes; ++pass) {
    if (scatter_digit(records, n, spare, pass * kDigit, histograms[pass])) std::swap(records, spare);
  }
  return records;
}

template <class Record>
struct Bucket {
  Record* records = nullptr;
  std::size_t size = 0;
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

// Records in memory for more of them: full at the beginning of each of several slices, in order.
template <class Record>
struct Sliced {
  explicit Sliced(std::size_t capacity) : memory(capacity) {}

  std::size_t size() const {
    std::size_t sum = 0;
    for (const auto& slice : slices) sum += slice.size;
    return sum;
  }
  unsigned key_bits() const { return bits_of(largest_key); }

  Buffer<Record> memory;
  std::vector<Bucket<Record>> slices;
  std::uint64_t largest_key = 0;
};

// Moves all records to `out`, by the bits of the key above `shift`, stably. Bucket b of the result holds the keys
// with key >> shift == b.
template <class Record>
std::vector<Bucket<Record>> scatter_leading(const Sliced<Record>& records, unsigned shift, Record* out, int threads) {
  const std::size_t slices = records.slices.size();
  const std::size_t buckets = static_cast<std::size_t>(records.largest_key >> shift) + 1;
  std::vector<std::vector<std::size_t>> places(slices);  // [slice][bucket]: first counts, then where to write
  Tasks counting(slices);
  run_in_threads(threads, [&](int) {
    for (std::size_t slice = 0; counting.take(slice);) {
      std::vector<std::size_t> counts(buckets);
      const auto& source = records.slices[slice];
      in_stretches(source.size, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) ++counts[source.records[i].key >> shift];
      });
      places[slice] = std::move(counts);
    }
  });
  std::vector<Bucket<Record>> result(buckets);
  std::size_t start = 0;
  for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
    result[bucket].records = out + start;
    for (auto& place : places) {
      result[bucket].size += place[bucket];
      start += std::exchange(place[bucket], start);
    }
  }
  Tasks moving(slices);
  run_in_threads(threads, [&](int) {
    for (std::size_t slice = 0; moving.take(slice);) {
      std::size_t* const place = places[slice].data();
      const auto& source = records.slices[slice];
      in_stretches(source.size, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) out[place[source.records[i].key >> shift]++] = source.records[i];
      });
    }
  });
  return result;
}

// How many leading bits to scatter by: enough for buckets of `cached` records, and for whole digits in the rest.
inline unsigned leading_bits(unsigned key_bits, std::size_t n, std::size_t cached) {
  constexpr unsigned most = 11;
  unsigned leading = 0;
  while (leading < most && leading < key_bits && (n >> leading) > cached) ++leading;
  const unsigned whole = leading + (key_bits - leading) % kDigit;
  return leading > 0 && whole <= most ? whole : leading;
}

// Sorted buckets whose concatenation is the sorted whole. They lie in `spare`, or in the memory of `records`.
template <class Record>
std::vector<Bucket<Record>> sort_records(Sliced<Record>& records, Buffer<Record>& spare, int threads) {
  constexpr std::size_t cached = 8192;
  const std::size_t n = records.size();
  spare = Buffer<Record>(n);
  const unsigned leading = leading_bits(records.key_bits(), n, cached);
  const unsigned shift = records.key_bits() - leading;
  if (leading == 0) {
    Record* end = records.memory.data();
    for (const auto& slice : records.slices) {
      if (slice.records != end) std::copy_n(slice.records, slice.size, end);  // the first stands where it should
      end += slice.size;
    }
    return {{sort_digits(records.memory.data(), spare.data(), n, shift), n}};
  }
  std::vector<Bucket<Record>> buckets = scatter_leading(records, shift, spare.data(), threads);
  Tasks tasks(buckets.size());
  run_in_threads(threads, [&](int) {
    for (std::size_t b = 0; tasks.take(b);) {
      Record* const from = buckets[b].records;
      Record* const beside = records.memory.data() + (from - spare.data());
      buckets[b].records = sort_digits(from, beside, buckets[b].size, shift);
    }
  });
  return buckets;
}

}  // namespace confmat
