// Codes: integers of any width, anywhere in memory, and the window of them that an axis has room for.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "interruption.hpp"
#include "multiversion.hpp"

namespace confmat {

// Wide enough for every int64 and uint64 and for sums of a few of them.
using Wide = __int128;

struct IntType {
  std::uint8_t bytes = 8;  // 1, 2, 4 or 8
  bool is_signed = true;

  Wide lowest() const { return is_signed ? -(Wide{1} << (8 * bytes - 1)) : Wide{0}; }
  Wide highest() const { return (Wide{1} << (8 * bytes - (is_signed ? 1 : 0))) - 1; }
};

// A one-dimensional array of fixed-width elements, possibly strided, unaligned or of foreign byte order.
struct Source {
  const unsigned char* data = nullptr;
  std::ptrdiff_t stride = 0;
  std::uint8_t bytes = 8;
  bool swapped = false;

  bool plain() const { return stride == bytes && !swapped && reinterpret_cast<std::uintptr_t>(data) % bytes == 0; }
};

struct Codes : Source {
  bool is_signed = true;

  IntType type() const { return {bytes, is_signed}; }
};

// Calls f with a zero of the unsigned type of that width. Signs never matter inside: differences wrap.
template <class F>
auto with_width(std::uint8_t bytes, F&& f) {
  switch (bytes) {
    case 1: return f(std::uint8_t{0});
    case 2: return f(std::uint16_t{0});
    case 4: return f(std::uint32_t{0});
    default: return f(std::uint64_t{0});
  }
}

template <class T>
T element(const Source& source, std::size_t i) {
  unsigned char raw[sizeof(T)];
  std::memcpy(raw, source.data + static_cast<std::ptrdiff_t>(i) * source.stride, sizeof(T));
  if (source.swapped) std::reverse(raw, raw + sizeof(T));
  T value;
  std::memcpy(&value, raw, sizeof(T));
  return value;
}

// Elements begin .. begin+length as a plain array: the memory itself where that works, else a copy in `room`.
template <class T>
const T* block_of(const Source& source, std::size_t begin, std::size_t length, T* room) {
  if (source.plain()) return reinterpret_cast<const T*>(source.data) + begin;
  for (std::size_t i = 0; i < length; ++i) room[i] = element<T>(source, begin + i);
  return room;
}

// The codes first .. first+size-1, and which of them the type of the data can express.
struct Axis {
  Wide first = 0;
  std::uint64_t size = 0;
};

struct Window {
  std::uint64_t low = 0;    // bits of the lowest code inside; `code - low` wraps and is right for every width
  std::uint64_t size = 0;   // how many codes of the type are inside; 0: none
  std::uint64_t shift = 0;  // position of `low` on the axis
};

inline Window window_of(IntType type, Axis axis) {
  if (axis.size == 0) return {};
  const Wide low = std::max(axis.first, type.lowest());
  const Wide high = std::min(axis.first + static_cast<Wide>(axis.size) - 1, type.highest());
  if (low > high) return {};
  return {static_cast<std::uint64_t>(low), static_cast<std::uint64_t>(high - low + 1),
          static_cast<std::uint64_t>(low - axis.first)};
}

struct Range {
  Wide low = 0;
  Wide high = 0;
};

// Smallest and largest of `n` unsigned values after flipping `flip` (the sign bit, for signed data).
template <class U>
struct RangeLoop {
  struct Found {
    U low, high;
  };
  static CONFMAT_INLINE Found body(const U* values, std::size_t n, U flip) {
    U low = static_cast<U>(~U{0});
    U high = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const U value = static_cast<U>(values[i] ^ flip);
      low = value < low ? value : low;
      high = value > high ? value : high;
    }
    return {low, high};
  }
  CONFMAT_VERSIONS(Found, (const U* values, std::size_t n, U flip), (values, n, flip))
};

// Range of elements begin .. end (at least one).
inline Range range_of(const Codes& codes, std::size_t begin, std::size_t end) {
  return with_width(codes.bytes, [&](auto zero) {
    using U = decltype(zero);
    constexpr std::size_t block = 2048;
    alignas(64) U room[block];
    const U flip = codes.is_signed ? static_cast<U>(U{1} << (8 * sizeof(U) - 1)) : U{0};
    const auto loop = best_of<RangeLoop<U>>();
    U low = static_cast<U>(~U{0});
    U high = 0;
    for (std::size_t i = begin; i < end; i += block) {
      if ((i - begin) % (8 * kStretch) == kStretch) heed_interruption();
      const std::size_t length = std::min(block, end - i);
      const auto found = loop(block_of(codes, i, length, room), length, flip);
      low = std::min(low, found.low);
      high = std::max(high, found.high);
    }
    return Range{codes.type().lowest() + static_cast<Wide>(low), codes.type().lowest() + static_cast<Wide>(high)};
  });
}

}  // namespace confmat
