// The label encoders without Python, to be run under the sanitizers: every buffer here is exactly as long as it
// must be, so that a byte read beyond it is seen.
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "arrow_column.hpp"
#include "fixed_width.hpp"
#include "label_table.hpp"
#include "test_check.hpp"

namespace {

using namespace confmat;

template <class Error>
void check_throws(const std::function<void()>& act, const std::string& words) {
  try {
    act();
  } catch (const Error& error) {
    if (std::string(error.what()).find(words) != std::string::npos) return;
    std::fprintf(stderr, "wanted '%s', got '%s'\n", words.c_str(), error.what());
    std::exit(1);
  }
  std::fprintf(stderr, "wanted '%s', got no error\n", words.c_str());
  std::exit(1);
}

// A copy on the heap, no byte longer than its content.
class Exact {
 public:
  explicit Exact(const std::string& bytes) : size_(bytes.size()), data_(new char[size_]) {
    if (size_ > 0) std::memcpy(data_.get(), bytes.data(), size_);
  }
  const char* data() const { return data_.get(); }
  std::size_t size() const { return size_; }

 private:
  std::size_t size_;
  std::unique_ptr<char[]> data_;
};

// -- the table -------------------------------------------------------------------------------------------------

std::int32_t code_of(LabelTable& table, const Key& key) { return table.code_of(key); }

void test_keys_of_every_length_and_place() {
  LabelTable table;
  std::vector<std::string> labels;
  for (std::size_t size = 0; size < 200; ++size) {
    labels.push_back(std::string(size, '\0'));
    labels.push_back(std::string(size, 'x') + "y");
    labels.push_back("y" + std::string(size, 'x') + "zz");
  }
  for (int round = 0; round < 2; ++round) {
    for (std::size_t i = 0; i < labels.size(); ++i) {
      for (std::size_t before = 0; before < 20; ++before) {
        const Exact memory(std::string(before, '#') + labels[i]);
        const Key key = Key::of(memory.data() + before, labels[i].size(), Kind::text, before);
        CHECK(code_of(table, key) == static_cast<std::int32_t>(i));
      }
    }
  }
  for (std::size_t i = 0; i < labels.size(); ++i) CHECK(table.bytes(i) == labels[i]);
}

void test_kinds_never_merge() {
  LabelTable table;
  CHECK(code_of(table, Key::of_integer(1)) == 0);
  CHECK(code_of(table, Key::of_integer(std::uint8_t{1})) == 0);
  CHECK(code_of(table, Key::of_integer(std::int64_t{-1})) == 1);
  CHECK(code_of(table, Key::of_integer(~std::uint64_t{0})) == 2);
  CHECK(code_of(table, Key::of_real(1)) == 3);
  CHECK(code_of(table, Key::of_word(1, Kind::truth)) == 4);
  CHECK(code_of(table, Key::of_real(0.0)) == 5);
  CHECK(code_of(table, Key::of_real(-0.0)) == 5);
  CHECK(code_of(table, Key::of("1", 1, Kind::text, 0)) == 6);
  CHECK(code_of(table, Key::of("1", 1, Kind::bytes, 0)) == 7);
  CHECK(table.kind(2) == Kind::big_integer && table.kind(7) == Kind::bytes);
}

void test_many_labels_and_the_limit() {
  LabelTable table;
  std::map<std::string, std::int32_t> known;
  std::uint64_t state = 1;
  for (int i = 0; i < 200000; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    std::string label = std::to_string((state >> 33) % 60000);
    if (state >> 63) label += std::string(30 + (state >> 40) % 7, '-');
    const auto next = static_cast<std::int32_t>(known.size());
    const std::int32_t expected = known.try_emplace(label, next).first->second;
    CHECK(code_of(table, Key::of(label.data(), label.size(), Kind::text, 0)) == expected);
  }
  const std::string huge(1000000, 'h');
  CHECK(code_of(table, Key::of(huge.data(), huge.size(), Kind::text, 0)) == static_cast<std::int32_t>(known.size()));
  CHECK(table.bytes(known.size()) == huge);

  LabelTable small(2);
  for (int i = 0; i < 4; ++i) CHECK(code_of(small, Key::of_integer(i % 2)) == i % 2);
  check_throws<std::overflow_error>([&small] { code_of(small, Key::of_integer(7)); }, "more distinct labels");
}

void test_fixed_width_blocks() {
  for (const std::size_t width : {0u, 1u, 3u, 4u, 8u, 12u, 16u, 17u, 24u, 40u, 100u}) {
    const std::size_t count = 50;
    std::string bytes;
    std::vector<std::int32_t> expected;
    for (std::size_t i = 0; i < count; ++i) {
      bytes += std::string(width, static_cast<char>('a' + i % 7));
      expected.push_back(width ? static_cast<std::int32_t>(i % 7) : 0);
    }
    const Exact memory(bytes);
    std::vector<std::int32_t> codes(count);
    const auto stride = static_cast<std::ptrdiff_t>(width);
    LabelTable table;
    encode_blocks({memory.data(), static_cast<std::ptrdiff_t>(count), stride, width}, Kind::bytes, table, codes.data());
    CHECK(codes == expected);
    // Backwards, and every second one: 49, 47, ... have the letters 0, 5, 3, ... of seven.
    LabelTable other;
    codes.assign(count / 2, -7);
    const std::size_t last = (count - 1) * width;
    encode_blocks({memory.data() + last, static_cast<std::ptrdiff_t>(count / 2), -2 * stride, width}, Kind::bytes,
                  other, codes.data());
    for (std::size_t i = 0; i < count / 2; ++i) {
      const std::string_view label = other.bytes(static_cast<std::size_t>(codes[i]));
      CHECK(label == std::string_view(bytes).substr((count - 1 - 2 * i) * width, width));
    }
  }
}

// -- Arrow -----------------------------------------------------------------------------------------------------

int g_released = 0;
int g_given = 0;

// An array with buffers of its own, as a producer would make it.
struct Made {
  std::vector<std::unique_ptr<Exact>> buffers;
  std::vector<const void*> addresses;
  std::unique_ptr<ArrowArray> dictionary;
};

void release_array(ArrowArray* array) {
  ++g_released;
  if (array->dictionary != nullptr && array->dictionary->release != nullptr) {
    array->dictionary->release(array->dictionary);
  }
  delete static_cast<Made*>(array->private_data);
  array->release = nullptr;
}

using Bytes = std::vector<const std::string*>;

ArrowOwner<ArrowArray> array_of(std::int64_t length, const Bytes& buffers, std::int64_t offset = 0,
                                ArrowOwner<ArrowArray>* dictionary = nullptr) {
  auto made = std::make_unique<Made>();
  for (const std::string* bytes : buffers) {
    made->buffers.push_back(bytes ? std::make_unique<Exact>(*bytes) : nullptr);
    made->addresses.push_back(bytes ? made->buffers.back()->data() : nullptr);
  }
  ArrowArray array{};
  array.length = length;
  array.null_count = -1;
  array.offset = offset;
  array.n_buffers = static_cast<std::int64_t>(buffers.size());
  array.buffers = made->addresses.data();
  if (dictionary != nullptr) {
    made->dictionary = std::make_unique<ArrowArray>(*dictionary->get());
    dictionary->get()->release = nullptr;
    array.dictionary = made->dictionary.get();
  }
  array.release = &release_array;
  array.private_data = made.release();
  ++g_given;
  return ArrowOwner<ArrowArray>(&array);
}

template <class T>
std::string packed(std::initializer_list<T> values) {
  return std::string(reinterpret_cast<const char*>(values.begin()), values.size() * sizeof(T));
}

ArrowColumn read(const char* format, std::vector<ArrowOwner<ArrowArray>> chunks, const char* values = nullptr) {
  ArrowSchema value_schema{};
  value_schema.format = values;
  ArrowSchema schema{};
  schema.format = format;
  if (values != nullptr) schema.dictionary = &value_schema;
  ArrowColumnReader reader(schema);
  for (ArrowOwner<ArrowArray>& chunk : chunks) reader.read(std::move(chunk));
  return reader.finish();
}

template <class... Chunks>
std::vector<ArrowOwner<ArrowArray>> chunks_of(Chunks... chunks) {
  std::vector<ArrowOwner<ArrowArray>> all;
  (all.push_back(std::move(chunks)), ...);
  return all;
}

bool codes_are(const ArrowColumn& column, std::vector<std::int32_t> expected) {
  return std::vector<std::int32_t>(column.codes.data(), column.codes.data() + column.codes.size()) == expected;
}

const std::string kText = "catdogcata label that is longer";
const std::string kOffsets = packed<std::int32_t>({0, 3, 6, 9, 9, 31});
const std::string kValid = std::string(1, '\x17');  // the fourth of five is null

void test_arrow_text() {
  const ArrowColumn column =
      read("u", chunks_of(array_of(5, {nullptr, &kOffsets, &kText}), array_of(4, {&kValid, &kOffsets, &kText}, 1)));
  CHECK(codes_are(column, {0, 1, 0, 2, 3, 1, 0, -1, 3}));
  CHECK(column.table.bytes(3) == "a label that is longer");

  std::string view = packed<std::int32_t>({3}) + "cat" + std::string(9, '?');
  view += packed<std::int32_t>({22}) + "a la" + packed<std::int32_t>({0, 9}) + view;
  const std::string sizes = packed<std::int64_t>({31});
  const ArrowColumn views = read("vu", chunks_of(array_of(3, {nullptr, &view, &kText, &sizes})));
  CHECK(codes_are(views, {0, 1, 0}));
  CHECK(views.table.bytes(0) == "cat" && views.table.bytes(1) == "a label that is longer");
}

void test_arrow_dictionaries() {
  const std::string indices = packed<std::int8_t>({2, 0, 99, 1, 4});
  const std::string valid(1, '\x1b');
  auto first = array_of(5, {nullptr, &kOffsets, &kText});
  auto second = array_of(5, {nullptr, &kOffsets, &kText});
  const ArrowColumn column = read(
      "c", chunks_of(array_of(5, {&valid, &indices}, 0, &first), array_of(2, {nullptr, &indices}, 3, &second)), "u");
  CHECK(codes_are(column, {0, 0, -1, 1, 3, 1, 3}));
  CHECK(column.table.size() == 4);

  const std::string reals = packed<double>({0.5, -0.0, 0.0});
  auto numbers = array_of(3, {nullptr, &reals});
  const std::string three = packed<std::uint64_t>({0, 1, 2});
  CHECK(codes_are(read("L", chunks_of(array_of(3, {nullptr, &three}, 0, &numbers)), "g"), {0, 1, 1}));
}

void test_arrow_numbers() {
  const std::string some = packed<std::int16_t>({5, -6, 7});
  ArrowColumn one = read("s", chunks_of(array_of(2, {nullptr, &some}, 1)));
  CHECK(one.borrowed.has_value() && one.length == 2 && load<std::int16_t>(one.numbers, 0) == -6);
  const ArrowColumn two = read("s", chunks_of(array_of(2, {nullptr, &some}), array_of(2, {&kValid, &some}, 0)));
  CHECK(!two.borrowed.has_value() && two.length == 4 && load<std::int16_t>(two.numbers, 3) == -6);
  CHECK(two.missing.size() == 0);
  const std::string bits(1, '\x05');
  const ArrowColumn truth = read("b", chunks_of(array_of(3, {nullptr, &bits}), array_of(2, {&bits, &bits}, 1)));
  CHECK(std::string(static_cast<const char*>(truth.numbers), 5) == std::string("\1\0\1\0\1", 5));
  CHECK(truth.missing.size() == 5 && truth.missing[3] == 1 && truth.missing[4] == 0);
  CHECK(to_double(Half{0x3c00}) == 1 && to_double(Half{0x8001}) == -std::ldexp(1, -24) && to_double(Half{0xfc00}) < 0);
}

void test_arrow_that_is_broken() {
  const auto broken = [](const char* format, ArrowOwner<ArrowArray> chunk, const std::string& words) {
    auto chunks = std::make_shared<std::vector<ArrowOwner<ArrowArray>>>(chunks_of(std::move(chunk)));
    check_throws<std::invalid_argument>([&] { (void)read(format, std::move(*chunks)); }, words);
  };
  const std::string falling = packed<std::int32_t>({0, 3, 1}), far = packed<std::int32_t>({20, 0, 1, 0});
  const std::string sizes = packed<std::int64_t>({31});
  const std::string rising = packed<std::int32_t>({0, 1, 1 << 30, 3});
  broken("u", array_of(2, {nullptr, &falling, &kText}), "row 1 has decreasing offsets");
  broken("u", array_of(2, {nullptr, &falling, nullptr}), "row 0 has no data");
  broken("u", array_of(3, {nullptr, &rising, &kText}), "row 2 has decreasing offsets");
  broken("z", array_of(2, {nullptr, &rising, &kText}, 1), "row 1 has decreasing offsets");
  broken("u", array_of(2, {nullptr, nullptr, &kText}), "missing buffer");
  broken("u", array_of(2, {nullptr, &kText}), "wrong number of buffers");
  broken("vu", array_of(1, {nullptr, &far, &kText, &sizes}), "row 0 points outside");
  broken("vu", array_of(1, {nullptr, &far, &kText, nullptr}), "row 0 points outside");
  broken("l", array_of(std::int64_t{1} << 62, {nullptr, &kText}), "absurd");
  broken("i", array_of(-5, {nullptr, &kText}), "negative");
  check_throws<ArrowUnsupported>([] { (void)read("tdD", {}); }, "'tdD' (date); convert to text or integers first");
  check_throws<std::invalid_argument>([] { (void)read("w:", {}); }, "no width");
  check_throws<std::invalid_argument>([] { (void)read(nullptr, {}); }, "no format");
}

// -- streams ---------------------------------------------------------------------------------------------------

void release_stream(ArrowArrayStream* stream) {
  ++g_released;
  stream->release = nullptr;
}

void test_streams() {
  ArrowArrayStream source{};
  source.get_schema = [](ArrowArrayStream*, ArrowSchema*) { return 5; };
  source.get_next = [](ArrowArrayStream*, ArrowArray* out) {
    // Structures that a failed call leaves behind must not be released.
    out->release = [](ArrowArray*) { std::abort(); };
    return 5;
  };
  source.get_last_error = [](ArrowArrayStream*) { return "no luck"; };
  source.release = &release_stream;
  ++g_given;
  {
    ArrowStream stream(&source);
    CHECK(source.release == nullptr);
    check_throws<std::runtime_error>([&stream] { (void)stream.schema(); }, "no luck");
    check_throws<std::runtime_error>([&stream] { (void)stream.next(); }, "no luck");
  }
  check_throws<std::invalid_argument>([&source] { ArrowStream again(&source); }, "consumed before");
}

}  // namespace

int main() {
  test_keys_of_every_length_and_place();
  test_kinds_never_merge();
  test_many_labels_and_the_limit();
  test_fixed_width_blocks();
  test_arrow_text();
  test_arrow_dictionaries();
  test_arrow_numbers();
  test_arrow_that_is_broken();
  test_streams();
  CHECK(g_given == g_released);
  std::puts("test_encoding: all good");
  return 0;
}
