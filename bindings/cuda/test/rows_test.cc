// Tests of updates of rows on an emulated grid against a serial loop, for widths whose
// rows share a warp, fill it and go beyond it. Run by `make test`.
#include <fstream>
#include <map>
#include <sstream>

#include "warp_emulator.h"

#include "atomtune_deterministic.cuh"
#include "atomtune_rows.cuh"

#include "emulated_grid.h"
#include "row_numbers.h"

namespace {

constexpr uint32_t slots = 4;

// read_as are values in memory as a kernel takes them.
template <typename S>
auto read_as(const std::vector<Element<S>>& values) {
  if constexpr (is_short<S>) {
    return Widened<S>{reinterpret_cast<const S*>(values.data())};
  } else {
    return Loaded<S>{values.data()};
  }
}

template <typename N>
std::vector<SumOf<N>> numbers_in(const std::vector<Element<N>>& elements) {
  std::vector<SumOf<N>> numbers;
  for (const Element<N>& e : elements) numbers.push_back(number_in<N>(e));
  return numbers;
}

// all_of are indices of which each is below bins.
RowIndex all_of(const std::vector<uint32_t>& index, uint32_t bins) {
  return {index.data(), nullptr, ~0ull, bins, sizeof(uint32_t), false};
}

// Case is a stream of rows, and a table with some of them; without tags a sample finds them.
struct Case {
  std::string name;
  Stream stream;
  std::vector<uint32_t> tags;
};

// check_updates compares what update(call) makes of a case with a serial loop.
template <typename T, typename S, typename Update>
void check_updates(const Case& c, uint32_t width, bool ordered, const std::string& how,
                   Update update) {
  using N = NumberIn<T>;
  const size_t n = c.stream.index.size();
  std::mt19937_64 random(width);
  std::vector<Element<S>> values(n * width);
  for (Element<S>& x : values) x = any_value<T, S>(random);
  std::vector<Element<N>> got(size_t(c.stream.bins) * width + 2);  // with one before and one behind
  for (Element<N>& x : got) x = any_value<T, N>(random);
  if (is_short<N>) got.front() = got.back() = Element<N>(0x7f81);  // which no addition leaves
  std::vector<uint32_t> order(n);
  for (size_t u = 0; u < n; ++u) order[u] = uint32_t(n - 1 - u);
  std::vector<uint32_t> index = c.stream.index;
  index.push_back(c.stream.bins);  // out of range
  uint32_t wrong = 0;
  const std::vector<Element<N>> first = got;
  std::vector<SumOf<N>> want = numbers_in<N>(got);
  for (size_t u = 0; u < n; ++u) {
    const size_t place = ordered ? order[u] : u;
    for (uint32_t j = 0; j < width && index[u] != 7; ++j) {
      auto& target = want[size_t(index[u]) * width + j + 1];
      target = after<T>(target, SumOf<N>(number_in<S>(values[place * width + j])));
    }
  }
  const RowIndex rows{index.data(), &wrong, 7, c.stream.bins, sizeof(uint32_t), true};
  const auto given = read_as<S>(values);
  update(Rows<T, std::decay_t<decltype(given)>>{
      reinterpret_cast<Element<T>*>(got.data() + 1), rows, given,
      ordered ? order.data() : nullptr, n, width, got.size() - 2});
  const std::string what = c.name + ", width " + std::to_string(width) + ", " + how;
  expect(same_numbers(numbers_in<N>(got), want), what + ": wrong targets");
  const auto same = [](const Element<N>& x, const Element<N>& y) {
    return std::memcmp(&x, &y, sizeof x) == 0;
  };
  expect(same(got.front(), first.front()) && same(got.back(), first.back()), what + ": a neighbour");
  expect(wrong == 0, what + ": an error");
}

// check_rows makes the updates of a case with pieces of V.
template <int V, bool hot, typename T, typename S>
void check_rows(const Case& c, uint32_t width, bool ordered, unsigned blocks) {
  const RowTable table{hot ? slots : 0, blocks > 1 ? 1024u : 0u, c.tags.empty() ? nullptr : c.tags.data()};
  const uint32_t most = V << rows::lane_bits(width, V);
  const size_t bytes = table.bytes(std::min(width, most), 1, sizeof(SumOf<T>));
  std::vector<double> shared(bytes / sizeof(double) + 1, 77);
  const std::string how = "pieces of " + std::to_string(V) + (hot ? ", hot" : "");
  check_updates<T, S>(c, width, ordered, how, [&](const auto& call) {
    gridDim.y = (width + most - 1) / most;
    for (blockIdx.y = 0; blockIdx.y < gridDim.y; ++blockIdx.y) {
      run(blocks, [&] { rows_update<V, hot>(call, table, shared.data()); });
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

template <int V, typename T, typename S>
void check_shape(const std::vector<Case>& cases, uint32_t width) {
  for (const Case& c : cases) {
    check_rows<V, false, T, S>(c, width, false, 1);
    check_rows<V, true, T, S>(c, width, false, 3);
    check_rows<V, false, T, S>(c, width, true, 2);
    check_rows<V, true, T, S>(c, width, false, 1);
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
  check_shape<1, float, float>(cases, 1);
  check_shape<2, float, float>(cases, 2);
  check_shape<1, float, float>(cases, 3);
  check_shape<4, float, float>(cases, 8);
  check_shape<4, float, float>(cases, 28);
  check_shape<4, float, float>(cases, 128);
  check_shape<4, float, float>(cases, 260);
  check_shape<2, float, float>(cases, 66);
  for (const uint32_t width : {1u, 3u, 32u, 100u}) check_elements<float, float>(cases, width);
}

// check_wide has targets of 32 or 64 bits, where W of them are a piece.
template <typename T, int W = 16 / sizeof(Element<T>)>
void check_wide(const std::vector<Case>& cases) {
  using N = NumberIn<T>;
  check_shape<W, T, N>(cases, 3 * W);
  check_shape<1, T, N>(cases, 2);
  check_elements<T, N>(cases, 5);
}

// check_short has targets and values of 16 bits.
template <typename T>
void check_short(const std::vector<Case>& cases) {
  using N = NumberIn<T>;
  check_shape<8, T, N>(cases, 32);
  check_shape<4, T, N>(cases, 4);
  check_shape<2, T, N>(cases, 2);
  check_shape<1, T, N>(cases, 3);
  check_shape<1, T, N>(cases, 1);
  check_elements<T, N>(cases, 5);
}

template <typename N>
void check_extremes(const std::vector<Case>& cases) {
  if constexpr (is_short<N>) {
    check_short<Extremes<N, Extreme::least>>(cases);
    check_short<Extremes<N, Extreme::greatest>>(cases);
  } else {
    check_wide<Extremes<N, Extreme::least>>(cases);
    check_wide<Extremes<N, Extreme::greatest>>(cases);
  }
}

// Sums of bfloat16 below 256 are exact.
void check_types(std::mt19937& random) {
  std::vector<Case> cases;
  const Stream s = random_stream(random, 90, 40);
  cases.push_back({"mixed", s, hot_tags(s)});
  check_shape<4, float, __nv_bfloat16>(cases, 32);
  check_shape<4, float, __half>(cases, 32);
  check_shape<4, Extremes<float, Extreme::least>, __nv_bfloat16>(cases, 32);
  check_elements<float, __nv_bfloat16>(cases, 40);
  check_short<__nv_bfloat16>(cases);
  check_short<__half>(cases);
  check_wide<uint32_t>(cases);
  check_wide<unsigned long long>(cases);
  check_wide<double>(cases);
  check_extremes<float>(cases);
  check_extremes<double>(cases);
  check_extremes<int32_t>(cases);
  check_extremes<uint32_t>(cases);
  check_extremes<long long>(cases);
  check_extremes<unsigned long long>(cases);
  check_extremes<__half>(cases);
  check_extremes<__nv_bfloat16>(cases);
}

// check_fixed: sums in fixed point are the same bits whatever the shape and the launch, and near
// the exact ones.
template <typename N>
void check_fixed(std::mt19937_64& random) {
  using Total = FixedSum<fixed_words<N>>;
  const uint32_t width = 6, bins = 9, n = 120;
  std::vector<uint32_t> index(n), tags;
  std::vector<N> values(n * width), exact(bins * width);
  for (uint32_t& i : index) i = random() % 2 ? 3 : uint32_t(random() % bins);
  for (N& v : values) v = std::uniform_real_distribution<N>(-1, 2)(random);
  for (size_t k = 0; k < values.size(); ++k) exact[index[k / width] * width + k % width] += values[k];
  tags = hot_tags({index, bins});
  uint32_t top = 0;
  run(1, [&] { find_top(&top, Loaded<N>{values.data()}, values.size()); });
  const auto fixed = fixed_point<N>(Loaded<N>{values.data()}, &top, n);
  const auto made = [&](auto update) {
    std::vector<Total> sums(exact.size(), Total(0));
    update(Rows<Total, std::decay_t<decltype(fixed)>>{
        sums.data(), all_of(index, bins), fixed, nullptr, n, width, sums.size()});
    std::vector<N> result;
    for (const Total& sum : sums) result.push_back(finished(N(0), sum, int(top), fixed_bits(n)));
    return result;
  };
  const RowTable table{slots, 0, tags.data()};
  std::vector<double> shared(table.bytes(width, 1, sizeof(Total)) / sizeof(double) + 1);
  const auto plain = made([](const auto& call) { run(2, [&] { rows_update_elements(call); }); });
  const auto hot = made([&](const auto& call) {
    run(3, [&] { rows_update<1, true>(call, table, shared.data()); });
  });
  expect(plain == hot, "rows in fixed point: other bits");
  for (size_t k = 0; k < exact.size(); ++k) {
    expect(std::fabs(plain[k] - exact[k]) < 1e-4, "rows in fixed point: far off");
  }
}

// check_rounding: the nearest of two, to even halfway, for every number between neighbours.
template <typename N>
void check_rounding() {
  const auto bits_of_sum = [](float x) { return uint16_t(rows::pair_of<N>(x, 0)); };
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    const float x = number_in<N>(uint16_t(bits));
    if (x != x) {
      const float got = number_in<N>(bits_of_sum(x));
      expect(got != got, "a NaN becomes " + std::to_string(got));
      continue;
    }
    expect(bits_of_sum(x) == bits, "not its own: " + std::to_string(bits));
    const float next = number_in<N>(uint16_t(bits + 1));
    if (!std::isfinite(x) || !std::isfinite(next)) continue;
    const float middle = float((double(x) + double(next)) / 2), even = bits % 2 ? next : x;
    expect(bits_of_sum(std::nextafter(middle, x)) == bits, "rounded up");
    expect(number_in<N>(bits_of_sum(middle)) == even, "not to even");
    expect(bits_of_sum(std::nextafter(middle, next)) == bits + 1, "rounded down");
  }
  const float infinity = std::numeric_limits<float>::infinity();
  const float most = number_in<N>(std::is_same_v<N, __half> ? 0x7bff : 0x7f7f);
  const float step = most - number_in<N>(std::is_same_v<N, __half> ? 0x7bfe : 0x7f7e);
  const float beyond = most + step / 2;
  expect(number_in<N>(bits_of_sum(beyond)) == infinity, "no infinity");
  expect(number_in<N>(bits_of_sum(std::nextafter(beyond, 0.0f))) == most, "infinity too soon");
}

// check_neighbours: an element of 16 bits is updated alone. The other half of its word keeps its bits,
// those of -0 too.
template <typename T>
void check_neighbours(float by, float want) {
  using N = NumberIn<T>;
  for (const uint16_t other : {0x8000, 0x0000, 0x0001, 0xbf80, 0xfc00}) {
    for (size_t k = 0; k < 5; ++k) {
      alignas(4) uint16_t word[5];
      std::fill(word, word + 5, other);
      word[k] = element_of<N>(2);
      const Piece<1, SumOf<T>> piece{{rows::as_sum<SumOf<T>>(by)}};
      run(1, [&] {
        if (threadIdx.x == 0) add_piece<T>(word + k, piece, Bounds<uint16_t>{word, word + 5});
      });
      for (size_t j = 0; j < 5; ++j) {
        expect(j == k ? number_in<N>(word[j]) == want : word[j] == other,
               "element " + std::to_string(j) + " after an update of " + std::to_string(k));
      }
    }
  }
}

// check_atomics: a run is added once, and rows of the table at the end alone.
void check_atomics() {
  const uint32_t width = 128, n = 64;
  const Stream constant{std::vector<uint32_t>(n, 5), 8};
  const std::vector<float> values(n * width, 1);
  for (const bool hot : {false, true}) {
    std::vector<float> A(8 * width);
    const std::vector<uint32_t> tags = hot_tags(constant);
    const RowTable table{hot ? slots : 0, 0, tags.data()};
    std::vector<float> shared(table.bytes(width, 1, sizeof(float)) / sizeof(float) + 1);
    const Rows<float, Loaded<float>> call{
        A.data(), all_of(constant.index, 8), {values.data()}, nullptr, n, width, 8 * width};
    the_warp.watch(A.data(), A.data() + A.size());
    run(2, [&] {
      hot ? rows_update<4, true>(call, table, shared.data())
          : rows_update<4, false>(call, table, shared.data());
    });
    expect(the_warp.watched == 2 * width, "one addition of each block and element");
  }
}

// check_index: indices of any size, with the highest ignored or an error.
template <typename I>
void check_index() {
  const std::vector<I> index{3, I(-1), 0, 5, 4};
  const std::string of = "indices of " + std::to_string(sizeof(I)) + " bytes: ";
  for (const bool ignores : {false, true}) {
    uint32_t error = 0;
    const RowIndex rows{index.data(), &error, ignores ? I(-1) : ~0ull, 5, sizeof(I), ignores};
    expect(rows.target(rows.load(1)) == no_target && error == !ignores, of + "the highest");
    error = 0;
    uint64_t word[4] = {9, 9, 9, 9};
    rows.load(word, 0, 2, 3);
    expect(word[0] == 3 && word[1] == 0 && word[2] == 4 && word[3] == 9, of + "every second");
    expect(rows.target(word[2]) == 4 && error == 0, of + "the last target");
    expect(rows.target(rows.load(3)) == no_target && error == 1, of + "out of range");
    if (ignores) continue;
    RowIndex wraps = rows;
    wraps.wraps = true, error = 0;
    expect(wraps.target(wraps.load(1)) == 4 && error == 0, of + "from the end");
    expect(wraps.target(wraps.load(3)) == no_target && error == 1, of + "beyond the end");
    wraps.bins = 0, error = 0;
    expect(wraps.target(wraps.load(1)) == no_target && error == 1, of + "of no rows");
  }
}

// check_cut compares how a call is cut with what package device of Go has in row_shapes.txt: type, type of
// values, width and slots (0: by default) give elements of a piece, columns, slots, threads and bytes.
template <typename T, typename S>
void check_cut(const std::string& type, const std::string& values) {
  using Values = decltype(read_as<S>({}));
  std::ifstream file("test/row_shapes.txt");
  std::string line;
  size_t lines = 0;
  while (std::getline(file, line)) {
    std::istringstream in(line);
    std::string of, by;
    uint32_t width, asked, want[5];
    in >> of >> by >> width >> asked;
    for (uint32_t& x : want) in >> x;
    if (of != type || by != values) continue;
    ++lines;
    uint32_t piece = rows::widest<T, Values>;
    while (width % piece != 0) piece /= 2;
    const uint32_t columns = std::min(width, piece << rows::lane_bits(width, piece));
    const size_t sum = sizeof(SumOf<T>);
    const RowTable table{asked > 0 ? asked : rows::slots_for(rows::columns_of<T, Values>(width), sum),
                         rows::samples, nullptr};
    const unsigned warps = rows::warps_for(table, columns, sum, 227 << 10);
    const size_t bytes = warps > 0 ? table.bytes(columns, warps, sum) : 0;
    const size_t got[] = {piece, columns, table.slots, 32 * warps, bytes};
    expect(in && std::equal(want, want + 5, got), "cut otherwise than: " + line);
  }
  expect(lines == 14, type + ": " + std::to_string(lines) + " lines");
}

}  // namespace

int main() {
  std::mt19937 random(18);
  std::mt19937_64 values(18);
  check_rounding<__half>();
  check_rounding<__nv_bfloat16>();
  check_shapes(make_cases(random));
  check_types(random);
  check_fixed<float>(values);
  check_fixed<double>(values);
  check_neighbours<__half>(3, 5);
  check_neighbours<__nv_bfloat16>(3, 5);
  check_neighbours<Extremes<__half, Extreme::least>>(-3, -3);
  check_neighbours<Extremes<__nv_bfloat16, Extreme::greatest>>(3, 3);
  check_atomics();
  check_index<uint8_t>();
  check_index<uint16_t>();
  check_index<uint32_t>();
  check_index<uint64_t>();
  check_cut<float, float>("f32", "f32");
  check_cut<float, __nv_bfloat16>("f32", "bf16");
  check_cut<double, double>("f64", "f64");
  check_cut<unsigned long long, unsigned long long>("u64", "u64");
  check_cut<Extremes<double, Extreme::least>, double>("f64", "f64");
  check_cut<Extremes<long long, Extreme::greatest>, long long>("u64", "u64");
  check_cut<Extremes<__nv_bfloat16, Extreme::least>, __nv_bfloat16>("bf16", "bf16");
  check_cut<__nv_bfloat16, __nv_bfloat16>("bf16", "bf16");
  the_warp.interleave(18);
  check_shapes(make_cases(random));
  check_types(random);
  return verdict("rows_test", 521000);
}
