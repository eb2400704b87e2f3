// The seed of the hashes. Includes no Python header.
#pragma once

#include <cstdint>
#include <random>

namespace confmat {

// Drawn once per process, so that nobody can prepare labels that all fall into one slot.
struct Seed {
  std::uint64_t first;
  std::uint64_t second;

  static const Seed& of_process() {
    static const Seed seed = draw();
    return seed;
  }

 private:
  static Seed draw() {
    std::random_device device;
    const auto word = [&device] { return (std::uint64_t{device()} << 32) | device(); };
    // An odd word is never zero, and zero would multiply everything away.
    return {word() | 1u, word() | 1u};
  }
};

}  // namespace confmat
