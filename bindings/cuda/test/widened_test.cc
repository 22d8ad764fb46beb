// Tests of values of 16 bits that are added as floats: each of the 65,536 words of both
// formats, and calls with them on an emulated warp. Run by `make test`.
#include "warp_emulator.h"

#include "atomtune_deterministic.cuh"
#include "atomtune_extremes.cuh"
#include "atomtune_stream.cuh"
#include "atomtune_widened.cuh"

#include "emulated_grid.h"
#include "extreme_values.h"
#include "short_floats.h"

namespace {

std::vector<uint16_t> all_words() {
  std::vector<uint16_t> words(65536);
  for (size_t k = 0; k < words.size(); ++k) words[k] = uint16_t(k);
  return words;
}

template <typename V>
Widened<V> widened(const std::vector<uint16_t>& words) {
  return {reinterpret_cast<const V*>(words.data())};
}

// check_words compares bits; of a NaN that it is one.
template <typename V, typename Number>
void check_words(const char* name, Number number) {
  const std::vector<uint16_t> words = all_words();
  long numbers = 0;
  for (size_t k = 0; k < words.size(); ++k) {
    const float got = widened<V>(words)[k], want = number(words[k]);
    numbers += got == got;
    expect(bits_of(got) == bits_of(want), std::string(name) + " " + std::to_string(k));
  }
  // A NaN has an exponent of ones, and any fraction but 0.
  const long fractions = std::is_same_v<V, __half> ? 1 << 10 : 1 << 7;
  expect(numbers == 65536 - 2 * (fractions - 1), std::string(name) + ": numbers");
}

// check_calls adds words of small numbers, and takes the least of any words.
template <typename V, typename Number>
void check_calls(const char* name, Number number) {
  std::mt19937 random(16);
  const Stream s = random_stream(random, 301, 20);
  std::vector<uint16_t> words(s.index.size());
  // Numbers of 1/4 to 4 with few bits of fraction.
  const uint16_t one = std::is_same_v<V, __half> ? 0x3c00 : 0x3f80;
  for (uint16_t& word : words) word = uint16_t(one + (int(random() % 5) - 2) * 0x80);
  std::vector<float> got(s.bins, 3.0f), want = got;
  for (size_t u = 0; u < words.size(); ++u) want[s.index[u]] += number(words[u]);
  run(2, [&] {
    global_update<Match, 2>(got.data(), s.index.data(), widened<V>(words), words.size());
  });
  expect(got == want, std::string(name) + ": global_update");

  using E = Least<float>;
  for (uint16_t& word : words) word = uint16_t(random());
  for (size_t u = 0; u < words.size(); ++u) {
    float& least = want[s.index[u]];
    least = extreme_of(Extreme::least, least, number(words[u]));
  }
  run(2, [&] {
    const auto values = SeenAs<E, Widened<V>>{widened<V>(words)};
    global_update<Match>(E::array(got.data()), s.index.data(), values, words.size());
  });
  expect(same_numbers(got, want), std::string(name) + ": Least");
}

// check_deterministic adds words that cancel but for one, far below them.
void check_deterministic() {
  const std::vector<uint16_t> words{0x7bff, 0x0001, 0xfbff};  // 65504, 2^-24, -65504
  const auto values = widened<__half>(words);
  uint32_t top = 0;
  run(1, [&] { find_scale(&top, values, words.size()); });
  const auto fixed = fixed_point<float>(values, &top, words.size());
  const auto sum = fixed[0] + fixed[1] + fixed[2];
  expect(finished(0.0f, sum, int(top), fixed.bits) == std::ldexp(1.0f, -24),
         "fixed_point of Widened");
}

}  // namespace

int main() {
  check_words<__half>("half", half_number);
  check_words<__nv_bfloat16>("bfloat16", bfloat16_number);
  check_calls<__half>("half", half_number);
  check_calls<__nv_bfloat16>("bfloat16", bfloat16_number);
  check_deterministic();
  return verdict("widened_test", 131079);
}
