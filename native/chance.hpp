// What two classes share by chance: means over the hypergeometric distribution of their common items.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

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

// x log(x / mean) - (x - mean), which is never negative, from the logarithm of the quotient.
inline double deviance(double x, double mean, double log) {
  const double gap = x - mean;
  if (std::abs(gap) > 0.2 * mean) return x * log - gap;
  // Near 1 the logarithm is 2 atanh(half); what its series has beyond the first term.
  const double half = gap / (x + mean), square = half * half;
  double series = 0;
  for (int odd = 19; odd > 1; odd -= 2) series = 1.0 / odd + square * series;
  return gap * half + 2 * x * (half * square * series);
}

// The mean of x log(x / mean) for the number x of items that classes of r and c items have in common by chance.
// It goes from the likeliest count outwards, until chances are too small to tell, so it is meant for counts near a
// bound; a bell far from all bounds would take as many steps as ten standard deviations.
inline double mean_shared_by_chance(double r, double c, double n) {
  static const LogSteps log_step;
  constexpr double negligible = 1e-20;
  const double mean = r / n * c, rest = n - r - c;
  const double low = std::max(0.0, -rest), high = std::min(r, c);
  // Not 0, which has no logarithm.
  const double start = std::max({1.0, low, std::min(std::floor((r + 1) * ((c + 1) / (n + 2))), std::floor(high))});
  const double start_log = std::log(start / mean);
  double total = 1, found = deviance(start, mean, start_log);
  double chance = 1, x = start, log = start_log;
  while (x + 1 <= high && chance > negligible * total) {
    chance *= (r - x) * (c - x) / ((x + 1) * (rest + x + 1));
    log += log_step.after(x);
    x += 1;
    total += chance;
    found += chance * deviance(x, mean, log);
  }
  chance = 1, x = start, log = start_log;
  while (x > low && chance > negligible * total) {
    chance *= x * (rest + x) / ((r - x + 1) * (c - x + 1));
    x -= 1;
    if (x > 0) log -= log_step.after(x);
    total += chance;
    found += chance * (x > 0 ? deviance(x, mean, log) : mean);
  }
  return found / total;
}

}  // namespace confmat
