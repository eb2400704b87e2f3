// Columns of delimited text and fields of JSON lines as codes, and tables of integers as text. Includes no Python
// header.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "interruption.hpp"
#include "label_table.hpp"

namespace confmat {

// Delimited text, and the characters that end a field of it. A field is quoted where its first character is a quote;
// a quote anywhere else is a character like any other. A record ends with a line feed, a carriage return, or both.
class Records {
 public:
  Records(const char* text, std::size_t size, std::string_view delimiters) : text_(text), end_(text + size) {
    for (const char one : delimiters) stops_[static_cast<unsigned char>(one)] = true;
    stops_['\n'] = stops_['\r'] = true;
  }

  // At least the number of records.
  std::size_t most() const {
    return static_cast<std::size_t>(std::count(text_, end_, '\n') + std::count(text_, end_, '\r'));
  }

  // Where the first and the last record end that ends in this text, whatever may follow; zeros if none does.
  std::pair<std::size_t, std::size_t> ends() const {
    std::size_t first = 0, last = 0;
    for (const char* at = text_; at < end_;) {
      if (*at == '"') {
        at = closed(at);
        if (at == nullptr) break;
      }
      while (at < end_ && !stops(*at)) ++at;
      if (at == end_) break;
      const char stop = *at++;
      if (stop == '\r' && at == end_) break;
      if (stop == '\r' && *at == '\n') ++at;
      if (stop != '\n' && stop != '\r') continue;
      last = static_cast<std::size_t>(at - text_);
      if (first == 0) first = last;
    }
    return {first, last};
  }

  // Writes a code for each record and column, -1 for a field that is empty and not quoted, and how many records there
  // are. False, with nothing to rely on, where a record has not `width` fields, the last one does not end, or
  // something stands between a closing quote and the end of the field. `places` are below `width`.
  bool encode(std::size_t width, const std::vector<std::size_t>& places, std::vector<LabelTable>& tables,
              const std::vector<std::int32_t*>& codes, std::size_t& row) const {
    std::string unquoted;
    if (end_ == text_ || (end_[-1] != '\n' && end_[-1] != '\r')) return false;
    row = 0;
    // The sides in the order of their fields, so that each field asks for the next one alone.
    std::vector<std::size_t> order(places.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return places[a] < places[b]; });
    for (const char* at = text_; at < end_;) {
      if (*at == '\n' || *at == '\r') {
        ++at;
        continue;
      }
      auto next = order.begin();
      for (std::size_t field = 0;; ++field) {
        const char* start = at;
        const char* stop;
        bool missing = false;
        if (*at == '"') {
          at = closed(at);
          if (at == nullptr || !stops(*at)) return false;
          ++start;
          stop = at - 1;
        } else {
          while (!stops(*at)) ++at;
          stop = at;
          missing = start == stop;
        }
        for (; next != order.end() && places[*next] == field; ++next) {
          codes[*next][row] = missing ? -1 : tables[*next].code_of(key(start, stop, unquoted));
        }
        if (const char ended = *at++; ended == '\n' || ended == '\r') {
          if (field + 1 != width) return false;
          break;
        }
      }
      ++row;
    }
    return true;
  }

 private:
  bool stops(char one) const { return stops_[static_cast<unsigned char>(one)]; }

  // Behind the quote that closes the field which opens here; null if none does.
  const char* closed(const char* at) const {
    for (;;) {
      ++at;
      at = static_cast<const char*>(std::memchr(at, '"', static_cast<std::size_t>(end_ - at)));
      if (at == nullptr) return nullptr;
      if (++at == end_ || *at != '"') return at;
    }
  }

  // Quotes within a quoted field are doubled.
  Key key(const char* start, const char* stop, std::string& unquoted) const {
    const auto size = static_cast<std::size_t>(stop - start);
    if (start == text_ || start[-1] != '"' || std::memchr(start, '"', size) == nullptr) {
      return Key::of(start, size, Kind::text, static_cast<std::size_t>(start - text_));
    }
    unquoted.clear();
    for (const char* at = start; at < stop; ++at) {
      unquoted += *at;
      if (*at == '"') ++at;
    }
    return Key::of(unquoted.data(), unquoted.size(), Kind::text, 0);
  }

  const char* text_;
  const char* end_;
  bool stops_[256] = {};
};

// Objects of JSON, one a line. Whatever a strict reader of JSON may refuse is refused, and some that it takes.
class JsonLines {
 public:
  JsonLines(const char* text, std::size_t size) : text_(text), at_(text), end_(text + size) {}

  // At least the number of records.
  std::size_t most() const { return static_cast<std::size_t>(std::count(text_, end_, '\n')) + 1; }

  // Writes a code for each record and field, -1 for one that is absent or null; the labels of the tables are the JSON
  // of the values. The last one counts where a field comes twice.
  bool encode(const std::vector<std::string>& wanted, std::vector<LabelTable>& tables,
              const std::vector<std::int32_t*>& codes, std::size_t& row) {
    std::vector<std::string_view> values(wanted.size());
    for (row = 0;;) {
      skip();
      if (at_ == end_) return true;
      if (take('\n')) continue;
      std::fill(values.begin(), values.end(), std::string_view());
      if (!object(&wanted, &values, 0)) return false;
      skip();
      if (at_ < end_ && !take('\n')) return false;
      for (std::size_t side = 0; side < values.size(); ++side) {
        const std::string_view one = values[side];
        codes[side][row] = one.empty() ? -1
                                       : tables[side].code_of(Key::of(one.data(), one.size(), Kind::text,
                                                                      static_cast<std::size_t>(one.data() - text_)));
      }
      ++row;
    }
  }

 private:
  static constexpr int kDepth = 100;
  static constexpr std::ptrdiff_t kDigits = 1000;  // Python refuses integers of more than some thousands

  char peek() const { return at_ < end_ ? *at_ : '\0'; }

  bool take(char wanted) {
    if (peek() != wanted || at_ == end_) return false;
    ++at_;
    return true;
  }

  void skip() {
    while (at_ < end_ && (*at_ == ' ' || *at_ == '\t' || *at_ == '\r')) ++at_;
  }

  bool digits() {
    const char* const start = at_;
    while (peek() >= '0' && peek() <= '9') ++at_;
    return at_ > start && at_ - start <= kDigits;
  }

  bool number() {
    take('-');
    if (!take('0') && !digits()) return false;
    if (take('.') && !digits()) return false;
    if (peek() == 'e' || peek() == 'E') {
      ++at_;
      if (!take('+')) take('-');
      return digits();
    }
    return true;
  }

  bool word(std::string_view wanted) {
    if (std::string_view(at_, static_cast<std::size_t>(end_ - at_)).substr(0, wanted.size()) != wanted) return false;
    at_ += wanted.size();
    return true;
  }

  bool string(bool& escaped) {
    if (!take('"')) return false;
    while (at_ < end_) {
      const char one = *at_++;
      if (one == '"') return true;
      if (static_cast<unsigned char>(one) < 0x20) return false;
      if (one != '\\') continue;
      escaped = true;
      if (take('u')) {
        for (int i = 0; i < 4; ++i, ++at_) {
          if (peek() == '\0' || std::strchr("0123456789abcdefABCDEF", peek()) == nullptr) return false;
        }
      } else if (peek() == '\0' || std::strchr("\"\\/bfnrt", *at_++) == nullptr) {
        return false;
      }
    }
    return false;
  }

  bool value(int depth) {
    bool escaped = false;
    switch (peek()) {
      case '"': return string(escaped);
      case '{': return object(nullptr, nullptr, depth);
      case '[': return array(depth);
      case 't': return word("true");
      case 'f': return word("false");
      case 'n': return word("null");
      default: return number();
    }
  }

  bool array(int depth) {
    if (depth > kDepth || !take('[')) return false;
    skip();
    if (take(']')) return true;
    for (;;) {
      skip();
      if (!value(depth + 1)) return false;
      skip();
      if (take(']')) return true;
      if (!take(',')) return false;
    }
  }

  // Reads the fields of a record and notes the wanted values; lists and objects are no labels.
  bool object(const std::vector<std::string>* wanted, std::vector<std::string_view>* values, int depth) {
    if (depth > kDepth || !take('{')) return false;
    skip();
    if (take('}')) return true;
    for (;;) {
      skip();
      bool escaped = false;
      const char* const name = at_ + 1;
      if (!string(escaped)) return false;
      const std::string_view named(name, static_cast<std::size_t>(at_ - name - 1));
      skip();
      if (!take(':')) return false;
      skip();
      const char* const start = at_;
      if (!value(depth + 1)) return false;
      if (wanted != nullptr && escaped) return false;
      for (std::size_t side = 0; wanted != nullptr && side < wanted->size(); ++side) {
        if (named != (*wanted)[side]) continue;
        if (*start == '{' || *start == '[') return false;
        (*values)[side] =
            *start == 'n' ? std::string_view() : std::string_view(start, static_cast<std::size_t>(at_ - start));
      }
      skip();
      if (take('}')) return true;
      if (!take(',')) return false;
    }
  }

  const char* text_;
  const char* at_;
  const char* end_;
};

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
