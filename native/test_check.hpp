// Shared by the native tests: a claim that ends the program with its place where it does not hold, and the seed.
#pragma once

#include <cstdio>
#include <cstdlib>

#define CHECK(claim)                                                           \
  do {                                                                         \
    if (!(claim)) {                                                            \
      std::fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #claim); \
      std::exit(1);                                                            \
    }                                                                          \
  } while (false)

// The seed of the drawn data: that of the command line, or else the test's own.
inline unsigned seed_of(int argc, char** argv, unsigned usual) {
  return argc > 1 ? static_cast<unsigned>(std::strtoul(argv[1], nullptr, 10)) : usual;
}
