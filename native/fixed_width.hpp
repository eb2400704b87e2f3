// Codes of equally long blocks of bytes: NumPy's fixed-width text and bytes. Includes no Python header.
#pragma once

#include <cstddef>
#include <cstdint>

#include "label_table.hpp"

namespace confmat {

struct FixedWidth {
  const char* first;
  std::ptrdiff_t count;
  std::ptrdiff_t stride;  // in bytes, of any sign
  std::size_t width;      // in bytes
};

// Trailing NULs are part of every block alike, so blocks are equal exactly when their text is.
inline void encode_blocks(const FixedWidth& blocks, LabelTable& table, std::int32_t* codes) {
  // Between the blocks of a wider stride lies what is not ours to read.
  const bool dense = blocks.stride == static_cast<std::ptrdiff_t>(blocks.width);
  for (std::ptrdiff_t i = 0; i < blocks.count; ++i) {
    const char* const block = blocks.first + i * blocks.stride;
    const std::size_t before = dense ? static_cast<std::size_t>(block - blocks.first) : 0;
    codes[i] = table.code_of(Key::of(block, blocks.width, Kind::bytes, before), static_cast<std::int32_t>(table.size()));
  }
}

}  // namespace confmat
