// Shared by the native tests: a claim that ends the program with its place where it does not hold.
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
