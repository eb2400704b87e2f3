// Plain memory that can be handed to Python: a pointer, a length, and free().
#pragma once

#include <cstddef>
#include <cstdlib>
#include <limits>
#include <new>
#include <type_traits>
#include <utility>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace confmat {

enum class Fill { none, zero };

// std::vector would write every element once before it is used; a table of 200 MB must be touched only once.
template <class T>
class Buffer {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  Buffer() = default;

  explicit Buffer(std::size_t size, Fill fill = Fill::none) : size_(size) {
    if (size > static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max()) / sizeof(T)) throw std::bad_alloc();
    const std::size_t wanted = size == 0 ? 1 : size;
    void* memory = fill == Fill::zero ? std::calloc(wanted, sizeof(T)) : std::malloc(wanted * sizeof(T));
    if (memory == nullptr) throw std::bad_alloc();
    data_ = static_cast<T*>(memory);
    ask_for_huge_pages();
  }

  Buffer(Buffer&& other) noexcept : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  Buffer& operator=(Buffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { std::free(data_); }

  T* data() const { return data_; }
  std::size_t size() const { return size_; }
  T& operator[](std::size_t i) const { return data_[i]; }

  // The caller frees it; the buffer is empty afterwards.
  T* release() {
    size_ = 0;
    return std::exchange(data_, nullptr);
  }

 private:
  // One page fault per 4 KB would cost more than counting; the kernel may give 2 MB at once.
  void ask_for_huge_pages() const {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    constexpr std::size_t worth_it = std::size_t{1} << 22;
    constexpr std::size_t page = 4096;
    const std::size_t bytes = size_ * sizeof(T);
    if (bytes < worth_it) return;
    const std::size_t skip = (page - reinterpret_cast<std::size_t>(data_) % page) % page;
    (void)madvise(reinterpret_cast<char*>(data_) + skip, bytes - skip, MADV_HUGEPAGE);
#endif
  }

  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace confmat
