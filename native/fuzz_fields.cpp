// Fuzzes the readers of delimited text and of tables in JSON, against a few lines that cannot be wrong.
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "fields.hpp"
#include "fuzz_driver.hpp"

namespace {

using namespace confmat;

using Rows = std::vector<std::vector<std::string>>;

Rows rows_of(std::string_view text, char delimiter) {
  Rows rows(1, {""});
  for (const char letter : text.substr(0, text.size() - 1)) {
    if (letter == '\n') {
      rows.push_back({""});
    } else if (letter == delimiter) {
      rows.back().emplace_back();
    } else {
      rows.back().back() += letter;
    }
  }
  return rows;
}

void check_fields(const Records& records) {
  if (!records.is_plain()) return;
  const Rows rows = rows_of({records.text, records.size}, records.delimiter);
  CHECK(records.count() == rows.size());
  bool good = true;
  for (const auto& row : rows) good = good && row.size() == records.width && row != std::vector<std::string>{""};
  std::vector<std::int32_t> left(rows.size()), right(rows.size());
  std::int32_t* codes[2] = {left.data(), right.data()};
  LabelTable tables[2];
  CHECK(encode_fields(records, tables, codes) == good);
  for (std::size_t row = 0; good && row < rows.size(); ++row) {
    for (int side = 0; side < 2; ++side) {
      const std::string& field = rows[row][records.places[side]];
      const std::int32_t code = codes[side][row];
      CHECK(code < 0 ? field.empty() : tables[side].bytes(static_cast<std::size_t>(code)) == field);
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
  confmat_fuzz::Bytes bytes(data, size);
  const char delimiter = bytes.below(2) ? ',' : static_cast<char>(1 + bytes.below(127));
  const std::size_t width = 1 + bytes.below(4), first = bytes.below(width), second = bytes.below(width);
  const std::size_t length = bytes.left();
  const auto text = bytes.block(length);
  if (std::string_view("\"\n\r").find(delimiter) == std::string_view::npos) {
    check_fields({text.get(), length, delimiter, width, {first, second}});
    // Once more with text that is plain: letters, delimiters and newlines, and a last newline.
    for (std::size_t i = 0; i < length; ++i) {
      const int kind = static_cast<unsigned char>(text[i]) % 8;
      text[i] = kind == 0 || i + 1 == length ? '\n' : kind < 4 ? delimiter : static_cast<char>('a' + kind);
    }
    check_fields({text.get(), length, delimiter, width, {first, second}});
  }
  // Text that could be a table, and text drawn from the letters of tables.
  static const char letters[] = "[],0123456789 \n[],,-.";
  confmat_fuzz::Bytes again(data, size);
  const auto table = again.block(size);
  check_table(table.get(), size, width);
  for (std::size_t i = 0; i < size; ++i)
    table[i] = letters[static_cast<unsigned char>(table[i]) % (sizeof letters - 1)];
  check_table(table.get(), size, width);
  std::string valid = "[";
  confmat_fuzz::Bytes cells(data, size);
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
