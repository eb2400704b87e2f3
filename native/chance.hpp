// The items that two classes share by chance: means over the hypergeometric distribution of their common items.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "interruption.hpp"
#include "multiversion.hpp"

namespace confmat {

// log(1 + 1/k), which leads from the logarithm of one count to that of the next without losing a digit.
class LogSteps {
 public:
  LogSteps() {
    for (std::size_t k = 1; k < steps_.size(); ++k) steps_[k] = std::log1p(1.0 / static_cast<double>(k));
  }
  double after(double k) const {
    return k < static_cast<double>(steps_.size()) ? steps_[static_cast<std::size_t>(k)] : std::log1p(1.0 / k);
  }

 private:
  std::array<double, 1024> steps_{};
};

inline const LogSteps& log_steps() {
  static const LogSteps steps;
  return steps;
}

// x log(x / center) - (x - center), which is never negative, from the logarithm of the quotient.
inline double deviance(double x, double center, double log) {
  const double gap = x - center;
  if (std::abs(gap) > 0.2 * center) return x * log - gap;
  // Near 1 the logarithm is 2 atanh(half); what its series has beyond the first term.
  const double half = gap / (x + center), square = half * half;
  double series = 0;
  for (int odd = 19; odd > 1; odd -= 2) series = 1.0 / odd + square * series;
  return gap * half + 2 * x * (half * square * series);
}

// Pairs of class sizes whose likeliest number of common items is the same: several at once, since what is asked of a
// number of items is then the same for all of them.
struct AlikePairs {
  static constexpr std::size_t lanes = 16;
  using Lanes = double[lanes];

  std::size_t size = 0;
  // The likeliest number of items, but 0 for pairs that rarely share any; and the bounds of all numbers.
  double center = 0, low = 0, high = 0;
  Lanes r, c;
  std::size_t place[lanes];
};

// Whether these are sizes of classes among so many items, and few numbers of common items are likely: every one takes
// a step, but from 2^53 on, where one item more is the same number.
inline bool are_sizes(double r, double c, double n) {
  constexpr double most = 1e6, countable = 9007199254740992.0;
  const double mean = r / n * c, deviation = std::sqrt(mean * ((n - r) / n) * ((n - c) / n));
  return r >= 0 && c >= 0 && n > 0 && std::isfinite(r) && std::isfinite(c) && std::isfinite(n) &&
         !(mean < countable && deviation > most);
}

// For each pair the mean of x log(x / mean) for the number x of items in common, but for what is the same for all
// numbers: of x log(x / center) - (x - center), and of x log(x) where items are rarely shared.
//
// It goes from the likeliest number outwards until chances are too small to tell, so it is meant for numbers near a
// bound; a bell far from all bounds would take as many steps as twenty standard deviations.
struct MeansByChance {
  static CONFMAT_INLINE void body(const AlikePairs& pairs, double n, const LogSteps& steps, double* __restrict means) {
    const bool rare = pairs.center == 0;
    // Not 0, which has no logarithm.
    const double start = rare ? 1.0 : pairs.center;
    const auto worth = [&](double x, double log) { return rare ? x * log : deviance(x, start, log); };
    AlikePairs::Lanes r, c, rest, chance, total, found;
    for (std::size_t i = 0; i < AlikePairs::lanes; ++i) {
      r[i] = pairs.r[i], c[i] = pairs.c[i], rest[i] = n - r[i] - c[i];
      chance[i] = total[i] = 1, found[i] = 0;
    }
    double log = 0;
    std::size_t step = 0;
    // From 2^53 on one item more is the same number.
    for (double x = start; x < pairs.high && x + 1 > x; ++x) {
      if (++step % kStretch == 0) heed_interruption();
      log += steps.after(x);
      const double next = x + 1, value = worth(next, log);
      // Loops that are not unrolled are done on several lanes at once.
#pragma GCC unroll 1
      for (std::size_t i = 0; i < AlikePairs::lanes; ++i) {
        // Beyond the greatest number it is 0 and stays so.
        chance[i] *= (r[i] - x) * (c[i] - x) / (next * (rest[i] + next));
        total[i] += chance[i];
        found[i] += chance[i] * value;
      }
      if (!any_left(chance, total)) break;
    }
    for (double& each : chance) each = 1;
    log = 0;
    for (double x = start; x > pairs.low && x - 1 < x; --x) {
      if (++step % kStretch == 0) heed_interruption();
      const double next = x - 1;
      if (next > 0) log -= steps.after(next);
      const double value = next > 0 ? worth(next, log) : rare ? 0.0 : start;
#pragma GCC unroll 1
      for (std::size_t i = 0; i < AlikePairs::lanes; ++i) {
        chance[i] *= x * (rest[i] + x) / ((r[i] - next) * (c[i] - next));
        total[i] += chance[i];
        found[i] += chance[i] * value;
      }
      if (!any_left(chance, total)) break;
    }
    for (std::size_t i = 0; i < AlikePairs::lanes; ++i) means[i] = found[i] / total[i];
  }
  CONFMAT_VERSIONS(void, (const AlikePairs& pairs, double n, const LogSteps& steps, double* means),
                   (pairs, n, steps, means))

 private:
  static CONFMAT_INLINE bool any_left(const AlikePairs::Lanes& chance, const AlikePairs::Lanes& total) {
    constexpr double negligible = 1e-20;
    std::int64_t left = 0;
#pragma GCC unroll 1
    for (std::size_t i = 0; i < AlikePairs::lanes; ++i) left += chance[i] > negligible * total[i] ? 1 : 0;
    return left != 0;
  }
};

// The mean of x log(x / mean) for the number x of items that two classes have in common by chance: brings pairs of
// class sizes together that are alike, and writes the mean of each to its place.
class SharedByChance {
 public:
  // Only what are_sizes says yes to may be added.
  SharedByChance(double n, double* found) : n_(n), found_(found) {}

  void add(std::size_t place, double r, double c) {
    const double mean = r / n_ * c, low = std::max(0.0, r + c - n_), high = std::floor(std::min(r, c));
    const double likeliest = std::max({1.0, low, std::min(std::floor((r + 1) * ((c + 1) / (n_ + 2))), high)});
    const double center = mean < 0.5 ? 0.0 : likeliest;
    AlikePairs& alike = waiting_[static_cast<std::size_t>(std::fmod(center, static_cast<double>(waiting_.size())))];
    // Chances of fractions of items do not end at the bounds by themselves.
    const bool whole = r == std::floor(r) && c == std::floor(c);
    const bool alone = !whole && (low > 0 || high < mean + 10 * std::sqrt(mean) + 30);
    if (alone || alike.size == AlikePairs::lanes || alike.center != center) finish(alike);
    const bool first = alike.size == 0;
    alike.center = center;
    alike.low = first ? low : std::min(alike.low, low), alike.high = first ? high : std::max(alike.high, high);
    alike.r[alike.size] = r, alike.c[alike.size] = c, alike.place[alike.size] = place;
    ++alike.size;
    if (alone) finish(alike);
  }

  void finish() {
    for (AlikePairs& alike : waiting_) finish(alike);
  }

 private:
  void finish(AlikePairs& alike) {
    if (alike.size == 0) return;
    // The lanes that are free do what the last one does.
    for (std::size_t i = alike.size; i < AlikePairs::lanes; ++i) {
      alike.r[i] = alike.r[alike.size - 1], alike.c[i] = alike.c[alike.size - 1];
    }
    AlikePairs::Lanes means;
    best_of<MeansByChance>()(alike, n_, log_steps(), means);
    for (std::size_t i = 0; i < alike.size; ++i) {
      found_[alike.place[i]] = means[i] - beyond(alike.r[i] / n_ * alike.c[i], alike.center);
    }
    alike.size = 0;
  }

  // By how much the mean that was found is too large. The center is less than 1 away, so that it takes no digits.
  static double beyond(double mean, double center) {
    if (center == 0) return mean > 0 ? mean * std::log(mean) : 0.0;
    return deviance(mean, center, std::log(mean / center));
  }

  double n_;
  double* found_;
  std::array<AlikePairs, 64> waiting_{};
};

}  // namespace confmat
