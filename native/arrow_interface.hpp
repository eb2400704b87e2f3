// The Arrow C data and stream interfaces: the published structs, and owners that release them exactly once.
// Includes no Python header.
// https://arrow.apache.org/docs/format/CDataInterface.html
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

extern "C" {

#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4

struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  int64_t flags;
  int64_t n_children;
  struct ArrowSchema** children;
  struct ArrowSchema* dictionary;
  void (*release)(struct ArrowSchema*);
  void* private_data;
};

struct ArrowArray {
  int64_t length;
  int64_t null_count;
  int64_t offset;
  int64_t n_buffers;
  int64_t n_children;
  const void** buffers;
  struct ArrowArray** children;
  struct ArrowArray* dictionary;
  void (*release)(struct ArrowArray*);
  void* private_data;
};

#endif  // ARROW_C_DATA_INTERFACE

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE

struct ArrowArrayStream {
  int (*get_schema)(struct ArrowArrayStream*, struct ArrowSchema* out);
  int (*get_next)(struct ArrowArrayStream*, struct ArrowArray* out);
  const char* (*get_last_error)(struct ArrowArrayStream*);
  void (*release)(struct ArrowArrayStream*);
  void* private_data;
};

#endif  // ARROW_C_STREAM_INTERFACE
}

namespace confmat {

// Owns one of the three structs. Moving is what the interface calls it: copy the struct, mark the source released.
template <class Struct>
class ArrowOwner {
 public:
  ArrowOwner() = default;
  explicit ArrowOwner(Struct* source) : it_(*source) {
    if (it_.release == nullptr) throw std::invalid_argument("this Arrow data was consumed before; export it again");
    source->release = nullptr;
  }
  ArrowOwner(ArrowOwner&& other) noexcept : it_(other.it_) { other.it_.release = nullptr; }
  ArrowOwner& operator=(ArrowOwner&& other) noexcept {
    if (this != &other) {
      reset();
      it_ = other.it_;
      other.it_.release = nullptr;
    }
    return *this;
  }
  ~ArrowOwner() { reset(); }

  Struct* get() { return &it_; }
  const Struct& operator*() const { return it_; }
  const Struct* operator->() const { return &it_; }
  bool has_value() const { return it_.release != nullptr; }

  void reset() noexcept {
    if (it_.release != nullptr) it_.release(&it_);
    // A release that forgets to mark itself must not be called again.
    it_.release = nullptr;
  }

 private:
  Struct it_{};
};

// A stream of chunks of one type; its errors become exceptions that carry its own words.
class ArrowStream {
 public:
  explicit ArrowStream(ArrowArrayStream* source) : stream_(source) {}

  ArrowOwner<ArrowSchema> schema() {
    ArrowOwner<ArrowSchema> schema;
    const int error = stream_->get_schema(stream_.get(), schema.get());
    forget_failed(error, schema);
    check(error);
    if (!schema.has_value()) throw std::runtime_error("the Arrow stream gave no schema");
    return schema;
  }

  // The next chunk, or an owner without value at the end.
  ArrowOwner<ArrowArray> next() {
    ArrowOwner<ArrowArray> array;
    const int error = stream_->get_next(stream_.get(), array.get());
    forget_failed(error, array);
    check(error);
    return array;
  }

 private:
  // Structures that a failed call left behind are not ours to release.
  template <class Struct>
  static void forget_failed(int error, ArrowOwner<Struct>& left) {
    if (error != 0) left.get()->release = nullptr;
  }

  void check(int error) {
    if (error == 0) return;
    const char* const words = stream_->get_last_error ? stream_->get_last_error(stream_.get()) : nullptr;
    throw std::runtime_error("the Arrow stream failed: " +
                             (words ? std::string(words) : "error " + std::to_string(error)));
  }

  ArrowOwner<ArrowArrayStream> stream_;
};

}  // namespace confmat
