// Scores in order become thresholds: what of each of two classes reaches every distinct one.
#pragma once

#include <cstddef>
#include <limits>

namespace confmat {

// The thresholds among so many scores in order, infinity in front of them.
inline std::size_t thresholds_among(const double* scores, std::size_t items) {
  std::size_t found = items == 0 ? 1 : 2;
  for (std::size_t k = 1; k < items; ++k) found += scores[k] != scores[k - 1];
  return found;
}

// `scores` has room for one more in front of its `items`. Those are negated and ascend, and so do `hits`, which are
// some of them. Afterwards the thresholds stand in `scores`, the highest first, and in `above` how many of the hits
// reach each; in `others` how many of the rest. Every step writes and none is skipped, so nothing is to be guessed.
template <class Count>
void sweep(double* scores, std::size_t items, const double* hits, std::size_t hit, Count* above, Count* others) {
  std::size_t place = 0, reached = 0;
  double last = std::numeric_limits<double>::quiet_NaN();
  scores[0] = std::numeric_limits<double>::infinity();
  above[0] = others[0] = 0;
  for (std::size_t k = 1; k <= items; ++k) {
    const double score = scores[k];
    place += score != last;
    // Of scores that are equal the hits come first: it makes no difference once all of them have come.
    reached += reached < hit && hits[reached] == score;
    scores[place] = 0.0 - score;
    above[place] = static_cast<Count>(reached);
    others[place] = static_cast<Count>(k - reached);
    last = score;
  }
}

}  // namespace confmat
