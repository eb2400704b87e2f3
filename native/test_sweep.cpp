// Sweeps against counting at every threshold, without Python, so that the sanitizers see every access.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <limits>
#include <random>
#include <set>
#include <vector>

#include "sweep.hpp"
#include "test_check.hpp"

using namespace confmat;

namespace {

using Random = std::mt19937_64;

template <class Count>
void check(Random& random, std::size_t items, int distinct) {
  std::uniform_int_distribution<int> which(-distinct, distinct);
  std::vector<double> scores, found(1), hits;
  std::vector<bool> hit;
  for (std::size_t i = 0; i < items; ++i) {
    const int drawn = which(random);
    scores.push_back(drawn == 0 && i % 2 == 0 ? -0.0 : drawn / 4.0);
    hit.push_back(random() % 3 == 0);
    found.push_back(-scores.back());
    if (hit.back()) hits.push_back(-scores.back());
  }
  std::sort(found.begin() + 1, found.end());
  std::sort(hits.begin(), hits.end());
  const std::set<double, std::greater<>> keys(scores.begin(), scores.end());
  const std::size_t size = thresholds_among(found.data() + 1, items);
  CHECK(size == keys.size() + 1);
  std::vector<Count> above(size), others(size);
  sweep(found.data(), items, hits.data(), hits.size(), size, above.data(), others.data());
  CHECK(found[0] == std::numeric_limits<double>::infinity() && above[0] == 0 && others[0] == 0);
  std::size_t place = 0;
  for (const double key : keys) {
    Count reached = 0, rest = 0;
    for (std::size_t i = 0; i < items; ++i) {
      if (scores[i] >= key) ++(hit[i] ? reached : rest);
    }
    ++place;
    CHECK(found[place] == key && above[place] == reached && others[place] == rest);
  }
}

// Scores that differ more than when their thresholds were counted: nothing is written beyond those.
void check_changed_scores() {
  std::vector<double> scores = {0, -3, -2, -1};
  const std::vector<double> hits = {-3};
  std::vector<std::int32_t> above(2), others(2);
  sweep(scores.data(), 3, hits.data(), 1, 2, above.data(), others.data());
  CHECK(above[1] == 1 && others[1] == 2);
}

// Whole weights, so that every sum is exact and may be compared.
template <class Weight>
void check_weighted(Random& random, std::size_t items, int distinct, Weight largest, bool exact) {
  std::uniform_int_distribution<int> which(-distinct, distinct);
  std::vector<double> scores;
  std::vector<std::uint8_t> truth;
  std::vector<Weight> weights;
  for (std::size_t i = 0; i < items; ++i) {
    const int drawn = which(random);
    scores.push_back(drawn == 0 && i % 2 == 0 ? -0.0 : drawn / 4.0);
    truth.push_back(random() % 3 == 0);
    weights.push_back(i == 0 ? largest : static_cast<Weight>(1 + random() % 5));
  }
  std::set<double, std::greater<>> keys(scores.begin(), scores.end());
  keys.insert(std::numeric_limits<double>::infinity());
  for (const int threads : {1, 3}) {
    const auto found = sweep_weighted(scores.data(), truth.data(), weights.data(), items, threads);
    const std::size_t size = found.thresholds.size();
    CHECK(size == keys.size());
    std::size_t place = 0;
    for (const double key : keys) {
      Weight sums[2][2] = {};
      for (std::size_t i = 0; i < items; ++i) sums[truth[i] == 0][scores[i] < key] += weights[i];
      CHECK(found.thresholds[place] == key);
      for (const std::size_t row : {0, 1}) {
        CHECK(found.sums.above[row * size + place] == sums[row][0]);
        CHECK(found.sums.below.size() == 0 || found.sums.below[row * size + place] == sums[row][1]);
      }
      ++place;
    }
    CHECK((found.sums.below.size() == 0) == std::is_integral_v<Weight>);
    CHECK((found.squares.below.size() == 0) == exact);
  }
}

}  // namespace

int main(int argc, char** argv) {
  Random random(seed_of(argc, argv, 11));
  for (const std::size_t items : {0, 1, 2, 7, 100, 700}) {
    for (const int distinct : {0, 1, 20, 100000}) {
      check<std::int32_t>(random, items, distinct);
      check<std::int64_t>(random, items, distinct);
      check_weighted<double>(random, items, distinct, 3, false);
      check_weighted<std::int64_t>(random, items, distinct, 1 << 20, true);
      check_weighted<std::int64_t>(random, items, distinct, std::int64_t{1} << 40, items == 0);
    }
  }
  check_changed_scores();
  // More of them than one bucket holds.
  check_weighted<std::int64_t>(random, 9000, 3, 7, true);
  std::puts("sweep: as it should be");
}
