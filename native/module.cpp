// The extension module: it owns nothing, knows NumPy's types, and only calls its parts.
#include "python_buffer.hpp"

namespace confmat {
void bind_boxes(nb::module_& m);       // bind_boxes.cpp
void bind_counting(nb::module_& m);    // bind_counting.cpp
void bind_encoding(nb::module_& m);    // bind_encoding.cpp
void bind_fields(nb::module_& m);      // bind_fields.cpp
void bind_indicators(nb::module_& m);  // bind_indicators.cpp
void bind_objects(nb::module_& m);     // bind_objects.cpp
void bind_sweep(nb::module_& m);       // bind_sweep.cpp
}  // namespace confmat

NB_MODULE(_compiled, m) {
  m.doc() = "The compiled twin of confmat.kernels.reference.";
  confmat::NumPy::load();
  confmat::bind_boxes(m);
  confmat::bind_counting(m);
  confmat::bind_encoding(m);
  confmat::bind_fields(m);
  confmat::bind_indicators(m);
  confmat::bind_objects(m);
  confmat::bind_sweep(m);
}
