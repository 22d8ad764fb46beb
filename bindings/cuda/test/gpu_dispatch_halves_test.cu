// Calls on a GPU with values of 16 bits that are added as floats: sums by the device's tree and by
// every form, old values, and sums that are the same on every run.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "float_updates.h"
#include "gpu_dispatch.cuh"
#include "short_floats.h"

using namespace atomtune;

namespace {

// Halves are a stream with values of 16 bits, and the numbers that they are.
struct Halves {
  std::vector<uint32_t> targets;
  std::vector<uint16_t> words;
  std::vector<float> numbers;
};

// halves has numbers below 2 of both signs: the highest bit of the exponent is not set. The bits
// of least are: a float that is subnormal may be lost by an atomic on global memory.
template <typename Number>
Halves halves(std::mt19937_64& random, size_t n, uint32_t bins, unsigned least,
              Number number) {
  Halves h{random_indices(random, n, bins), std::vector<uint16_t>(n), std::vector<float>(n)};
  for (size_t k = 0; k < n; ++k) {
    h.words[k] = uint16_t((random() & 0xbfffu) | least);
    h.numbers[k] = float(number(h.words[k]));
  }
  return h;
}

// sums are those of a call on targets of float that are cleared.
template <typename V, typename Options>
std::vector<float> sums(const Halves& h, uint32_t bins, const Options& options) {
  const DeviceArray<int64_t> index(indices_of<int64_t>(h.targets));
  const DeviceArray<uint16_t> words(h.words);
  const Guarded<float> out(std::vector<float>(bins, 77.f));
  finish([&](void* memory, size_t& bytes) {
    return scatter_add(memory, bytes, out.data(), bins, index.data(),
                       reinterpret_cast<const V*>(words.data()), h.words.size(), nullptr,
                       options);
  });
  return out.read("values of 16 bits");
}

template <typename V, typename Number>
void check_sums(std::mt19937_64& random, const std::string& name, unsigned least,
                Number number) {
  for (uint32_t bins : {1u, 3000u, 200000u}) {
    const size_t n = std::min<size_t>(work.updates(), 200000);
    const Halves h = halves(random, n, bins, least, number);
    const std::vector<Total> totals = totals_of(h.targets, h.numbers, bins);
    const std::string what = name + " added to " + std::to_string(bins) + " floats";
    CallOptions options;
    options.clear = true;
    expect_totals(sums<V>(h, bins, options), totals, 0.f, what);
    for (const Action& action : all_actions()) {
      const OneAction one(action);
      const DispatchTree tree = one.tree(true);
      options.tree = &tree;
      expect_totals(sums<V>(h, bins, options), totals, 0.f, what + " by " + action.name);
    }
  }
}

// check_same_bits demands the same bits of sums in another order too.
void check_same_bits(std::mt19937_64& random) {
  const uint32_t bins = 500;
  Halves h = halves(random, work.updates() / 4, bins, 0, half_number);
  CallOptions options;
  options.clear = true;
  const std::vector<float> first = sums<__half>(h, bins, deterministic(options));
  expect_totals(first, totals_of(h.targets, h.numbers, bins), 0.f, "deterministic halves");
  std::reverse(h.targets.begin(), h.targets.end());
  std::reverse(h.words.begin(), h.words.end());
  const std::vector<float> again = sums<__half>(h, bins, deterministic(options));
  bool same = true;
  for (size_t k = 0; k < bins; ++k) same = same && bits_of(first[k]) == bits_of(again[k]);
  expect(same, "deterministic halves have other bits in another order");
}

// check_old has words that are 1, 2, 3 and 4 as halves: sums of them are exact.
void check_old(std::mt19937_64& random) {
  const uint32_t bins = 300;
  const uint16_t exact[] = {0x3c00, 0x4000, 0x4200, 0x4400};
  const std::vector<uint32_t> targets = random_indices(random, 20000, bins);
  std::vector<uint16_t> words;
  std::vector<float> numbers;
  for (size_t k = 0; k < targets.size(); ++k) {
    words.push_back(exact[random() % 4]);
    numbers.push_back(float(half_number(words.back())));
  }
  const DeviceArray<int64_t> index(indices_of<int64_t>(targets));
  const DeviceArray<uint16_t> loaded(words);
  const DeviceArray<float> out(std::vector<float>(bins, 0.f)), old(targets.size());
  finish([&](void* memory, size_t& bytes) {
    return fetch_add(memory, bytes, out.data(), bins, index.data(),
                     reinterpret_cast<const __half*>(loaded.data()), old.data(),
                     targets.size());
  });
  expect_explained(out.to_host(), targets, numbers, old.to_host(), 0.f,
                   "fetch_add of halves");
}

}  // namespace

void test_halves() {
  std::mt19937_64 random(31);
  check_sums<__half>(random, "halves", 0, half_number);
  check_sums<__nv_bfloat16>(random, "bfloat16", 0x2000, bfloat16_number);
  check_same_bits(random);
  check_old(random);
}
