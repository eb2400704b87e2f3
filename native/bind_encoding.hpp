// What the Python side of the encoders shares.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "buffer.hpp"
#include "label_table.hpp"

namespace confmat {

namespace nb = nanobind;

void bind_objects(nb::module_& m);  // bind_objects.cpp

// A new array that owns the memory.
template <class T>
nb::object to_numpy(Buffer<T> buffer, nb::dlpack::dtype dtype = nb::dtype<T>()) {
  const std::size_t shape[] = {buffer.size() / (static_cast<std::size_t>(dtype.bits / 8) / sizeof(T))};
  void* const data = buffer.data();
  const nb::capsule owner(data, [](void* memory) noexcept { std::free(memory); });
  (void)buffer.release();
  return nb::cast(nb::ndarray<nb::numpy>(data, 1, shape, owner, nullptr, dtype));
}

// A buffer that some Python object lends: its memory stays where it is until this goes out of scope.
class Lent {
 public:
  Lent(nb::handle exporter, int flags) : held_(PyObject_GetBuffer(exporter.ptr(), &view_, flags) == 0) {}
  Lent(const Lent&) = delete;
  Lent& operator=(const Lent&) = delete;
  ~Lent() {
    if (held_) PyBuffer_Release(&view_);
  }

  // Without one, a Python error is set.
  explicit operator bool() const { return held_; }
  const Py_buffer* operator->() const { return &view_; }

 private:
  Py_buffer view_{};
  bool held_;
};

// The address, or a Python error as an exception.
inline nb::object checked(PyObject* made) {
  if (made == nullptr) nb::raise_python_error();
  return nb::steal(made);
}

inline void append(const nb::list& list, const nb::object& item) {
  if (PyList_Append(list.ptr(), item.ptr()) != 0) nb::raise_python_error();
}

}  // namespace confmat
