// Glue for text: fields of delimited text, and tables of integers.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

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

void check_delimiters(std::string_view delimiters) {
  for (const char one : delimiters) {
    if (one <= 0 || one == '"' || one == '\n' || one == '\r') {
      throw nb::value_error("a delimiter must be one character of ASCII, and neither a quote nor a line break");
    }
  }
}

// The codes and the distinct labels of columns that `encode` fills; None where it says no.
template <class Encode>
nb::object columns_of(std::size_t width, std::size_t most, Encode encode) {
  std::vector<LabelTable> tables(width);
  std::vector<Buffer<std::int32_t>> columns;
  std::size_t rows = 0;
  bool sound = false;
  without_gil([&] {
    std::vector<std::int32_t*> codes;
    for (std::size_t side = 0; side < width; ++side) {
      columns.emplace_back(most);
      codes.push_back(columns.back().data());
    }
    sound = encode(tables, codes, rows);
  });
  if (!sound) return nb::none();
  nb::list found;
  for (std::size_t side = 0; side < width; ++side) {
    const nb::object codes = as_array(std::move(columns[side]), {rows}, NumPy::type<std::int32_t>());
    append(found, nb::make_tuple(codes, names_of(tables[side])));
  }
  return found;
}

nb::object fields(nb::handle data, const std::string& delimiter, std::size_t width,
                  const std::vector<std::size_t>& places) {
  check_delimiters(delimiter);
  for (const std::size_t place : places) {
    if (place >= width) throw nb::value_error("a column stands beyond the width");
  }
  const Text text(data);
  const Records records(text.data, text.size, delimiter);
  return columns_of(places.size(), records.most(), [&](auto& tables, auto& codes, auto& rows) {
    return records.encode(width, places, tables, codes, rows);
  });
}

nb::object json_lines(nb::handle data, const std::vector<std::string>& names) {
  const Text text(data);
  JsonLines lines(text.data, text.size);
  return columns_of(names.size(), lines.most(),
                    [&](auto& tables, auto& codes, auto& rows) { return lines.encode(names, tables, codes, rows); });
}

nb::object ends(nb::handle data, const std::string& delimiters) {
  check_delimiters(delimiters);
  const Text text(data);
  const Records records(text.data, text.size, delimiters);
  const auto found = without_gil([&] { return records.ends(); });
  return nb::make_tuple(found.first, found.second);
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
  m.def("encode_fields", &fields, nb::arg("data"), nb::arg("delimiter"), nb::arg("width"), nb::arg("places"),
        "Codes of columns of delimited text, or None: (codes, distinct) of each.");
  m.def("encode_json_lines", &json_lines, nb::arg("data"), nb::arg("names"),
        "Codes of fields of JSON lines, or None: (codes, distinct values as JSON) of each.");
  m.def("record_ends", &ends, nb::arg("data"), nb::arg("delimiters"),
        "Where the first and the last record end in delimited text.");
  m.def("read_square", &square, nb::arg("data"), nb::arg("size"),
        "The square table of integers that JSON text holds, or None.");
}

}  // namespace confmat
