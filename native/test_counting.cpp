// Counting against a few lines that cannot be wrong, without Python, so that the sanitizers see every access.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

#include "chance.hpp"
#include "close.hpp"
#include "count_pairs.hpp"
#include "factorize.hpp"
#include "indicators.hpp"
#include "sparse.hpp"
#include "test_check.hpp"
#include "weighted.hpp"

using namespace confmat;

namespace {

using Random = std::mt19937_64;

// Integers with their values known, in memory of any layout.
struct Column {
  std::vector<Wide> values;
  std::vector<unsigned char> memory;
  Codes codes;
};

enum class Layout { plain, strided, reversed, unaligned, swapped };
constexpr Layout kLayouts[] = {Layout::plain, Layout::strided, Layout::reversed, Layout::unaligned, Layout::swapped};

Column column(const std::vector<Wide>& values, IntType type, Layout layout) {
  Column result;
  result.values = values;
  const std::size_t bytes = type.bytes, step = layout == Layout::strided ? 3 * bytes : bytes;
  const std::size_t skip = layout == Layout::unaligned ? 1 : 0;
  result.memory.assign(values.size() * step + skip + 1, 0xAB);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t place = layout == Layout::reversed ? values.size() - 1 - i : i;
    const auto bits = static_cast<std::uint64_t>(values[i]);
    for (std::size_t byte = 0; byte < bytes; ++byte) {
      const std::size_t at = layout == Layout::swapped ? bytes - 1 - byte : byte;
      result.memory[skip + place * step + at] = static_cast<unsigned char>(bits >> (8 * byte));
    }
  }
  Codes& codes = result.codes;
  codes.data = result.memory.data() + skip;
  codes.stride = static_cast<std::ptrdiff_t>(step);
  if (layout == Layout::reversed && !values.empty()) {
    codes.data += (values.size() - 1) * step;
    codes.stride = -codes.stride;
  }
  codes.bytes = type.bytes;
  codes.is_signed = type.is_signed;
  codes.swapped = layout == Layout::swapped;
  return result;
}

std::vector<Wide> draw(Random& random, std::size_t n, IntType type, Wide low, std::uint64_t span) {
  std::vector<Wide> values(n);
  for (Wide& value : values) {
    value = low + static_cast<Wide>(random() % (span + 4)) - 2;
    if (random() % 64 == 0) value = random() % 2 != 0 ? type.lowest() : type.highest();
    value = std::min(std::max(value, type.lowest()), type.highest());
  }
  return values;
}

using Cell = std::pair<std::uint64_t, std::uint64_t>;

std::optional<Cell> cell_of(const Column& actual, const Column& predicted, std::size_t i, Axis rows, Axis cols) {
  const Wide row = actual.values[i] - rows.first, col = predicted.values[i] - cols.first;
  if (row < 0 || col < 0 || row >= static_cast<Wide>(rows.size) || col >= static_cast<Wide>(cols.size)) return {};
  return Cell{static_cast<std::uint64_t>(row), static_cast<std::uint64_t>(col)};
}

std::map<Cell, std::int64_t> counted(const Column& actual, const Column& predicted, Axis rows, Axis cols) {
  std::map<Cell, std::int64_t> cells;
  for (std::size_t i = 0; i < actual.values.size(); ++i) {
    if (const auto cell = cell_of(actual, predicted, i, rows, cols)) ++cells[*cell];
  }
  return cells;
}

std::int64_t total(const std::map<Cell, std::int64_t>& cells) {
  std::int64_t sum = 0;
  for (const auto& entry : cells) sum += entry.second;
  return sum;
}

void check_dense(const Column& a, const Column& p, Axis rows, Axis cols, int threads) {
  const Pairs pairs{a.codes, p.codes, a.values.size()};
  const auto expected = counted(a, p, rows, cols);
  Buffer<std::int64_t> table(rows.size * cols.size, Fill::zero);
  const std::int64_t outside = count_dense(pairs, rows, cols, threads, table.data());
  CHECK(outside == static_cast<std::int64_t>(a.values.size()) - total(expected));
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < table.size(); ++i) sum += table[i];
  CHECK(sum == total(expected));
  for (const auto& [cell, count] : expected) CHECK(table[cell.first * cols.size + cell.second] == count);
}

void check_sparse(const Column& a, const Column& p, Axis rows, Axis cols, int threads) {
  const Pairs pairs{a.codes, p.codes, a.values.size()};
  const auto expected = counted(a, p, rows, cols);
  const auto found = count_sparse(pairs, rows, cols, threads);
  CHECK(found.row.size() == expected.size());
  std::size_t i = 0;
  for (const auto& [cell, count] : expected) {
    CHECK(found.row[i] == static_cast<std::int64_t>(cell.first));
    CHECK(found.col[i] == static_cast<std::int64_t>(cell.second));
    CHECK(found.totals[i++] == count);
  }
}

// Weights 1/3, 2/3, .. are sums whose exact value fits long double closely enough to judge two roundings.
void check_weighted(const Column& a, const Column& p, Axis rows, Axis cols, int threads) {
  const Pairs pairs{a.codes, p.codes, a.values.size()};
  std::vector<double> floats(a.values.size() + 1);
  std::vector<std::int64_t> ints(a.values.size() + 1);
  std::map<Cell, std::pair<long double, std::int64_t>> expected;
  for (std::size_t i = 0; i < a.values.size(); ++i) {
    ints[i] = static_cast<std::int64_t>(i % 17) - 3;
    floats[i] = static_cast<double>(i % 17) / 3;
    if (const auto cell = cell_of(a, p, i, rows, cols)) {
      expected[*cell].first += floats[i];
      expected[*cell].second += ints[i];
    }
  }
  Weights float_weights, int_weights;
  float_weights.data = reinterpret_cast<const unsigned char*>(floats.data());
  int_weights.data = reinterpret_cast<const unsigned char*>(ints.data());
  float_weights.stride = int_weights.stride = 8;
  int_weights.kind = WeightKind::int64;
  const auto dense = count_weighted<FloatCell>(pairs, float_weights, rows, cols, threads);
  const auto dense_ints = count_weighted<IntCell<std::int64_t>>(pairs, int_weights, rows, cols, threads);
  const auto sparse = count_sparse<FloatCell>(pairs, float_weights, rows, cols, threads);
  CHECK(sparse.row.size() == expected.size());
  std::size_t i = 0;
  for (const auto& [cell, sums] : expected) {
    const auto place = static_cast<std::size_t>(cell.first * cols.size + cell.second);
    const auto close = static_cast<double>(sums.first);
    CHECK(std::abs(dense.sums[place] - close) <= close * 3e-16 && std::abs(sparse.totals[i] - close) <= close * 3e-16);
    CHECK(static_cast<std::int64_t>(dense_ints.sums[place]) == sums.second);
    ++i;
  }
}

void check_close(const Column& a, const Column& p, int threads) {
  const Pairs pairs{a.codes, p.codes, a.values.size()};
  Wide low = a.values[0], high = low;
  for (const Column* side : {&a, &p}) {
    for (const Wide value : side->values) low = std::min(low, value), high = std::max(high, value);
  }
  const Wide span = high - low + 1;
  CHECK(!count_close(pairs, span - 1, threads));
  if (span > 2000) return;
  const auto found = count_close(pairs, span, threads);
  CHECK(found && found->low == low && found->span == static_cast<std::size_t>(span));
  const Axis axis{low, static_cast<std::uint64_t>(span)};
  for (const auto& [cell, count] : counted(a, p, axis, axis)) {
    CHECK(found->counts[cell.first * found->span + cell.second] == count);
  }
}

void check_factorized(const Column& values) {
  const std::set<Wide> distinct(values.values.begin(), values.values.end());
  if (!distinct.empty()) CHECK(!factorize(values.codes, values.values.size(), distinct.size() - 1));
  const auto found = factorize(values.codes, values.values.size(), distinct.size());
  CHECK(found && found->distinct.size() == distinct.size());
  std::size_t i = 0;
  for (const Wide value : distinct) CHECK(found->distinct[i++] == static_cast<std::uint64_t>(value));
  for (i = 0; i < values.values.size(); ++i) {
    CHECK(found->distinct[static_cast<std::size_t>(found->codes[i])] == static_cast<std::uint64_t>(values.values[i]));
  }
}

const IntType kTypes[] = {{1, true}, {2, true}, {4, true}, {8, true}, {1, false}, {2, false}, {4, false}, {8, false}};

void check_everything(Random& random, std::size_t n, int threads) {
  const std::uint64_t sizes[] = {0, 1, 2, 10, 40, 300, 1100, 3000};
  for (int round = 0; round < 8; ++round) {
    const IntType type_a = kTypes[random() % 8], type_p = random() % 2 != 0 ? type_a : kTypes[random() % 8];
    const Wide firsts[] = {
        0, 1, -3, type_a.lowest(), type_a.lowest() - 2, type_a.highest() - 3, type_a.highest() + 1, -(Wide{1} << 66)};
    const Axis rows{firsts[random() % 8], sizes[random() % 8]}, cols{firsts[random() % 3], sizes[random() % 8]};
    const Column a = column(draw(random, n, type_a, rows.first, rows.size), type_a, kLayouts[random() % 5]);
    const Column p = column(draw(random, n, type_p, cols.first, cols.size), type_p, kLayouts[random() % 5]);
    check_dense(a, p, rows, cols, threads);
    check_sparse(a, p, rows, cols, threads);
    check_sparse(a, p, {rows.first, rows.size << 30}, {cols.first, std::uint64_t{1} << 20}, threads);
    check_weighted(a, p, rows, cols, threads);
    check_factorized(a);
    if (n > 0) check_close(a, p, threads);
  }
}

// Ranges that a sample misses, and whole ranges of 64 bits.
void check_ranges(Random& random) {
  const IntType type{8, false};
  std::vector<Wide> values(50'000);
  for (Wide& value : values) value = (Wide{1} << 63) + static_cast<Wide>(random() % 200);
  const Column narrow = column(values, type, Layout::plain);
  check_close(narrow, narrow, 2);
  values[49'990] = type.highest();
  check_close(column(values, type, Layout::plain), narrow, 2);
  values[49'990] = (Wide{1} << 63) + 900;
  check_close(column(values, type, Layout::plain), narrow, 2);
  values[49'990] = 0;
  check_close(column(values, type, Layout::plain), narrow, 2);
}

// Counters that are full after a few pairs, and rounds of a few: what billions of pairs would do.
void check_narrow_counters(Random& random) {
  const IntType type{2, true};
  const std::size_t n = 400'000;
  const Axis axis{0, 600};
  for (const std::uint64_t span : {3, 500, 700}) {
    const Column a = column(draw(random, n, type, 0, span), type, Layout::plain);
    const Column p = column(draw(random, n, type, 0, span), type, Layout::strided);
    const Pairs pairs{a.codes, p.codes, n};
    const Reach reach = reach_of(pairs, axis, axis);
    const auto expected = counted(a, p, axis, axis);
    const auto check = [&](const auto& count) {
      Buffer<std::int64_t> table(600 * 600, Fill::zero);
      CHECK(count(table.data()) == static_cast<std::int64_t>(n) - total(expected));
      for (const auto& [cell, number] : expected) CHECK(table[cell.first * 600 + cell.second] == number);
    };
    for (const int threads : {1, 3}) {
      check([&](std::int64_t* table) {
        return count_with<LaneCounters<2, kChunk * 3 / 2>>(pairs, reach, table, threads, false);
      });
      check([&](std::int64_t* table) { return count_with<ByteCounters<9>>(pairs, reach, table, threads, false); });
      check([&](std::int64_t* table) {
        return PartitionedCount<std::uint16_t>(pairs, reach, 12, threads).count(table, false, 150'000);
      });
      check([&](std::int64_t* table) {
        return PartitionedCount<std::uint32_t>(pairs, reach, 17, threads).count(table, false, 150'000);
      });
    }
  }
}

// Tables of few cells, whose codes of one and two bytes have loops of their own: every size, every layout, ends of
// blocks, and more equal pairs than a counter of two bytes holds.
void check_few_cells(Random& random) {
  for (const IntType type : {kTypes[0], kTypes[1], kTypes[4], kTypes[5]}) {
    for (std::uint64_t size = 1; size <= 16; ++size) {
      const Axis rows{random() % 2 != 0 ? Wide{0} : type.highest() - 7, size}, cols{-1, random() % 2 != 0 ? size : 3};
      for (const std::size_t n : {4096 + random() % 200, 90'000 + random() % 200}) {
        const Column a = column(draw(random, n, type, rows.first, size), type, kLayouts[random() % 5]);
        const Column p = column(draw(random, n, type, cols.first, cols.size), type, kLayouts[random() % 5]);
        check_dense(a, p, rows, cols, 1);
        check_close(a, p, 1);
      }
    }
  }
  const Column same = column(std::vector<Wide>(1'100'001, 2), kTypes[4], Layout::plain);
  for (const std::uint64_t size : {2, 3, 10, 12}) {
    check_dense(same, same, {0, size}, {0, size}, 1);
    check_dense(same, same, {0, size}, {0, size}, 3);
  }
}

void check_overflow_of_floats() {
  FloatSum sum;
  sum.add(1e308);
  sum.add(1e308);
  sum.add(1.0);
  CHECK(std::isinf(sum.value()));
  FloatSum small;
  small.add(1.0);
  for (int i = 0; i < 10; ++i) small.add(1e-17);
  CHECK(small.value() == 1.0 + 1e-16);
}

double shared_by_chance(double r, double c, double n) {
  double found = 0;
  SharedByChance shared(n, &found);
  shared.add(0, r, c);
  shared.finish();
  return found;
}

void check_chance() {
  // Four items, two and two: one in six times they are the same, four in six times one is in common.
  CHECK(std::abs(shared_by_chance(2, 2, 4) - std::log(2.0) / 3) < 1e-15);
  CHECK(std::abs(shared_by_chance(3, 4, 4)) < 1e-15);
  CHECK(std::abs(shared_by_chance(1, 1, 5) - std::log(5.0) / 5) < 1e-15);
  // Beyond the table of logarithms.
  CHECK(shared_by_chance(5000, 5001, 5003) > 0);
  // Fractions of items end at their bounds.
  CHECK(shared_by_chance(0.5, 0.25, 0.875) >= 0);
  // More pairs than are done at once, and of different kinds.
  std::vector<double> found(100);
  SharedByChance shared(200, found.data());
  for (std::size_t i = 0; i < found.size(); ++i) shared.add(i, 1.0 + static_cast<double>(i), 150);
  shared.finish();
  for (std::size_t i = 0; i < found.size(); ++i) {
    CHECK(std::abs(found[i] - shared_by_chance(1.0 + static_cast<double>(i), 150, 200)) < 1e-14);
  }
}

template <class U>
void check_indicators(Random& random, std::size_t items, std::size_t labels) {
  std::vector<U> actual(items * labels), predicted(items * labels);
  std::vector<std::int64_t> expected(3 * labels);
  for (std::size_t i = 0; i < items * labels; ++i) {
    actual[i] = static_cast<U>(random() % 4 != 0);
    predicted[i] = static_cast<U>(random() % 2);
    expected[i % labels] += actual[i] & predicted[i];
    expected[labels + i % labels] += actual[i];
    expected[2 * labels + i % labels] += predicted[i];
  }
  const auto bytes = [](const std::vector<U>& values) { return reinterpret_cast<const unsigned char*>(values.data()); };
  for (const int threads : {1, 4}) {
    const auto found = count_indicators({bytes(actual), bytes(predicted), items, labels, sizeof(U)}, threads);
    CHECK(!found.wrong && std::equal(expected.begin(), expected.end(), found.sums.data()));
  }
  if (items == 0) return;
  predicted[random() % predicted.size()] = static_cast<U>(random() % 2 == 0 ? 2 : -1);
  CHECK(count_indicators({bytes(actual), bytes(predicted), items, labels, sizeof(U)}, 2).wrong);
}

void check_indicators(Random& random) {
  for (const std::size_t labels : {1, 3, 20, 256, 700}) {
    for (const std::size_t items : {0, 1, 13, 5000}) {
      check_indicators<std::uint8_t>(random, items, labels);
      check_indicators<std::uint16_t>(random, items, labels);
      check_indicators<std::uint32_t>(random, items, labels);
      check_indicators<std::uint64_t>(random, items, labels);
    }
  }
  // More rows of ones than a byte can count.
  check_indicators<std::uint8_t>(random, 140'000, 2);
}

void check_failing_threads() {
  bool caught = false;
  try {
    run_in_threads(4, [](int worker) {
      if (worker != 1) throw std::bad_alloc();
    });
  } catch (const std::bad_alloc&) {
    caught = true;
  }
  CHECK(caught);
}

}  // namespace

int main(int argc, char** argv) {
  Random random(seed_of(argc, argv, 20240607));
  light_items_per_thread = 100'000;
  for (const std::size_t n : {0, 1, 9, 511, 513, 4097}) {
    for (int round = 0; round < 3; ++round) check_everything(random, n, round + 1);
  }
  // Enough for two threads, and with a seed of one's own for four.
  check_everything(random, 70'001, 1);
  check_everything(random, argc > 1 ? 420'000 : 210'000, 4);
  check_ranges(random);
  check_narrow_counters(random);
  check_few_cells(random);
  check_overflow_of_floats();
  check_chance();
  check_indicators(random);
  check_failing_threads();
  std::puts("counting: as it should be");
}
