// Threads: who works, on what, and what happens when one of them fails.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "interruption.hpp"

namespace confmat {

// Starting a thread costs as much as counting some ten thousand pairs.
inline int useful_threads(std::size_t items, int wanted, std::size_t items_per_thread = 100'000) {
  constexpr std::size_t ceiling = 256;
  const std::size_t useful = std::min(items / items_per_thread, ceiling);
  return static_cast<int>(std::clamp<std::size_t>(useful, 1, static_cast<std::size_t>(std::max(wanted, 1))));
}

// Hands out 0, 1, .. count-1, each once. A worker that the system delays simply takes fewer. Between tasks a call may
// be interrupted.
class Tasks {
 public:
  explicit Tasks(std::size_t count) : count_(count) {}

  bool take(std::size_t& task) {
    heed_interruption();
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
  std::mutex guard;
  std::condition_variable finished;
  std::size_t busy = 0;
  const auto guarded = [&](const auto& work) noexcept {
    try {
      work();
    } catch (...) {
      const std::lock_guard<std::mutex> lock(guard);
      if (!failure) failure = std::current_exception();
    }
  };
  Interruption* const interruption = Interruption::of_thread();
  const auto member = [&](int worker) noexcept {
    Interruption::of_thread() = interruption;
    guarded([&] { body(worker); });
    const std::lock_guard<std::mutex> lock(guard);
    --busy;
    finished.notify_one();
  };
  std::vector<std::thread> crew;
  crew.reserve(static_cast<std::size_t>(threads - 1));
  for (int worker = 1; worker < threads; ++worker) {
    try {
      const std::lock_guard<std::mutex> lock(guard);
      crew.emplace_back(member, worker);
      ++busy;
    } catch (...) {  // no thread to be had, or no memory for it
      break;
    }
  }
  guarded([&] {
    body(0);
    // The caller waits for the others, and still hears of an interruption.
    for (std::unique_lock<std::mutex> lock(guard); busy > 0; lock.lock()) {
      finished.wait_for(lock, std::chrono::milliseconds(50));
      lock.unlock();
      heed_interruption();
    }
  });
  for (std::thread& thread : crew) thread.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace confmat
