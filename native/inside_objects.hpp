// Lists, tuples, text and bytes read from the inside; a module for the stable ABI has to ask by functions.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>

#include "label_table.hpp"
#include "python_buffer.hpp"

namespace confmat {

#if defined(Py_LIMITED_API)

inline Py_ssize_t list_size(PyObject* list) { return PyList_Size(list); }
inline PyObject* list_item(PyObject* list, Py_ssize_t i) { return PyList_GetItem(list, i); }
inline Py_ssize_t tuple_size(PyObject* tuple) { return PyTuple_Size(tuple); }
inline PyObject* tuple_item(PyObject* tuple, Py_ssize_t i) { return PyTuple_GetItem(tuple, i); }

inline Key key_of_bytes(PyObject* bytes) {
  return Key::of(PyBytes_AsString(bytes), static_cast<std::size_t>(PyBytes_Size(bytes)), Kind::bytes, 0);
}

// The text in UTF-8, which Python keeps with it; that of half a surrogate pair, which has none, in a form of its own.
class Characters {
 public:
  explicit Characters(PyObject* text) : data_(PyUnicode_AsUTF8AndSize(text, &size_)) {
    if (data_ != nullptr) return;
    if (!PyErr_ExceptionMatches(PyExc_UnicodeEncodeError)) nb::raise_python_error();
    PyErr_Clear();
    broken_ = checked(PyUnicode_AsEncodedString(text, "utf-8", "surrogatepass"));
    data_ = PyBytes_AsString(broken_.ptr());
    size_ = PyBytes_Size(broken_.ptr());
  }

  Key key() const {
    const Kind kind = broken_.is_valid() ? Kind::wide_text : Kind::text;
    return Key::of(data_, static_cast<std::size_t>(size_), kind, 0);
  }

 private:
  Py_ssize_t size_ = 0;
  const char* data_;
  nb::object broken_;
};

#else

inline Py_ssize_t list_size(PyObject* list) { return PyList_GET_SIZE(list); }
inline PyObject* list_item(PyObject* list, Py_ssize_t i) { return PyList_GET_ITEM(list, i); }
inline Py_ssize_t tuple_size(PyObject* tuple) { return PyTuple_GET_SIZE(tuple); }
inline PyObject* tuple_item(PyObject* tuple, Py_ssize_t i) { return PyTuple_GET_ITEM(tuple, i); }

inline Key key_of_bytes(PyObject* bytes) {
  const auto size = static_cast<std::size_t>(PyBytes_GET_SIZE(bytes));
  return Key::of(PyBytes_AS_STRING(bytes), size, Kind::bytes, offsetof(PyBytesObject, ob_sval));
}

// The characters where they lie. Equal text always has characters of equal width: CPython stores the narrowest.
class Characters {
 public:
  explicit Characters(PyObject* text) : text_(text) {
#if PY_VERSION_HEX < 0x030C0000
    if (PyUnicode_READY(text) < 0) nb::raise_python_error();
#endif
  }

  Key key() const {
    const auto unit = static_cast<std::size_t>(PyUnicode_KIND(text_));
    const std::size_t size = static_cast<std::size_t>(PyUnicode_GET_LENGTH(text_)) * unit;
    const Kind kind = unit == 1 ? Kind::text : unit == 2 ? Kind::wide_text : Kind::widest_text;
    // The characters of a compact string lie right behind its own header, which may be read too.
    const std::size_t before = PyUnicode_IS_COMPACT(text_) ? sizeof(PyASCIIObject) : 0;
    return Key::of(static_cast<const char*>(PyUnicode_DATA(text_)), size, kind, before);
  }

 private:
  PyObject* text_;
};

#endif

}  // namespace confmat
