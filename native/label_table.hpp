// A hash table from byte strings to codes: the common core of all label encoders. Includes no Python header.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "seed.hpp"

namespace confmat {

// The meaning of a key's bytes. Keys of different kinds are never equal, so 1, True, 1.0 and "1" stay apart.
enum class Kind : std::uint8_t {
  text,         // one byte per character, or UTF-8
  wide_text,    // two bytes per character
  widest_text,  // four bytes per character
  bytes,
  integer,      // one word, std::int64_t
  big_integer,  // one word, std::uint64_t above the range of std::int64_t
  real,         // one word, double, never NaN, zero without its sign
  truth,        // one word, 0 or 1
};

inline std::uint64_t load64(const char* from) {
  std::uint64_t word;
  std::memcpy(&word, from, sizeof word);
  return word;
}

// The product of two words, its halves folded together: every bit of the input reaches every bit of the output.
inline std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  const auto product = static_cast<unsigned __int128>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

// A byte string on its way into a table. Up to 16 bytes are carried by value, at the right end of `words`
// with zeros before them, so that comparing and hashing need no loop and no second look at memory.
struct Key {
  static constexpr std::size_t kShort = 16;

  std::uint64_t words[2];
  const char* data;
  std::size_t size;
  std::uint64_t tag;  // size and kind in one word

  bool is_short() const { return size <= kShort; }

  static std::uint64_t tag_of(std::size_t size, Kind kind) {
    return (std::uint64_t{size} << 8) | static_cast<std::uint64_t>(kind);
  }

  // `before` tells how many bytes in front of `data` may be read: with enough of them a short key is two
  // loads and two masks, whatever its length; otherwise it is copied byte by byte.
  static Key of(const char* data, std::size_t size, Kind kind, std::size_t before) {
    Key key{{0, 0}, data, size, tag_of(size, kind)};
    if (size > kShort) return key;
    if (before + size >= kShort) {
      static constexpr unsigned char kKeep[2 * kShort] = {
          0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,
          0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
      const char* keep = reinterpret_cast<const char*>(kKeep) + size;
      const char* end = data + size;
      key.words[0] = load64(end - 16) & load64(keep);
      key.words[1] = load64(end - 8) & load64(keep + 8);
    } else if (size > 0) {
      std::memcpy(reinterpret_cast<char*>(key.words) + kShort - size, data, size);
    }
    return key;
  }

  // The key of a value that fits one word: an integer or a double.
  static Key of_word(std::uint64_t word, Kind kind) { return {{0, word}, nullptr, 8, tag_of(8, kind)}; }

  // An integer of any width and sign has one key.
  template <class Integer>
  static Key of_integer(Integer value) {
    constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    const bool big = std::is_unsigned_v<Integer> && static_cast<std::uint64_t>(value) > most;
    return of_word(static_cast<std::uint64_t>(value), big ? Kind::big_integer : Kind::integer);
  }

  // Not for NaN, which is nobody's label.
  static Key of_real(double value) {
    const double unsigned_zero = value == 0 ? 0 : value;
    std::uint64_t word;
    std::memcpy(&word, &unsigned_zero, sizeof word);
    return of_word(word, Kind::real);
  }
};

// Open addressing with linear probing; keys are copied, so the table outlives what it was fed from.
class LabelTable {
 public:
  static constexpr std::int32_t kMaxLabels = std::numeric_limits<std::int32_t>::max();

  explicit LabelTable(std::int32_t max_labels = kMaxLabels)
      : seed_(Seed::of_process()), slots_(kFewSlots), max_labels_(max_labels) {}

  // The code under which the key was entered before; a new key is entered under `next`.
  std::int32_t code_of(const Key& key, std::int32_t next) {
    const std::uint64_t hash = hash_of(key);
    const auto fragment = static_cast<std::uint32_t>(hash);
    const Slot* const slots = slots_.data();
    const std::size_t last = last_slot_;
    for (std::size_t at = fragment & last;; at = (at + 1) & last) {
      const Slot slot = slots[at];
      if (slot.entry == kEmpty) return enter(key, hash, at, next);
      const Entry& entry = entries_[static_cast<std::size_t>(slot.entry)];
      if (slot.fragment == fragment && equal(entry, key, hash)) return entry.code;
    }
  }

  // A key's own place among the keys, for tables that hold all labels there are.
  std::int32_t code_of(const Key& key) { return code_of(key, kPlace); }

  // The keys in the order in which they were entered.
  std::size_t size() const { return entries_.size(); }
  Kind kind(std::size_t i) const { return static_cast<Kind>(entries_[i].tag & 0xff); }
  std::string_view bytes(std::size_t i) const {
    const Entry& entry = entries_[i];
    const std::size_t size = size_of(entry);
    if (size > Key::kShort) return {pointer(entry), size};
    return {reinterpret_cast<const char*>(entry.words) + Key::kShort - size, size};
  }

 private:
  static constexpr std::int32_t kEmpty = -1;
  static constexpr std::int32_t kPlace = -1;
  // Two labels in neighbouring slots cost a wrongly guessed branch per row, so a small table stays nearly empty;
  // a large one misses the cache anyway and is kept dense.
  static constexpr std::size_t kFewSlots = 1024;
  static constexpr std::size_t kManySlots = std::size_t{1} << 15;

  struct Slot {
    std::uint32_t fragment = 0;  // the low half of the hash: place in the table and first comparison at once
    std::int32_t entry = kEmpty;
  };

  struct Entry {
    std::uint64_t words[2];  // a short key itself; of a long key its address and its hash
    std::uint64_t tag;
    std::int32_t code;
  };

  static std::size_t size_of(const Entry& entry) { return static_cast<std::size_t>(entry.tag >> 8); }
  static const char* pointer(const Entry& entry) {
    return reinterpret_cast<const char*>(static_cast<std::uintptr_t>(entry.words[0]));
  }

  std::uint64_t hash_of(const Key& key) const {
    // Mixed twice: once would leave evenly spaced numbers evenly spaced, and for some seeds all in a heap.
    if (key.is_short()) {
      const std::uint64_t hash = mix(key.words[0] ^ seed_.first, key.words[1] ^ key.tag ^ seed_.second);
      return mix(hash ^ seed_.first, seed_.second);
    }
    std::uint64_t hash = key.tag ^ seed_.second;
    std::uint64_t other = seed_.first;
    const char* const tail = key.data + key.size - 16;
    const char* at = key.data;
    // Two chains side by side, because each step waits for the one before it.
    for (; tail - at > 32; at += 32) {
      hash = mix(load64(at) ^ seed_.first, load64(at + 8) ^ hash);
      other = mix(load64(at + 16) ^ seed_.second, load64(at + 24) ^ other);
    }
    hash ^= other;
    for (; at < tail; at += 16) hash = mix(load64(at) ^ seed_.first, load64(at + 8) ^ hash);
    hash = mix(load64(tail) ^ seed_.first, load64(tail + 8) ^ hash);
    return mix(hash ^ seed_.first, seed_.second);
  }

  static bool equal(const Entry& entry, const Key& key, std::uint64_t hash) {
    if (entry.tag != key.tag) return false;
    if (key.is_short()) return entry.words[0] == key.words[0] && entry.words[1] == key.words[1];
    return entry.words[1] == hash && equal_long(pointer(entry), key.data, key.size);
  }

  // More than 16 bytes, a word pair at a time, the last pair overlapping: quicker than a call for short text.
  static bool equal_long(const char* a, const char* b, std::size_t size) {
    if (size > 128) return std::memcmp(a, b, size) == 0;
    std::uint64_t different = 0;
    const std::size_t tail = size - 16;
    for (std::size_t at = 0; at < tail; at += 16) {
      different |= (load64(a + at) ^ load64(b + at)) | (load64(a + at + 8) ^ load64(b + at + 8));
    }
    different |= (load64(a + tail) ^ load64(b + tail)) | (load64(a + tail + 8) ^ load64(b + tail + 8));
    return different == 0;
  }

  // Kept out of the loops: rare, and in their way.
  __attribute__((noinline, cold)) std::int32_t enter(const Key& key, std::uint64_t hash, std::size_t at,
                                                     std::int32_t next) {
    if (entries_.size() >= static_cast<std::size_t>(max_labels_)) {
      throw std::overflow_error("more distinct labels than a 32-bit code can name");
    }
    if (next == kPlace) next = static_cast<std::int32_t>(entries_.size());
    Entry entry{{key.words[0], key.words[1]}, key.tag, next};
    if (!key.is_short()) {
      entry.words[0] = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(keep(key)));
      entry.words[1] = hash;
    }
    entries_.push_back(entry);
    slots_[at] = {static_cast<std::uint32_t>(hash), static_cast<std::int32_t>(entries_.size() - 1)};
    if (entries_.size() * (slots_.size() < kManySlots ? 16 : 2) > slots_.size()) grow();
    return next;
  }

  // The slots hold all that is needed to place them anew.
  void grow() {
    std::vector<Slot> wider(slots_.size() * (slots_.size() < kManySlots ? 4 : 2));
    const std::size_t last = wider.size() - 1;
    for (const Slot& slot : slots_) {
      if (slot.entry == kEmpty) continue;
      std::size_t at = slot.fragment & last;
      while (wider[at].entry != kEmpty) at = (at + 1) & last;
      wider[at] = slot;
    }
    slots_ = std::move(wider);
    last_slot_ = last;
  }

  const char* keep(const Key& key) {
    if (key.size > block_left_) {
      const std::size_t block = key.size > kBlock / 4 ? key.size : kBlock;
      blocks_.emplace_back(new char[block]);
      if (block == kBlock) {
        block_at_ = blocks_.back().get();
        block_left_ = block;
      } else {
        std::memcpy(blocks_.back().get(), key.data, key.size);
        return blocks_.back().get();
      }
    }
    char* const place = block_at_;
    std::memcpy(place, key.data, key.size);
    block_at_ += key.size;
    block_left_ -= key.size;
    return place;
  }

  static constexpr std::size_t kBlock = std::size_t{1} << 16;

  Seed seed_;
  std::vector<Slot> slots_;
  std::size_t last_slot_ = kFewSlots - 1;
  std::vector<Entry> entries_;
  std::vector<std::unique_ptr<char[]>> blocks_;  // the bytes of long keys
  char* block_at_ = nullptr;
  std::size_t block_left_ = 0;
  std::int32_t max_labels_;
};

}  // namespace confmat
