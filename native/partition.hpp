// Tables larger than a cache: sort the pairs into parts of the table first, then count part by part, so that every
// part of the result is visited once, while it fits the cache.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "buffer.hpp"
#include "cells.hpp"
#include "parallel.hpp"

namespace confmat {

// The pairs that a thread takes at a time.
constexpr std::size_t kChunk = std::size_t{1} << 16;

// One growing list per part. Lists consist of slabs; a slab is full when the next place is aligned to its size.
template <class Entry>
class PartLists {
 public:
  explicit PartLists(std::size_t parts) : next_(parts), slabs_(parts) {
    for (std::size_t part = 0; part < parts; ++part) start_slab(part);
  }

  // The leading bits of a cell choose the part; the list keeps the others.
  void add(const std::uint32_t* cells, std::size_t n, unsigned shift, const Ahead& ahead) {
    for (std::size_t i = 0; i < n; ++i) {
      if (i % Ahead::step == 0) ahead.fetch(i);
      const std::size_t part = cells[i] >> shift;
      Entry* const place = next_[part]++;
      *place = static_cast<Entry>(cells[i]);
      if (reinterpret_cast<std::uintptr_t>(place + 1) % kSlabBytes == 0) start_slab(part);
    }
  }

  // visit(entries, how many) for the slabs of one part, in order.
  template <class Visit>
  void for_each_slab(std::size_t part, const Visit& visit) const {
    for (const Entry* slab : slabs_[part]) {
      const bool last = slab == slabs_[part].back();
      visit(slab, last ? static_cast<std::size_t>(next_[part] - slab) : kSlab);
    }
  }

  // Forgets the entries and keeps the memory.
  void clear() {
    used_ = 0;
    for (std::size_t part = 0; part < slabs_.size(); ++part) {
      slabs_[part].clear();
      start_slab(part);
    }
  }

 private:
  static constexpr std::size_t kSlabBytes = 2048;
  static constexpr std::size_t kSlab = kSlabBytes / sizeof(Entry);
  static constexpr std::size_t kSlabsPerBlock = 2047;  // with the room to align the first: 4 MB

  void start_slab(std::size_t part) {
    const std::size_t block = used_ / kSlabsPerBlock;
    if (block == blocks_.size()) blocks_.emplace_back((kSlabsPerBlock + 1) * kSlab);
    const auto start = reinterpret_cast<std::uintptr_t>(blocks_[block].data());
    const std::size_t skip = (kSlabBytes - start % kSlabBytes) % kSlabBytes / sizeof(Entry);
    Entry* const slab = blocks_[block].data() + skip + used_ % kSlabsPerBlock * kSlab;
    ++used_;
    slabs_[part].push_back(slab);
    next_[part] = slab;
  }

  std::vector<Entry*> next_;
  std::vector<std::vector<Entry*>> slabs_;
  std::vector<Buffer<Entry>> blocks_;
  std::size_t used_ = 0;  // slabs handed out
};

template <class Entry>
class PartitionedCount {
 public:
  PartitionedCount(const Pairs& pairs, const Reach& reach, unsigned shift, int threads)
      : pairs_(pairs),
        reach_(reach),
        shift_(shift),
        threads_(threads),
        parts_(static_cast<std::size_t>((reach.size - 1) >> shift) + 1),
        lists_(static_cast<std::size_t>(threads)) {}

  // Adds all pairs to `table` and returns how many were outside. Rounds of so many pairs bound the memory of the lists.
  std::int64_t count(std::int64_t* table, bool stop_outside, std::size_t round) {
    for (std::size_t begin = 0; begin < pairs_.size; begin += round) {
      distribute(begin, std::min(pairs_.size, begin + round));
      collect_outside();
      if (stop_outside && outside_ != 0) break;
      count_parts(table);
      for (const auto& list : lists_) {
        if (list) list->clear();
      }
    }
    return outside_;
  }

 private:
  void distribute(std::size_t round_begin, std::size_t round_end) {
    const auto outside_cell = static_cast<std::uint32_t>(parts_ << shift_);
    Tasks chunks((round_end - round_begin + kChunk - 1) / kChunk);
    run_in_threads(threads_, [&](int worker) {
      auto& mine = lists_[static_cast<std::size_t>(worker)];
      if (!mine) mine = std::make_unique<PartLists<Entry>>(parts_ + 1);
      alignas(64) std::uint32_t cells[kBlock];
      for (std::size_t chunk = 0; chunks.take(chunk);) {
        const std::size_t start = round_begin + chunk * kChunk, end = std::min(round_end, start + kChunk);
        for (std::size_t begin = start; begin < end; begin += kBlock) {
          const std::size_t n = std::min(kBlock, end - begin);
          cells_of(pairs_, reach_, begin, n, outside_cell, cells);
          mine->add(cells, n, shift_, Ahead(pairs_, begin));
        }
      }
    });
  }

  // Labels outside have a part of their own, after the others.
  void collect_outside() {
    for (const auto& list : lists_) {
      if (!list) continue;
      list->for_each_slab(parts_, [&](const Entry*, std::size_t n) { outside_ += static_cast<std::int64_t>(n); });
    }
  }

  void count_parts(std::int64_t* table) const {
    const std::uint32_t mask = (std::uint32_t{1} << shift_) - 1;
    Tasks parts(parts_);
    run_in_threads(threads_, [&](int) {
      for (std::size_t part = 0; parts.take(part);) {
        std::int64_t* const counts = table + (part << shift_);
        for (const auto& list : lists_) {
          if (!list) continue;
          list->for_each_slab(part, [&](const Entry* entries, std::size_t n) {
            for (std::size_t i = 0; i < n; ++i) ++counts[entries[i] & mask];
          });
        }
      }
    });
  }

  const Pairs& pairs_;
  const Reach& reach_;
  unsigned shift_;
  int threads_;
  std::size_t parts_;
  std::vector<std::unique_ptr<PartLists<Entry>>> lists_;  // one per worker
  std::int64_t outside_ = 0;
};

// The largest table whose cells, and one part more for what is outside, have 32-bit numbers.
constexpr std::uint64_t kPartitionLimit = std::uint64_t{1} << 31;

inline std::int64_t count_partitioned(const Pairs& pairs, const Reach& reach, std::int64_t* table, int threads,
                                      bool stop_outside) {
  constexpr unsigned cached = 16;  // 2^16 cells of 8 bytes are half of a second-level cache
  constexpr std::uint64_t most_parts = 1024;
  unsigned shift = cached;
  while ((reach.size >> shift) >= most_parts) ++shift;
  // Long enough for every part to be worth its visit.
  const std::size_t round = std::max<std::size_t>(std::size_t{1} << 24, static_cast<std::size_t>(reach.size));
  if (shift <= 16) {
    return PartitionedCount<std::uint16_t>(pairs, reach, shift, threads).count(table, stop_outside, round);
  }
  return PartitionedCount<std::uint32_t>(pairs, reach, shift, threads).count(table, stop_outside, round);
}

}  // namespace confmat
