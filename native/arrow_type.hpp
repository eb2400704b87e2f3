// Arrow's format strings: what a column holds, and how it lies in memory. Includes no Python header.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "arrow_interface.hpp"
#include "label_table.hpp"

namespace confmat {

// A type that is no label. The message says what to do.
class ArrowUnsupported : public std::runtime_error {
 public:
  explicit ArrowUnsupported(const std::string& format)
      : std::runtime_error("cannot read labels of the Arrow type " + described(format) +
                           "; convert to text or integers first") {}

 private:
  static std::string described(const std::string& format) {
    const auto starts = [&format](const char* with) { return format.rfind(with, 0) == 0; };
    const char* const name = starts("td")   ? "date"
                             : starts("tt") ? "time"
                             : starts("ts") ? "timestamp"
                             : starts("tD") ? "duration"
                             : starts("ti") ? "interval"
                             : starts("d:") ? "decimal"
                             : starts("+s") ? "struct, or a table: pass one column of it"
                             : starts("+m") ? "map"
                             : starts("+u") ? "union"
                             : starts("+r") ? "run-end encoded"
                             : starts("+")  ? "list"
                                            : "";
    return "'" + format + "'" + (*name ? " (" + std::string(name) + ")" : "");
  }
};

// Arrow buffers need not be aligned.
template <class T>
T load(const void* base, std::int64_t i) {
  T value;
  std::memcpy(&value, static_cast<const char*>(base) + i * static_cast<std::int64_t>(sizeof(T)), sizeof(T));
  return value;
}

struct Half {
  std::uint16_t bits;
};

inline double to_double(float value) { return value; }
inline double to_double(double value) { return value; }
inline double to_double(Half half) {
  const int exponent = (half.bits >> 10) & 31;
  const int fraction = half.bits & 1023;
  const double size =
      exponent == 31  ? (fraction ? std::numeric_limits<double>::quiet_NaN() : std::numeric_limits<double>::infinity())
      : exponent == 0 ? std::ldexp(fraction, -24)
                      : std::ldexp(fraction + 1024, exponent - 25);
  return half.bits & 0x8000 ? -size : size;
}

// Calls `visit` with a number of the type that Arrow's letter stands for.
template <class Visit>
void visit_number(char letter, Visit visit) {
  switch (letter) {
    case 'c': return visit(std::int8_t{});
    case 'C': return visit(std::uint8_t{});
    case 's': return visit(std::int16_t{});
    case 'S': return visit(std::uint16_t{});
    case 'i': return visit(std::int32_t{});
    case 'I': return visit(std::uint32_t{});
    case 'l': return visit(std::int64_t{});
    case 'L': return visit(std::uint64_t{});
    case 'e': return visit(Half{});
    case 'f': return visit(float{});
    case 'g': return visit(double{});
    default: throw std::logic_error("no Arrow number");
  }
}

enum class ArrowLayout { nothing, truth, number, offsets32, offsets64, views, fixed };

struct ArrowType {
  ArrowLayout layout = ArrowLayout::nothing;
  Kind kind = Kind::text;  // of text and bytes
  std::size_t width = 0;   // in bytes, of numbers and fixed-width bytes; truth values become bytes
  char number = 0;         // Arrow's letter

  bool is_number() const { return layout == ArrowLayout::number || layout == ArrowLayout::truth; }
  bool is_integer() const { return number != 0 && std::strchr("cCsSiIlL", number) != nullptr; }
  bool is_unsigned() const { return number != 0 && std::strchr("CSIL", number) != nullptr; }

  static ArrowType parse(const char* format) {
    if (format == nullptr) throw std::invalid_argument("broken Arrow data: the schema has no format");
    const std::string it(format);
    if (it == "n") return {};
    if (it == "b") return {ArrowLayout::truth, Kind::truth, 1, 0};
    if (it == "u") return {ArrowLayout::offsets32, Kind::text, 0, 0};
    if (it == "U") return {ArrowLayout::offsets64, Kind::text, 0, 0};
    if (it == "z") return {ArrowLayout::offsets32, Kind::bytes, 0, 0};
    if (it == "Z") return {ArrowLayout::offsets64, Kind::bytes, 0, 0};
    if (it == "vu") return {ArrowLayout::views, Kind::text, 0, 0};
    if (it == "vz") return {ArrowLayout::views, Kind::bytes, 0, 0};
    if (it.rfind("w:", 0) == 0) return {ArrowLayout::fixed, Kind::bytes, parse_width(it), 0};
    if (it.size() == 1 && std::strchr("cCsSiIlLefg", it[0]) != nullptr) {
      ArrowType type{ArrowLayout::number, Kind::integer, 0, it[0]};
      visit_number(it[0], [&type](auto example) { type.width = sizeof example; });
      return type;
    }
    throw ArrowUnsupported(it);
  }

  // Refuses what would make the reading loops leave their buffers.
  void check(const ArrowArray& array) const {
    const auto demand = [](bool good, const char* what) {
      if (!good) throw std::invalid_argument(std::string("broken Arrow data: ") + what);
    };
    const auto unit = static_cast<std::int64_t>(std::max<std::size_t>(width, 16));
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    demand(array.length >= 0 && array.offset >= 0, "a negative length or offset");
    demand(array.length <= most / unit - 1 - std::min(array.offset, most / unit - 1), "an absurd length or offset");
    if (layout == ArrowLayout::nothing) return;
    const bool has_offsets = layout == ArrowLayout::offsets32 || layout == ArrowLayout::offsets64;
    demand(layout == ArrowLayout::views ? array.n_buffers >= 3 : array.n_buffers == (has_offsets ? 3 : 2),
           "the wrong number of buffers");
    demand(array.buffers != nullptr, "no buffers");
    // Values of no width need no buffer, and neither does an array without rows.
    const bool needed = array.length > 0 && !(layout == ArrowLayout::fixed && width == 0);
    demand(!needed || array.buffers[1] != nullptr, "a missing buffer");
  }

 private:
  static std::size_t parse_width(const std::string& format) {
    const std::string digits = format.substr(2);
    const bool good =
        !digits.empty() && digits.size() < 10 && digits.find_first_not_of("0123456789") == std::string::npos;
    if (!good) throw std::invalid_argument("broken Arrow data: the format '" + format + "' has no width");
    return static_cast<std::size_t>(std::stoul(digits));
  }
};

}  // namespace confmat
