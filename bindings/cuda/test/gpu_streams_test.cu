// Tests on a GPU of the whole kernels: direct updates, sr of whole blocks, private copies, of
// ranges too, hot targets, counters per thread, the order of ss, and a kernel of one's own with Copies.
// Those with several updates in flight as well.
#include "../atomtune_scatter.cuh"
#include "gpu_test.cuh"
#include "plain_sample.h"

namespace {

using atomtune::Copies;
using atomtune::HotSample;
using atomtune::HotTable;
using atomtune::RangedCopies;

constexpr unsigned blocks = 7;

// What HashPeers takes in blocks of 96 threads, which other forms leave alone.
constexpr size_t places = atomtune::PeerPlaces::bytes(96);

struct Stream {
  std::vector<uint32_t> index;
  uint32_t bins;
};

// Setting is a stream and its values on the device; no values add ones.
template <typename T>
struct Setting {
  Setting(const Stream& s, const std::vector<T>& v)
      : stream(s), values(v), index(s.index), loaded(v) {}

  const Stream& stream;
  const std::vector<T> values;
  DeviceArray<uint32_t> index;
  DeviceArray<T> loaded;

  size_t updates() const { return stream.index.size(); }
  std::string name(const char* kernel) const {
    return std::string(kernel) + " " + type_name<T>() +
           (values.empty() ? " one, " : " loaded, ") + std::to_string(updates()) +
           " updates";
  }
  std::vector<T> first() const { return std::vector<T>(stream.bins, T(3)); }

  // run launches by body(index, values) and compares the targets that body updates.
  template <typename Body>
  std::vector<T> run(const DeviceArray<T>& A, const std::string& what, Body body) const {
    if (values.empty()) {
      body(index.data(), atomtune::Ones{});
    } else {
      body(index.data(), atomtune::Loaded<T>{loaded.data()});
    }
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(cudaDeviceSynchronize());
    const std::vector<T> got = A.to_host();
    expect_totals(got, totals_of(stream.index, values, stream.bins), T(3), what);
    return got;
  }
};

template <typename Form, int unroll = 1, typename T>
void check_global(const Setting<T>& s) {
  const DeviceArray<T> A(s.first());
  s.run(A, s.name("update_global ") + name_of(Form()), [&](auto index, auto values) {
    atomtune::update_global<Form, unroll>
        <<<blocks, 96, places>>>(A.data(), index, values, s.updates());
  });
}

template <typename T>
void check_sr_block(const Setting<T>& s) {
  for (unsigned threads : {32u, 160u, 512u, 1024u}) {
    const DeviceArray<T> A(s.first());
    const std::string what = s.name("update_sr_block") + ", " + std::to_string(threads) + " threads";
    s.run(A, what, [&](auto index, auto values) {
      atomtune::update_sr_block<<<blocks, threads, atomtune::RunRecords<T>::bytes(threads)>>>(
          A.data(), index, values, s.updates());
    });
  }
}

// check_old is Setting::run with old values, which must be those of a serial order.
template <typename T, typename Body>
void check_old(const Setting<T>& s, const std::string& what, Body body) {
  const DeviceArray<T> A(s.first()), old(s.updates());
  const std::vector<T> got = s.run(A, what, [&](auto index, auto values) {
    body(A.data(), index, values, old.data());
  });
  expect_explained(got, s.stream.index, s.values, old.to_host(), T(3), what);
}

template <typename Form, int unroll = 1, typename T>
void check_fetch(const Setting<T>& s) {
  const std::string what = s.name("fetch_update_global ") + name_of(Form());
  check_old(s, what, [&](T* A, auto index, auto values, T* old) {
    atomtune::fetch_update_global<Form, unroll>
        <<<blocks, 96, places>>>(A, index, values, old, s.updates());
  });
}

// check_copies takes Copies or RangedCopies.
template <typename Form, int unroll, typename T, typename Layout>
void check_copies(const Setting<T>& s, Layout copies, const std::string& layout) {
  const DeviceArray<T> A(s.first());
  const std::string what = s.name("update_private ") + name_of(Form()) + ", " + layout;
  s.run(A, what, [&](auto index, auto values) {
    atomtune::update_private<Form, unroll><<<blocks, 160, copies.words() * sizeof(T)>>>(
        A.data(), index, values, s.updates(), copies);
  });
}

template <typename Form, typename T>
void check_private(const Setting<T>& s) {
  const uint32_t bins = s.stream.bins;
  for (Copies copies : {Copies{bins, 1, 0, false}, Copies{bins, 32, 1, false},
                        Copies{bins, 5, 2, true}}) {
    const std::string layout = std::to_string(copies.number) + " copies";
    check_copies<Form, 1>(s, copies, layout);
    check_copies<Form, 4>(s, copies, layout);
    for (uint32_t ranges : {2u, 3u, blocks}) {
      const std::string ranged = layout + ", " + std::to_string(ranges) + " ranges";
      check_copies<Form, 1>(s, RangedCopies{copies, ranges}, ranged);
      check_copies<Form, 4>(s, RangedCopies{copies, ranges}, ranged);
    }
  }
}

// fill_tags fills a table on the device, and compares it with a plain sample.
template <typename T>
void fill_tags(const Setting<T>& s, HotSample sample, const DeviceArray<uint32_t>& tags) {
  atomtune::fill_hot<><<<sample.blocks(), 1024, sample.bytes(sample.blocks())>>>(
      tags.data(), s.index.data(), s.updates(), sample);
  CHECK_CUDA(cudaGetLastError());
  CHECK_CUDA(cudaDeviceSynchronize());
  expect(tags.to_host() == plain_sample(s.stream.index, sample, sample.blocks()).tags,
         s.name("fill_hot") + ": wrong tags");
}

// find_tags fills a table by counts of all targets, and compares it with that of the host.
template <typename T>
void find_tags(const Setting<T>& s, uint32_t slots) {
  const std::vector<size_t> counts =
      atomtune::target_counts(s.stream.index.data(), s.updates(), s.stream.bins);
  const DeviceArray<uint32_t> on_device(std::vector<uint32_t>(counts.begin(), counts.end()));
  const DeviceArray<uint32_t> tags(slots);
  const DeviceArray<unsigned long long> best(std::vector<unsigned long long>(slots, 0));
  CHECK_CUDA(atomtune::find_hot_tags(tags.data(), best.data(), slots, on_device.data(), s.stream.bins));
  CHECK_CUDA(cudaDeviceSynchronize());
  expect(tags.to_host() == atomtune::fill_hot_tags(counts, slots), s.name("find_hot_tags") + ": wrong tags");
}

template <int unroll = 1, typename T>
void check_fetch_private(const Setting<T>& s) {
  const uint32_t bins = s.stream.bins;
  for (Copies copies : {Copies{bins, 1, 0, false}, Copies{bins, 32, 1, false},
                        Copies{bins, 5, 2, true}}) {
    const std::string what =
        s.name("fetch_update_private") + ", " + std::to_string(copies.number) + " copies";
    check_old(s, what, [&](T* A, auto index, auto values, T* old) {
      atomtune::fetch_update_private<unroll><<<blocks, 160, copies.words() * sizeof(T)>>>(
          A, index, values, old, s.updates(), copies);
    });
  }
}

template <int unroll = 1, typename T>
void check_fetch_hot(const Setting<T>& s) {
  const std::vector<uint32_t>& index = s.stream.index;
  for (HotTable table : {HotTable{16, 32, nullptr}, HotTable{2048, 1, nullptr}}) {
    const DeviceArray<uint32_t> known(atomtune::fill_hot_tags(
        atomtune::target_counts(index.data(), index.size(), s.stream.bins), table.slots));
    table.tags = known.data();
    const std::string what =
        s.name("fetch_update_hot") + ", " + std::to_string(table.slots) + " slots";
    check_old(s, what, [&](T* A, auto index, auto values, T* old) {
      atomtune::fetch_update_hot<unroll><<<blocks, 160, table.bytes<T>()>>>(
          A, index, values, old, s.updates(), table);
    });
  }
}

template <typename Form, int unroll, typename T>
void check_table(const Setting<T>& s, HotTable table) {
  const DeviceArray<T> A(s.first());
  const std::string what = s.name("update_hot ") + name_of(Form()) + ", " +
                           std::to_string(table.copies) + " copies";
  s.run(A, what, [&](auto index, auto values) {
    atomtune::update_hot<Form, unroll><<<blocks, 160, table.bytes<T>()>>>(
        A.data(), index, values, s.updates(), table);
  });
}

template <typename Form, typename T>
void check_hot(const Setting<T>& s) {
  const std::vector<uint32_t>& index = s.stream.index;
  for (uint32_t slots : {16u, 2048u}) {
    const DeviceArray<uint32_t> known(atomtune::fill_hot_tags(
        atomtune::target_counts(index.data(), index.size(), s.stream.bins), slots));
    const DeviceArray<uint32_t> sampled(slots);
    fill_tags(s, HotSample{slots, 1024}, sampled);
    find_tags(s, slots);
    const uint32_t copies = slots == 16 ? 32 : 2;
    check_table<Form, 1>(s, HotTable{slots, copies, known.data()});
    check_table<Form, 4>(s, HotTable{slots, 1, known.data()});
    check_table<Form, 1>(s, HotTable{slots, copies, sampled.data()});
  }
}

template <typename T>
void check_threadprivate(const Setting<T>& s) {
  const uint32_t bins = s.stream.bins;
  const unsigned threads = 32;
  const DeviceArray<T> A(s.first()), partial(size_t(bins) * blocks);
  s.run(A, s.name("update_threadprivate"), [&](auto index, auto values) {
    atomtune::update_threadprivate<<<blocks, threads, bins * threads * sizeof(T)>>>(
        partial.data(), index, values, s.updates(), bins);
    atomtune::sum_threadprivate<<<(bins + 3) / 4, 128>>>(A.data(), partial.data(), bins,
                                                        blocks);
  });
}

// own_kernel is written as atomtune_private.cuh tells, for a block of two dimensions.
template <typename T>
__global__ void own_kernel(T* A, const uint32_t* index, size_t updates, Copies copies) {
  T* const shared = reinterpret_cast<T*>(atomtune::dynamic_shared);
  copies.clear(shared);
  T* const mine = copies.mine(shared);
  const size_t threads = blockDim.x * blockDim.y;
  for (size_t u = blockIdx.x * threads + atomtune::thread_rank(); u < updates;
       u += gridDim.x * threads) {
    atomtune::add_match(mine, index[u], atomtune::One{});
  }
  copies.flush(A, shared);
}

template <typename T>
void check_own_kernel(const Setting<T>& s) {
  const DeviceArray<T> A(s.first());
  const Copies copies{s.stream.bins, 3, 1, false};
  s.run(A, s.name("a kernel of one's own"), [&](auto index, auto) {
    own_kernel<<<blocks, dim3(20, 5), copies.words() * sizeof(T)>>>(A.data(), index,
                                                                   s.updates(), copies);
  });
}

template <typename T>
void check_stream(const Stream& stream, std::mt19937_64& random) {
  const size_t n = stream.index.size();
  const Setting<T> wild(stream, wild_values<T>(random, n)), ones(stream, {});
  const Setting<T> small(stream, small_values<T>(random, n));
  for_each_form([&](auto form) {
    using Form = decltype(form);
    check_global<Form>(wild);
    check_global<Form>(ones);
    check_global<Form, 4>(wild);
    check_fetch<Form>(small);
    check_fetch<Form, 4>(small);
    check_fetch<Form>(ones);
    check_private<Form>(wild);
    check_private<Form>(ones);
    check_hot<Form>(wild);
    check_hot<Form>(ones);
  });
  using atomtune::HashPeers;
  check_global<HashPeers>(wild);
  check_global<HashPeers>(ones);
  check_global<HashPeers, 4>(wild);
  check_fetch<HashPeers>(small);
  check_fetch<HashPeers, 4>(small);
  check_fetch<HashPeers>(ones);
  check_fetch_private(small);
  check_fetch_private<4>(small);
  check_fetch_private(ones);
  check_fetch_hot(small);
  check_fetch_hot<4>(small);
  check_fetch_hot(ones);
  check_sr_block(wild);
  check_sr_block(ones);
  check_threadprivate(wild);
  check_threadprivate(ones);
  check_own_kernel(ones);
}

// check_runs has the stream sorted, which is one of runs.
template <typename T>
void check_runs(Stream stream, std::mt19937_64& random) {
  std::sort(stream.index.begin(), stream.index.end());
  check_sr_block(Setting<T>(stream, wild_values<T>(random, stream.index.size())));
  check_sr_block(Setting<T>(stream, {}));
}

// relaid is the stream in the order of ss.
Stream relaid(const Stream& s) {
  return {atomtune::reordered(
              s.index, atomtune::scatter_order(s.index.data(), s.index.size(), s.bins)),
          s.bins};
}

}  // namespace

void test_streams() {
  std::mt19937_64 random(2);
  struct Size {
    uint32_t bins;
    size_t updates;
  };
  for (const Size& size : {Size{1, 2003}, Size{37, 19}, Size{100, 5003}}) {
    const Stream stream{random_indices(random, size.updates, size.bins), size.bins};
    const Stream scattered = relaid(stream);
    for_each_type([&](auto zero) {
      using T = decltype(zero);
      check_stream<T>(stream, random);
      check_runs<T>(stream, random);
      check_global<atomtune::Naive>(
          Setting<T>(scattered, wild_values<T>(random, size.updates)));
    });
  }
}
