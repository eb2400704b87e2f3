// Fuzzes what the readers of Python objects and of fixed-width text share: the table of labels, and its keys over
// memory of any length and place. Objects themselves need Python: tests/test_kernels_objects_fuzz.py.
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "fixed_width.hpp"
#include "fuzz_driver.hpp"

namespace {

using namespace confmat;
using confmat_fuzz::Bytes;

void check_keys(Bytes& bytes) {
  static const Kind kinds[] = {Kind::text, Kind::wide_text, Kind::widest_text, Kind::bytes};
  LabelTable table;
  std::map<std::pair<int, std::string>, std::int32_t> known;
  while (bytes.left() > 0) {
    const int kind = static_cast<int>(bytes.below(4));
    const std::size_t before = bytes.below(20), size = bytes.below(6) ? bytes.below(5) * 8 + bytes.below(3) : 0;
    const auto memory = bytes.block(before + size);
    const auto next = static_cast<std::int32_t>(known.size());
    const std::string label(memory.get() + before, size);
    const std::int32_t wanted = known.try_emplace({kind, label}, next).first->second;
    CHECK(table.code_of(Key::of(memory.get() + before, size, kinds[kind], before)) == wanted);
    CHECK(table.bytes(static_cast<std::size_t>(wanted)) == label);
  }
}

void check_blocks(Bytes& bytes) {
  const bool swapped = bytes.below(2) == 1, text = bytes.below(2) == 1, backwards = bytes.below(2) == 1;
  const std::size_t width = (1 + bytes.below(20)) * (text ? 4 : 1), gap = bytes.below(3) ? 0 : bytes.below(9);
  const std::size_t step = width + gap, count = bytes.left() / step;
  if (count == 0) return;
  const std::size_t size = (count - 1) * step + width;
  const auto memory = bytes.block(size);
  // Most characters are narrow.
  for (std::size_t i = 0; text && i < size; ++i) {
    if (memory[i] >= 0 && i % 4 != (swapped ? 3 : 0)) memory[i] = 0;
  }
  const auto stride = static_cast<std::ptrdiff_t>(step);
  const FixedWidth blocks{memory.get() + (backwards ? (count - 1) * step : 0), static_cast<std::ptrdiff_t>(count),
                          backwards ? -stride : stride, width};
  std::vector<std::int32_t> codes(count);
  LabelTable table;
  if (text) {
    encode_text_blocks(blocks, swapped, table, codes.data());
  } else {
    encode_blocks(blocks, Kind::bytes, table, codes.data());
  }
  std::map<std::string, std::int32_t> known;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string block(blocks.first + static_cast<std::ptrdiff_t>(i) * blocks.stride, width);
    CHECK(codes[i] == known.try_emplace(block, static_cast<std::int32_t>(known.size())).first->second);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Bytes bytes(data, size);
  if (bytes.below(2) == 0) {
    check_keys(bytes);
  } else {
    check_blocks(bytes);
  }
  return 0;
}
