// The extension module: it owns nothing and only calls its two halves.
#include <nanobind/nanobind.h>

void bind_counting(nanobind::module_& m);  // bind_counting.cpp
void bind_encoding(nanobind::module_& m);  // bind_encoding.cpp

NB_MODULE(_compiled, m) {
  m.doc() = "The compiled twin of confmat._kernels.reference.";
  bind_counting(m);
  bind_encoding(m);
}
