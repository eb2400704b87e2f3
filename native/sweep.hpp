// Scores in order become thresholds: what of each of two classes reaches every distinct one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

#include "buffer.hpp"
#include "parallel.hpp"
#include "radix_sort.hpp"

namespace confmat {

// The thresholds among so many scores in order, infinity in front of them.
inline std::size_t thresholds_among(const double* scores, std::size_t items) {
  std::size_t found = items == 0 ? 1 : 2;
  for (std::size_t begin = 1; begin < items; begin += kStretch) {
    heed_interruption();
    const std::size_t end = std::min(items, begin + kStretch);
    for (std::size_t k = begin; k < end; ++k) found += scores[k] != scores[k - 1];
  }
  return found;
}

// `scores` has room for one more in front of its `items`. Those are negated and ascend, and so do `hits`, which are
// some of them. Afterwards the thresholds stand in `scores`, the highest first, and in `above` how many of the hits
// reach each; in `others` how many of the rest. Every step writes and none is skipped, so nothing is to be guessed.
// There were `size` thresholds; should somebody have changed the scores since, numbers are wrong and stay in place.
template <class Count>
void sweep(double* scores, std::size_t items, const double* hits, std::size_t hit, std::size_t size, Count* above,
           Count* others) {
  std::size_t place = 0, reached = 0;
  double last = std::numeric_limits<double>::quiet_NaN();
  scores[0] = std::numeric_limits<double>::infinity();
  above[0] = others[0] = 0;
  for (std::size_t begin = 1; begin <= items; begin += kStretch) {
    heed_interruption();
    const std::size_t end = std::min(items, begin + kStretch - 1);
    for (std::size_t k = begin; k <= end; ++k) {
      const double score = scores[k];
      place += (score != last) & (place + 1 < size);
      // Among equal scores the hits come first: it makes no difference once all of them have come.
      reached += reached < hit && hits[reached] == score;
      scores[place] = 0.0 - score;
      above[place] = static_cast<Count>(reached);
      others[place] = static_cast<Count>(k - reached);
      last = score;
    }
  }
}

// -- with weights ----------------------------------------------------------------------------------------------

// Keys that ascend as the scores fall; zeros of both signs have the same.
inline std::uint64_t falling_key(double score) {
  const double negated = 0.0 - score;
  std::uint64_t bits = 0;
  std::memcpy(&bits, &negated, sizeof bits);
  return bits >> 63 != 0 ? ~bits : bits | std::uint64_t{1} << 63;
}

inline double score_of(std::uint64_t key) {
  const std::uint64_t bits = key >> 63 != 0 ? key & ~(std::uint64_t{1} << 63) : ~key;
  double negated = 0;
  std::memcpy(&negated, &bits, sizeof bits);
  return 0.0 - negated;
}

// A weight and whether its item is a hit; no weight is negative, so the sign has room for that.
constexpr std::uint64_t kHit = std::uint64_t{1} << 63;

template <class Weight>
Weight weight_of(const KeyAndWeight& record) {
  const std::uint64_t bits = record.weight & ~kHit;
  Weight weight{};
  std::memcpy(&weight, &bits, sizeof weight);
  return weight;
}

// Sums of hits and of the others at each threshold, one row after the other: of what reaches it, and of what is left.
template <class Total>
struct Halves {
  Buffer<Total> above;
  Buffer<Total> below;  // empty where a difference to the last sum is as exact
};

using Ordered = std::vector<Bucket<KeyAndWeight>>;

template <class Total, class Read>
Buffer<Total> sums_above(const Ordered& ordered, std::size_t size, const Read& read) {
  Buffer<Total> result(2 * size);
  Total hits = 0, others = 0;
  std::size_t place = 0;
  std::uint64_t last = 0;  // no score has this key: it would be an infinite one
  result[0] = result[size] = 0;
  for (const auto& bucket : ordered) {
    heed_interruption();
    for (std::size_t i = 0; i < bucket.size; ++i) {
      const KeyAndWeight& record = bucket.records[i];
      const Total value = read(record);
      const bool hit = (record.weight & kHit) != 0;
      place += record.key != last;
      hits += hit ? value : 0;
      others += hit ? 0 : value;
      result[place] = hits;
      result[size + place] = others;
      last = record.key;
    }
  }
  return result;
}

// The rest is added up from the other end: a difference of rounded sums would leave a trace where nothing is.
template <class Total, class Read>
Buffer<Total> sums_below(const Ordered& ordered, std::size_t size, const Read& read) {
  Buffer<Total> result(2 * size);
  Total hits = 0, others = 0;
  std::size_t place = size;
  std::uint64_t last = 0;
  result[size - 1] = result[2 * size - 1] = 0;
  for (auto bucket = ordered.rbegin(); bucket != ordered.rend(); ++bucket) {
    heed_interruption();
    for (std::size_t i = bucket->size; i-- > 0;) {
      const KeyAndWeight& record = bucket->records[i];
      const Total value = read(record);
      const bool hit = (record.weight & kHit) != 0;
      place -= record.key != last;
      hits += hit ? value : 0;
      others += hit ? 0 : value;
      result[place - 1] = hits;
      result[size + place - 1] = others;
      last = record.key;
    }
  }
  return result;
}

template <class Weight>
struct WeightedSweep {
  Buffer<double> thresholds;
  Halves<Weight> sums;
  Halves<double> squares;
};

// Finite scores, any byte but 0 for a hit, and weights above 0, of so many items; their sum fits the type.
template <class Weight>
WeightedSweep<Weight> sweep_weighted(const double* scores, const std::uint8_t* truth, const Weight* weights,
                                     std::size_t items, int threads) {
  static_assert(sizeof(Weight) == 8);
  threads = useful_threads(items, threads);
  Sliced<KeyAndWeight> records(items);
  std::uint64_t least = ~std::uint64_t{0}, most = 0;
  in_stretches(items, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, &weights[i], sizeof bits);
      const std::uint64_t key = falling_key(scores[i]);
      records.memory[i] = {key, bits | (truth[i] != 0 ? kHit : 0)};
      least = key < least ? key : least;
      most = key > most ? key : most;
    }
  });
  // Scores between 0 and 1 share their leading bits; less the least, keys differ where buckets are told apart.
  const std::uint64_t base = least - 1;
  for (std::size_t i = 0; i < items; ++i) records.memory[i].key -= base;
  records.slices = {{records.memory.data(), items}};
  records.largest_key = items == 0 ? 0 : most - base;
  Buffer<KeyAndWeight> spare;
  const Ordered ordered = sort_records(records, spare, threads);

  // A bucket has all items of a score.
  std::size_t size = 1, place = 1;
  for (const auto& bucket : ordered) size += count_runs(bucket);
  WeightedSweep<Weight> result;
  result.thresholds = Buffer<double>(size);
  result.thresholds[0] = std::numeric_limits<double>::infinity();
  for (const auto& bucket : ordered) {
    for_each_run(bucket, [&](const KeyAndWeight* first, const KeyAndWeight*) {
      result.thresholds[place++] = score_of(first->key + base);
    });
  }
  const auto plain = [](const KeyAndWeight& record) { return weight_of<Weight>(record); };
  const auto squared = [](const KeyAndWeight& record) {
    const auto weight = static_cast<double>(weight_of<Weight>(record));
    return weight * weight;
  };
  constexpr double exact = 9007199254740992.0;  // 2^53
  constexpr bool whole = std::is_integral_v<Weight>;
  result.sums.above = sums_above<Weight>(ordered, size, plain);
  if (!whole) result.sums.below = sums_below<Weight>(ordered, size, plain);
  result.squares.above = sums_above<double>(ordered, size, squared);
  const double total = result.squares.above[size - 1] + result.squares.above[2 * size - 1];
  if (!whole || !(total < exact)) result.squares.below = sums_below<double>(ordered, size, squared);
  return result;
}

}  // namespace confmat
