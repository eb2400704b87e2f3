// Between Python and us: work without the GIL, buffers that Python objects lend, and arrays that Python is given. The
// only header that includes Python's.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <optional>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>

#include "buffer.hpp"
#include "interruption.hpp"

namespace confmat {

namespace nb = nanobind;

// The object, or a Python error as an exception.
inline nb::object checked(PyObject* made) {
  if (made == nullptr) nb::raise_python_error();
  return nb::steal(made);
}

inline void append(const nb::list& list, const nb::object& item) {
  if (PyList_Append(list.ptr(), item.ptr()) != 0) nb::raise_python_error();
}

// -- work without the GIL --------------------------------------------------------------------------------------

// The GIL is away as long as this lives, and Ctrl-C ends the work all the same.
class Unlocked : public Interruption {
 public:
  explicit Unlocked(std::optional<nb::python_error>& error) : error_(error), state_(PyEval_SaveThread()) {}
  ~Unlocked() override { take_back(); }

 private:
  bool wanted() override {
    take_back();
    // A signal's handler is Python code, and may raise anything.
    if (PyErr_CheckSignals() != 0) error_.emplace();
    state_ = PyEval_SaveThread();
    return error_.has_value();
  }

  // Until Python 3.14, a thread that comes back when the interpreter is at its end is ended by unwinding its stack. We
  // do what later ones do: the thread stays here until the process is gone.
  void take_back() noexcept {
    try {
      PyEval_RestoreThread(state_);
    } catch (...) {
      for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
    }
  }

  std::optional<nb::python_error>& error_;
  PyThreadState* state_;
};

// Runs `work` without the GIL and gives back what it returns.
template <class Work>
auto without_gil(const Work& work) {
  std::optional<nb::python_error> error;
  try {
    const Unlocked unlocked(error);
    return work();
  } catch (const Interrupted&) {
    throw nb::python_error(std::move(*error));
  }
}

// For loops that need the GIL: ends them, after so many items each, where a signal's handler has raised an error.
// Python code may have run.
inline void heed_signals() {
  if (PyErr_CheckSignals() != 0) nb::raise_python_error();
}

// -- what is lent to us ----------------------------------------------------------------------------------------

// A buffer that some Python object lends: its memory stays where it is until this goes out of scope. The buffer
// protocol, unlike DLPack, also shows read-only memory, strides that are no multiple of the element and foreign
// byte orders.
class Lent {
 public:
  explicit Lent(nb::handle exporter) : held_(PyObject_GetBuffer(exporter.ptr(), &view_, PyBUF_RECORDS_RO) == 0) {}
  Lent(const Lent&) = delete;
  Lent& operator=(const Lent&) = delete;
  ~Lent() {
    if (held_) PyBuffer_Release(&view_);
  }

  // Without one, a Python error is set.
  explicit operator bool() const { return held_; }
  const Py_buffer* operator->() const { return &view_; }

  // Some exporters, such as those of ctypes, leave out strides where there are no gaps.
  Py_ssize_t stride(int axis) const {
    if (view_.strides != nullptr) return view_.strides[axis];
    Py_ssize_t step = view_.itemsize;
    while (++axis < view_.ndim) step *= view_.shape[axis];
    return step;
  }

 private:
  Py_buffer view_{};
  bool held_;
};

// The parts of a buffer's format such as "<10w": byte order, count, letter.
struct Format {
  bool swapped = false;
  bool counted = false;
  char letter = 'B';  // what a buffer without a format holds; '\0' where there is more than one letter

  explicit Format(const char* text) {
    if (text == nullptr) return;
    if (*text != 0 && std::strchr("@=<>!^|", *text) != nullptr) {
      swapped = PY_BIG_ENDIAN ? *text == '<' : *text == '>' || *text == '!';
      ++text;
    }
    counted = *text >= '0' && *text <= '9';
    while (*text >= '0' && *text <= '9') ++text;
    letter = *text != 0 && text[1] == 0 ? *text : '\0';
  }

  bool is_one_of(const char* letters) const { return letter != 0 && std::strchr(letters, letter) != nullptr; }
};

// Whether elements follow each other without gaps, row by row, each at an address that suits it.
inline bool is_gapless(const Lent& lent) {
  if (lent->len == 0) return true;
  Py_ssize_t step = lent->itemsize;
  for (int axis = lent->ndim - 1; axis >= 0; --axis) {
    if (lent->shape[axis] > 1 && lent.stride(axis) != step) return false;
    step *= lent->shape[axis];
  }
  return reinterpret_cast<std::uintptr_t>(lent->buf) % static_cast<std::uintptr_t>(lent->itemsize) == 0;
}

// Numbers that can be read, or written to, where they are: of one kind, in this machine's byte order, without gaps.
// Anything else is a TypeError.
class NumbersView {
 public:
  // The letters of the kinds that will do, and what to call them.
  NumbersView(nb::handle array, const char* what, const char* letters, const char* wanted, int axes = 1,
              Py_ssize_t width = 8)
      : lent_(array), what_(what) {
    if (!lent_) nb::raise_python_error();
    const Format format(lent_->format);
    const bool of_kind =
        lent_->itemsize == width && format.is_one_of(letters) && !format.counted && (!format.swapped || width == 1);
    if (!of_kind || lent_->ndim != axes || !is_gapless(lent_)) refuse(wanted, " without gaps");
  }

  std::size_t size() const { return static_cast<std::size_t>(lent_->len / lent_->itemsize); }
  bool is_float() const { return Format(lent_->format).is_one_of("d"); }
  template <class T>
  const T* data() const {
    return static_cast<const T*>(lent_->buf);
  }
  double* to_write() const {
    if (lent_->readonly) refuse("an array that may be written to", "");
    return static_cast<double*>(lent_->buf);
  }

 private:
  [[noreturn]] void refuse(const char* wanted, const char* more) const {
    PyErr_Format(PyExc_TypeError, "%s: wanted %s%s", what_, wanted, more);
    throw nb::python_error();
  }

  Lent lent_;
  const char* what_;
};

// -- what we give ----------------------------------------------------------------------------------------------

// NumPy's array type and element types. Arrays are made with them, because a buffer alone says "q" of 64 bits,
// and that is a type beside int64 wherever C's long has 64 bits too.
class NumPy {
 public:
  // Called when the module is loaded.
  static void load() {
    const nb::module_ numpy = nb::module_::import_("numpy");
    array_ = nb::object(numpy.attr("ndarray")).release();
    for (const char kind : {'b', 'i', 'u', 'f'}) {
      for (const std::size_t width : {1, 2, 4, 8}) {
        const bool exists = kind == 'b' ? width == 1 : kind != 'f' || width > 1;
        const std::string name = std::string{kind} + std::to_string(width);
        if (exists) place(kind, width) = numpy.attr("dtype")(name.c_str()).release();
      }
    }
  }

  static nb::handle array() { return array_; }

  // By NumPy's letter for the kind of element ('b' for bool, 'i', 'u', 'f') and its width in bytes.
  static nb::handle type(char kind, std::size_t width) { return place(kind, width); }

  template <class T>
  static nb::handle type() {
    static_assert(std::is_arithmetic_v<T>);
    constexpr bool truth = std::is_same_v<T, bool>, real = std::is_floating_point_v<T>;
    return type(truth ? 'b' : real ? 'f' : std::is_signed_v<T> ? 'i' : 'u', sizeof(T));
  }

 private:
  static nb::handle& place(char kind, std::size_t width) {
    const std::size_t row = kind == 'b' ? 0 : kind == 'i' ? 1 : kind == 'u' ? 2 : 3;
    return types_[row][width == 1 ? 0 : width == 2 ? 1 : width == 4 ? 2 : 3];
  }

  // Never let go of: when our own end comes, Python's has come before.
  static inline nb::handle array_;
  static inline nb::handle types_[4][4];
};

enum class Access { write, read_only };

// An array over memory that lives as long as `owner`.
inline nb::object array_over(void* memory, std::size_t bytes, std::initializer_list<std::size_t> shape, nb::handle type,
                             nb::handle owner, Access access = Access::write) {
  const nb::object lender = access == Access::write
                                ? nb::cast(nb::ndarray<nb::array_api, std::uint8_t>(memory, {bytes}, owner))
                                : nb::cast(nb::ndarray<nb::array_api, nb::ro, std::uint8_t>(
                                      static_cast<const void*>(memory), {bytes}, owner));
  const nb::object lengths = checked(PyTuple_New(static_cast<Py_ssize_t>(shape.size())));
  Py_ssize_t axis = 0;
  for (const std::size_t length : shape) {
    PyTuple_SetItem(lengths.ptr(), axis++, checked(PyLong_FromSize_t(length)).release().ptr());
  }
  PyObject* const arguments[] = {lengths.ptr(), type.ptr(), lender.ptr()};
  return checked(PyObject_Vectorcall(NumPy::array().ptr(), arguments, 3, nullptr));
}

// The array owns the memory from here on.
template <class T>
nb::object as_array(Buffer<T> buffer, std::initializer_list<std::size_t> shape, nb::handle type) {
  const std::size_t bytes = buffer.size() * sizeof(T);
  const nb::capsule owner(buffer.data(), [](void* memory) noexcept { std::free(memory); });
  return array_over(buffer.release(), bytes, shape, type, owner);
}

// Unsigned bits may be shown as `Shown`.
template <class Shown, class T>
nb::object as_array(Buffer<T> buffer, std::initializer_list<std::size_t> shape) {
  static_assert(sizeof(Shown) == sizeof(T));
  return as_array(std::move(buffer), shape, NumPy::type<Shown>());
}

template <class Shown, class T>
nb::object as_list(Buffer<T> buffer) {
  const std::size_t size = buffer.size();
  return as_array<Shown>(std::move(buffer), {size});
}

template <class T>
nb::object as_list(Buffer<T> buffer) {
  return as_list<T, T>(std::move(buffer));
}

}  // namespace confmat
