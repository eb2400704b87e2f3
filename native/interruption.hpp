// A long call can be interrupted: its loops ask now and then whether somebody wants it to end.
// Includes no Python header.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <thread>

namespace confmat {

// Thrown where a loop ends early.
struct Interrupted {};

// Somebody who may want a call to end. Every loop of the thread that made it, and of the threads started there,
// belongs to the call until it goes out of scope.
class Interruption {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Interruption(Clock::duration every = std::chrono::milliseconds(100)) : every_(every), before_(of_thread()) {
    of_thread() = this;
  }
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;
  virtual ~Interruption() { of_thread() = before_; }

  static Interruption*& of_thread() {
    static thread_local Interruption* current = nullptr;
    return current;
  }

  // Throws where the call is to end.
  void heed() {
    if (!ended_.load(std::memory_order_relaxed)) {
      if (std::this_thread::get_id() != owner_ || Clock::now() < next_) return;
      ended_.store(wanted(), std::memory_order_relaxed);
      next_ = Clock::now() + every_;
    }
    if (ended_.load(std::memory_order_relaxed)) throw Interrupted();
  }

 private:
  // Asked in the thread that made it, and not more often than every so long.
  virtual bool wanted() = 0;

  const Clock::duration every_;
  Interruption* const before_;
  const std::thread::id owner_ = std::this_thread::get_id();
  Clock::time_point next_ = Clock::now() + every_;
  std::atomic<bool> ended_{false};
};

// Kept out of the loops, where it would be in their way. Were it marked as cold, so would be the loops that call it.
__attribute__((noinline)) inline void heed_interruption() {
  if (Interruption* const current = Interruption::of_thread()) current->heed();
}

// Items that are read before the next look at the clock.
constexpr std::size_t kStretch = std::size_t{1} << 16;

// Runs body(begin, end) for all items, stretch by stretch, and asks in between; short loops do not ask at all.
template <class Body>
void in_stretches(std::size_t size, const Body& body) {
  for (std::size_t begin = 0; begin < size; begin += kStretch) {
    if (begin > 0) heed_interruption();
    body(begin, std::min(size, begin + kStretch));
  }
}

}  // namespace confmat
