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
  sweep(found.data(), items, hits.data(), hits.size(), above.data(), others.data());
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

}  // namespace

int main() {
  Random random(11);
  for (const std::size_t items : {0, 1, 2, 7, 100, 700}) {
    for (const int distinct : {0, 1, 20, 100000}) {
      check<std::int32_t>(random, items, distinct);
      check<std::int64_t>(random, items, distinct);
    }
  }
  std::puts("sweep: as it should be");
}
