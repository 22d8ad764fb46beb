// Tests of the named kernels of cuda/kernels whose modules are still to be compiled, on an
// emulated grid: that each does with its arguments what its name says. Run by `make test`.
#include "warp_emulator.h"

#include "kernels/calls_block_f32.cu"
#include "kernels/calls_block_f64.cu"
#include "kernels/calls_block_u32.cu"
#include "kernels/calls_block_u64.cu"
#include "kernels/calls_fetch_f32.cu"
#include "kernels/calls_fetch_f64.cu"
#include "kernels/calls_fetch_u32.cu"
#include "kernels/calls_fetch_u64.cu"
#include "kernels/calls_hash_f32.cu"
#include "kernels/calls_hash_f64.cu"
#include "kernels/calls_hash_u32.cu"
#include "kernels/calls_hash_u64.cu"
#include "kernels/calls_hot_f32.cu"
#include "kernels/calls_hot_f64.cu"
#include "kernels/calls_hot_match_f32.cu"
#include "kernels/calls_hot_match_f64.cu"
#include "kernels/calls_hot_match_u32.cu"
#include "kernels/calls_hot_match_u64.cu"
#include "kernels/calls_hot_sample.cu"
#include "kernels/calls_hot_u32.cu"
#include "kernels/calls_hot_u64.cu"
#include "kernels/calls_ranges_f32.cu"
#include "kernels/calls_ranges_f64.cu"
#include "kernels/calls_ranges_match_f32.cu"
#include "kernels/calls_ranges_match_f64.cu"
#include "kernels/calls_ranges_match_u32.cu"
#include "kernels/calls_ranges_match_u64.cu"
#include "kernels/calls_ranges_u32.cu"
#include "kernels/calls_ranges_u64.cu"
#include "kernels/calls_x4_f32.cu"
#include "kernels/calls_x4_f64.cu"
#include "kernels/calls_x4_match_f32.cu"
#include "kernels/calls_x4_match_f64.cu"
#include "kernels/calls_x4_match_u32.cu"
#include "kernels/calls_x4_match_u64.cu"
#include "kernels/calls_x4_u32.cu"
#include "kernels/calls_x4_u64.cu"

#include "emulated_grid.h"

// The block's shared memory, that of any launch here.
alignas(16) unsigned char calls::shared_bytes[1 << 16];
atomtune::PeerPlaces atomtune::peer_places[1];

namespace {

constexpr uint32_t slots = 64, copies = 5, pad = 2, ranges = 3;
constexpr unsigned blocks = 4;

// Setting is what the kernels of one type are given.
template <typename T>
struct Setting {
  Stream stream;
  std::vector<T> values;
  std::vector<uint32_t> tags;

  uint64_t updates() const { return stream.index.size(); }

  // check runs kernel(A), and counts the atomics on the targets.
  template <typename Values, typename Kernel>
  long check(const char* name, Values values, Kernel kernel) const {
    std::vector<T> A(stream.bins, T(3));
    std::fill(std::begin(calls::shared_bytes), std::end(calls::shared_bytes), 99);
    the_warp.watch(A.data(), A.data() + A.size());
    run(blocks, [&] { kernel(A.data()); });
    expect(A == serial<T>(stream, values), std::string(name) + ": wrong sums");
    return the_warp.watched;
  }

  // check_old runs kernel(A, old), and demands a serial order of each target's updates.
  template <typename Kernel>
  long check_old(const char* name, Kernel kernel) const {
    std::vector<T> old(updates()), last;
    const long on_targets = check(name, Loaded<T>{values.data()}, [&](T* A) {
      kernel(A, old.data());
      last.assign(A, A + stream.bins);
    });
    expect(all_serial(stream, Loaded<T>{values.data()}, old, last),
           std::string(name) + ": no serial order");
    return on_targets;
  }
};

// Hits reach the targets by the flush, one atomic a block and slot.
void expect_hits(const char* name, long on_targets, uint64_t updates) {
  expect(on_targets < long(updates) / 2, std::string(name) + ": hits are few");
}

// CHECK_LOADED and CHECK_ONE run update_NAME_one of a type, and update_NAME_loaded.
#define CHECK_LOADED(s, name, suffix, ...)                                              \
  s.check(#name, Loaded<T>{s.values.data()}, [&](T* A) {                                \
    name##_loaded##suffix(A, s.stream.index.data(), s.values.data(), s.updates(),       \
                          ##__VA_ARGS__);                                               \
  })
#define CHECK_ONE(s, name, suffix, ...)                                                 \
  s.check(#name, Ones{}, [&](T* A) {                                                    \
    name##_one##suffix(A, s.stream.index.data(), s.updates(), ##__VA_ARGS__);           \
  })
#define CHECK_BOTH(s, name, suffix, ...)                                                \
  CHECK_LOADED(s, name, suffix, ##__VA_ARGS__);                                         \
  CHECK_ONE(s, name, suffix, ##__VA_ARGS__)
#define CHECK_HOT(s, name, suffix)                                                      \
  expect_hits(#name, CHECK_LOADED(s, name, suffix, s.tags.data(), slots, copies),       \
              s.updates());                                                             \
  expect_hits(#name, CHECK_ONE(s, name, suffix, s.tags.data(), slots, copies),          \
              s.updates())

// CHECK_OLD runs update_NAME_loaded that returns old values.
#define CHECK_OLD(s, name, ...)                                                         \
  s.check_old(#name, [&](T* A, T* old) {                                                \
    name##_loaded(A, old, s.stream.index.data(), s.values.data(), s.updates(),          \
                  ##__VA_ARGS__);                                                         \
  })

// CHECK_TYPE defines the check of the kernels of one type.
#define CHECK_TYPE(type, Target)                                                        \
  void check_##type(const Setting<Target>& s) {                                         \
    using T = Target;                                                                   \
    CHECK_HOT(s, update_hot_naive_##type, );                                            \
    CHECK_HOT(s, update_hot_sr_##type, );                                               \
    CHECK_HOT(s, update_hot_vr_##type, );                                               \
    CHECK_HOT(s, update_hot_peers_##type, );                                            \
    CHECK_HOT(s, update_hot_match_##type, );                                            \
    CHECK_HOT(s, update_hot_naive_##type, _x4);                                         \
    expect_hits("update_hot_naive_old",                                                 \
                CHECK_OLD(s, update_hot_naive_old_##type, s.tags.data(), slots, copies), \
                s.updates());                                                           \
    for (uint32_t by_block : {0u, 1u}) {                                                \
      const uint32_t bins = s.stream.bins;                                              \
      CHECK_OLD(s, update_private_naive_old_##type, bins, copies, pad, by_block);       \
      CHECK_BOTH(s, update_private_ranges_naive_##type, , bins, copies, pad, by_block,  \
                 ranges);                                                               \
      CHECK_BOTH(s, update_private_ranges_sr_##type, , bins, copies, pad, by_block,     \
                 ranges);                                                               \
      CHECK_BOTH(s, update_private_ranges_vr_##type, , bins, copies, pad, by_block,     \
                 ranges);                                                               \
      CHECK_BOTH(s, update_private_ranges_match_##type, , bins, copies, pad, by_block,  \
                 ranges);                                                               \
      CHECK_BOTH(s, update_private_naive_##type, _x4, bins, copies, pad, by_block);     \
      CHECK_BOTH(s, update_private_sr_##type, _x4, bins, copies, pad, by_block);        \
    }                                                                                   \
    CHECK_BOTH(s, update_sr_block_##type, );                                            \
    CHECK_BOTH(s, update_naive_##type, _x4);                                            \
    CHECK_BOTH(s, update_match_##type, _x4);                                            \
    CHECK_BOTH(s, update_peers_hash_##type, );                                          \
    CHECK_OLD(s, update_peers_hash_old_##type);                                         \
  }

CHECK_TYPE(u32, uint32_t)
CHECK_TYPE(f32, float)
CHECK_TYPE(u64, unsigned long long)
CHECK_TYPE(f64, double)

// make_setting has a stream of which half goes to one target, and the table that the
// sampling kernel makes of it.
template <typename T>
Setting<T> make_setting(std::mt19937& random) {
  Setting<T> s{random_stream(random, 1027, 200), {}, std::vector<uint32_t>(slots)};
  for (uint32_t& i : s.stream.index) i = random() % 2 ? 199 : i;
  s.values = make_values<T>(s.stream);
  run(2, [&] {
    sample_hot(s.tags.data(), s.stream.index.data(), s.updates(), slots, 1024);
  });
  expect(std::count(s.tags.begin(), s.tags.end(), 199u) == 1, "sample_hot: no hot target");
  return s;
}

}  // namespace

int main() {
  std::mt19937 random(20260103);
  check_u32(make_setting<uint32_t>(random));
  check_f32(make_setting<float>(random));
  check_u64(make_setting<unsigned long long>(random));
  check_f64(make_setting<double>(random));
  return verdict("kernels_test", 220);
}
