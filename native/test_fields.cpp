// Fields of delimited text and tables of integers against hand-written answers, without Python, for the sanitizers.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
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

using Found = std::vector<std::string>;

// The columns row by row, "-" where a field is missing; empty where the text is refused.
template <class Source, class Places>
Found found_by(Source source, std::size_t most, const Places& places, std::size_t width) {
  std::vector<LabelTable> tables(places.size());
  std::vector<std::vector<std::int32_t>> columns(places.size(), std::vector<std::int32_t>(most));
  std::vector<std::int32_t*> codes;
  for (auto& column : columns) codes.push_back(column.data());
  std::size_t rows = 0;
  bool sound;
  if constexpr (std::is_same_v<Source, JsonLines>) {
    sound = source.encode(places, tables, codes, rows);
  } else {
    sound = source.encode(width, places, tables, codes, rows);
  }
  Found found;
  for (std::size_t row = 0; sound && row < rows; ++row) {
    for (std::size_t side = 0; side < places.size(); ++side) {
      const std::int32_t code = columns[side][row];
      found.push_back(code < 0 ? "-" : std::string(tables[side].bytes(static_cast<std::size_t>(code))));
    }
  }
  return found;
}

Found fields(std::string_view text, std::size_t width, std::vector<std::size_t> places) {
  const Exactly exact(text);
  const Records records(exact.bytes.get(), exact.size, ",");
  return found_by(records, records.most(), places, width);
}

Found json(std::string_view text, std::vector<std::string> names) {
  const Exactly exact(text);
  const JsonLines lines(exact.bytes.get(), exact.size);
  return found_by(lines, lines.most(), names, 0);
}

std::pair<std::size_t, std::size_t> ends(std::string_view text) {
  const Exactly exact(text);
  return Records(exact.bytes.get(), exact.size, ",;").ends();
}

void test_fields() {
  CHECK((fields("a,b\n", 2, {0, 1}) == Found{"a", "b"}));
  CHECK((fields("a,b\n,\n", 2, {1, 0}) == Found{"b", "a", "-", "-"}));
  CHECK((fields("a\n\nb\r\n\rc\r", 1, {0}) == Found{"a", "b", "c"}));
  CHECK((fields("\"a\",b\"\"\n\"\", \"\n\"5\"\"\",\"a,\nb\"\r\n", 2, {0, 1}) ==
         Found{"a", "b\"\"", "", " \"", "5\"", "a,\nb"}));
  const std::string longer(40, 'x');
  CHECK(
      (fields(longer + ",y," + longer + "\n\"" + longer + "\",,z\n", 3, {0, 2}) == Found{longer, longer, longer, "z"}));
  for (const char* text :
       {"", "a,b", "a\n", "a,b,c\n", "a,b\na\n", "\"a,b\n", "\"a\"b,c\n", "a,\"b\" \n", "a,b\n\"", "\""}) {
    CHECK(fields(text, 2, {0, 1}).empty());
  }
  CHECK((fields(std::string_view("a,\0b\n", 5), 2, {0, 1}) == Found{"a", std::string("\0b", 2)}));
  CHECK((ends("a,b\nc,\"d\n\"\ne") == std::pair<std::size_t, std::size_t>(4, 11)));
  CHECK((ends("a,b\r\nc\rd\r") == std::pair<std::size_t, std::size_t>(5, 7)));
  for (const char* text : {"", "a", "\"", "\"a\n", "\"a\n\"\"", "a\r"})
    CHECK((ends(text) == std::pair<std::size_t, std::size_t>(0, 0)));
}

void test_json() {
  CHECK((json("{\"y\": \"a\\n\", \"n\": -1.5e+3}\n\n {} \r\n{\"y\":null,\"y\":true}", {"y", "n"}) ==
         Found{"\"a\\n\"", "-1.5e+3", "-", "-", "true", "-"}));
  CHECK((json("{\"x\": [1, [], {\"y\": 2}, \"\\u00e9\"], \"y\": 0}", {"y"}) == Found{"0"}));
  for (const char* text : {"{",
                           "{}x",
                           "[]",
                           "1",
                           "{\"y\"",
                           "{\"y\":",
                           "{\"y\":}",
                           "{\"y\":1",
                           "{\"y\":1,",
                           "{\"y\":1,}",
                           "{\"y\":01}",
                           "{\"y\":1.}",
                           "{\"y\":-}",
                           "{\"y\":1e}",
                           "{\"y\":\"",
                           "{\"y\":\"\\",
                           "{\"y\":\"\\u00",
                           "{\"y\":\"\\u00g0\"}",
                           "{\"y\":\"\\x\"}",
                           "{\"y\":\"\t\"}",
                           "{\"y\":nul}",
                           "{\"y\":NaN}",
                           "{\"y\":[1]}",
                           "{\"x\":[1,]}",
                           "{\"x\":[1",
                           "{\"x\":[",
                           "{\"\\u0079\":1}",
                           "{} {}"}) {
    CHECK(json(text, {"y"}).empty());
  }
  CHECK(json("{\"x\":" + std::string(200, '[') + std::string(200, ']') + ",\"y\":1}", {"y"}).empty());
  CHECK(json("{\"y\":" + std::string(2000, '1') + "}", {"y"}).empty());
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
  test_json();
  test_tables();
  std::puts("test_fields: all good");
  return 0;
}
