// Boxes of many images: which of two sides overlap enough, image by image.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "interruption.hpp"
#include "multiversion.hpp"

namespace confmat {

// Corners x1, y1, x2, y2 of each box, one after the other, its area, and its image: 0 .. images-1. All are finite, and
// nobody changes them meanwhile, since they are read several times.
struct BoxSide {
  const std::int64_t* image = nullptr;
  const double* corners = nullptr;
  const double* areas = nullptr;
  std::size_t size = 0;
};

struct BoxPairs {
  std::vector<std::int64_t> rows, cols;
  std::vector<double> overlap;
  bool too_many = false;  // more than asked for; the lists are then incomplete
};

// Whether all numbers are finite and all images there are.
inline bool fit_for_pairing(const BoxSide& side, std::size_t images) {
  bool fit = true;
  for (std::size_t i = 0; i < side.size; ++i) {
    fit = fit && side.image[i] >= 0 && static_cast<std::uint64_t>(side.image[i]) < images;
    fit = fit && std::isfinite(side.areas[i]);
    for (std::size_t k = 0; k < 4; ++k) fit = fit && std::isfinite(side.corners[4 * i + k]);
  }
  return fit;
}

// Boxes image by image, their sides in lists of their own; in images that have many, by their left sides.
class SortedBoxes {
 public:
  // Up to so many, looking at all is quicker than finding out which ones matter.
  static constexpr std::size_t kFew = 96;

  SortedBoxes(const BoxSide& side, std::size_t images) : starts_(images + 1), places_(side.size) {
    for (std::size_t i = 0; i < side.size; ++i) ++starts_[static_cast<std::size_t>(side.image[i]) + 1];
    for (std::size_t image = 0; image < images; ++image) starts_[image + 1] += starts_[image];
    std::vector<std::size_t> next(starts_.begin(), starts_.end() - 1);
    for (std::size_t i = 0; i < side.size; ++i) places_[next[static_cast<std::size_t>(side.image[i])]++] = i;
    std::size_t asked = 0;
    const auto by_left_side = [&side, &asked](std::size_t i, std::size_t j) {
      if (++asked % kStretch == 0) heed_interruption();
      return side.corners[4 * i] < side.corners[4 * j];
    };
    for (std::size_t image = 0; image < images; ++image) {
      if (is_sorted(image)) std::sort(&places_[starts_[image]], &places_[starts_[image]] + size(image), by_left_side);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      sides_[k].resize(side.size);
      for (std::size_t i = 0; i < side.size; ++i) sides_[k][i] = side.corners[4 * places_[i] + k];
    }
  }

  // The boxes of an image whose left sides are from `low` to `high`, and perhaps others.
  std::pair<std::size_t, std::size_t> between(std::size_t image, double low, double high) const {
    if (!is_sorted(image)) return {starts_[image], starts_[image + 1]};
    const double *const xs = sides_[0].data(), *const end = xs + starts_[image + 1];
    const double* const from = std::lower_bound(xs + starts_[image], end, low);
    return {static_cast<std::size_t>(from - xs), static_cast<std::size_t>(std::upper_bound(from, end, high) - xs)};
  }

  // x1, y1, x2 or y2 of all boxes, and where each stood before.
  const double* side(std::size_t k) const { return sides_[k].data(); }
  std::size_t place(std::size_t i) const { return places_[i]; }

 private:
  std::size_t size(std::size_t image) const { return starts_[image + 1] - starts_[image]; }
  bool is_sorted(std::size_t image) const { return size(image) > kFew; }

  std::vector<std::size_t> starts_, places_;
  std::vector<double> sides_[4];
};

struct Corners {
  double x, y, right, top;
};

// Which of some boxes have anything in common with one, as zeros and ones; and whether any has.
struct TouchLoop {
  static CONFMAT_INLINE bool body(const double* __restrict x, const double* __restrict y,
                                  const double* __restrict right, const double* __restrict top, std::size_t n,
                                  Corners box, std::uint64_t* __restrict touching) {
    std::uint64_t any = 0;
    for (std::size_t i = 0; i < n; ++i) {
      // Without a branch, so that several boxes are compared at once.
      const bool across = (x[i] < box.right) & (box.x < right[i]), along = (y[i] < box.top) & (box.y < top[i]);
      touching[i] = across & along;
      any |= touching[i];
    }
    return any != 0;
  }
  CONFMAT_VERSIONS(bool,
                   (const double* x, const double* y, const double* right, const double* top, std::size_t n,
                    Corners box, std::uint64_t* touching),
                   (x, y, right, top, n, box, touching))
};

// Pairs in one image whose intersection is at least `least` of their union, or with `share` of the second box, by
// first and second.
//
// Boxes of widths v and w whose intersection over union is t have at least t max(v, w) of their width in common. So
// the other's left side is at most (1 - t) w to the right, and at most (1 - t) w / t to the left.
class BoxPairing {
 public:
  BoxPairing(const BoxSide& truth, const BoxSide& predicted, std::size_t images, double least, bool share)
      : truth_(truth), predicted_(predicted), sorted_(predicted, images), least_(least), share_(share) {}

  // The predictions that overlap truth i enough, with their overlap.
  const std::vector<std::pair<std::size_t, double>>& of(std::size_t i) {
    const double* corner = truth_.corners + 4 * i;
    const Corners box = {corner[0], corner[1], corner[2], corner[3]};
    const auto [first, last] = window(static_cast<std::size_t>(truth_.image[i]), box);
    mine_.clear();
    for (std::size_t begin = first; begin < last; begin += SortedBoxes::kFew) {
      const std::size_t n = std::min(SortedBoxes::kFew, last - begin);
      if (!touch_(sorted_.side(0) + begin, sorted_.side(1) + begin, sorted_.side(2) + begin, sorted_.side(3) + begin, n,
                  box, touching_)) {
        continue;
      }
      for (std::size_t k = 0; k < n; ++k) {
        if (touching_[k] != 0) compare(begin + k, box, truth_.areas[i]);
      }
    }
    std::sort(mine_.begin(), mine_.end());
    return mine_;
  }

 private:
  std::pair<std::size_t, std::size_t> window(std::size_t image, const Corners& box) const {
    const double width = box.right - box.x;
    const double room = 1e-9 * width + 1e-12 * std::fabs(box.x);
    const double low = share_ ? -std::numeric_limits<double>::infinity() : box.x - (1 - least_) / least_ * width - room;
    return sorted_.between(image, low, box.x + (share_ ? width : (1 - least_) * width) + room);
  }

  void compare(std::size_t j, const Corners& box, double area) {
    const double width = std::min(box.right, sorted_.side(2)[j]) - std::max(box.x, sorted_.side(0)[j]);
    const double height = std::min(box.top, sorted_.side(3)[j]) - std::max(box.y, sorted_.side(1)[j]);
    const double inner = width * height, other = predicted_.areas[sorted_.place(j)];
    const double overlap = inner / (share_ ? other : area + other - inner);
    if (overlap >= least_) mine_.emplace_back(sorted_.place(j), overlap);
  }

  const BoxSide truth_, predicted_;
  const SortedBoxes sorted_;
  const double least_;
  const bool share_;
  std::vector<std::pair<std::size_t, double>> mine_;
  std::uint64_t touching_[SortedBoxes::kFew];
  decltype(best_of<TouchLoop>()) touch_ = best_of<TouchLoop>();
};

inline BoxPairs overlapping_boxes(const BoxSide& truth, const BoxSide& predicted, std::size_t images, double least,
                                  bool share, std::size_t most) {
  BoxPairs found;
  if (truth.size == 0) return found;
  BoxPairing pairing(truth, predicted, images, least, share);
  for (std::size_t i = 0; i < truth.size; ++i) {
    if (i % 64 == 0) heed_interruption();
    for (const auto& [place, overlap] : pairing.of(i)) {
      found.rows.push_back(static_cast<std::int64_t>(i));
      found.cols.push_back(static_cast<std::int64_t>(place));
      found.overlap.push_back(overlap);
    }
    if (found.rows.size() > most) {
      found.too_many = true;
      return found;
    }
  }
  return found;
}

}  // namespace confmat
