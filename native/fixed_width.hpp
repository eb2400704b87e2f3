// Codes of equally long blocks: NumPy's fixed-width text and bytes. Includes no Python header.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "interruption.hpp"
#include "label_table.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace confmat {

struct FixedWidth {
  const char* first;
  std::ptrdiff_t count;
  std::ptrdiff_t stride;  // in bytes, of any sign
  std::size_t width;      // in bytes

  // Between the blocks of another stride lies what is not ours to read.
  bool dense() const { return stride == static_cast<std::ptrdiff_t>(width); }
};

// Runs encode(part, codes) for one stretch of the blocks after the other, and may be interrupted between them.
template <class Encode>
void encode_in_parts(const FixedWidth& blocks, std::int32_t* codes, const Encode& encode) {
  constexpr auto stretch = static_cast<std::ptrdiff_t>(kStretch);
  for (std::ptrdiff_t begin = 0; begin < blocks.count; begin += stretch) {
    heed_interruption();
    FixedWidth part = blocks;
    part.first += begin * blocks.stride;
    part.count = std::min(stretch, blocks.count - begin);
    encode(part, codes + begin);
  }
}

// Trailing NULs belong to every block alike, so blocks are equal exactly when their content is.
inline std::int32_t encode_block(const char* block, std::size_t width, Kind kind, std::size_t before,
                                 LabelTable& table) {
  return table.code_of(Key::of(block, width, kind, before));
}

inline void encode_blocks(const FixedWidth& blocks, Kind kind, LabelTable& table, std::int32_t* codes) {
  const bool dense = blocks.dense();
  for (std::ptrdiff_t i = 0; i < blocks.count; ++i) {
    const char* const block = blocks.first + i * blocks.stride;
    const std::size_t before = dense ? static_cast<std::size_t>(block - blocks.first) : 0;
    codes[i] = encode_block(block, blocks.width, kind, before, table);
  }
}

// Makes keys of text whose characters take four bytes each, mostly for nothing: labels of up to 16 characters
// below U+0100 become short keys of one byte per character, a quarter of the work.
class Narrowing {
 public:
  static constexpr std::size_t kMost = 16;
  static constexpr std::size_t kReach = kMost * sizeof(std::uint32_t);

  explicit Narrowing(std::size_t characters) { std::fill(own_, own_ + std::min(characters, kMost), 0xffffffffu); }

  // Reads kReach bytes from `block`, whatever its width; false when one of its own characters is too wide.
  template <bool swapped>
  bool narrow(const char* block, Key& key) const {
    key = {{0, 0}, block, kMost, Key::tag_of(kMost, Kind::text)};
#if defined(__SSE2__)
    __m128i all = _mm_setzero_si128();
    __m128i parts[4];
    for (int i = 0; i < 4; ++i) {
      const __m128i own = _mm_loadu_si128(reinterpret_cast<const __m128i*>(own_) + i);
      parts[i] = _mm_and_si128(_mm_loadu_si128(reinterpret_cast<const __m128i*>(block) + i), own);
      all = _mm_or_si128(all, parts[i]);
      if (swapped) parts[i] = _mm_srli_epi32(parts[i], 24);
    }
    const __m128i bytes = _mm_packus_epi16(_mm_packs_epi32(parts[0], parts[1]), _mm_packs_epi32(parts[2], parts[3]));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(key.words), bytes);
    const __m128i high = _mm_and_si128(all, _mm_set1_epi32(swapped ? 0x00ffffff : ~0xff));
    return _mm_movemask_epi8(_mm_cmpeq_epi32(high, _mm_setzero_si128())) == 0xffff;
#else
    std::uint32_t all = 0;
    unsigned char bytes[kMost];
    for (std::size_t i = 0; i < kMost; ++i) {
      std::uint32_t point;
      std::memcpy(&point, block + i * sizeof point, sizeof point);
      point &= own_[i];
      all |= point;
      bytes[i] = static_cast<unsigned char>(swapped ? point >> 24 : point);
    }
    std::memcpy(key.words, bytes, sizeof bytes);
    return (all & (swapped ? 0x00ffffffu : 0xffffff00u)) == 0;
#endif
  }

 private:
  std::uint32_t own_[kMost] = {};
};

template <bool swapped>
void encode_narrowed(const FixedWidth& blocks, LabelTable& table, std::int32_t* codes) {
  const Narrowing narrowing(blocks.width / 4);
  const auto code_of = [&](const char* block, const char* readable) {
    Key key;
    if (narrowing.narrow<swapped>(readable, key)) return table.code_of(key);
    return encode_block(block, blocks.width, Kind::widest_text, 0, table);
  };
  // As long as kReach bytes can be read without leaving the array, blocks are read where they are.
  const auto total = blocks.count * static_cast<std::ptrdiff_t>(blocks.width);
  const auto reach = static_cast<std::ptrdiff_t>(Narrowing::kReach);
  std::ptrdiff_t i = 0;
  if (blocks.dense()) {
    for (; i * blocks.stride + reach <= total; ++i) {
      const char* const block = blocks.first + i * blocks.stride;
      codes[i] = code_of(block, block);
    }
  }
  for (; i < blocks.count; ++i) {
    const char* const block = blocks.first + i * blocks.stride;
    char copy[Narrowing::kReach] = {};
    std::memcpy(copy, block, blocks.width);
    codes[i] = code_of(block, copy);
  }
}

// Labels of kind text hold one byte per character, those of kind widest_text the block as it lies in the array;
// both with the NULs that fill up the width.
inline void encode_text_blocks(const FixedWidth& blocks, bool swapped, LabelTable& table, std::int32_t* codes) {
  // Up to four characters are a short key as they are.
  if (blocks.width <= Key::kShort || blocks.width > Narrowing::kReach) {
    encode_blocks(blocks, Kind::widest_text, table, codes);
  } else if (swapped) {
    encode_narrowed<true>(blocks, table, codes);
  } else {
    encode_narrowed<false>(blocks, table, codes);
  }
}

}  // namespace confmat
