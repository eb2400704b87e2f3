// Sorting records by a 64-bit key, stably: one scatter by the leading bits into buckets that fit the cache, then
// least-significant-digit passes inside each bucket. Threads share slices in the first step, buckets in the second.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "buffer.hpp"
#include "parallel.hpp"

namespace confmat {

struct Key {
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
  for (std::size_t i = 0; i < n; ++i) out[ends[digit(records[i])]++] = records[i];
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
  for (std::size_t i = 0; i < n; ++i) {
    std::uint64_t key = records[i].key;
    for (unsigned pass = 0; pass < passes; ++pass, key >>= kDigit) ++histograms[pass][key & (kDigits - 1)];
  }
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

// Sorted buckets whose concatenation is the sorted whole. They lie in the memory of `records` and `spare`.
template <class Record>
class Sorter {
 public:
  Sorter(Record* records, Record* spare, std::size_t n, std::uint64_t largest_key, int threads)
      : records_(records), spare_(spare), n_(n), bits_(bits_of(largest_key)), threads_(threads) {}

  std::vector<Bucket<Record>> sorted() {
    constexpr std::size_t cached = 8192;  // records per bucket
    unsigned leading = 0;
    while (leading < 11 && leading < bits_ && (n_ >> leading) > cached) ++leading;
    if (leading == 0) return {{sort_digits(records_, spare_, n_, bits_), n_}};
    shift_ = bits_ - leading;
    std::vector<std::size_t> starts = scatter_leading(std::size_t{1} << leading);
    std::vector<Bucket<Record>> buckets(starts.size() - 1);
    Tasks tasks(buckets.size());
    run_in_threads(threads_, [&](int) {
      for (std::size_t b = 0; tasks.take(b);) {
        const std::size_t start = starts[b], size = starts[b + 1] - start;
        buckets[b] = {sort_digits(spare_ + start, records_ + start, size, shift_), size};
      }
    });
    return buckets;
  }

 private:
  // Moves every record from records_ to its bucket in spare_; gives the starts of the buckets, and the end.
  std::vector<std::size_t> scatter_leading(std::size_t buckets) {
    const auto slices = static_cast<std::size_t>(threads_);
    const auto slice_start = [&](std::size_t slice) { return n_ / slices * slice + std::min(slice, n_ % slices); };
    std::vector<std::size_t> next(slices * buckets);  // [slice][bucket]
    Tasks counting(slices);
    run_in_threads(threads_, [&](int) {
      for (std::size_t slice = 0; counting.take(slice);) {
        std::vector<std::size_t> counts(buckets);
        for (std::size_t i = slice_start(slice); i < slice_start(slice + 1); ++i) ++counts[records_[i].key >> shift_];
        std::copy(counts.begin(), counts.end(), next.begin() + static_cast<std::ptrdiff_t>(slice * buckets));
      }
    });
    std::vector<std::size_t> starts(buckets + 1);
    std::size_t start = 0;
    for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
      starts[bucket] = start;
      for (std::size_t slice = 0; slice < slices; ++slice) start += std::exchange(next[slice * buckets + bucket], start);
    }
    starts[buckets] = start;
    Tasks moving(slices);
    run_in_threads(threads_, [&](int) {
      for (std::size_t slice = 0; moving.take(slice);) {
        std::size_t* const place = next.data() + slice * buckets;
        for (std::size_t i = slice_start(slice); i < slice_start(slice + 1); ++i) {
          spare_[place[records_[i].key >> shift_]++] = records_[i];
        }
      }
    });
    return starts;
  }

  Record* records_;
  Record* spare_;
  std::size_t n_;
  unsigned bits_;
  unsigned shift_ = 0;
  int threads_;
};

}  // namespace confmat
