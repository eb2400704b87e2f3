// Calls that end early: somebody interrupts them, or there is no memory for a thread. Without Python, for the
// sanitizers.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <vector>

#include "boxes.hpp"
#include "close.hpp"
#include "count_pairs.hpp"
#include "factorize.hpp"
#include "fixed_width.hpp"
#include "indicators.hpp"
#include "sparse.hpp"
#include "sweep.hpp"
#include "test_check.hpp"
#include "weighted.hpp"

namespace {

// Requests of memory until one fails, in this thread; below 0 none does.
thread_local long g_until_failure = -1;

}  // namespace

// Not inlined: GCC would see a free() of what its own new gave.
[[gnu::noinline]] void* operator new(std::size_t size) {
  if (g_until_failure == 0) throw std::bad_alloc();
  if (g_until_failure > 0) --g_until_failure;
  if (void* const memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace {

using namespace confmat;

// Wants the call to end when it has been asked so often.
class Patience : public Interruption {
 public:
  explicit Patience(int questions) : Interruption(Clock::duration::zero()), left_(questions) {}

 private:
  bool wanted() override { return left_-- <= 0; }
  int left_;
};

constexpr std::size_t kItems = 330'000;

template <class Call>
bool ends_early(int questions, const Call& call) {
  const Patience patience(questions);
  try {
    call();
  } catch (const Interrupted&) {
    return true;
  }
  return false;
}

// Every call ends when it is wanted to, whatever thread does the work; and with one thread it is asked more than once.
template <class Call>
void check_interruption(const Call& call, int threads = 1) {
  CHECK(ends_early(0, call));
  if (threads == 1) CHECK(ends_early(1, call));
  CHECK(!ends_early(1'000'000, call));
  CHECK(Interruption::of_thread() == nullptr);
}

std::vector<std::int64_t> numbers(std::uint64_t span) {
  std::vector<std::int64_t> values(kItems);
  std::uint64_t state = 1;
  for (std::int64_t& value : values) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    value = static_cast<std::int64_t>((state >> 20) % span);
  }
  return values;
}

template <class T>
Codes codes_of(const std::vector<T>& values) {
  Codes codes;
  codes.data = reinterpret_cast<const unsigned char*>(values.data());
  codes.stride = codes.bytes = sizeof(T);
  return codes;
}

Weights weights_of(const std::vector<std::int64_t>& values) { return {codes_of(values), WeightKind::int64}; }

void check_counting(int threads) {
  for (const std::uint64_t size : {3, 700, 4000}) {
    const auto values = numbers(size), ones = numbers(2);
    const Pairs pairs{codes_of(values), codes_of(values), kItems};
    const Axis axis{0, size};
    check_interruption(
        [&] {
          Buffer<std::int64_t> table(size * size, Fill::zero);
          count_dense(pairs, axis, axis, threads, table.data());
        },
        threads);
    check_interruption([&] { (void)count_sparse(pairs, axis, axis, threads); }, threads);
    if (size < 1000) {
      check_interruption(
          [&] {
            (void)with_cell(WeightKind::int64, [&](auto cell) {
              (void)count_weighted<decltype(cell)>(pairs, weights_of(ones), axis, axis, threads);
              return 0;
            });
          },
          threads);
    }
    check_interruption([&] { (void)count_close(pairs, 5000, threads); }, threads);
  }
  const std::vector<std::uint8_t> table(kItems * 4, 1);
  check_interruption([&] { (void)count_indicators({table.data(), table.data(), kItems, 4, 1}, threads); }, threads);
}

void check_reading() {
  for (const std::uint64_t span : {std::uint64_t{100}, std::uint64_t{1} << 36, std::uint64_t{1} << 43}) {
    const auto values = numbers(span);
    check_interruption([&] { (void)factorize(codes_of(values), kItems, kItems); });
  }
  const auto values = numbers(1000);
  for (const std::size_t width : {8, 20}) {
    const std::size_t count = kItems * 8 / width;
    const FixedWidth blocks{reinterpret_cast<const char*>(values.data()), static_cast<std::ptrdiff_t>(count),
                            static_cast<std::ptrdiff_t>(width), width};
    std::vector<std::int32_t> codes(count);
    check_interruption([&] {
      LabelTable table;
      encode_in_parts(blocks, codes.data(),
                      [&](const FixedWidth& part, std::int32_t* own) { encode_text_blocks(part, false, table, own); });
    });
  }
  std::vector<double> scores(kItems + 1);
  for (std::size_t i = 0; i < kItems; ++i) scores[i + 1] = static_cast<double>(i);
  check_interruption([&] { (void)thresholds_among(scores.data() + 1, kItems); });
  const std::vector<std::uint8_t> truth(kItems, 1);
  check_interruption([&] { (void)sweep_weighted(scores.data(), truth.data(), values.data(), kItems, 1); });
  const std::vector<std::int64_t> images(2000);
  const std::vector<double> corners(8000), areas(2000);
  const BoxSide side{images.data(), corners.data(), areas.data(), images.size()};
  check_interruption([&] { (void)overlapping_boxes(side, side, 1, 0.5, false, 10); });
}

// Whichever request of memory fails: the answer is right, or std::bad_alloc.
template <class Call>
void check_memory(const Call& call) {
  int failed = 0;
  for (long request = 0; request < 40; ++request) {
    g_until_failure = request;
    try {
      call();
    } catch (const std::bad_alloc&) {
      ++failed;
    }
    g_until_failure = -1;
  }
  CHECK(failed < 40);
}

void check_failing_memory() {
  const auto values = numbers(50), ones = numbers(2);
  const Pairs pairs{codes_of(values), codes_of(values), kItems};
  const Axis axis{0, 50};
  check_memory([&] {
    Buffer<std::int64_t> table(2500, Fill::zero);
    CHECK(count_dense(pairs, axis, axis, 4, table.data()) == 0);
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < 2500; ++i) sum += table[i];
    CHECK(sum == static_cast<std::int64_t>(kItems));
  });
  check_memory([&] { CHECK(count_sparse(pairs, axis, axis, 4).row.size() == 50); });
  check_memory([&] { CHECK(count_close(pairs, 5000, 4)->span == 50); });
  const std::vector<std::uint8_t> table(kItems * 4, 1);
  check_memory([&] { CHECK(!count_indicators({table.data(), table.data(), kItems, 4, 1}, 4).wrong); });
}

}  // namespace

int main() {
  for (const int threads : {1, 3}) check_counting(threads);
  check_reading();
  check_failing_memory();
  std::puts("calls that end early: as it should be");
  return 0;
}
