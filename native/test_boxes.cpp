// Boxes against a comparison of all with all, without Python, so that the sanitizers see every access.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <random>
#include <tuple>
#include <vector>

#include "boxes.hpp"
#include "test_check.hpp"

using namespace confmat;

namespace {

using Random = std::mt19937_64;

struct Drawn {
  std::vector<std::int64_t> image;
  std::vector<double> corners, areas;

  BoxSide side() const { return {image.data(), corners.data(), areas.data(), image.size()}; }
};

// Whole numbers on a small canvas, so that boxes touch, coincide and have no area.
Drawn drawn(Random& random, std::size_t size, std::size_t images) {
  Drawn result;
  std::uniform_int_distribution<int> at(-8, 8), wide(0, 6);
  std::uniform_int_distribution<std::int64_t> which(0, static_cast<std::int64_t>(images) - 1);
  for (std::size_t i = 0; i < size; ++i) {
    const int x = at(random), y = at(random), width = wide(random), height = wide(random);
    result.image.push_back(which(random));
    for (const int corner : {x, y, x + width, y + height}) result.corners.push_back(corner);
    result.areas.push_back(width * height);
  }
  return result;
}

void check(const Drawn& truth, const Drawn& predicted, std::size_t images, double least, bool share) {
  const auto found = overlapping_boxes(truth.side(), predicted.side(), images, least, share, SIZE_MAX);
  std::size_t next = 0;
  for (std::size_t i = 0; i < truth.image.size(); ++i) {
    for (std::size_t j = 0; j < predicted.image.size(); ++j) {
      if (truth.image[i] != predicted.image[j]) continue;
      const double *a = &truth.corners[4 * i], *b = &predicted.corners[4 * j];
      const double width = std::min(a[2], b[2]) - std::max(a[0], b[0]);
      const double height = std::min(a[3], b[3]) - std::max(a[1], b[1]);
      if (width <= 0 || height <= 0) continue;
      const double inner = width * height;
      const double overlap = inner / (share ? predicted.areas[j] : truth.areas[i] + predicted.areas[j] - inner);
      if (overlap < least) continue;
      CHECK(next < found.rows.size());
      CHECK(found.rows[next] == static_cast<std::int64_t>(i) && found.cols[next] == static_cast<std::int64_t>(j));
      CHECK(found.overlap[next] == overlap);
      ++next;
    }
  }
  CHECK(next == found.rows.size() && next == found.cols.size() && next == found.overlap.size() && !found.too_many);
  if (next > 0) CHECK(overlapping_boxes(truth.side(), predicted.side(), images, least, share, next - 1).too_many);
}

}  // namespace

int main(int argc, char** argv) {
  Random random(seed_of(argc, argv, 7));
  for (const std::size_t images : {1, 3, 40}) {
    for (const std::size_t size : {0, 1, 5, 200, 900}) {
      const Drawn truth = drawn(random, size, images), predicted = drawn(random, size + 1, images);
      for (const double least : {0.05, 0.5, 0.75, 1.0}) {
        check(truth, predicted, images, least, false);
        check(truth, predicted, images, least, true);
      }
    }
  }
  Drawn wrong = drawn(random, 3, 2);
  CHECK(fit_for_pairing(wrong.side(), 2) && !fit_for_pairing(wrong.side(), 0));
  wrong.corners[5] = std::numeric_limits<double>::quiet_NaN();
  CHECK(!fit_for_pairing(wrong.side(), 2));
  std::puts("boxes: as it should be");
}
