// Tests of the table of hot targets on an emulated grid: sums and atomics of every form
// against a serial count. Run by `make test`.
#include "warp_emulator.h"

#include "atomtune_hot_tags.cuh"

#include "emulated_grid.h"
#include "plain_sample.h"

namespace {

constexpr uint32_t slots = 16;

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
  const bool naive = std::is_same_v<Form, Naive>;
  if (naive || std::is_same_v<Form, Peers> || std::is_same_v<Form, Match>) {
    const Atomics plain = plain_atomics(c.stream, c.tags, blocks, !naive);
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

}  // namespace

int main() {
  std::mt19937 random(20260101);
  const std::vector<Case> cases = make_cases(random);
  check_type<uint32_t>(cases);
  check_type<double>(cases);
  return verdict("hot_test", 3300);
}
