// Codes of Python objects, which means: with the GIL, and with care for what happens when Python code runs
// in between (`canonical`, a hash, a comparison, the end of an object may each change the very list we read).
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <utility>

#include "inside_objects.hpp"
#include "label_table.hpp"
#include "python_buffer.hpp"

namespace confmat {
namespace {

constexpr std::int32_t kMissing = -1;
constexpr std::int32_t kForeign = -2;  // not a str, int of 64 bits, bool, float or bytes

// Without a GIL a list can change under our hands at any time, and items must be held from the moment they are
// read. (Arrays of objects have no such protection, from NumPy neither.)
#ifdef Py_GIL_DISABLED
constexpr bool kAlwaysHold = true;
using Item = nb::object;
inline Item item_of(PyObject* object) { return nb::borrow(object); }
#else
constexpr bool kAlwaysHold = false;
using Item = nb::handle;
inline Item item_of(PyObject* object) { return object; }
#endif

// The codes of objects seen lately, by address. An address is an object only as long as the object lives: the
// cache either holds its objects, or has to forget them whenever any of them may have died.
template <bool holds>
class PointerCache {
 public:
  PointerCache() = default;
  PointerCache(const PointerCache&) = delete;
  PointerCache& operator=(const PointerCache&) = delete;
  ~PointerCache() {
    if (!holds) return;
    std::for_each(entries_, entries_ + size(), [](const Entry& entry) { Py_XDECREF(entry.object()); });
  }

  bool find(PyObject* object, std::int32_t& code) const {
    const Entry& entry = entries_[place(object)];
    code = entry.code;
    return entry.mark == mark_of(object);
  }

  // Lets go of the object that was there, which may run any Python code.
  void put(PyObject* object, std::int32_t code) {
    Entry& entry = entries_[place(object)];
    PyObject* const before = entry.object();
    if (holds) Py_INCREF(object);
    entry = {mark_of(object), code};
    if (holds) Py_XDECREF(before);
  }

  void forget() {
    if (holds) return;
    round_ += kRound;
    if (round_ < kRounds) return;
    std::fill(entries_, entries_ + size(), Entry{});
    round_ = kRound;
  }

  // Gives the objects more places, once. Few are cheaper to clear.
  void widen() {
    if (wide_ != nullptr) return;
    wide_ = std::make_unique<Entry[]>(std::size_t{1} << (64 - kWideShift));
    const Entry* const narrow = std::exchange(entries_, wide_.get());
    shift_ = kWideShift;
    // A place is the first bits of a product, so that those which had places of their own still have.
    std::for_each(narrow, narrow + narrow_.size(), [this](const Entry& entry) {
      if (entry.object() != nullptr) entries_[place(entry.object())] = entry;
    });
  }

 private:
  static constexpr std::size_t kNarrowShift = 64 - 10, kWideShift = 64 - 14;
  // Bits of an address that are zero wherever a process has its memory, and those below: the address itself.
  static constexpr std::uint64_t kRound = std::uint64_t{1} << 48, kRounds = std::uint64_t{1} << 56;

  // An address and, in the bits that it leaves, when it was seen: one comparison tells both.
  struct Entry {
    std::uint64_t mark = 0;
    std::int32_t code = 0;

    PyObject* object() const {
      return reinterpret_cast<PyObject*>(static_cast<std::uintptr_t>(mark & ~(kRounds - kRound)));
    }
  };

  static std::uint64_t address_of(PyObject* object) {
    return static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(object));
  }
  std::uint64_t mark_of(PyObject* object) const { return address_of(object) ^ round_; }

  std::size_t size() const { return std::size_t{1} << (64 - shift_); }
  std::size_t place(PyObject* object) const {
    return static_cast<std::size_t>((address_of(object) * 0x9e3779b97f4a7c15u) >> shift_);
  }

  std::array<Entry, std::size_t{1} << (64 - kNarrowShift)> narrow_;
  std::unique_ptr<Entry[]> wide_;
  Entry* entries_ = narrow_.data();
  std::size_t shift_ = kNarrowShift;
  std::uint64_t round_ = kRound;
};

class ObjectEncoder {
 public:
  explicit ObjectEncoder(nb::handle canonical) : canonical_(canonical) {}

  std::int32_t code_of(PyObject* object) {
    std::int32_t code;
    return native_.find(object, code) ? code : code_of_unknown(object);
  }

  // Text is compared by its characters, not by its address.
  std::int32_t code_afresh(PyObject* object) {
    return PyUnicode_CheckExact(object) ? text_code(object) : code_of(object);
  }

  // Codes of the items that were seen lately, up to the first one that was not; where that is. Nothing else can
  // happen on the way, so the loop is as small as it gets.
  template <class Items>
  Py_ssize_t known(const Items& items, Py_ssize_t begin, Py_ssize_t end, std::int32_t* codes) const {
    while (begin < end) {
      const Item item = items.at(begin);
      std::int32_t code;
      if (!native_.find(item.ptr(), code)) break;
      codes[begin++] = code;
    }
    return begin;
  }

  const nb::list& distinct() const { return distinct_; }

  // To be called when Python code has run, or may have.
  void forget() { native_.forget(); }

  // Gives more places to objects that push each other out of theirs. More labels than places would gain nothing.
  void make_room() {
    if (next_ < kTooManyLabels) native_.widen();
  }

  // Whether the object of this code may well come again: it is a missing value, or the very label that was entered.
  bool recurs(PyObject* object, Py_ssize_t code) const {
    return code < 0 || (code < list_size(distinct_.ptr()) && list_item(distinct_.ptr(), code) == object);
  }

  // How many objects since the last call were not known by their address.
  unsigned take_unknown() { return std::exchange(unknown_, 0U); }

 private:
  static constexpr std::int32_t kTooManyLabels = 1 << 13;

  [[gnu::noinline]] std::int32_t code_of_unknown(PyObject* object) {
    ++unknown_;
    std::int32_t code = native_code(object);
    // A foreign object is held from then on, so its address may be kept here like any other.
    if (code == kForeign) code = foreign_code(object);
    native_.put(object, code);
    return code;
  }

  // The capacity of the table. With a GIL no Python code runs in here, so that nothing we look at can die.
  std::int32_t native_code(PyObject* object) {
    if (PyUnicode_CheckExact(object)) return text_code(object);
    if (PyLong_CheckExact(object)) return integer_code(object);
    if (PyFloat_CheckExact(object)) return real_code(object);
    if (object == Py_None) return kMissing;
    if (PyBool_Check(object)) return truth_code(object);
    if (PyUnicode_Check(object)) return text_code(object);
    if (PyLong_Check(object)) return integer_code(object);
    if (PyFloat_Check(object)) return real_code(object);
    if (PyBytes_Check(object)) return bytes_code(object);
    return kForeign;
  }

  // The code of the key; a new key takes the next one, and `label()` is what stands for it.
  template <class MakeLabel>
  std::int32_t code_of_key(const Key& key, MakeLabel make_label) {
    const std::int32_t code = table_.code_of(key, next_);
    if (code == next_) enter(make_label());
    return code;
  }

  void enter(const nb::object& label) {
    if (next_ == LabelTable::kMaxLabels) throw std::overflow_error("more distinct labels than a 32-bit code can name");
    append(distinct_, label);
    ++next_;
  }

  std::int32_t text_code(PyObject* text) {
    const Characters characters(text);
    return code_of_key(characters.key(), [text] { return checked(PyUnicode_FromObject(text)); });
  }

  std::int32_t bytes_code(PyObject* bytes) {
    return code_of_key(key_of_bytes(bytes), [bytes] {
      if (PyBytes_CheckExact(bytes)) return nb::borrow(bytes);
      return checked(PyBytes_FromStringAndSize(PyBytes_AsString(bytes), PyBytes_Size(bytes)));
    });
  }

  std::int32_t integer_code(PyObject* integer) {
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(integer, &overflow);
    if (overflow != 0) return kForeign;
    return code_of_key(Key::of_integer(value), [integer] { return exact_integer(integer); });
  }

  // The base's own conversion: exact, and deaf to what a subclass makes of __int__.
  static nb::object exact_integer(PyObject* integer) {
    static const auto convert = reinterpret_cast<unaryfunc>(PyType_GetSlot(&PyLong_Type, Py_nb_int));
    return PyLong_CheckExact(integer) ? nb::borrow(integer) : checked(convert(integer));
  }

  std::int32_t real_code(PyObject* real) {
    const double value = PyFloat_AsDouble(real);
    if (std::isnan(value)) return kMissing;
    return code_of_key(Key::of_real(value), [value] { return checked(PyFloat_FromDouble(value)); });
  }

  std::int32_t truth_code(PyObject* truth) {
    return code_of_key(Key::of_word(truth == Py_True, Kind::truth), [truth] { return nb::borrow(truth); });
  }

  std::int32_t foreign_code(PyObject* object) {
    std::int32_t code;
    if (held_ == nullptr) held_ = std::make_unique<PointerCache<true>>();
    if (held_->find(object, code)) return code;
    const nb::object held = nb::borrow(object);
    code = PyLong_Check(object) ? hashable_code(exact_integer(object)) : canonical_code(object);
    held_->put(object, code);
    forget();
    return code;
  }

  std::int32_t canonical_code(PyObject* object) {
    const nb::object made = checked(PyObject_CallFunctionObjArgs(canonical_.ptr(), object, nullptr));
    const std::int32_t code = native_code(made.ptr());
    if (code != kForeign) return code;
    if (PyLong_Check(made.ptr())) return hashable_code(exact_integer(made.ptr()));
    // A value that does not equal itself is a NaN of some sort.
    const nb::object differs = checked(PyObject_RichCompare(made.ptr(), made.ptr(), Py_NE));
    const int is_missing = PyObject_IsTrue(differs.ptr());
    if (is_missing < 0) nb::raise_python_error();
    return is_missing ? kMissing : hashable_code(made);
  }

  // Whatever Python alone can compare: by type and value, as a dict does.
  std::int32_t hashable_code(const nb::object& value) {
    const nb::object key = checked(PyTuple_Pack(2, reinterpret_cast<PyObject*>(Py_TYPE(value.ptr())), value.ptr()));
    PyObject* const known = PyDict_GetItemWithError(others_.ptr(), key.ptr());
    if (known != nullptr) return static_cast<std::int32_t>(PyLong_AsLong(known));
    if (PyErr_Occurred()) nb::raise_python_error();
    const std::int32_t code = next_;
    if (PyDict_SetItem(others_.ptr(), key.ptr(), nb::int_(code).ptr()) != 0) nb::raise_python_error();
    enter(value);
    return code;
  }

  nb::handle canonical_;
  PointerCache<kAlwaysHold> native_;
  std::unique_ptr<PointerCache<true>> held_;  // of foreign objects; made when the first one comes
  LabelTable table_;
  nb::dict others_;
  nb::list distinct_;
  unsigned unknown_ = 0;
  std::int32_t next_ = 0;  // our own count: Python code could get hold of the list
};

// -- where the objects come from -------------------------------------------------------------------------------

struct ListItems {
  PyObject* list;

  Py_ssize_t size() const { return list_size(list); }
  Item at(Py_ssize_t i) const {
#ifdef Py_GIL_DISABLED
    PyObject* const item = PyList_GetItemRef(list, i);
    if (item == nullptr) PyErr_Clear();
    return nb::steal(item);
#else
    return list_item(list, i);
#endif
  }
};

struct TupleItems {
  PyObject* tuple;

  Py_ssize_t size() const { return tuple_size(tuple); }
  Item at(Py_ssize_t i) const { return item_of(tuple_item(tuple, i)); }
};

struct ArrayItems {
  const char* first;
  Py_ssize_t count;
  Py_ssize_t stride;

  Py_ssize_t size() const { return count; }
  Item at(Py_ssize_t i) const {
    PyObject* item;
    std::memcpy(&item, first + i * stride, sizeof item);
    // An array that nobody filled holds null pointers, which NumPy reads as None.
    return item_of(item != nullptr ? item : Py_None);
  }
};

// Asks for an object that comes soon: its head, and what lies behind it, such as the characters of a string.
template <class Items>
inline void ask_for(const Items& items, Py_ssize_t i) {
#if !defined(Py_GIL_DISABLED)
  if (i >= items.size()) return;
  const char* const object = reinterpret_cast<const char*>(items.at(i).ptr());
  __builtin_prefetch(object);
  __builtin_prefetch(object + 56);
#else
  (void)items, (void)i;
#endif
}

// How a stretch of items is read: most of them were seen lately; or not, and may lie anywhere in memory; or none was,
// so that text is not even looked for among those.
enum class Way { seen, scattered, afresh };

// Codes begin .. end; false if the list has become shorter.
template <Way way, class Items>
[[gnu::noinline]] bool encode_stretch(const Items& items, Py_ssize_t begin, Py_ssize_t end, ObjectEncoder& encoder,
                                      std::int32_t* codes) {
  constexpr Py_ssize_t soon = 16;
  for (Py_ssize_t i = begin; i < end; ++i) {
    if (way != Way::seen) {
      ask_for(items, i + soon);
    } else {
      i = encoder.known(items, i, std::min(end, items.size()), codes);
      if (i >= end) break;
    }
    if (i >= items.size()) return false;
    const Item item = items.at(i);
    if (!item.is_valid()) return false;
    codes[i] = way == Way::afresh ? encoder.code_afresh(item.ptr()) : encoder.code_of(item.ptr());
  }
  return true;
}

// Whether the items are objects that come again, and not equal ones made anew each time; a few of them are looked at.
template <class Items>
bool recur(const Items& items, Py_ssize_t begin, Py_ssize_t end, const ObjectEncoder& encoder,
           const std::int32_t* codes) {
  for (Py_ssize_t i = begin; i < end; i += 16) {
    if (i >= items.size()) return false;
    const Item item = items.at(i);
    if (!encoder.recurs(item.ptr(), codes[i])) return false;
  }
  return true;
}

template <class Items>
nb::tuple encode_items(const Items& items, nb::handle canonical) {
  const Py_ssize_t size = items.size();
  Buffer<std::int32_t> codes(static_cast<std::size_t>(size));
  // Not on the stack: the cache is large, and `canonical` may call us again.
  const auto encoder = std::make_unique<ObjectEncoder>(canonical);
  // Objects that are seen once each may lie anywhere in memory. Now and then it is tried whether they still are.
  constexpr Py_ssize_t stretch = 256;
  constexpr int trusted = 16;
  // As many items to come repay what more places cost.
  constexpr Py_ssize_t many = stretch << 6;
  int left = 0;
  bool whole = true;
  for (Py_ssize_t begin = 0; whole && begin < size; begin += stretch) {
    const Py_ssize_t end = std::min(size, begin + stretch);
    if ((begin + stretch) % (stretch << 12) == 0) {
      heed_signals();
      encoder->forget();
    }
    const unsigned unknown = encoder->take_unknown();
    if (left == 0 && unknown > stretch / 8 * 7) left = trusted;
    if (left == 0 && unknown > stretch / 16 && size - begin >= many &&
        recur(items, begin - stretch, begin, *encoder, codes.data())) {
      encoder->make_room();
    }
    if (left > 1) {
      whole = encode_stretch<Way::afresh>(items, begin, end, *encoder, codes.data());
    } else if (left == 1 || unknown > stretch / 4) {
      whole = encode_stretch<Way::scattered>(items, begin, end, *encoder, codes.data());
    } else {
      whole = encode_stretch<Way::seen>(items, begin, end, *encoder, codes.data());
    }
    if (left > 0) --left;
  }
  if (items.size() != size) throw std::runtime_error("the list changed its length while it was read");
  return nb::make_tuple(as_list(std::move(codes)), encoder->distinct());
}

nb::tuple encode_objects(nb::handle values, nb::handle canonical) {
  if (PyList_Check(values.ptr())) return encode_items(ListItems{values.ptr()}, canonical);
  if (PyTuple_Check(values.ptr())) return encode_items(TupleItems{values.ptr()}, canonical);
  const Lent lent(values);
  if (!lent) {
    // It lends nothing, which is no error; that there is no memory, or Ctrl-C, is.
    if (!PyErr_ExceptionMatches(PyExc_Exception) || PyErr_ExceptionMatches(PyExc_MemoryError)) nb::raise_python_error();
    PyErr_Clear();
  }
  if (lent && lent->format != nullptr && std::strcmp(lent->format, "O") == 0 && lent->ndim == 1) {
    return encode_items(ArrayItems{static_cast<const char*>(lent->buf), lent->shape[0], lent.stride(0)}, canonical);
  }
  const nb::object list = checked(PySequence_List(values.ptr()));
  return encode_items(ListItems{list.ptr()}, canonical);
}

}  // namespace

void bind_objects(nb::module_& m) {
  m.def("encode_objects", &encode_objects, nb::arg("values"), nb::arg("canonical"),
        "Codes of Python objects in order of first appearance, -1 where missing: (codes, distinct).");
}

}  // namespace confmat
