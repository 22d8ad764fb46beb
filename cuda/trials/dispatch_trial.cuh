// What a trial of ways runs on: a stream of updates on the device, launches, graphs, times.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <random>

#include "../companion/device.cuh"
#include "dispatch_kernels.cuh"

namespace trial {

using companion::DeviceArray;

// Launch says how a kernel is launched; dependent: it may start before the kernel before it
// has ended.
struct Launch {
  unsigned blocks;
  size_t shared;
  cudaStream_t stream;
  bool dependent = false;
};

template <typename... P, typename... A>
void launch(const Launch& how, void (*kernel)(P...), const A&... args) {
  cudaLaunchAttribute attribute;
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(how.blocks);
  config.blockDim = dim3(threads);
  config.dynamicSmemBytes = how.shared;
  config.stream = how.stream;
  config.attrs = &attribute;
  config.numAttrs = how.dependent ? 1 : 0;
  CHECK_CUDA(cudaLaunchKernelEx(&config, kernel, args...));
}

template <typename... P>
int registers_of(void (*kernel)(P...)) {
  cudaFuncAttributes attributes;
  CHECK_CUDA(cudaFuncGetAttributes(&attributes, reinterpret_cast<const void*>(kernel)));
  return attributes.numRegs;
}

// Stream is a stream of the device that graphs can be captured from.
class Stream {
 public:
  Stream() { CHECK_CUDA(cudaStreamCreate(&stream_)); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() { cudaStreamDestroy(stream_); }
  operator cudaStream_t() const { return stream_; }
  void wait() const { CHECK_CUDA(cudaStreamSynchronize(stream_)); }

 private:
  cudaStream_t stream_ = nullptr;
};

// Graph owns a graph and, once instantiated, what can be launched of it.
class Graph {
 public:
  Graph() { CHECK_CUDA(cudaGraphCreate(&graph, 0)); }
  // Captures what enqueue puts on the stream.
  Graph(cudaStream_t stream, const std::function<void()>& enqueue) {
    CHECK_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    try {
      enqueue();
    } catch (...) {
      cudaStreamEndCapture(stream, &graph);
      cudaGraphDestroy(graph);
      cudaGetLastError();
      throw;
    }
    CHECK_CUDA(cudaStreamEndCapture(stream, &graph));
  }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  ~Graph() {
    if (exec != nullptr) cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
  }

  void instantiate(cudaStream_t stream, unsigned long long flags = 0) {
    CHECK_CUDA(cudaGraphInstantiateWithFlags(&exec, graph, flags));
    CHECK_CUDA(cudaGraphUpload(exec, stream));
    CHECK_CUDA(cudaStreamSynchronize(stream));
  }

  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
};

// full_tree asks for the targets first, then for the distinct targets of a warp, then one
// sampled feature after the other, whose answers change nothing: a choice of 4 forms at
// the depth of a real tree.
inline std::vector<Node> full_tree() {
  constexpr int depth = 8;
  std::vector<Node> tree;
  const std::function<void(int, bool, bool)> grow = [&](int level, bool many, bool distinct) {
    if (level == depth) {
      const uint32_t form = many ? (distinct ? 0 : 2) : (distinct ? 1 : 4);
      tree.push_back({form, leaf, 0});
      return;
    }
    const size_t at = tree.size();
    const auto feature = level == 0 ? bins_ : Feature(distinct_ + level - 1);
    const uint32_t threshold = level == 0 ? 4096 : level == 1 ? 64 : 200;
    tree.push_back({threshold, feature, 0});
    grow(level + 1, level == 0 ? false : many, level == 1 ? false : distinct);
    tree[at].right = uint16_t(tree.size());
    grow(level + 1, level == 0 ? true : many, level == 1 ? true : distinct);
  };
  grow(0, false, false);
  return tree;
}

// Device says what the launches of the GPU at hand are.
struct Device {
  int sms = 0, whole_shared = 0, major = 0;

  Device() {
    CHECK_CUDA(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    CHECK_CUDA(cudaDeviceGetAttribute(&whole_shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    CHECK_CUDA(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
  }
};

// Updates is a stream of updates of uniform targets on the host, with its sums.
struct Updates {
  std::vector<uint32_t> index;
  std::vector<float> values;  // whole numbers, whose sums do not round
  std::vector<float> sums;

  Updates(size_t updates, uint32_t bins) : index(updates), values(updates), sums(bins) {
    std::mt19937 random(1);
    for (size_t u = 0; u < updates; ++u) {
      index[u] = uint32_t(random()) % bins;
      values[u] = float(1 + random() % 3);
      sums[index[u]] += values[u];
    }
  }
};

// Case is a stream of updates on the device, with what a call needs.
struct Case {
  Device device;
  Stream stream;
  Updates host;
  uint32_t expected;  // the form for it
  DeviceArray<uint32_t> index;
  DeviceArray<float> values, out;
  DeviceArray<Node> tree;
  DeviceArray<uint32_t> chosen;
  Call call;

  Case(size_t updates, uint32_t bins)
      : host(updates, bins), expected(bins < 4096 ? private_naive : naive), index(host.index),
        values(host.values), out(bins), tree(full_tree()), chosen(1) {
    const Copies copies{bins, expected == private_naive ? 8u : 0u, 1, false};
    call = {out.data(), index.data(), {values.data()}, updates, bins, copies};
    if (tree.size() != nodes) throw std::runtime_error("the tree is not full");
    CHECK_CUDA(cudaMemset(out.data(), 0, out.bytes()));
    CHECK_CUDA(cudaDeviceSynchronize());
  }

  unsigned sms() const { return unsigned(device.sms); }

  // shared_of is the dynamic shared memory of a form's kernel in bytes.
  size_t shared_of(int form) const { return is_private(form) ? call.copies.words() * 4 : 0; }

  // shared_of_all is that of a kernel that samples and runs any form.
  size_t shared_of_all() const { return std::max(sizeof(Sampled), shared_of(private_naive)); }
};

// Way is one way to make a call, for one Case.
struct Way {
  int kernels;        // launches of a call
  int registers;      // per thread, the most of its kernels
  bool decides;       // whether it writes its decision
  std::function<void()> enqueue;
};

// Times are medians over 50 calls in microseconds.
struct Times {
  double device;  // between two events around the call, enqueued while the device was busy
  double host;    // how long the host enqueues a call on an idle stream
};

inline double median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return (v[(v.size() - 1) / 2] + v[v.size() / 2]) / 2;
}

inline Times measure(const Case& c, const Way& way) {
  constexpr int warm = 5, repeats = 50;
  constexpr long long busy = 400000;  // cycles, some 200 us
  using Clock = std::chrono::steady_clock;
  for (int r = 0; r < warm; ++r) way.enqueue();
  c.stream.wait();
  cudaEvent_t start, stop;
  CHECK_CUDA(cudaEventCreate(&start));
  CHECK_CUDA(cudaEventCreate(&stop));
  std::vector<double> device, host;
  for (int r = 0; r < repeats; ++r) {
    launch({1, 0, c.stream}, spin, busy);
    CHECK_CUDA(cudaEventRecord(start, c.stream));
    way.enqueue();
    CHECK_CUDA(cudaEventRecord(stop, c.stream));
    CHECK_CUDA(cudaEventSynchronize(stop));
    float ms = 0;
    CHECK_CUDA(cudaEventElapsedTime(&ms, start, stop));
    device.push_back(1e3 * double(ms));
  }
  for (int r = 0; r < repeats; ++r) {
    const auto before = Clock::now();
    way.enqueue();
    host.push_back(std::chrono::duration<double, std::micro>(Clock::now() - before).count());
    c.stream.wait();
  }
  cudaEventDestroy(start);
  cudaEventDestroy(stop);
  return {median(device), median(host)};
}

// check makes one call on cleared targets and throws where a sum or the decision is wrong.
inline void check(const Case& c, const Way& way) {
  CHECK_CUDA(cudaMemsetAsync(c.out.data(), 0, c.out.bytes(), c.stream));
  CHECK_CUDA(cudaMemsetAsync(c.chosen.data(), 0xff, c.chosen.bytes(), c.stream));
  way.enqueue();
  c.stream.wait();
  const std::vector<float> got = c.out.to_host();
  for (size_t k = 0; k < got.size(); ++k) {
    if (got[k] == c.host.sums[k]) continue;
    throw std::runtime_error("target " + std::to_string(k) + " is " + std::to_string(got[k]) +
                             " and not " + std::to_string(c.host.sums[k]));
  }
  const uint32_t chosen = c.chosen.to_host()[0];
  if (way.decides && chosen != c.expected) {
    throw std::runtime_error("form " + std::to_string(chosen) + " was chosen and not " +
                             std::to_string(c.expected));
  }
}

}  // namespace trial
