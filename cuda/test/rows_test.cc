// Tests of updates of rows on an emulated grid: sums against a serial count, for widths whose
// rows share a warp, fill it and go beyond it. Run by `make test`.
#include <map>

#include "warp_emulator.h"

#include "atomtune_rows.cuh"

#include "emulated_grid.h"
#include "short_floats.h"

namespace {

constexpr uint32_t slots = 4;

uint16_t bfloat16_of(float x) { return uint16_t(rows::bfloat16_bits(x)); }

// Words are the elements of an array, small numbers, and what they stand for.
template <typename T>
struct Words {
  std::vector<Element<T>> word;

  explicit Words(size_t n, unsigned seed) : word(n) {
    for (size_t k = 0; k < n; ++k) set(k, float(1 + (k * 7 + seed) % 3));
  }
  void set(size_t k, float x) {
    if constexpr (is_short<T>) {
      word[k] = bfloat16_of(x);
    } else {
      word[k] = x;
    }
  }
  float at(size_t k) const {
    if constexpr (is_short<T>) {
      return bfloat16_number(word[k]);
    } else {
      return word[k];
    }
  }
};

// Case is a stream of rows, and a table with some of them; without tags a sample finds them.
struct Case {
  std::string name;
  Stream stream;
  std::vector<uint32_t> tags;
};

// check_updates compares what update(call, passes) makes of a case with a serial count.
template <typename T, typename S, typename Update>
void check_updates(const Case& c, uint32_t width, bool ordered, const std::string& how,
                   Update update) {
  const size_t n = c.stream.index.size();
  const Words<S> values(n * width, 1);
  Words<T> got(size_t(c.stream.bins) * width + 2, 5);  // with an element before and one behind
  got.word.front() = got.word.back() = Element<T>(0x7f81);  // a word that no addition leaves
  Words<T> want = got;
  std::vector<uint32_t> order(n);
  for (size_t u = 0; u < n; ++u) order[u] = uint32_t(n - 1 - u);
  std::vector<uint32_t> index = c.stream.index;
  index.push_back(c.stream.bins);  // out of range
  uint32_t wrong = 0;
  std::vector<float> sums(size_t(c.stream.bins) * width);
  for (size_t u = 0; u < n; ++u) {
    const size_t place = ordered ? order[u] : u;
    for (uint32_t j = 0; j < width && index[u] != 7; ++j) {
      sums[size_t(index[u]) * width + j] += values.at(place * width + j);
    }
  }
  for (size_t k = 0; k < sums.size(); ++k) want.set(k + 1, want.at(k + 1) + sums[k]);
  const CheckedIndex<uint32_t> rows{index.data(), &wrong, 7, c.stream.bins, true};
  const Rows<T, S, CheckedIndex<uint32_t>> call{
      got.word.data() + 1, rows, values.word.data(), ordered ? order.data() : nullptr,
      n, width, got.word.size() - 2};
  update(call);
  const std::string what = c.name + ", width " + std::to_string(width) + ", " + how;
  expect(got.word == want.word, what + ": wrong sums");
  expect(wrong == 0, what + ": an error");
}

// check_rows makes the updates of a case by groups of G lanes with pieces of V.
template <int V, int G, bool hot, typename T, typename S>
void check_rows(const Case& c, uint32_t width, bool ordered, unsigned blocks) {
  const RowTable table{hot ? slots : 0, 1024, c.tags.empty() ? nullptr : c.tags.data()};
  const uint32_t columns = std::min(width, uint32_t(V * G));
  std::vector<double> shared(table.bytes(columns, 1) / sizeof(double) + 1, 77);
  const std::string how = "pieces of " + std::to_string(V) + " in groups of " +
                          std::to_string(G) + (hot ? ", hot" : "");
  check_updates<T, S>(c, width, ordered, how, [&](const auto& call) {
    gridDim.y = (width + V * G - 1) / (V * G);
    for (blockIdx.y = 0; blockIdx.y < gridDim.y; ++blockIdx.y) {
      run(blocks, [&] { rows_update<V, G, hot>(call, table, shared.data()); });
    }
    blockIdx.y = 0, gridDim.y = 1;
  });
}

template <typename T, typename S>
void check_elements(const std::vector<Case>& cases, uint32_t width) {
  for (const Case& c : cases) {
    for (const unsigned blocks : {1u, 3u}) {
      check_updates<T, S>(c, width, false, "element by element", [&](const auto& call) {
        run(blocks, [&] { rows_update_elements(call); });
      });
    }
  }
}

template <int V, int G, typename T, typename S>
void check_shape(const std::vector<Case>& cases, uint32_t width) {
  for (const Case& c : cases) {
    check_rows<V, G, false, T, S>(c, width, false, 1);
    check_rows<V, G, true, T, S>(c, width, false, 3);
    check_rows<V, G, false, T, S>(c, width, true, 2);
    check_rows<V, G, true, T, S>(c, width, true, 1);
  }
}

// hot_tags has the most frequent rows in their slots, ties aside.
std::vector<uint32_t> hot_tags(const Stream& s) {
  std::map<uint32_t, size_t> count;
  for (uint32_t i : s.index) ++count[i];
  std::vector<uint32_t> tags(slots, no_target);
  for (const auto& [row, times] : count) {
    uint32_t& tag = tags[hot_slot(row, hash_shift(slots))];
    if (tag == no_target || count[tag] < times) tag = row;
  }
  return tags;
}

std::vector<Case> make_cases(std::mt19937& random) {
  std::vector<Case> cases;
  const uint32_t bins = 12;
  Stream uniform = random_stream(random, 201, bins), half = uniform, sorted = uniform;
  for (uint32_t& i : half.index) i = random() % 2 ? 3 : i;
  std::sort(sorted.index.begin(), sorted.index.end());
  const Stream constant{std::vector<uint32_t>(77, 11), bins}, empty{{}, bins};
  cases.push_back({"uniform", uniform, hot_tags(uniform)});
  cases.push_back({"half", half, hot_tags(half)});
  cases.push_back({"sorted", sorted, hot_tags(sorted)});
  cases.push_back({"constant", constant, hot_tags(constant)});
  cases.push_back({"no hot row", half, std::vector<uint32_t>(slots, no_target)});
  cases.push_back({"empty", empty, hot_tags(empty)});
  cases.push_back({"sampled", half, {}});
  return cases;
}

void check_shapes(const std::vector<Case>& cases) {
  check_shape<1, 1, float, float>(cases, 1);
  check_shape<2, 1, float, float>(cases, 2);
  check_shape<1, 4, float, float>(cases, 3);
  check_shape<4, 2, float, float>(cases, 8);
  check_shape<4, 8, float, float>(cases, 28);
  check_shape<4, 32, float, float>(cases, 128);
  check_shape<4, 32, float, float>(cases, 260);
  check_shape<2, 32, float, float>(cases, 66);
  for (const uint32_t width : {1u, 3u, 32u, 100u}) check_elements<float, float>(cases, width);
}

// Sums of bfloat16 below 256 are exact.
void check_short_shapes(std::mt19937& random) {
  std::vector<Case> cases;
  const Stream s = random_stream(random, 90, 40);
  cases.push_back({"bfloat16", s, hot_tags(s)});
  check_shape<4, 8, float, __nv_bfloat16>(cases, 32);
  check_shape<8, 4, __nv_bfloat16, __nv_bfloat16>(cases, 32);
  check_shape<4, 1, __nv_bfloat16, __nv_bfloat16>(cases, 4);
  check_shape<2, 1, __nv_bfloat16, __nv_bfloat16>(cases, 2);
  check_shape<1, 4, __nv_bfloat16, __nv_bfloat16>(cases, 3);
  check_shape<1, 1, __nv_bfloat16, __nv_bfloat16>(cases, 1);
  check_elements<__nv_bfloat16, __nv_bfloat16>(cases, 5);
  check_elements<float, __nv_bfloat16>(cases, 40);
}

// check_rounding: the nearest of two, to even halfway, for every number between neighbours.
void check_rounding() {
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    const float x = bfloat16_number(uint16_t(bits));
    const uint32_t word = __float_as_uint(x);
    if (x != x) {
      const float got = bfloat16_number(bfloat16_of(x));
      expect(got != got, "a NaN becomes " + std::to_string(got));
      continue;
    }
    expect(bfloat16_of(x) == bits, "not its own: " + std::to_string(bits));
    if ((bits & 0x7fffu) >= 0x7f80u) continue;
    expect(bfloat16_of(__uint_as_float(word + 0x7fffu)) == bits, "rounded up");
    expect(bfloat16_of(__uint_as_float(word + 0x8000u)) == (bits + 1) / 2 * 2, "not to even");
    expect(bfloat16_of(__uint_as_float(word + 0x8001u)) == bits + 1, "rounded down");
  }
}

// check_neighbours: an element of 16 bits is added to alone. The other half of its word keeps its bits,
// those of -0 too.
void check_neighbours() {
  for (const uint16_t other : {0x8000, 0x0000, 0x0001, 0xbf80, 0xff80}) {
    for (size_t k = 0; k < 5; ++k) {
      alignas(4) uint16_t word[5];
      std::fill(word, word + 5, other);
      word[k] = bfloat16_of(2);
      run(1, [&] {
        if (threadIdx.x == 0) add_piece<1>(word + k, Piece<1>{{3}}, Bounds<uint16_t>{word, word + 5});
      });
      for (size_t j = 0; j < 5; ++j) {
        expect(word[j] == (j == k ? bfloat16_of(5) : other),
               "element " + std::to_string(j) + " after an addition to " + std::to_string(k));
      }
    }
  }
}

// check_atomics: a run is added once, and rows of the table at the end alone.
void check_atomics() {
  const uint32_t width = 128, n = 64;
  const Stream constant{std::vector<uint32_t>(n, 5), 8};
  const Words<float> values(n * width, 1);
  for (const bool hot : {false, true}) {
    Words<float> A(8 * width, 1);
    const std::vector<uint32_t> tags = hot_tags(constant);
    const RowTable table{hot ? slots : 0, 0, tags.data()};
    std::vector<float> shared(table.bytes(width, 1) / sizeof(float) + 1);
    const Rows<float, float, const uint32_t*> call{
        A.word.data(), constant.index.data(), values.word.data(), nullptr, n, width, 8 * width};
    the_warp.watch(A.word.data(), A.word.data() + A.word.size());
    run(2, [&] {
      hot ? rows_update<4, 32, true>(call, table, shared.data())
          : rows_update<4, 32, false>(call, table, shared.data());
    });
    expect(the_warp.watched == 2 * width, "one addition of each block and element");
  }
}

}  // namespace

int main() {
  std::mt19937 random(18);
  check_rounding();
  check_shapes(make_cases(random));
  check_short_shapes(random);
  check_neighbours();
  check_atomics();
  the_warp.interleave(18);
  check_shapes(make_cases(random));
  return verdict("rows_test", 262000);
}
