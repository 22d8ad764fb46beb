// Tests of the table of hot targets on an emulated grid: sums and atomics of every form
// against a serial count, tags from known frequencies and from a sample against plain
// ones. Run by `make test`.
#include "warp_emulator.h"

#include "atomtune_hot_tags.cuh"
#include "atomtune_scatter.cuh"

#include <map>
#include <set>

#include "emulated_grid.h"

namespace {

constexpr uint32_t slots = 16;

uint32_t slot_of(uint32_t target, uint32_t table) {
  const uint64_t hash = uint64_t(target) * 2654435761u % (uint64_t(1) << 32);
  return uint32_t(hash * table >> 32);
}

// moved is the stream with targets from first on.
Stream moved(Stream s, uint32_t first) {
  for (uint32_t& i : s.index) i += first;
  return s;
}

// Atomics are those that plain updates make: of the hits none on A before the flush,
// which makes one for each block and target that was hit there.
struct Atomics {
  long on_targets = 0, on_copies = 0;
};

// plain_atomics counts them, where a warp adds each of its targets once or every update.
Atomics plain_atomics(const Stream& s, const std::vector<uint32_t>& tags, unsigned blocks,
                      bool once) {
  std::set<std::pair<size_t, uint32_t>> added, flushed;
  Atomics atomics;
  for (size_t u = 0; u < s.index.size(); ++u) {
    const uint32_t i = s.index[u];
    if (once && !added.insert({u / 32, i}).second) continue;
    const bool hit = tags[slot_of(i, slots)] == i;
    ++(hit ? atomics.on_copies : atomics.on_targets);
    if (hit && flushed.insert({u / 32 % blocks, i}).second) ++atomics.on_targets;
  }
  return atomics;
}

// Case is a stream of targets from first on, and a table.
struct Case {
  std::string name;
  Stream stream;
  uint32_t first;
  std::vector<uint32_t> tags;
};

// check_hot runs one form, and compares the targets and, of forms whose atomics can be
// told, their number.
template <typename Form, int unroll, typename T, typename Values>
void check_hot(const Case& c, Values values, unsigned blocks, uint32_t copies) {
  const Stream moved_back = moved(c.stream, 0 - c.first);
  const std::vector<T> want = serial<T>(moved_back, values);
  std::vector<T> A(c.stream.bins, T(3));
  const HotTable table{slots, copies, c.tags.data()};
  std::vector<double> shared(table.bytes<T>() / sizeof(double) + 1, 77);
  the_warp.watch(A.data(), A.data() + A.size());
  run(blocks, [&] {
    hot_update<Form, unroll>(A.data() - c.first, c.stream.index.data(), values,
                             c.stream.index.size(), table, shared.data());
  });
  const std::string what = "hot_update of " + c.name;
  expect(A == want, what + ": wrong sums");
  if (std::is_same_v<Form, Naive> || std::is_same_v<Form, Match>) {
    const Atomics plain =
        plain_atomics(c.stream, c.tags, blocks, std::is_same_v<Form, Match>);
    expect(the_warp.watched == plain.on_targets, what + ": atomics on the targets");
    expect(the_warp.atomics - the_warp.watched == plain.on_copies,
           what + ": atomics on the copies");
  }
}

template <typename T, typename Values>
void check_forms(const Case& c, Values values) {
  for_each_form([&](auto form) {
    using Form = decltype(form);
    check_hot<Form, 1, T>(c, values, 1, 1);
    check_hot<Form, 1, T>(c, values, 3, 5);
    check_hot<Form, 4, T>(c, values, 2, 32);
  });
}

template <typename T>
void check_type(const std::vector<Case>& cases) {
  for (const Case& c : cases) {
    const std::vector<T> values = make_values<T>(c.stream);
    check_forms<T>(c, Loaded<T>{values.data()});
    check_forms<T>(c, Ones{});
  }
}

std::vector<uint32_t> known_tags(const Stream& s) {
  std::map<uint32_t, size_t> count;
  for (uint32_t i : s.index) ++count[i];
  return fill_hot_tags(std::vector<TargetCount>(count.begin(), count.end()), slots);
}

// make_cases has for each stream a table of its frequent targets, an empty one, one of
// targets that the stream has not, and one that all of the updates hit.
std::vector<Case> make_cases(std::mt19937& random) {
  std::vector<Case> cases;
  for (const Stream& s : emulated_streams(random)) {
    const uint32_t first = no_target - s.bins;  // the last target is 2^32 - 2
    cases.push_back({"known targets", s, 0, known_tags(s)});
    cases.push_back({"high targets", moved(s, first), first, known_tags(moved(s, first))});
    cases.push_back({"misses", s, 0, std::vector<uint32_t>(slots, no_target)});
    std::vector<uint32_t> others(slots, no_target), all = others;
    for (uint32_t k = 0; k < s.bins; ++k) {
      all[slot_of(k, slots)] = k;
      others[slot_of(s.bins + k, slots)] = s.bins + k;
    }
    cases.push_back({"targets of another stream", s, 0, others});
    Stream hits = s;
    for (uint32_t& i : hits.index) i = all[slot_of(i, slots)];
    cases.push_back({"hits", hits, 0, all});
  }
  return cases;
}

// check_array demands of add_to what Form::add does, atomic by atomic.
template <typename Form>
void check_array(const Stream& s, unsigned blocks) {
  const std::vector<float> values = make_values<float>(s);
  std::vector<float> A(s.bins, 3), B = A;
  const Loaded<float> loaded{values.data()};
  the_warp.atomics = 0;
  run(blocks, [&] {
    global_update<Form>(A.data(), s.index.data(), loaded, s.index.size());
  });
  const long want = the_warp.atomics;
  the_warp.atomics = 0;
  run(blocks, [&] {
    const ArrayTarget<float> target{B.data()};
    for_each_update<1>(whole_grid(), s.index.data(), loaded, s.index.size(),
                       AddToTarget<Form, ArrayTarget<float>>{target});
  });
  expect(A == B, "add_to: wrong sums");
  expect(the_warp.atomics == want, "add_to: other atomics than the form's");
}

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
                 "24 slots are no power of two from 16 to 65536");
  expect_refused([] { fill_hot_tags(std::vector<size_t>{1}, 8); },
                 "8 slots are no power of two from 16 to 65536");
  expect_refused([] { fill_hot_tags(std::vector<TargetCount>{{no_target, 1}}, 16); },
                 "target 4294967295 is the tag of an empty slot");
}

// Sampled is a table that was filled by a sample, and the targets that were sampled.
struct Sampled {
  std::vector<uint32_t> tags;
  std::set<uint32_t> targets;
};

// plain_sample does what sample_hot says, with counts in a map.
Sampled plain_sample(const std::vector<uint32_t>& index, HotSample sample,
                     uint32_t blocks) {
  std::vector<uint32_t> read;
  const size_t n = index.size();
  for (size_t j = 0; n <= sample.samples && j < n; ++j) read.push_back(index[j]);
  for (size_t j = 0; n > sample.samples && j < sample.samples; ++j) {
    read.push_back(index[j * n / sample.samples]);
  }
  const uint32_t each = sample.slots / blocks;
  const auto counter = [&](uint32_t target) {
    const uint32_t hash = target * 2246822519u;
    return std::pair(slot_of(target, sample.slots) / each, uint64_t(hash) * 8 * each >> 32);
  };
  std::map<std::pair<uint32_t, uint64_t>, uint32_t> count;
  for (uint32_t target : read) ++count[counter(target)];
  Sampled result{std::vector<uint32_t>(sample.slots, no_target),
                 {read.begin(), read.end()}};
  std::vector<uint32_t> best(sample.slots, 1);
  for (uint32_t target : read) {  // in their order: ties go to the earliest
    const uint32_t slot = slot_of(target, sample.slots), c = count[counter(target)];
    if (c <= best[slot]) continue;
    best[slot] = c;
    result.tags[slot] = target;
  }
  return result;
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
  const std::vector<Case> cases = make_cases(random);
  check_bytes();
  check_fill(random);
  check_samples(random);
  for (const Stream& s : emulated_streams(random)) {
    for_each_form([&](auto form) { check_array<decltype(form)>(s, 2); });
  }
  check_type<uint32_t>(cases);
  check_type<float>(cases);
  check_type<unsigned long long>(cases);
  check_type<double>(cases);
  return verdict("hot_test", 9000);
}
