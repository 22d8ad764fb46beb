// What a decision costs: the time of a call that samples and decides beside that of the form
// that it runs, on streams of several lengths. Prints one line of comma-separated values for
// each: stream, updates, bins, form, us of the form's own kernel, of a call without and with a
// decision. Compile with nvcc -O3 -std=c++17 -arch=native -I..
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

#include "../atomtune_dispatch.cuh"
#include "../atomtune_kernels.cuh"
#include "../companion/device.cuh"

using namespace atomtune;
using companion::DeviceArray;

namespace {

__global__ void spin(long long cycles) {
  const long long start = clock64();
  while (clock64() - start < cycles) {
  }
}

template <typename Run>
double median_us(Run run) {
  std::vector<double> times;
  companion::EventPair events;
  for (int k = 0; k < 25; ++k) {
    spin<<<1, 1>>>(60000);
    events.start();
    run();
    times.push_back(events.stop());
  }
  std::sort(times.begin() + 4, times.end());
  return times[14];
}

// Pair is a tree of one comparison, both of whose leaves are the same form, so that a call
// decides and the outcome is known.
struct Pair {
  Action actions[2];
  TreeNode nodes[3] = {{0x7fffffffu, 2, feature_pairs, 0},
                       {0, 0, CutTree::leaf, 0},
                       {0, 1, CutTree::leaf, 0}};
  DispatchTree tree(bool decides) {
    return {"trial", 9, 0, 132, decides ? nodes : nodes + 1, decides ? 3u : 1u, actions, 2};
  }
};

struct Stream {
  const char* name;
  uint32_t bins;
  std::vector<uint32_t> index;
};

std::vector<Stream> streams(size_t n) {
  std::mt19937 random(1);
  std::vector<Stream> list;
  for (uint32_t bins : {1u, 256u, 4096u, 65536u, 4194304u}) {
    Stream s{"uniform", bins, std::vector<uint32_t>(n)};
    for (uint32_t& i : s.index) i = random() % bins;
    list.push_back(s);
  }
  Stream half{"half", 1048576, std::vector<uint32_t>(n)};
  for (uint32_t& i : half.index) i = random() % 2 ? 7 : random() % half.bins;
  list.push_back(half);
  Stream zipf{"zipf", 1048576, std::vector<uint32_t>(n)};
  std::uniform_real_distribution<double> u(0, 1);
  for (uint32_t& i : zipf.index) i = uint32_t(std::pow(double(zipf.bins), u(random))) - 1;
  list.push_back(zipf);
  return list;
}

template <typename T>
void measure(const Stream& s, const char* form, Pair pair, size_t shared) {
  const size_t n = s.index.size();
  const DeviceArray<uint32_t> index(s.index);
  const DeviceArray<T> values(std::vector<T>(n, T(1)));
  const DeviceArray<T> out(std::vector<T>(s.bins, T(0)));
  size_t bytes = sizeof(calling::Words);
  const DeviceArray<unsigned char> workspace(bytes);
  const unsigned blocks = unsigned(std::min<size_t>((n + 1023) / 1024, 132));
  const Action& a = pair.actions[0];
  const auto bare = [&] {
    const Loaded<T> loaded{values.data()};
    if (a.base == Base::copies) {
      void (*const kernel)(T*, const uint32_t*, Loaded<T>, size_t, Copies) =
          update_private<Naive, 4, T, Loaded<T>, Copies>;
      cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel), cudaFuncAttributeMaxDynamicSharedMemorySize, int(shared));
      kernel<<<blocks, 1024, shared>>>(out.data(), index.data(), loaded, n,
                                       Copies{s.bins, a.copies, 1, false});
    } else {
      update_global<Naive, 4><<<blocks, 1024>>>(out.data(), static_cast<const uint32_t*>(index.data()), loaded, n);
    }
  };
  const auto call = [&](const DispatchTree& tree) {
    CallOptions options;
    options.tree = &tree;
    CHECK_CUDA(scatter_add(workspace.data(), bytes, out.data(), s.bins, index.data(), values.data(), n,
                           cudaStream_t(nullptr), options));
  };
  const DispatchTree settled = pair.tree(false), deciding = pair.tree(true);
  const double form_us = a.base == Base::hot ? 0 : median_us(bare);
  const double settled_us = median_us([&] { call(settled); });
  const double deciding_us = median_us([&] { call(deciding); });
  CHECK_CUDA(cudaDeviceSynchronize());
  std::vector<T> got = out.to_host();
  double sum = 0;
  for (T v : got) sum += double(v);
  const double runs = a.base == Base::hot ? 50 : 75;
  std::printf("%s,%zu,%u,%s%zu,%s,%.2f,%.2f,%.2f,%s\n", s.name, n, s.bins,
              std::is_floating_point_v<T> ? "f" : "u", 8 * sizeof(T), form, form_us,
              settled_us, deciding_us, sum == runs * double(n) ? "right" : "WRONG");
  std::fflush(stdout);
}

template <typename T>
void measure_forms(const Stream& s) {
  const Action naive{Base::global, Reduction::none, 1, 0, 0, "naive"};
  const Action hot{Base::hot, Reduction::none, 8, 1, 1024, "hot"};
  const Action hot64{Base::hot, Reduction::none, 32, 1, 64, "hot64"};
  const Action match{Base::global, Reduction::match, 1, 0, 0, "match"};
  measure<T>(s, "naive", Pair{{naive, naive}}, 0);
  measure<T>(s, "hot1024", Pair{{hot, hot}}, 0);
  measure<T>(s, "hot64", Pair{{hot64, hot64}}, 0);
  measure<T>(s, "match", Pair{{match, match}}, 0);
  for (uint32_t copies : {1u, 8u, 32u}) {
    const size_t shared = sizeof(T) * copies * (s.bins + 1);
    if (shared > 200000) break;
    const Action form{Base::copies, Reduction::none, copies, 1, 0, "private"};
    char name[20];
    std::snprintf(name, sizeof name, "private%u", copies);
    measure<T>(s, name, Pair{{form, form}}, shared);
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::printf("stream,updates,bins,type,form,form_us,settled_us,deciding_us,sum\n");
  const int last = argc > 1 ? std::atoi(argv[1]) : 23;
  for (int log = 16; log <= last; log += log < 20 ? 4 : 3) {
    for (const Stream& s : streams(size_t(1) << log)) {
      measure_forms<float>(s);
      if (log == 20) measure_forms<uint32_t>(s);
    }
  }
}
