// Glue for the encoders of fixed-width text and of Arrow columns. Objects have their own file.
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "arrow_column.hpp"
#include "fixed_width.hpp"
#include "python_buffer.hpp"

namespace confmat {
namespace {

// -- fixed-width text and bytes --------------------------------------------------------------------------------

nb::object narrow_text_of(std::string_view bytes) {
  while (!bytes.empty() && bytes.back() == 0) bytes.remove_suffix(1);
  return checked(PyUnicode_DecodeLatin1(bytes.data(), static_cast<Py_ssize_t>(bytes.size()), nullptr));
}

nb::object text_of(std::string_view block, bool swapped) {
  std::vector<std::uint32_t> points(block.size() / 4);
  if (!points.empty()) std::memcpy(points.data(), block.data(), block.size());
  for (std::uint32_t& point : points) {
    if (swapped) point = (point >> 24) | ((point >> 8) & 0xff00u) | ((point << 8) & 0xff0000u) | (point << 24);
    if (point > 0x10ffff) {
      throw std::invalid_argument("text holds " + std::to_string(point) + ", which is no Unicode character");
    }
  }
  while (!points.empty() && points.back() == 0) points.pop_back();
  // The machine's order is said, so that a first character U+FEFF is not taken for a mark of the order.
  int order = PY_LITTLE_ENDIAN ? -1 : 1;
  return checked(PyUnicode_DecodeUTF32(reinterpret_cast<const char*>(points.data()),
                                       static_cast<Py_ssize_t>(points.size() * 4), "surrogatepass", &order));
}

nb::object bytes_of(std::string_view block) {
  while (!block.empty() && block.back() == 0) block.remove_suffix(1);
  return checked(PyBytes_FromStringAndSize(block.data(), static_cast<Py_ssize_t>(block.size())));
}

nb::tuple encode_fixed_width(nb::handle values, char letter, const char* wanted) {
  const Lent lent(values);
  if (!lent) nb::raise_python_error();
  const Format format(lent->format);
  if (format.letter != letter || lent->ndim != 1) {
    throw nb::type_error((std::string("wanted a one-dimensional array of ") + wanted + ", got a buffer of format '" +
                          (lent->format ? lent->format : "") + "' in " + std::to_string(lent->ndim) + " dimensions")
                             .c_str());
  }
  const FixedWidth blocks{static_cast<const char*>(lent->buf), lent->shape[0], lent.stride(0),
                          static_cast<std::size_t>(lent->itemsize)};
  Buffer<std::int32_t> codes(static_cast<std::size_t>(blocks.count));
  LabelTable table;
  without_gil([&] {
    encode_in_parts(blocks, codes.data(), [&](const FixedWidth& part, std::int32_t* own) {
      if (letter == 'w') {
        encode_text_blocks(part, format.swapped, table, own);
      } else {
        encode_blocks(part, Kind::bytes, table, own);
      }
    });
  });
  nb::list distinct;
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (i % kStretch == 0) heed_signals();
    const std::string_view label = table.bytes(i);
    append(distinct, table.kind(i) == Kind::text          ? narrow_text_of(label)
                     : table.kind(i) == Kind::widest_text ? text_of(label, format.swapped)
                                                          : bytes_of(label));
  }
  return nb::make_tuple(as_list(std::move(codes)), distinct);
}

nb::tuple encode_text(nb::handle values) { return encode_fixed_width(values, 'w', "fixed-width text ('<U...')"); }
nb::tuple encode_bytes(nb::handle values) { return encode_fixed_width(values, 's', "fixed-width bytes ('S...')"); }

// -- Arrow -----------------------------------------------------------------------------------------------------

template <class Struct>
Struct* capsule_pointer(nb::handle capsule, const char* name) {
  void* const address = PyCapsule_GetPointer(capsule.ptr(), name);
  if (address == nullptr) nb::raise_python_error();
  return static_cast<Struct*>(address);
}

ArrowColumn read_stream(nb::handle capsule) {
  auto* const source = capsule_pointer<ArrowArrayStream>(capsule, "arrow_array_stream");
  // A producer that runs Python takes the GIL by itself; one with worker threads would wait for us forever.
  return without_gil([&] {
    ArrowStream stream(source);
    const ArrowOwner<ArrowSchema> schema = stream.schema();
    ArrowColumnReader reader(*schema);
    for (ArrowOwner<ArrowArray> chunk = stream.next(); chunk.has_value(); chunk = stream.next()) {
      reader.read(std::move(chunk));
    }
    return reader.finish();
  });
}

ArrowColumn read_array(nb::handle pair) {
  if (!PyTuple_Check(pair.ptr()) || PyTuple_Size(pair.ptr()) != 2) {
    throw nb::type_error("__arrow_c_array__ must give a tuple of two capsules");
  }
  auto* const schema_source = capsule_pointer<ArrowSchema>(PyTuple_GetItem(pair.ptr(), 0), "arrow_schema");
  auto* const array_source = capsule_pointer<ArrowArray>(PyTuple_GetItem(pair.ptr(), 1), "arrow_array");
  return without_gil([&] {
    const ArrowOwner<ArrowSchema> schema(schema_source);
    ArrowOwner<ArrowArray> array(array_source);
    ArrowColumnReader reader(*schema);
    reader.read(std::move(array));
    return reader.finish();
  });
}

ArrowColumn read_column(nb::handle values) {
  if (nb::hasattr(values, "__arrow_c_stream__")) return read_stream(values.attr("__arrow_c_stream__")());
  if (nb::hasattr(values, "__arrow_c_array__")) return read_array(values.attr("__arrow_c_array__")());
  const auto type = nb::cast<std::string>(values.type().attr("__name__"));
  const auto wanted = "wanted an Arrow column (an object with __arrow_c_stream__ or __arrow_c_array__), got " + type;
  throw nb::type_error(wanted.c_str());
}

nb::object label_of(const LabelTable& table, std::size_t i) {
  const std::string_view bytes = table.bytes(i);
  const auto size = static_cast<Py_ssize_t>(bytes.size());
  std::uint64_t word = 0;
  double real = 0;
  switch (table.kind(i)) {
    case Kind::text: return nb::steal(PyUnicode_DecodeUTF8(bytes.data(), size, nullptr));
    case Kind::bytes: return checked(PyBytes_FromStringAndSize(bytes.data(), size));
    case Kind::real: std::memcpy(&real, bytes.data(), sizeof real); return checked(PyFloat_FromDouble(real));
    default: std::memcpy(&word, bytes.data(), sizeof word);
  }
  switch (table.kind(i)) {
    case Kind::truth: return checked(PyBool_FromLong(word != 0));
    case Kind::big_integer: return checked(PyLong_FromUnsignedLongLong(word));
    default: return checked(PyLong_FromLongLong(static_cast<long long>(word)));
  }
}

// Text that is not UTF-8 gives an error that says where it first occurs.
[[noreturn]] void raise_not_utf8(const ArrowColumn& column, std::size_t label) {
  const std::int32_t* const begin = column.codes.data();
  const std::int32_t* const end = begin + column.codes.size();
  const std::int32_t* const found = std::find(begin, end, static_cast<std::int32_t>(label));
  const std::string where =
      found != end ? "row " + std::to_string(found - begin) : "label " + std::to_string(label) + " of the dictionary";
  nb::python_error cause;
  nb::raise_from(cause, PyExc_ValueError, "%s holds text that is not valid UTF-8", where.c_str());
}

nb::list labels_of(const ArrowColumn& column) {
  nb::list labels;
  for (std::size_t i = 0; i < column.table.size(); ++i) {
    if (i % kStretch == 0) heed_signals();
    const nb::object label = label_of(column.table, i);
    if (!label.is_valid()) {
      if (!PyErr_ExceptionMatches(PyExc_UnicodeDecodeError)) nb::raise_python_error();
      raise_not_utf8(column, i);
    }
    append(labels, label);
  }
  return labels;
}

nb::object numbers_of(ArrowColumn& column) {
  const ArrowType type = column.type;
  const char kind = type.layout == ArrowLayout::truth ? 'b' : !type.is_integer() ? 'f' : type.is_unsigned() ? 'u' : 'i';
  const nb::handle element = NumPy::type(kind, type.width);
  if (!column.borrowed.has_value()) return as_array(std::move(column.own), {column.length}, element);
  // The numbers stay in the producer's memory, which must not be written to.
  auto keeper = std::make_unique<ArrowOwner<ArrowArray>>(std::move(column.borrowed));
  const nb::capsule owner(keeper.get(), [](void* it) noexcept { delete static_cast<ArrowOwner<ArrowArray>*>(it); });
  (void)keeper.release();
  return array_over(const_cast<void*>(column.numbers), column.length * type.width, {column.length}, element, owner,
                    Access::read_only);
}

nb::tuple encode_arrow(nb::handle values) {
  try {
    ArrowColumn column = read_column(values);
    if (column.has_codes) {
      const nb::list labels = labels_of(column);
      return nb::make_tuple(as_list(std::move(column.codes)), labels, nb::none(), column.ordered);
    }
    nb::object missing = nb::none();
    if (column.missing.size() > 0) missing = as_list<bool>(std::move(column.missing));
    return nb::make_tuple(numbers_of(column), nb::none(), missing, false);
  } catch (const ArrowUnsupported& unsupported) {
    throw nb::type_error(unsupported.what());
  }
}

}  // namespace

void bind_encoding(nb::module_& m) {
  m.def("encode_text", &encode_text, nb::arg("values"),
        "Codes of fixed-width text in order of first appearance: (codes, distinct).");
  m.def("encode_bytes", &encode_bytes, nb::arg("values"),
        "Codes of fixed-width bytes in order of first appearance: (codes, distinct).");
  m.def("encode_arrow", &encode_arrow, nb::arg("values"),
        "Read one Arrow column through its PyCapsule interface: (values, distinct, missing, ordered).");
}

}  // namespace confmat
