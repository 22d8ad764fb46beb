// Tests of the tags of hot targets on an emulated grid: from known frequencies and from a
// sample, against plain ones. Run by `make test`.
#include "warp_emulator.h"

#include "atomtune_hot_tags.cuh"
#include "atomtune_scatter.cuh"

#include "emulated_grid.h"
#include "plain_sample.h"

namespace {

// plain_tags are those of fill_hot_tags, slot by slot.
std::vector<uint32_t> plain_tags(const std::vector<size_t>& frequency, uint32_t table) {
  std::vector<uint32_t> tags;
  for (uint32_t slot = 0; slot < table; ++slot) {
    uint32_t best = no_target;
    for (uint32_t target = 0; target < frequency.size(); ++target) {
      if (slot_of(target, table) != slot || frequency[target] == 0) continue;
      if (best == no_target || frequency[target] > frequency[best]) best = target;
    }
    tags.push_back(best);
  }
  return tags;
}

template <typename Call>
void expect_refused(Call call, const std::string& words) {
  std::string error;
  try {
    call();
  } catch (const std::invalid_argument& e) {
    error = e.what();
  }
  expect(error == words, "fill_hot_tags refuses: " + words);
}

void check_fill(std::mt19937& random) {
  for (uint32_t table : {16u, 64u, 65536u}) {
    for (uint32_t bins : {0u, 1u, 20u, 500u}) {
      const Stream s = random_stream(random, bins, std::max(bins, 1u));
      std::vector<size_t> count = target_counts(s.index.data(), bins, s.bins);
      const std::vector<uint32_t> tags = fill_hot_tags(count, table);
      if (table < 65536) expect(tags == plain_tags(count, table), "fill_hot_tags");
      for (uint32_t k = 0; k < table; ++k) {
        if (tags[k] == no_target) continue;
        expect(count[tags[k]] > 0 && slot_of(tags[k], table) == k, "fill_hot_tags: slot");
      }
    }
  }
  std::vector<TargetCount> counts{{800, 3}, {300, 3}, {9, 0}, {no_target - 1, 3}};
  const std::vector<uint32_t> tags = fill_hot_tags(counts, 16);
  std::reverse(counts.begin(), counts.end());
  expect(fill_hot_tags(counts, 16) == tags, "fill_hot_tags: the order does not matter");
  expect(tags[slot_of(300, 16)] == 300, "fill_hot_tags: ties go to the lowest");
  expect(std::count(tags.begin(), tags.end(), 9u) == 0, "fill_hot_tags: no update");
  expect_refused([] { fill_hot_tags(std::vector<size_t>{1}, 24); },
                 "24 slots are not a power of two from 16 to 65536");
  expect_refused([] { fill_hot_tags(std::vector<size_t>{1}, 8); },
                 "8 slots are not a power of two from 16 to 65536");
  expect_refused([] { fill_hot_tags(std::vector<TargetCount>{{no_target, 1}}, 16); },
                 "target 4294967295 is the tag of an empty slot");
}

// check_find compares the tags that the device finds with those of the host.
void check_find(std::mt19937& random) {
  for (uint32_t table : {16u, 64u, 1024u}) {
    for (uint32_t bins : {0u, 1u, 20u, 3000u}) {
      for (unsigned blocks : {1u, 3u}) {
        std::vector<uint32_t> count(bins);
        for (uint32_t& c : count) c = random() % 3 * (random() % 4);
        if (bins == 3000) count[2999] = UINT32_MAX;
        std::vector<unsigned long long> best(table);
        std::vector<uint32_t> tags(table, 12345);
        run(blocks, [&] { offer_tags(best.data(), table, count.data(), bins); }, 2);
        run(blocks, [&] { take_tags(tags.data(), best.data(), table); }, 2);
        const std::vector<size_t> frequency(count.begin(), count.end());
        expect(tags == fill_hot_tags(frequency, table), "find_hot_tags");
      }
    }
  }
}

std::vector<uint32_t> emulated_sample(const std::vector<uint32_t>& index,
                                      HotSample sample, uint32_t blocks) {
  std::vector<uint32_t> tags(sample.slots, 12345);
  std::vector<unsigned long long> shared(sample.bytes(blocks) / 8, 77);
  run(blocks, [&] {
    sample_hot(tags.data(), index.data(), index.size(), sample, shared.data());
  });
  return tags;
}

// check_sample takes a stream of which half of the updates, and at least two, have the
// target hot.
void check_sample(const std::vector<uint32_t>& index, uint32_t hot, HotSample sample,
                  uint32_t blocks) {
  const Sampled want = plain_sample(index, sample, blocks);
  const std::vector<uint32_t> tags = emulated_sample(index, sample, blocks);
  expect(tags == want.tags, "sample_hot: wrong tags");
  expect(tags[slot_of(hot, sample.slots)] == hot, "sample_hot: the hot target is missed");
  for (uint32_t k = 0; k < sample.slots; ++k) {
    if (tags[k] == no_target) continue;
    expect(want.targets.count(tags[k]) == 1, "sample_hot: a tag that was not sampled");
    expect(slot_of(tags[k], sample.slots) == k, "sample_hot: a tag in another's slot");
  }
}

void check_samples(std::mt19937& random) {
  for (uint32_t table : {16u, 1024u, 4096u}) {
    for (size_t updates : {5u, 1024u, 1500u, 5000u}) {
      for (uint32_t hot : {0u, 123u, no_target - 1}) {
        std::vector<uint32_t> index(updates);
        for (size_t u = 0; u < updates; ++u) {
          index[u] = u < 2 || random() % 2 ? hot : uint32_t(random() % (no_target - 1));
        }
        std::shuffle(index.begin(), index.end(), random);
        if (updates > 1024) index[0] = hot;
        const HotSample sample{table, 1024};
        for (uint32_t blocks : {sample.blocks(), 1u, 8u}) {
          check_sample(index, hot, sample, blocks);
        }
      }
    }
  }
  const HotSample sample{64, 1024};
  const std::vector<uint32_t> none(64, no_target);
  expect(emulated_sample({}, sample, 1) == none, "sample_hot of nothing");
  expect(emulated_sample({7}, sample, 1) == none, "sample_hot: one sample says nothing");
  std::vector<uint32_t> two = none;
  two[slot_of(7, 64)] = 7;
  expect(emulated_sample({7, 9, 7}, sample, 1) == two, "sample_hot: two samples");
  expect(slot_of(9, 64) != slot_of(7, 64), "two slots");
  expect(HotSample{65536, 1024}.blocks() == 64 && HotSample{16, 1024}.blocks() == 1,
         "HotSample: blocks");
}

void check_bytes() {
  const HotTable one{64, 1, nullptr}, many{64, 32, nullptr};
  expect(one.bytes<float>() == 4 * 64 + 4 * 64, "HotTable: bytes of one copy");
  expect(many.bytes<double>() == 4 * 64 + 32 * 65 * 8, "HotTable: bytes of 32 copies");
  expect(HotSample{65536, 1024}.bytes(64) == 1024 * 40, "HotSample: bytes");
}

}  // namespace

int main() {
  std::mt19937 random(20260101);
  check_bytes();
  check_fill(random);
  check_find(random);
  check_samples(random);
  return verdict("hot_tags_test", 3000);
}
