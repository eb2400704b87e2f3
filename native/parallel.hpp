// Threads: who works, on what, and what happens when one of them fails.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace confmat {

// Starting a thread costs as much as counting some ten thousand pairs.
inline int useful_threads(std::size_t items, int wanted, std::size_t items_per_thread = 100'000) {
  constexpr std::size_t ceiling = 256;
  const std::size_t useful = std::min(items / items_per_thread, ceiling);
  return static_cast<int>(std::clamp<std::size_t>(useful, 1, static_cast<std::size_t>(std::max(wanted, 1))));
}

// Hands out 0, 1, .. count-1, each once. A worker that the system delays simply takes fewer.
class Tasks {
 public:
  explicit Tasks(std::size_t count) : count_(count) {}

  bool take(std::size_t& task) {
    task = next_.fetch_add(1, std::memory_order_relaxed);
    return task < count_;
  }
  void stop() { next_.store(count_, std::memory_order_relaxed); }
  std::size_t count() const { return count_; }

 private:
  std::atomic<std::size_t> next_{0};
  std::size_t count_;
};

// Runs body(worker) for worker = 0 .. threads-1, the first in the calling thread, and rethrows what failed first.
// The system may refuse a thread, so bodies share the work through Tasks and never rely on their number.
template <class Body>
void run_in_threads(int threads, const Body& body) {
  if (threads <= 1) {
    body(0);
    return;
  }
  std::exception_ptr failure;
  std::mutex failure_guard;
  const auto guarded = [&](int worker) noexcept {
    try {
      body(worker);
    } catch (...) {
      const std::lock_guard<std::mutex> lock(failure_guard);
      if (!failure) failure = std::current_exception();
    }
  };
  std::vector<std::thread> crew;
  crew.reserve(static_cast<std::size_t>(threads - 1));
  for (int worker = 1; worker < threads; ++worker) {
    try {
      crew.emplace_back(guarded, worker);
    } catch (const std::system_error&) {
      break;
    }
  }
  guarded(0);
  for (std::thread& member : crew) member.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace confmat
