// Tests of what bench does on the host: the scatter layout, the test for grouped
// streams and the verdict on a result. Run by `make test`.
#include <algorithm>
#include <cstdio>
#include <random>

#include "reference.cuh"
#include "stream.cuh"

namespace {

int failures = 0;
long checks = 0;

void expect(bool ok, const char* what) {
  ++checks;
  if (ok) return;
  ++failures;
  std::fprintf(stderr, "FAIL %s\n", what);
}

Stream make_stream(std::vector<uint32_t> index, uint32_t bins) {
  Stream stream;
  stream.index = std::move(index);
  stream.bins = bins;
  stream.grouped = is_grouped(stream.index, bins);
  return stream;
}

// plain_layout is [egielski14] Algorithm 3 as printed, with sets as queues.
std::vector<uint32_t> plain_layout(const Stream& stream) {
  std::vector<std::vector<uint32_t>> sets(stream.bins);
  for (size_t u = stream.updates(); u-- > 0;) sets[stream.index[u]].push_back(u);
  std::vector<uint32_t> layout;
  while (layout.size() < stream.updates()) {
    for (std::vector<uint32_t>& set : sets) {
      if (set.empty()) continue;
      layout.push_back(set.back());
      set.pop_back();
    }
  }
  return layout;
}

void test_layout() {
  const Stream example = make_stream({0, 0, 0, 2, 2, 3}, 4);
  expect(scatter_layout(example) == std::vector<uint32_t>{0, 3, 5, 1, 4, 2},
         "scatter_layout takes one update of each target in turn");
  std::mt19937 random(3);
  for (uint32_t bins : {1u, 2u, 7u, 100u, 5000u}) {
    for (size_t updates : {1u, 31u, 1000u}) {
      std::vector<uint32_t> index(updates);
      for (uint32_t& i : index) i = std::min(random() % bins, random() % bins);
      const Stream stream = make_stream(index, bins);
      expect(scatter_layout(stream) == plain_layout(stream),
             "scatter_layout agrees with Algorithm 3");
    }
  }
}

void test_grouped() {
  expect(is_grouped({3, 3, 1, 0, 0}, 4), "groups need not ascend");
  expect(!is_grouped({3, 1, 3}, 4), "a returning target is not grouped");
  expect(is_grouped({2}, 3), "one update is grouped");
}

void test_verdict() {
  expect(close_enough<int32_t>(-1, 0xffffffffu, 1), "integers agree modulo 2^32");
  expect(!close_enough<uint32_t>(6, 7, 3), "integers agree exactly");
  expect(!close_enough<float>(6, 7, 3), "small float sums agree exactly");
  expect(!close_enough<float>(0.0f, 7, 3), "a missing sum is wrong");
  const uint64_t large = uint64_t(1) << 25;
  expect(close_enough<float>(float(large) + 4, large, 1 << 20), "large sums may round");
  expect(!close_enough<float>(float(large) * 1.1f, large, 1 << 20),
         "large sums may round by their bound only");
  expect(close_enough<double>(double(large), large, 1 << 24), "doubles agree exactly");
  expect(!close_enough<double>(double(large) + 1, large, 1 << 24),
         "doubles agree exactly below 2^53");
}

void test_reference() {
  const Stream stream = make_stream({1, 1, 0}, 3);
  const Reference ones = make_reference(stream, true);
  expect(ones.sum == std::vector<uint64_t>{1, 2, 0}, "ones are counted");
  const Reference loaded = make_reference(stream, false);
  const std::vector<double> values = make_values<double>(3);
  expect(double(loaded.sum[1]) == values[0] + values[1], "values are summed");
  expect(first_difference(std::vector<double>{values[2], values[0] + values[1], 0},
                          loaded).empty(),
         "a right result has no difference");
  expect(!first_difference(std::vector<double>{values[2], values[0], 0}, loaded).empty(),
         "a wrong result has a difference");
  bool in_range = true;
  for (size_t u = 0; u < 10000; ++u) in_range &= value_of(u) >= 1 && value_of(u) <= 3;
  expect(in_range, "values are 1, 2 or 3");
}

}  // namespace

int main() {
  test_layout();
  test_grouped();
  test_verdict();
  test_reference();
  std::printf("%ld checks, %d failures\n", checks, failures);
  return failures == 0 && checks == 32 ? 0 : 1;
}
