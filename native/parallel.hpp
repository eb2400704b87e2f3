// Threads: who works, on what, and what happens when one of them fails.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>

#include "interruption.hpp"

namespace confmat {

// Starting a thread costs as much as counting some ten thousand pairs.
inline int useful_threads(std::size_t items, int wanted, std::size_t items_per_thread = 100'000) {
  constexpr std::size_t ceiling = 256;
  const std::size_t useful = std::min(items / items_per_thread, ceiling);
  return static_cast<int>(std::clamp<std::size_t>(useful, 1, static_cast<std::size_t>(std::max(wanted, 1))));
}

// Items of which each takes about a nanosecond: fewer than a million are done before a second thread is of use, and on
// a busy machine it is waited for.
inline std::size_t light_items_per_thread = 1'000'000;

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

// Threads that work for a call, as far as they have begun before it is done. It lives on with a thread that the system
// has not let begin by then; such a thread finds it closed and touches nothing of the call.
struct Crew {
  std::mutex guard;
  std::condition_variable finished;
  std::atomic<std::size_t> busy{0};
  bool closed = false;
  std::exception_ptr failure;

  template <class Work>
  void guarded(const Work& work) noexcept {
    try {
      work();
    } catch (...) {
      const std::lock_guard<std::mutex> lock(guard);
      if (!failure) failure = std::current_exception();
    }
  }

  bool begin() {
    const std::lock_guard<std::mutex> lock(guard);
    if (!closed) ++busy;
    return !closed;
  }
  void end() {
    const std::lock_guard<std::mutex> lock(guard);
    --busy;
    finished.notify_one();
  }

  // Waits for those that have begun, awake for as long as they take for a chunk: sleeping may cost a turn of others.
  void close() {
    {
      const std::lock_guard<std::mutex> lock(guard);
      closed = true;
    }
    const auto patience = std::chrono::steady_clock::now() + std::chrono::microseconds(200);
    while (busy > 0 && std::chrono::steady_clock::now() < patience) {
    }
    for (std::unique_lock<std::mutex> lock(guard); busy > 0; lock.lock()) {
      finished.wait_for(lock, std::chrono::milliseconds(50));
      lock.unlock();
      // The caller waits for the others, and still hears of an interruption.
      guarded([] { heed_interruption(); });
    }
  }
};

// Runs body(worker) for worker = 0 .. threads-1, the first in the calling thread, and rethrows what failed first.
// The system may refuse a thread or let it wait for others, so bodies share the work through Tasks and never rely on
// their number: the caller takes what nobody has begun, and waits for nobody who has not begun.
template <class Body>
void run_in_threads(int threads, const Body& body) {
  if (threads <= 1) {
    body(0);
    return;
  }
  const auto crew = std::make_shared<Crew>();
  Interruption* const interruption = Interruption::of_thread();
  const auto member = [crew, interruption, &body](int worker) noexcept {
    if (!crew->begin()) return;
    Interruption::of_thread() = interruption;
    crew->guarded([&] { body(worker); });
    Interruption::of_thread() = nullptr;
    crew->end();
  };
  for (int worker = 1; worker < threads; ++worker) {
    try {
      std::thread(member, worker).detach();
    } catch (...) {  // no thread to be had, or no memory for it
      break;
    }
  }
  crew->guarded([&] { body(0); });
  crew->close();
  if (crew->failure) std::rethrow_exception(crew->failure);
}

}  // namespace confmat
