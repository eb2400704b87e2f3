// Reads an Arrow column, chunk by chunk, into codes or plain numbers. Includes no Python header.
// The layouts: https://arrow.apache.org/docs/format/Columnar.html
//
// A producer is believed in what cannot be checked (how long its buffers are) and in nothing else.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "arrow_interface.hpp"
#include "arrow_type.hpp"
#include "buffer.hpp"
#include "interruption.hpp"
#include "label_table.hpp"

namespace confmat {

// Where a chunk begins, for messages.
struct ArrowPlace {
  std::int64_t first = 0;
  bool in_dictionary = false;

  std::string name(std::int64_t i) const {
    return (in_dictionary ? "entry " : "row ") + std::to_string(first + i) +
           (in_dictionary ? " of the dictionary" : "");
  }
};

// The bitmap that says which values are there. Without one, all are.
class ArrowValidity {
 public:
  explicit ArrowValidity(const ArrowArray& array)
      : bits_(array.null_count == 0 || array.n_buffers == 0 ? nullptr
                                                            : static_cast<const std::uint8_t*>(array.buffers[0])) {}

  bool any_missing(std::int64_t offset, std::int64_t length) const {
    for (std::int64_t i = offset; bits_ != nullptr && i < offset + length; ++i) {
      if (missing(i)) return true;
    }
    return false;
  }
  bool missing(std::int64_t row) const { return bits_ != nullptr && ((bits_[row >> 3] >> (row & 7)) & 1) == 0; }

 private:
  const std::uint8_t* bits_;
};

// Codes of the values of one array; a value seen for the first time is entered in the table. Null and NaN give -1.
class ArrowEncoder {
 public:
  ArrowEncoder(const ArrowType& type, const ArrowArray& array, ArrowPlace place, LabelTable& table)
      : type_(type), array_(array), place_(place), table_(table) {}

  void encode(std::int32_t* codes) {
    if (array_.length == 0) return;
    switch (type_.layout) {
      case ArrowLayout::nothing: std::fill(codes, codes + array_.length, -1); return;
      case ArrowLayout::truth: return encode_truth(codes);
      case ArrowLayout::number: return encode_numbers(codes);
      case ArrowLayout::offsets32: return encode_offsets<std::int32_t>(codes);
      case ArrowLayout::offsets64: return encode_offsets<std::int64_t>(codes);
      case ArrowLayout::views: return encode_views(codes);
      case ArrowLayout::fixed: return encode_fixed(codes);
    }
  }

 private:
  [[noreturn]] void fail(std::int64_t row, const char* what) const {
    throw std::invalid_argument("broken Arrow data: " + place_.name(row - array_.offset) + " " + what);
  }

  // `code_at` is only asked for rows that hold a value.
  template <class CodeAt>
  void encode_each(std::int32_t* codes, CodeAt code_at) {
    const ArrowValidity validity(array_);
    const std::int64_t offset = array_.offset;
    constexpr auto stretch = static_cast<std::int64_t>(kStretch);
    for (std::int64_t begin = 0; begin < array_.length; begin += stretch) {
      heed_interruption();
      const std::int64_t end = std::min(array_.length, begin + stretch);
      for (std::int64_t i = begin; i < end; ++i) codes[i] = validity.missing(offset + i) ? -1 : code_at(offset + i);
    }
  }

  std::int32_t code_of(const Key& key) { return table_.code_of(key); }

  template <class Offset>
  std::int64_t falling_row(const Offset* offsets, std::int64_t row) const {
    const std::int64_t end = array_.offset + array_.length;
    while (row + 1 < end && load<Offset>(offsets, row + 1) >= load<Offset>(offsets, row)) ++row;
    return row;
  }

  template <class Offset>
  void encode_offsets(std::int32_t* codes) {
    const auto* const offsets = static_cast<const Offset*>(array_.buffers[1]);
    const auto* const data = static_cast<const char*>(array_.buffers[2]);
    // Nobody says how long the data is but the last offset; if one is beyond it, a later one falls.
    const std::int64_t last = load<Offset>(offsets, array_.offset + array_.length);
    encode_each(codes, [&](std::int64_t row) {
      const std::int64_t begin = load<Offset>(offsets, row);
      const std::int64_t end = load<Offset>(offsets, row + 1);
      if (begin < 0 || end < begin) fail(row, "has decreasing offsets");
      if (begin == end) return code_of(Key::of("", 0, type_.kind, 0));
      if (data == nullptr) fail(row, "has no data buffer");
      if (end > last) fail(falling_row<Offset>(offsets, row), "has decreasing offsets");
      return code_of(
          Key::of(data + begin, static_cast<std::size_t>(end - begin), type_.kind, static_cast<std::size_t>(begin)));
    });
  }

  void encode_views(std::int32_t* codes) {
    constexpr std::int64_t kView = 16, kInside = 12;
    const auto* const views = static_cast<const char*>(array_.buffers[1]);
    const std::int64_t count = array_.n_buffers - 3;
    const void* const sizes = array_.buffers[array_.n_buffers - 1];
    encode_each(codes, [&](std::int64_t row) {
      const char* const view = views + row * kView;
      const std::int64_t size = load<std::int32_t>(view, 0);
      if (size < 0) fail(row, "has a negative length");
      if (size <= kInside) {
        return code_of(
            Key::of(view + 4, static_cast<std::size_t>(size), type_.kind, static_cast<std::size_t>(row * kView + 4)));
      }
      const std::int64_t buffer = load<std::int32_t>(view, 2);
      const std::int64_t begin = load<std::int32_t>(view, 3);
      if (buffer < 0 || buffer >= count || begin < 0 || sizes == nullptr ||
          begin + size > load<std::int64_t>(sizes, buffer) || array_.buffers[2 + buffer] == nullptr) {
        fail(row, "points outside its buffers");
      }
      return code_of(Key::of(static_cast<const char*>(array_.buffers[2 + buffer]) + begin,
                             static_cast<std::size_t>(size), type_.kind, static_cast<std::size_t>(begin)));
    });
  }

  void encode_fixed(std::int32_t* codes) {
    const auto* const data = static_cast<const char*>(array_.buffers[1]);
    const auto width = static_cast<std::int64_t>(type_.width);
    encode_each(codes, [&](std::int64_t row) {
      return code_of(
          Key::of(width ? data + row * width : "", type_.width, type_.kind, static_cast<std::size_t>(row * width)));
    });
  }

  void encode_truth(std::int32_t* codes) {
    const auto* const bits = static_cast<const std::uint8_t*>(array_.buffers[1]);
    encode_each(codes, [&](std::int64_t row) {
      return code_of(Key::of_word((bits[row >> 3] >> (row & 7)) & 1u, Kind::truth));
    });
  }

  void encode_numbers(std::int32_t* codes) {
    const void* const data = array_.buffers[1];
    visit_number(type_.number, [&](auto example) {
      using Number = decltype(example);
      encode_each(codes, [&](std::int64_t row) -> std::int32_t {
        const Number number = load<Number>(data, row);
        if constexpr (std::is_integral_v<Number>) {
          return code_of(Key::of_integer(number));
        } else {
          const double value = to_double(number);
          return std::isnan(value) ? -1 : code_of(Key::of_real(value));
        }
      });
    });
  }

  const ArrowType& type_;
  const ArrowArray& array_;
  ArrowPlace place_;
  LabelTable& table_;
};

// The result of reading a column: codes with the labels in `table`, or numbers with a mask.
struct ArrowColumn {
  bool has_codes = false;
  Buffer<std::int32_t> codes;
  LabelTable table;
  bool is_dictionary = false;
  bool ordered = false;

  ArrowType type{};               // of the numbers
  const void* numbers = nullptr;  // in `own`, or in `borrowed` where they could stay
  std::size_t length = 0;
  Buffer<char> own;
  ArrowOwner<ArrowArray> borrowed;
  Buffer<std::uint8_t> missing;  // one byte per row, or nothing when nothing is missing
};

class ArrowColumnReader {
 public:
  explicit ArrowColumnReader(const ArrowSchema& schema) : type_(ArrowType::parse(schema.format)) {
    column_.type = type_;
    column_.is_dictionary = schema.dictionary != nullptr;
    column_.has_codes = column_.is_dictionary || !type_.is_number();
    if (!column_.is_dictionary) return;
    if (type_.layout != ArrowLayout::number || !type_.is_integer()) throw ArrowUnsupported(schema.format);
    if (schema.dictionary->dictionary != nullptr) throw ArrowUnsupported("a dictionary of dictionaries");
    value_type_ = ArrowType::parse(schema.dictionary->format);
    column_.ordered = (schema.flags & ARROW_FLAG_DICTIONARY_ORDERED) != 0;
  }

  void read(ArrowOwner<ArrowArray> chunk) {
    type_.check(*chunk);
    const std::int64_t length = chunk->length;
    if (column_.is_dictionary) {
      read_dictionary(*chunk);
    } else if (column_.has_codes) {
      code_pieces_.emplace_back(static_cast<std::size_t>(length));
      ArrowEncoder(type_, *chunk, place(), column_.table).encode(code_pieces_.back().data());
    } else if (length > 0) {
      read_numbers(std::move(chunk));
    }
    rows_ += length;
    // Kept until the next one has come: as long as it lives, an equal address means an equal dictionary.
    if (column_.is_dictionary) previous_ = std::move(chunk);
  }

  ArrowColumn finish() {
    column_.length = static_cast<std::size_t>(rows_);
    if (column_.has_codes) {
      column_.codes = join(code_pieces_);
    } else if (column_.borrowed.has_value()) {
      column_.numbers = values_of(*column_.borrowed);
    } else {
      column_.own = join(number_pieces_);
      column_.numbers = column_.own.data();
    }
    if (any_missing_) column_.missing = join(missing_pieces_);
    return std::move(column_);
  }

 private:
  ArrowPlace place() const { return {rows_, false}; }

  template <class T>
  static Buffer<T> join(std::vector<Buffer<T>>& pieces) {
    if (pieces.size() == 1) return std::move(pieces.front());
    std::size_t size = 0;
    for (const Buffer<T>& piece : pieces) size += piece.size();
    Buffer<T> whole(size);
    T* at = whole.data();
    for (Buffer<T>& piece : pieces) {
      if (piece.size() > 0) std::memcpy(at, piece.data(), piece.size() * sizeof(T));
      at += piece.size();
      piece = Buffer<T>();
    }
    return whole;
  }

  // -- dictionaries ------------------------------------------------------------------------------------------

  void read_dictionary(const ArrowArray& chunk) {
    if (chunk.dictionary == nullptr) throw std::invalid_argument("broken Arrow data: the dictionary is missing");
    const ArrowArray& dictionary = *chunk.dictionary;
    value_type_.check(dictionary);
    if (value_type_.layout == ArrowLayout::nothing || !same_dictionary(dictionary)) {
      code_of_entry_.resize(static_cast<std::size_t>(dictionary.length));
      ArrowEncoder(value_type_, dictionary, {0, true}, column_.table).encode(code_of_entry_.data());
    }
    code_pieces_.emplace_back(static_cast<std::size_t>(chunk.length));
    std::int32_t* const codes = code_pieces_.back().data();
    visit_number(type_.number, [&](auto example) {
      using Index = decltype(example);
      if constexpr (std::is_integral_v<Index>) look_up<Index>(chunk, codes);
    });
  }

  bool same_dictionary(const ArrowArray& dictionary) const {
    if (!previous_.has_value() || previous_->dictionary == nullptr) return false;
    const ArrowArray& before = *previous_->dictionary;
    return before.length == dictionary.length && before.offset == dictionary.offset &&
           before.null_count == dictionary.null_count && before.n_buffers == dictionary.n_buffers &&
           std::equal(before.buffers, before.buffers + before.n_buffers, dictionary.buffers);
  }

  template <class Index>
  void look_up(const ArrowArray& chunk, std::int32_t* codes) const {
    if (chunk.length == 0) return;
    const ArrowValidity validity(chunk);
    const std::uint64_t size = code_of_entry_.size();
    for (std::int64_t i = 0; i < chunk.length; ++i) {
      if (i % static_cast<std::int64_t>(kStretch) == 0) heed_interruption();
      const std::int64_t row = chunk.offset + i;
      if (validity.missing(row)) {
        codes[i] = -1;
        continue;
      }
      // A negative index is a huge one.
      const auto index = static_cast<std::uint64_t>(load<Index>(chunk.buffers[1], row));
      if (index >= size) {
        throw std::invalid_argument("broken Arrow data: " + place().name(i) + " points outside the dictionary");
      }
      codes[i] = code_of_entry_[index];
    }
  }

  // -- numbers -----------------------------------------------------------------------------------------------

  const void* values_of(const ArrowArray& chunk) const {
    return static_cast<const char*>(chunk.buffers[1]) + static_cast<std::size_t>(chunk.offset) * type_.width;
  }

  void read_numbers(ArrowOwner<ArrowArray> chunk) {
    read_missing(*chunk);
    const bool aligned =
        type_.layout == ArrowLayout::number && reinterpret_cast<std::uintptr_t>(values_of(*chunk)) % type_.width == 0;
    if (aligned && number_pieces_.empty() && !column_.borrowed.has_value()) {
      column_.borrowed = std::move(chunk);
      return;
    }
    // The numbers of a single chunk may stay where they are; those of several must be brought together.
    if (column_.borrowed.has_value()) {
      copy_numbers(*column_.borrowed);
      column_.borrowed.reset();
    }
    copy_numbers(*chunk);
  }

  void copy_numbers(const ArrowArray& chunk) {
    const auto length = static_cast<std::size_t>(chunk.length);
    number_pieces_.emplace_back(length * type_.width);
    char* const to = number_pieces_.back().data();
    if (type_.layout == ArrowLayout::number) {
      std::memcpy(to, values_of(chunk), length * type_.width);
      return;
    }
    const auto* const bits = static_cast<const std::uint8_t*>(chunk.buffers[1]);
    for (std::int64_t i = 0; i < chunk.length; ++i) {
      const std::int64_t row = chunk.offset + i;
      to[i] = static_cast<char>((bits[row >> 3] >> (row & 7)) & 1);
    }
  }

  void read_missing(const ArrowArray& chunk) {
    const ArrowValidity validity(chunk);
    const bool some = validity.any_missing(chunk.offset, chunk.length);
    if (some && !any_missing_) {
      any_missing_ = true;
      if (rows_ > 0) missing_pieces_.emplace_back(static_cast<std::size_t>(rows_), Fill::zero);
    }
    if (!any_missing_) return;
    missing_pieces_.emplace_back(static_cast<std::size_t>(chunk.length), Fill::zero);
    std::uint8_t* const missing = missing_pieces_.back().data();
    for (std::int64_t i = 0; some && i < chunk.length; ++i) missing[i] = validity.missing(chunk.offset + i);
  }

  ArrowType type_;
  ArrowType value_type_{};
  ArrowColumn column_;
  std::int64_t rows_ = 0;
  std::vector<Buffer<std::int32_t>> code_pieces_;
  std::vector<std::int32_t> code_of_entry_;
  std::vector<Buffer<char>> number_pieces_;
  std::vector<Buffer<std::uint8_t>> missing_pieces_;
  bool any_missing_ = false;
  ArrowOwner<ArrowArray> previous_;
};

}  // namespace confmat
