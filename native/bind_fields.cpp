// Glue for text: fields of delimited text, and tables of integers.
#include <algorithm>

#include "fields.hpp"
#include "python_buffer.hpp"

namespace confmat {
namespace {

// The bytes of a buffer for as long as this lives: those of `bytes`, which never change, or else a copy.
struct Text {
  explicit Text(nb::handle values) : lent(values) {
    if (!lent) nb::raise_python_error();
    if (lent->itemsize != 1 || lent->ndim != 1 || lent.stride(0) != 1) {
      throw nb::type_error("wanted bytes");
    }
    data = static_cast<const char*>(lent->buf);
    size = static_cast<std::size_t>(lent->len);
    if (PyBytes_CheckExact(values.ptr())) return;
    copy = Buffer<char>(size);
    std::copy_n(data, size, copy.data());
    data = copy.data();
  }
  Lent lent;
  Buffer<char> copy;
  const char* data;
  std::size_t size;
};

nb::list names_of(const LabelTable& table) {
  nb::list names;
  for (std::size_t i = 0; i < table.size(); ++i) {
    const std::string_view label = table.bytes(i);
    append(names, checked(PyUnicode_DecodeUTF8(label.data(), static_cast<Py_ssize_t>(label.size()), nullptr)));
  }
  return names;
}

nb::object fields(nb::handle data, int delimiter, std::size_t width, std::size_t first, std::size_t second) {
  if (delimiter <= 0 || delimiter > 127 || delimiter == '"' || delimiter == '\n' || delimiter == '\r') {
    throw nb::value_error("the delimiter must be one character of ASCII, and neither a quote nor a line break");
  }
  if (first >= width || second >= width) throw nb::value_error("a column stands beyond the width");
  const Text text(data);
  const Records records{text.data, text.size, static_cast<char>(delimiter), width, {first, second}};
  LabelTable tables[2];
  Buffer<std::int32_t> left, right;
  bool plain = false;
  without_gil([&] {
    if (!records.is_plain()) return;
    const std::size_t rows = records.count();
    left = Buffer<std::int32_t>(rows);
    right = Buffer<std::int32_t>(rows);
    std::int32_t* codes[2] = {left.data(), right.data()};
    plain = encode_fields(records, tables, codes);
  });
  if (!plain) return nb::none();
  const nb::list left_names = names_of(tables[0]), right_names = names_of(tables[1]);
  return nb::make_tuple(as_list(std::move(left)), left_names, as_list(std::move(right)), right_names);
}

nb::object square(nb::handle data, std::size_t size) {
  const Text text(data);
  // A cell takes two characters at least, so the text bounds the table.
  if (size == 0 || size > text.size / size) return nb::none();
  Buffer<std::int64_t> table(size * size);
  if (!without_gil([&] { return SquareText(text.data, text.size).read(size, table.data()); })) return nb::none();
  return as_array(std::move(table), {size, size}, NumPy::type('i', 8));
}

}  // namespace

void bind_fields(nb::module_& m) {
  m.def("encode_fields", &fields, nb::arg("data"), nb::arg("delimiter"), nb::arg("width"), nb::arg("first"),
        nb::arg("second"), "Codes of two columns of plain delimited text, or None: (codes, distinct) of each.");
  m.def("read_square", &square, nb::arg("data"), nb::arg("size"),
        "The square table of integers that JSON text holds, or None.");
}

}  // namespace confmat
