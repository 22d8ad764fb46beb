// Tests of the call that decides by a sample, on an emulated grid: the features against a
// plain count, the leaf, and sums and old values of every form behind the switch. Run by
// `make test`.
#include "warp_emulator.h"

#include <map>
#include <set>

#include "atomtune_cut.cuh"
#include "atomtune_index.cuh"

#include "emulated_grid.h"
#include "serial_order.h"

namespace {

constexpr unsigned threads = 32;

// An index to ignore that a type does not have stands for none.
constexpr int64_t beyond = int64_t(1) << 32;
static_assert(ignorable<int32_t>(INT32_MAX) && ignorable<int32_t>(-100) && ignorable<uint32_t>(-1) &&
              ignorable<uint32_t>(UINT32_MAX) && ignorable<int64_t>(beyond + 7) &&
              ignorable<uint64_t>(beyond + 7));
static_assert(!ignorable<int32_t>(beyond + 7) && !ignorable<int32_t>(UINT32_MAX) &&
              !ignorable<uint32_t>(beyond + 7) && !ignorable<uint32_t>(-100));

// Plain is what a sample tells, counted with sets and maps.
std::vector<uint64_t> plain_features(const std::vector<uint32_t>& index, unsigned bytes) {
  const uint64_t whole = index.size() / 32;
  std::vector<uint64_t> f(feature_count);
  const auto bin = [](uint32_t key) {
    uint32_t hash = key * 2246822519u;
    hash = (hash ^ hash / (1u << 15)) * 2654435769u;
    return hash / (1u << 26);
  };
  std::map<uint32_t, std::set<uint64_t>> warps;
  for (uint64_t j = 0; j < std::min<uint64_t>(whole, 64); j += 2) {
    const uint64_t golden = j * 2654435769u % (uint64_t(1) << 32);
    const auto within = static_cast<unsigned __int128>(golden) * whole >> 32;
    const uint32_t* const lanes =
        index.data() + 32 * (whole <= 64 ? j : (j * whole + uint64_t(within)) / 64);
    for (int i = 0; i < 32; ++i) warps[uint32_t(lanes[i] * 2246822519u) / (1u << 19)].insert(j);
    if (j % 4 != 0) continue;
    std::set<uint32_t> targets, sectors;
    uint64_t most = 0;
    for (int i = 0; i < 32; ++i) {
      targets.insert(bin(lanes[i]));
      sectors.insert(bin(lanes[i] / (32 / bytes)));
      f[feature_runs] += i == 0 || lanes[i] != lanes[i - 1];
      if (i % 8 == 0) most = std::max<uint64_t>(most, std::count(lanes, lanes + 32, lanes[i]));
    }
    f[feature_distinct] += targets.size();
    f[feature_sectors] += sectors.size();
    f[feature_highest] += most;
    f[feature_full] += most >= 16;
  }
  for (const auto& of : warps) {
    const uint64_t n = of.second.size();
    f[feature_top] = std::max(f[feature_top], n);
    f[feature_pairs] += n * (n - 1) / 2;
    f[feature_repeated] += n - 1;
    ++f[feature_used];
  }
  return f;
}

// sampled_features are those of the emulated block.
std::vector<uint32_t> sampled_features(const std::vector<uint32_t>& index, unsigned bytes) {
  std::vector<uint32_t> counter(sampling::counters, 77), sums(feature_count, 0);
  run(1, [&] {
    StreamSample<threads> sample;
    take_sample(sample, static_cast<const uint32_t*>(index.data()), index.size(), bytes,
                counter.data(), sums.data());
  });
  return sums;
}

std::vector<uint32_t> skewed(std::mt19937& random, size_t n, uint32_t bins) {
  std::vector<uint32_t> index(n);
  for (uint32_t& i : index) i = random() % 3 == 0 ? 5 % bins : random() % bins;
  return index;
}

void check_features(std::mt19937& random) {
  for (size_t n : {1, 31, 32, 33, 256, 300, 2047, 2048, 2049, 5000, 70001}) {
    for (uint32_t bins : {1u, 40u, 3000u, 4000000000u}) {
      for (const bool grouped : {false, true}) {
        std::vector<uint32_t> index = skewed(random, n, bins);
        if (grouped) std::sort(index.begin(), index.end());
        for (unsigned bytes : {4u, 8u}) {
          const std::vector<uint64_t> want = plain_features(index, bytes);
          const std::vector<uint32_t> got = sampled_features(index, bytes);
          for (unsigned k = known_features; k < feature_count; ++k) {
            expect(got[k] == want[k], "feature " + std::to_string(k) + " of " +
                                          std::to_string(n) + " updates of " +
                                          std::to_string(bins));
          }
        }
      }
    }
  }
}

// check_places demands that places are spread over streams of more updates than 32 bits count, too.
void check_places() {
  using Wide = unsigned __int128;
  for (const uint64_t n : {uint64_t(70001), uint64_t(UINT32_MAX), uint64_t(1) << 32, (uint64_t(1) << 32) + 7,
                           (uint64_t(1) << 45) - 1}) {
    for (uint32_t j = 0; j < sampling::warps; ++j) {
      const Wide golden = uint32_t(j * 2654435769u);
      const uint64_t want = uint64_t((j * Wide(n) + (golden * n >> 32)) / sampling::warps);
      expect(sampling::warp_place(j, n) == want,
             "place " + std::to_string(j) + " of " + std::to_string(n) + " warps");
    }
  }
}

// tree_of is a tree of one comparison with two forms.
CutTree tree_of(CutTree::Form left, CutTree::Form right, Feature feature,
                uint32_t threshold) {
  CutTree tree{};
  tree.action_count = 2;
  left.number = 10;
  right.number = 11;
  tree.actions[0] = left;
  tree.actions[1] = right;
  tree.nodes[0] = {threshold, 2, feature, 0};
  tree.nodes[1] = {0, 0, CutTree::leaf, 0};
  tree.nodes[2] = {0, 1, CutTree::leaf, 0};
  return tree;
}

std::vector<CutTree::Form> all_forms() {
  std::vector<CutTree::Form> forms;
  for (Reduction reduction : {Reduction::none, Reduction::sr, Reduction::match}) {
    forms.push_back({Base::global, reduction, 0, 1, 0});
    forms.push_back({Base::copies, reduction, 0, 3, 0});
    forms.push_back({Base::copies, reduction, 0, 10000, 0});
    forms.push_back({Base::hot, reduction, 0, 2, 64});
  }
  forms.push_back({Base::threadprivate, Reduction::none, 0, 1, 0});
  forms.push_back({Base::ranges, Reduction::none, 0, 2, 2});
  return forms;
}

// Indices are a stream's as 64-bit ones, of which some are left out.
struct Indices {
  std::vector<int64_t> given;
  std::vector<bool> made;
  bool outside;
};

Indices with_faults(const Stream& s, std::mt19937& random, bool outside) {
  Indices all{{s.index.begin(), s.index.end()}, std::vector<bool>(s.index.size(), true),
              outside && !s.index.empty()};
  for (size_t u = 0; u < all.given.size(); ++u) {
    const bool ignored = random() % 7 == 0;
    if (ignored) all.given[u] = -100;
    if (outside && u % 5 == 2) {
      const int64_t wrong[] = {int64_t(s.bins), -1, INT64_MAX, INT64_MIN, int64_t(1) << 32};
      all.given[u] = wrong[u / 5 % 5];
    }
    all.made[u] = !ignored && !(outside && u % 5 == 2);
  }
  return all;
}

template <bool Returns, typename T, typename Values>
void check_call(const Stream& s, const Indices& indices, Values values,
                const CutTree::Form& form, bool left, unsigned blocks) {
  const CutTree::Form other{Base::global, Reduction::none, 0, 1, 0};
  CutTree tree = tree_of(left ? form : other, left ? other : form, feature_top, 3000);
  if (!left) tree.nodes[0].threshold = 0;
  std::vector<T> A(s.bins, T(3)), old(s.index.size(), T(88)), want = A;
  for (size_t u = 0; u < s.index.size(); ++u) {
    if (indices.made[u]) want[s.index[u]] += value_at<T>(values, u);
  }
  uint32_t error = 0, chosen = 0;
  const CheckedIndex<unsigned long long> index{
      reinterpret_cast<const unsigned long long*>(indices.given.data()), &error,
      static_cast<unsigned long long>(int64_t(-100)), s.bins, true};
  std::vector<uint64_t> shared(300 * threads + 100);
  const Call<T, CheckedIndex<unsigned long long>, Values> call{
      A.data(), old.data(), index, values, s.index.size(), s.bins,
      uint32_t(shared.size() * 8), &chosen, nullptr};
  std::vector<uint32_t> sums(feature_count);
  run(blocks, [&] {
    decide_and_run<threads, Returns>(call, tree,
                                     reinterpret_cast<unsigned char*>(shared.data()),
                                     sums.data());
  });
  const std::string what = "form " + std::to_string(int(form.base)) + " reduction " +
                           std::to_string(int(form.reduction)) +
                           (Returns ? " with old values" : "");
  expect(A == want, what + ": wrong sums");
  expect(chosen == (left ? 10u : 11u), what + ": wrong leaf");
  if (indices.outside) expect(error == 1, what + ": an index out of range is not told");
  if (!indices.outside) expect(error == 0, what + ": an index out of range is made up");
  if constexpr (Returns) {
    std::vector<std::vector<Step>> steps(s.bins);
    for (size_t u = 0; u < old.size(); ++u) {
      if (!indices.made[u]) {
        expect(old[u] == T(88), what + ": an old value of an update that is left out");
        continue;
      }
      steps[s.index[u]].push_back(
          {to_word(old[u]), to_word(T(old[u] + value_at<T>(values, u)))});
    }
    for (uint32_t k = 0; k < s.bins; ++k) {
      expect(has_serial_order(steps[k], to_word(T(3)), to_word(A[k])),
             what + ": no serial order");
    }
  }
}

// check_calls is the part of the calls with T: each form is called on each stream with one of three
// types, on the next stream with another.
template <typename T>
void check_calls(size_t part, std::mt19937& random) {
  for (const Stream& s : emulated_streams(random)) {
    ++part;
    const std::vector<T> values = make_values<T>(s);
    const Indices indices = with_faults(s, random, random() % 2 == 0);
    for (const CutTree::Form& form : all_forms()) {
      if (++part % 3 != 0) continue;
      const bool left = random() % 2 == 0;
      check_call<false, T>(s, indices, Loaded<T>{values.data()}, form, left, 3);
      if constexpr (std::is_same_v<T, uint32_t>) check_call<false, T>(s, indices, Ones{}, form, left, 2);
      if (form.base == Base::ranges || form.base == Base::threadprivate) continue;
      check_call<true, T>(s, indices, Loaded<T>{values.data()}, form, left, 2);
    }
  }
}

// check_last demands that the last target that indices of a type can name is one, and that what is
// beyond the targets or negative is told.
template <typename I>
void check_last() {
  using Index = CheckedIndex<StoredIndex<I>>;
  using Word = typename Index::Word;
  constexpr uint64_t most = std::min<uint64_t>(std::numeric_limits<I>::max(), no_target - 2);
  for (uint64_t K : {uint64_t(1), uint64_t(5), most, most + 1, uint64_t(no_target - 1)}) {
    uint32_t error = 0;
    const Index index{nullptr, &error, ~Word(0), index_limit<I>(K), false};
    const uint32_t last = uint32_t(std::min(K - 1, most));
    const std::string what = "target " + std::to_string(last) + " of " + std::to_string(K);
    expect(index.target(0) == 0 && index.target(Word(last)) == last && error == 0, what);
    expect(index.target(Word(last) + 1) == no_target && error == 1, what + ": the next one");
    error = 0;
    const I given[] = {I(-1), I(last)};
    const auto* const stored = reinterpret_cast<const StoredIndex<I>*>(given);
    const Index reading{stored, &error, ~Word(0), index_limit<I>(K), false};
    expect(reading.target(reading.load(1)) == last && error == 0, what + ": it is read");
    const bool named = std::is_unsigned_v<I> && uint64_t(I(-1)) == last;  // -1 is the highest
    expect((reading.target(reading.load(0)) == no_target) != named && (error == 0) == named,
           what + ": -1");
    const Index ignoring{stored, &error, Word(stored[0]), index_limit<I>(K), true};
    error = 0;
    expect(ignoring.target(ignoring.load(0)) == no_target && error == 0, what + ": -1 is ignored");
  }
}

// check_tags demands that indices that are left out take no slot from a hot target.
void check_tags() {
  constexpr uint32_t slots = 64, shift = 26;
  uint32_t hot = 1;
  while (hot_slot(hot, shift) != hot_slot(no_target, shift)) ++hot;
  for (size_t n : {400, 2048, 5000}) {
    std::vector<int64_t> given(n, -100);
    for (size_t u = 0; u < n; u += 4) given[u] = hot;
    uint32_t error = 0;
    const CheckedIndex<unsigned long long> index{
        reinterpret_cast<const unsigned long long*>(given.data()), &error,
        static_cast<unsigned long long>(int64_t(-100)), hot + 1, true};
    std::vector<uint32_t> counter(sampling::counters), sums(feature_count), tags(slots),
        best(slots), want(slots, no_target);
    want[hot_slot(hot, shift)] = hot;
    run(1, [&] {
      StreamSample<threads> sample;
      take_sample(sample, index, n, 4, counter.data(), sums.data());
      sample.complete(index, n, counter.data());
      sample.fill_tags(tags.data(), best.data(), slots);
    });
    expect(tags == want && error == 0, "tags of a stream of which most is left out: " + std::to_string(n));
  }
}

// check_crowded demands that frequent targets that want one slot all have one, the most frequent its own.
void check_crowded() {
  constexpr uint32_t slots = 8, shift = 29, n = 6400;
  std::vector<uint32_t> wanting;
  for (uint32_t t = 1; wanting.size() < 3; ++t) {
    if (hot_slot(t, shift) == 5) wanting.push_back(t);
  }
  std::vector<unsigned long long> given(n);
  for (uint32_t u = 0; u < n; ++u) {
    given[u] = u % 32 == 0 ? wanting[0] : u % 64 == 1 ? wanting[1] : u % 96 == 2 ? wanting[2] : 1000 + u;
  }
  uint32_t error = 0;
  const CheckedIndex<unsigned long long> index{given.data(), &error, 0, 1000 + n, false};
  std::vector<uint32_t> counter(sampling::counters), tags(slots), best(slots);
  run(1, [&] {
    using Sample = StreamSample<threads>;
    Sample sample;
    sample.load(0, index, n);
    sample.load(Sample::each, index, n);
    const uint32_t top = sample.note(0, n, counter.data());
    expect(__syncthreads_or(top >= 32) && !__syncthreads_or(top > 32), "crowded: the top");
    sample.note(Sample::each, n, counter.data());
    sample.read(counter.data());
    sample.clear_tags(tags.data(), best.data(), slots);
    sample.place_tags<most_slots_tried>(tags.data(), best.data(), slots, 4);
  });
  expect(tags[5] == wanting[0], "crowded: the slot of the most frequent");
  for (const uint32_t target : wanting) {
    expect(tags[find_slot(tags.data(), target, shift)] == target,
           "crowded: no slot for " + std::to_string(target));
  }
}

// known_value is a random value of a feature that the host knows.
uint32_t known_value(unsigned feature, std::mt19937& random) {
  if (feature == feature_type) return random() % 4;
  if (feature > feature_type) return random() % 2;
  return uint32_t(std::exp2(std::uniform_real_distribution<>(0, 32)(random)));
}

// check_cuts demands that each built-in tree fits once it is cut, and that what is left
// comes to the leaf of the whole tree.
void check_cuts(std::mt19937& random) {
  for (const DispatchTree& tree : trees) {
    for (int round = 0; round < 3000; ++round) {
      CutTree cut{};
      std::vector<uint32_t> features(feature_count);
      for (unsigned f = 0; f < known_features; ++f) {
        cut.known[f] = features[f] = known_value(f, random);
      }
      const std::string what = "the tree of " + std::string(tree.device);
      expect(calling::Cutter(tree, &cut).cut(), what + " does not fit");
      for (int k = 0; k < 30; ++k) {
        for (unsigned f = known_features; f < feature_count; ++f) {
          features[f] = random() % 2 ? random() % 300 : random() >> random() % 32;
        }
        uint32_t at = 0;
        while (tree.nodes[at].feature != CutTree::leaf) {
          const TreeNode& node = tree.nodes[at];
          at = features[node.feature] < node.threshold ? at + 1 : node.right;
        }
        const uint32_t place = find_action(cut, features.data());
        expect(cut.actions[place].number == tree.nodes[at].right, what + ": another leaf");
      }
    }
  }
}

}  // namespace

int main() {
  std::mt19937 random(20260102);
  check_features(random);
  check_places();
  check_cuts(random);
  check_last<uint8_t>();
  check_last<int8_t>();
  check_last<uint16_t>();
  check_last<int16_t>();
  check_last<int32_t>();
  check_last<uint32_t>();
  check_last<int64_t>();
  check_last<uint64_t>();
  check_tags();
  check_crowded();
  check_calls<uint32_t>(0, random);
  check_calls<float>(1, random);
  check_calls<double>(2, random);
  return verdict("dispatch_test", 3000);
}
