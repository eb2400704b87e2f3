// Glue for boxes: Python buffers in, NumPy arrays out. The computation is in the header.
#include <algorithm>

#include "boxes.hpp"
#include "python_buffer.hpp"

namespace confmat {
namespace {

// Copies of the images, corners and areas of one side, which nobody else can write to.
class Side {
 public:
  explicit Side(const nb::tuple& side)
      : image_(copy_of<std::int64_t>(NumbersView(side[0], "images", "lqn", "int64"))),
        corners_(copy_of<double>(NumbersView(side[1], "corners", "d", "float64", 2))),
        areas_(copy_of<double>(NumbersView(side[2], "areas", "d", "float64"))) {
    if (corners_.size() != 4 * image_.size() || areas_.size() != image_.size()) {
      throw nb::value_error("wanted four corners and an area for each image of a box");
    }
  }

  BoxSide side() const { return {image_.data(), corners_.data(), areas_.data(), image_.size()}; }

 private:
  template <class T>
  static Buffer<T> copy_of(const NumbersView& view) {
    Buffer<T> copy(view.size());
    std::copy_n(view.data<T>(), view.size(), copy.data());
    return copy;
  }

  Buffer<std::int64_t> image_;
  Buffer<double> corners_, areas_;
};

template <class T>
nb::object listed(const std::vector<T>& values) {
  Buffer<T> buffer(values.size());
  std::copy(values.begin(), values.end(), buffer.data());
  return as_list(std::move(buffer));
}

nb::object overlapping_boxes_of(const nb::tuple& truth, const nb::tuple& predicted, std::int64_t images, double least,
                                bool share, std::int64_t most) {
  if (truth.size() != 3 || predicted.size() != 3) throw nb::value_error("a side is (image, corners, areas)");
  if (images < 0 || images > (std::int64_t{1} << 40) || most < 0 || !(least > 0)) {
    throw nb::value_error("images and most may not be negative, and least must be above 0");
  }
  const Side left(truth), right(predicted);
  const auto count = static_cast<std::size_t>(images);
  BoxPairs found;
  bool fit = false;
  without_gil([&] {
    fit = fit_for_pairing(left.side(), count) && fit_for_pairing(right.side(), count);
    if (fit) found = overlapping_boxes(left.side(), right.side(), count, least, share, static_cast<std::size_t>(most));
  });
  if (!fit) throw nb::value_error("a box is of no image, or not of finite numbers");
  if (found.too_many) return nb::none();
  return nb::make_tuple(listed(found.rows), listed(found.cols), listed(found.overlap));
}

}  // namespace

void bind_boxes(nb::module_& m) {
  using nb::arg;
  m.def("overlapping_boxes", &overlapping_boxes_of, arg("truth"), arg("predicted"), arg("images"), arg("least"),
        arg("share"), arg("most"),
        "Pairs of boxes in one image that overlap enough: `(rows, cols, overlap)`; None above `most`.");
}

}  // namespace confmat
