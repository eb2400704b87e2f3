// Two columns of plain delimited text as codes, and tables of integers as text. Includes no Python header.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "interruption.hpp"
#include "label_table.hpp"

namespace confmat {

// Whole records, each ended by a newline, and where the two columns stand in a record.
struct Records {
  const char* text;
  std::size_t size;
  char delimiter;
  std::size_t width;      // fields of a record
  std::size_t places[2];  // of the two columns, each below `width`

  std::size_t count() const { return static_cast<std::size_t>(std::count(text, text + size, '\n')); }

  // Quotes give delimiters another meaning, and what comes before a newline may belong to it.
  bool is_plain() const {
    return size > 0 && text[size - 1] == '\n' && std::memchr(text, '"', size) == nullptr &&
           std::memchr(text, '\r', size) == nullptr && std::memchr(text, '\0', size) == nullptr;
  }
};

// Writes a code for each record and column, -1 for an empty field. False, with nothing to rely on, where a record
// is blank or has another number of fields. Nobody changes the text meanwhile, so its last newline ends every field.
inline bool encode_fields(const Records& records, LabelTable (&tables)[2], std::int32_t* (&codes)[2]) {
  const char* const text = records.text;
  const char* const end = text + records.size;
  const char* at = text;
  for (std::size_t row = 0; at < end; ++row) {
    if (*at == '\n') return false;
    std::size_t field = 0;
    for (;; ++field) {
      const char* const start = at;
      while (*at != records.delimiter && *at != '\n') ++at;
      for (int side = 0; side < 2; ++side) {
        if (field != records.places[side]) continue;
        const auto size = static_cast<std::size_t>(at - start);
        codes[side][row] =
            size == 0 ? -1
                      : tables[side].code_of(Key::of(start, size, Kind::text, static_cast<std::size_t>(start - text)));
      }
      if (*at++ == '\n') break;
    }
    if (field + 1 != records.width) return false;
  }
  return true;
}

// Reads rows of integers as JSON has them, [[1, 2], [3, 4]], into a square table; anything else is refused.
class SquareText {
 public:
  SquareText(const char* text, std::size_t size) : at_(text), end_(text + size) {}

  // Writes the numbers to `table`, which has `size` rows and columns; false where the text is not exactly that.
  bool read(std::size_t size, std::int64_t* table) {
    if (!take('[')) return false;
    for (std::size_t row = 0; row < size; ++row) {
      heed_interruption();
      if (!take(row == 0 ? '[' : ',') || (row > 0 && !take('['))) return false;
      for (std::size_t col = 0; col < size; ++col) {
        if ((col > 0 && !take(',')) || !number(*table++)) return false;
      }
      if (!take(']')) return false;
    }
    if (!take(']')) return false;
    skip();
    return at_ == end_;
  }

 private:
  static constexpr int kDigits = 18;  // more might not fit 63 bits

  void skip() {
    while (at_ < end_ && (*at_ == ' ' || *at_ == '\n')) ++at_;
  }

  bool take(char wanted) {
    skip();
    if (at_ == end_ || *at_ != wanted) return false;
    ++at_;
    return true;
  }

  bool number(std::int64_t& value) {
    skip();
    const char* const start = at_;
    value = 0;
    while (at_digit() && at_ - start < kDigits) value = value * 10 + (*at_++ - '0');
    const std::ptrdiff_t digits = at_ - start;
    return digits > 0 && !at_digit() && (digits == 1 || *start != '0');
  }

  bool at_digit() const { return at_ < end_ && *at_ >= '0' && *at_ <= '9'; }

  const char* at_;
  const char* end_;
};

}  // namespace confmat
