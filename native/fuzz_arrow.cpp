// Fuzzes the reader of Arrow columns: every buffer is as long as its array says, and holds anything.
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "arrow_column.hpp"
#include "fuzz_driver.hpp"

namespace {

using namespace confmat;
using confmat_fuzz::Bytes;

// An array with its buffers, and its dictionary.
struct Array {
  ArrowArray it{};
  std::vector<std::unique_ptr<char[]>> memory;
  std::vector<const void*> buffers;
  std::unique_ptr<Array> dictionary;
  std::vector<std::int64_t> sizes;
};

void release(ArrowArray* array) {
  array->release = nullptr;
  delete static_cast<Array*>(array->private_data);
}

// Nobody can say how long the text is but the last offset; so it is in reach here, and all others are as they come.
template <class Offset>
std::size_t text_size(char* offsets, std::size_t last) {
  Offset value;
  std::memcpy(&value, offsets + last * sizeof value, sizeof value);
  value = static_cast<Offset>(static_cast<std::uint64_t>(value) % 64);
  std::memcpy(offsets + last * sizeof value, &value, sizeof value);
  return static_cast<std::size_t>(value);
}

void fill(Bytes& bytes, const char* format, Array& array) {
  ArrowType type;
  try {
    type = ArrowType::parse(format);
  } catch (const std::exception&) {
    return;
  }
  const std::size_t length = bytes.below(12), offset = bytes.below(4), rows = length + offset;
  array.it.length = static_cast<std::int64_t>(length);
  array.it.offset = static_cast<std::int64_t>(offset);
  array.it.null_count = bytes.below(3) == 0 ? 0 : -1;
  const auto add = [&](std::size_t size) {
    array.memory.push_back(bytes.block(size));
    array.buffers.push_back(array.memory.back().get());
    return array.memory.back().get();
  };
  const bool without_nulls = bytes.below(2) == 0;
  if (without_nulls) {
    array.buffers.push_back(nullptr);
  } else {
    add((rows + 7) / 8);
  }
  const std::size_t views = bytes.below(3);
  switch (type.layout) {
    case ArrowLayout::nothing: array.buffers.clear(); break;
    case ArrowLayout::truth: add((rows + 7) / 8); break;
    case ArrowLayout::offsets32: add(text_size<std::int32_t>(add((rows + 1) * 4), rows)); break;
    case ArrowLayout::offsets64: add(text_size<std::int64_t>(add((rows + 1) * 8), rows)); break;
    case ArrowLayout::views:
      add(rows * 16);
      for (std::size_t i = 0; i < views; ++i) {
        array.sizes.push_back(static_cast<std::int64_t>(bytes.below(40)));
        add(static_cast<std::size_t>(array.sizes.back()));
      }
      array.buffers.push_back(array.sizes.data());
      break;
    default: add(rows * type.width);
  }
  // Now and then the numbers themselves are wild, or a buffer is not there.
  const std::size_t fault = bytes.below(32);
  if (fault == 1) array.it.length = bytes.take<std::int64_t>() | std::int64_t{1} << 62;
  if (fault == 2) array.it.offset = -1 - static_cast<std::int64_t>(bytes.below(9));
  if (fault == 3 && array.buffers.size() > 1) array.buffers[1] = nullptr;
  if (fault == 4 && !array.buffers.empty()) array.buffers.pop_back();
  array.it.n_buffers = static_cast<std::int64_t>(array.buffers.size());
  array.it.buffers = array.buffers.data();
}

ArrowOwner<ArrowArray> chunk_of(Bytes& bytes, const ArrowSchema& schema) {
  auto array = std::make_unique<Array>();
  fill(bytes, schema.format, *array);
  if (schema.dictionary != nullptr && bytes.below(16) != 0) {
    array->dictionary = std::make_unique<Array>();
    fill(bytes, schema.dictionary->format, *array->dictionary);
    array->it.dictionary = &array->dictionary->it;
  }
  array->it.release = &release;
  ArrowArray given = array->it;
  given.private_data = array.release();
  return ArrowOwner<ArrowArray>(&given);
}

void check(const ArrowColumn& column, std::size_t rows) {
  CHECK(column.length == rows);
  for (std::size_t row = 0; row < rows; ++row) {
    if (!column.has_codes) break;
    CHECK(column.codes[row] >= -1 && column.codes[row] < static_cast<std::int64_t>(column.table.size()));
  }
  // All of every label, and of the numbers, is there to be read.
  std::size_t sum = 0;
  for (std::size_t label = 0; label < column.table.size(); ++label) {
    for (const char letter : column.table.bytes(label)) sum += static_cast<unsigned char>(letter);
  }
  const auto* const numbers = static_cast<const unsigned char*>(column.numbers);
  for (std::size_t i = 0; !column.has_codes && i < rows * column.type.width; ++i) sum += numbers[i];
  volatile std::size_t read = sum;
  (void)read;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const char* const formats[] = {"n", "b", "u", "U", "z", "Z", "vu",  "vz",  "c",    "C",    "s",   "S",  "i",
                                        "I", "l", "L", "e", "f", "g", "w:0", "w:3", "w:16", "w:21", "tdD", "w:", "+l"};
  Bytes bytes(data, size);
  ArrowSchema values{}, schema{};
  schema.format = formats[bytes.below(std::size(formats))];
  values.format = formats[bytes.below(std::size(formats))];
  if (bytes.below(3) == 0) schema.dictionary = &values;
  try {
    ArrowColumnReader reader(schema);
    std::size_t rows = 0;
    for (std::size_t left = 1 + bytes.below(3); left > 0; --left) {
      ArrowOwner<ArrowArray> chunk = chunk_of(bytes, schema);
      const auto length = static_cast<std::size_t>(chunk->length);
      reader.read(std::move(chunk));
      rows += length;
    }
    check(reader.finish(), rows);
  } catch (const std::invalid_argument&) {  // broken, and said so
  } catch (const ArrowUnsupported&) {
  }
  return 0;
}
