// Runs a fuzz target without libFuzzer, on inputs drawn from a seed: ./fuzz_X [SEED], or on files: ./fuzz_X FILE...
// With Clang: clang++ -std=c++17 -fsanitize=fuzzer,address,undefined -DCONFMAT_LIBFUZZER native/fuzz_X.cpp
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "test_check.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace confmat_fuzz {

// The bytes of an input, taken from the front; zeros when there are no more.
class Bytes {
 public:
  Bytes(const std::uint8_t* data, std::size_t size) : at_(data), end_(data + size) {}

  std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }
  template <class T>
  T take() {
    T value{};
    const std::size_t size = std::min(left(), sizeof value);
    if (size > 0) std::memcpy(&value, at_, size);
    at_ += size;
    return value;
  }
  std::size_t below(std::size_t limit) { return take<std::uint8_t>() % limit; }

  // On the heap and no byte longer, so that a look beyond it is seen.
  std::unique_ptr<char[]> block(std::size_t size) {
    std::unique_ptr<char[]> memory(new char[size]);
    for (std::size_t i = 0; i < size; ++i) memory[i] = take<char>();
    return memory;
  }

 private:
  const std::uint8_t* at_;
  const std::uint8_t* end_;
};

}  // namespace confmat_fuzz

#if !defined(CONFMAT_LIBFUZZER)
// Half of the inputs are drawn, with bytes that mean something more often than others; the other half are earlier ones
// with a few bytes changed.
inline std::vector<std::uint8_t> drawn_input(std::mt19937& random, const std::vector<std::uint8_t>& before) {
  static const std::uint8_t telling[] = {0, 0, 0, 1, 1, 2, 3, 7, 8, 127, 128, 255, 255, ',', '\n', '[', ']', '0', '9'};
  const auto one = [&random]() -> std::uint8_t {
    return static_cast<std::uint8_t>(random() % 2 ? telling[random() % sizeof telling] : random());
  };
  std::vector<std::uint8_t> input = before;
  if (before.empty() || random() % 2) {
    input.resize(random() % (random() % 8 ? 96 : 1024));
    for (std::uint8_t& byte : input) byte = one();
  } else {
    for (std::size_t change = 0; change <= random() % 4; ++change) input[random() % input.size()] = one();
  }
  return input;
}

int main(int argc, char** argv) {
  if (argc > 1 && std::ifstream(argv[1])) {
    for (int i = 1; i < argc; ++i) {
      std::ifstream file(argv[i], std::ios::binary);
      const std::vector<char> bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
      LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
    }
    return 0;
  }
  constexpr int inputs = 20'000;
  std::mt19937 random(seed_of(argc, argv, 1));
  std::vector<std::uint8_t> input;
  for (int i = 0; i < inputs; ++i) {
    input = drawn_input(random, input);
    LLVMFuzzerTestOneInput(input.data(), input.size());
  }
  std::printf("%d inputs\n", inputs);
  return 0;
}
#endif
