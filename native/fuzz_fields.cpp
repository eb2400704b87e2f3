// Fuzzes the readers of delimited text, of JSON lines and of tables in JSON, against a few lines that cannot be wrong.
#include <algorithm>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fields.hpp"
#include "fuzz_driver.hpp"

namespace {

using namespace confmat;
using confmat_fuzz::Bytes;

using Columns = std::vector<std::vector<std::int32_t>>;

struct Field {
  std::string text;
  bool missing;
};

bool ends_record(char one) { return one == '\n' || one == '\r'; }

// The fields of all records; false where the text is not sound.
bool split(std::string_view text, char delimiter, std::size_t width, std::vector<std::vector<Field>>& records) {
  if (text.empty() || !ends_record(text.back())) return false;
  const auto stops = [&](std::size_t i) { return text[i] == delimiter || ends_record(text[i]); };
  for (std::size_t i = 0; i < text.size();) {
    if (ends_record(text[i++])) continue;
    --i;
    std::vector<Field> record;
    do {
      Field field{"", false};
      if (text[i] == '"') {
        for (++i; i < text.size(); ++i) {
          if (text[i] == '"' && (i + 1 == text.size() || text[i + 1] != '"')) break;
          field.text += text[i];
          i += text[i] == '"';
        }
        if (i >= text.size() || ++i == text.size() || !stops(i)) return false;
      } else {
        for (; !stops(i); ++i) field.text += text[i];
        field.missing = field.text.empty();
      }
      record.push_back(field);
    } while (!ends_record(text[i++]));
    if (record.size() != width) return false;
    records.push_back(record);
  }
  return true;
}

// Codes of as many records as there may be, and no more memory than that.
template <class Encode>
bool encoded(std::size_t columns, std::size_t most, std::vector<LabelTable>& tables, Columns& codes, Encode encode) {
  tables.resize(columns);
  codes.assign(columns, std::vector<std::int32_t>(most));
  std::vector<std::int32_t*> places;
  for (auto& column : codes) places.push_back(column.data());
  return encode(places);
}

void check_fields(const char* text, std::size_t size, char delimiter, std::size_t width,
                  const std::vector<std::size_t>& places) {
  const Records records(text, size, std::string_view(&delimiter, 1));
  const auto [first, last] = records.ends();
  CHECK(first <= last && last <= size);
  std::vector<std::vector<Field>> wanted;
  const bool good = split({text, size}, delimiter, width, wanted);
  std::vector<LabelTable> tables;
  Columns codes;
  std::size_t rows = 0;
  CHECK(good == encoded(places.size(), records.most(), tables, codes,
                        [&](const auto& out) { return records.encode(width, places, tables, out, rows); }));
  if (!good) return;
  CHECK(rows == wanted.size());
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t side = 0; side < places.size(); ++side) {
      const Field& field = wanted[row][places[side]];
      const std::int32_t code = codes[side][row];
      CHECK((code < 0) == field.missing);
      CHECK(code < 0 || tables[side].bytes(static_cast<std::size_t>(code)) == field.text);
    }
  }
}

void check_lines(const char* text, std::size_t size) {
  JsonLines lines(text, size);
  std::vector<LabelTable> tables;
  Columns codes;
  std::size_t rows = 0;
  const std::vector<std::string> names = {"a", "b"};
  const bool good =
      encoded(2, lines.most(), tables, codes, [&](const auto& out) { return lines.encode(names, tables, out, rows); });
  for (std::size_t side = 0; good && side < 2; ++side) {
    for (std::size_t row = 0; row < rows; ++row) {
      const std::int32_t code = codes[side][row];
      CHECK(code >= -1 && code < static_cast<std::int64_t>(tables[side].size()));
      if (code >= 0) CHECK(!tables[side].bytes(static_cast<std::size_t>(code)).empty());
    }
  }
}

void check_table(const char* text, std::size_t size, std::size_t classes) {
  std::vector<std::int64_t> table(classes * classes);
  if (!SquareText(text, size).read(classes, table.data())) return;
  std::string kept, again;
  for (std::size_t i = 0; i < size; ++i) kept += text[i] == ' ' || text[i] == '\n' ? "" : std::string(1, text[i]);
  for (std::size_t i = 0; i < table.size(); ++i) {
    again += (i % classes ? "," : i ? "],[" : "[[") + std::to_string(table[i]);
  }
  CHECK(kept == again + "]]");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Bytes bytes(data, size);
  const char delimiter = bytes.below(2) ? ',' : static_cast<char>(1 + bytes.below(127));
  const std::size_t width = 1 + bytes.below(4), first = bytes.below(width), second = bytes.below(width);
  const std::size_t length = bytes.left();
  const auto text = bytes.block(length);
  const std::vector<std::size_t> places = {first, second};
  if (std::string_view("\"\n\r").find(delimiter) == std::string_view::npos) {
    check_fields(text.get(), length, delimiter, width, places);
    // Once more with what means something, and a last newline.
    for (std::size_t i = 0; i < length; ++i) {
      const int kind = static_cast<unsigned char>(text[i]) % 12;
      text[i] = kind == 0 || i + 1 == length ? '\n'
                : kind < 5                   ? delimiter
                : kind < 7                   ? '"'
                                             : static_cast<char>('a' + kind);
    }
    check_fields(text.get(), length, delimiter, width, places);
  }
  static const char* const pieces[] = {
      "{",           "}", "[",      "]",    ":",    ",",  "\"a\"", "\"b\"",
      "\"\\u00e9\"", "1", "-0.5e3", "null", "true", "\n", " ",     "{\"a\":1,\"b\":\"x\"}\n",
      "\"",          "\\"};
  std::string json;
  Bytes choice(data, size);
  while (choice.left() > 0) json += pieces[choice.below(std::size(pieces))];
  const std::unique_ptr<char[]> exactly(new char[json.size()]);
  std::copy(json.begin(), json.end(), exactly.get());
  check_lines(exactly.get(), json.size());
  // Text that could be a table, and text drawn from the letters of tables.
  static const char letters[] = "[],0123456789 \n[],,-.";
  Bytes again(data, size);
  const auto table = again.block(size);
  check_table(table.get(), size, width);
  for (std::size_t i = 0; i < size; ++i)
    table[i] = letters[static_cast<unsigned char>(table[i]) % (sizeof letters - 1)];
  check_table(table.get(), size, width);
  std::string valid = "[";
  Bytes cells(data, size);
  for (std::size_t i = 0; i < width * width; ++i) {
    if (i % width == 0) valid += i ? "],[" : "[";
    valid += (i % width ? "," : "") + std::to_string(cells.take<std::uint64_t>() >> cells.below(64));
  }
  valid += "]]";
  const std::size_t cut = valid.size() - (cells.below(4) == 0 ? cells.below(valid.size()) : 0);
  const std::unique_ptr<char[]> exact(new char[cut]);
  std::memcpy(exact.get(), valid.data(), cut);
  check_table(exact.get(), cut, width);
  return 0;
}
