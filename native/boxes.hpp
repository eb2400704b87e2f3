// Boxes of many images: which of two sides overlap enough, image by image.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace confmat {

// Corners x1, y1, x2, y2 of each box, one after the other, its area, and its image: 0 .. images-1. All are finite.
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

// Boxes image by image, and in each image by their left sides.
class SortedBoxes {
 public:
  SortedBoxes(const BoxSide& side, std::size_t images) : starts_(images + 1), boxes_(side.size) {
    for (std::size_t i = 0; i < side.size; ++i) ++starts_[static_cast<std::size_t>(side.image[i]) + 1];
    for (std::size_t image = 0; image < images; ++image) starts_[image + 1] += starts_[image];
    std::vector<std::size_t> next(starts_.begin(), starts_.end() - 1);
    for (std::size_t i = 0; i < side.size; ++i) {
      const double* corner = side.corners + 4 * i;
      boxes_[next[static_cast<std::size_t>(side.image[i])]++] = {
          corner[0], corner[1], corner[2], corner[3], side.areas[i], static_cast<std::int64_t>(i)};
    }
    for (std::size_t image = 0; image < images; ++image) std::sort(begin(image), end(image));
  }

  struct Box {
    double x, y, right, top, area;
    std::int64_t place;

    bool operator<(const Box& other) const { return x < other.x; }
  };

  // The boxes of an image whose left sides are from `low` to `high`.
  std::pair<const Box*, const Box*> between(std::size_t image, double low, double high) const {
    const Box *first = boxes_.data() + starts_[image], *last = boxes_.data() + starts_[image + 1];
    first = std::lower_bound(first, last, low, [](const Box& box, double x) { return box.x < x; });
    last = std::upper_bound(first, last, high, [](double x, const Box& box) { return x < box.x; });
    return {first, last};
  }

 private:
  std::vector<Box>::iterator begin(std::size_t image) {
    return boxes_.begin() + static_cast<std::ptrdiff_t>(starts_[image]);
  }
  std::vector<Box>::iterator end(std::size_t image) { return begin(image + 1); }

  std::vector<std::size_t> starts_;
  std::vector<Box> boxes_;
};

// Pairs in one image whose intersection is at least `least` of their union, or with `share` of the second box, by
// first and second.
//
// Boxes of widths v and w whose intersection over union is t have at least t max(v, w) of their width in common. So
// the other's left side is at most (1 - t) w to the right, and at most (1 - t) w / t to the left.
inline BoxPairs overlapping_boxes(const BoxSide& truth, const BoxSide& predicted, std::size_t images, double least,
                                  bool share, std::size_t most) {
  constexpr double slack = 1e-9, infinity = std::numeric_limits<double>::infinity();
  BoxPairs found;
  if (truth.size == 0) return found;
  const SortedBoxes sorted(predicted, images);
  std::vector<std::pair<std::int64_t, double>> mine;
  for (std::size_t i = 0; i < truth.size; ++i) {
    const double* corner = truth.corners + 4 * i;
    const double x = corner[0], y = corner[1], right = corner[2], top = corner[3], width = right - x;
    const double room = slack * (width + std::fabs(x) * 1e-3);
    const double low = share ? -infinity : x - (1 - least) / least * width - room;
    const double high = x + (share ? width : (1 - least) * width) + room;
    const auto [first, last] = sorted.between(static_cast<std::size_t>(truth.image[i]), low, high);
    mine.clear();
    for (const auto* box = first; box != last; ++box) {
      const double height = std::min(top, box->top) - std::max(y, box->y);
      if (!(height > 0)) continue;
      const double inner = std::max(std::min(right, box->right) - std::max(x, box->x), 0.0) * height;
      const double overlap = inner / (share ? box->area : truth.areas[i] + box->area - inner);
      if (overlap >= least) mine.emplace_back(box->place, overlap);
    }
    std::sort(mine.begin(), mine.end());
    for (const auto& [place, overlap] : mine) {
      found.rows.push_back(static_cast<std::int64_t>(i));
      found.cols.push_back(place);
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
