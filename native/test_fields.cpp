// Fields of delimited text and tables of integers against hand-written answers, without Python, for the sanitizers.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fields.hpp"
#include "test_check.hpp"

using namespace confmat;

namespace {

// In memory of exactly that size, so that a look beyond it is seen.
struct Exactly {
  explicit Exactly(std::string_view text) : size(text.size()), bytes(new char[text.size()]) {
    if (size > 0) std::memcpy(bytes.get(), text.data(), size);
  }
  std::size_t size;
  std::unique_ptr<char[]> bytes;
};

// The fields of two columns, row by row; empty where the text is not plain.
std::vector<std::string> fields(std::string_view text, std::size_t width, std::size_t first, std::size_t second) {
  const Exactly exact(text);
  const Records records{exact.bytes.get(), exact.size, ',', width, {first, second}};
  if (!records.is_plain()) return {};
  std::vector<std::int32_t> left(records.count()), right(records.count());
  std::int32_t* codes[2] = {left.data(), right.data()};
  LabelTable tables[2];
  if (!encode_fields(records, tables, codes)) return {};
  std::vector<std::string> found;
  for (std::size_t row = 0; row < left.size(); ++row) {
    for (int side = 0; side < 2; ++side) {
      const std::int32_t code = codes[side][row];
      found.push_back(code < 0 ? "" : std::string(tables[side].bytes(static_cast<std::size_t>(code))));
    }
  }
  return found;
}

void test_fields() {
  using Found = std::vector<std::string>;
  CHECK((fields("a,b\n", 2, 0, 1) == Found{"a", "b"}));
  CHECK((fields("a,b\n,\n", 2, 1, 0) == Found{"b", "a", "", ""}));
  CHECK((fields("a\nb\n", 1, 0, 0) == Found{"a", "a", "b", "b"}));
  const std::string longer(40, 'x');
  CHECK((fields(longer + ",y," + longer + "\n" + longer + ",,z\n", 3, 0, 2) == Found{longer, longer, longer, "z"}));
  for (const char* text : {"", "a,b", "a\n", "a,b,c\n", "\n", "a,b\n\n", "a,b\n\na,b\n", "a,\"b\"\n", "a,b\r\n"}) {
    CHECK(fields(text, 2, 0, 1).empty());
  }
  CHECK(fields(std::string_view("a,\0b\n", 5), 2, 0, 1).empty());
}

bool reads(std::string_view text, std::size_t size, std::vector<std::int64_t> wanted) {
  const Exactly exact(text);
  std::vector<std::int64_t> table(size * size, -1);
  return SquareText(exact.bytes.get(), exact.size).read(size, table.data()) && table == wanted;
}

void test_tables() {
  CHECK(reads("[[7]]", 1, {7}));
  CHECK(reads(" [\n [1, 2],\n [30,  400] ]\n", 2, {1, 2, 30, 400}));
  CHECK(reads("[[999999999999999999]]", 1, {999999999999999999}));
  for (const char* text : {"", "[", "[[", "[[1", "[[1]", "[[1]]]", "[[1000000000000000000]]", "[[9999999999999999999]]",
                           "[[01]]", "[[]]", "[[1 2]]", "[[-1]]", "[[1.0]]", "[[1,]]", "[[1],[2]]", "[[1, 2]]"}) {
    CHECK(!reads(text, 1, {1}));
  }
}

}  // namespace

int main() {
  test_fields();
  test_tables();
  std::puts("test_fields: all good");
  return 0;
}
