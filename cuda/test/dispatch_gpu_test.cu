// Tests of the call that decides on the device: every form behind it, types, indices of any
// width, edges, errors, graphs replayed with other data, streams side by side.
#include <cstring>
#include <memory>

#include "../atomtune_plan.cuh"
#include "gpu_test.cuh"

using namespace atomtune;

namespace {

// OneAction is a tree that comes to one form, after a decision or without one.
struct OneAction {
  Action actions[2];
  TreeNode nodes[3];

  OneAction(const Action& action)
      : actions{action, action},
        nodes{{0x7fffffffu, 2, feature_pairs, 0},
              {0, 0, CutTree::leaf, 0},
              {0, 1, CutTree::leaf, 0}} {}

  DispatchTree tree(bool decides) const {
    return {"test", 9, 0, 132, decides ? nodes : nodes + 1, decides ? 3u : 1u, actions, 2};
  }
};

std::vector<Action> all_actions() {
  std::vector<Action> list;
  for (Reduction reduction : {Reduction::none, Reduction::sr, Reduction::match}) {
    for (uint8_t unroll : {1, 4}) {
      list.push_back({Base::global, reduction, unroll, 0, 1, 0, 0, "global"});
      list.push_back({Base::copies, reduction, unroll, 0, 32, 1, 0, "copies"});
      list.push_back({Base::threadprivate, reduction, unroll, 0, 1, 0, 0, "threadprivate"});
      list.push_back({Base::ranges, reduction, unroll, 0, 1, 1, 4, "ranges"});
      list.push_back({Base::hot, reduction, unroll, 0, 4, 1, 256, "hot"});
    }
  }
  list.push_back({Base::partition, Reduction::none, 1, 0, 1, 0, 1024, "partition"});
  return list;
}

// Workspace owns what a call asks for.
class Workspace {
 public:
  template <typename Query>
  explicit Workspace(Query query) {
    CHECK_CUDA(query(nullptr, bytes_));
    memory_.reset(new DeviceArray<unsigned char>(bytes_));
    CHECK_CUDA(cudaMemset(memory_->data(), 0, bytes_));
  }
  void* data() const { return memory_->data(); }
  size_t& bytes() { return bytes_; }

 private:
  size_t bytes_ = 0;
  std::unique_ptr<DeviceArray<unsigned char>> memory_;
};

// add runs scatter_add or histogram, once, on the default stream.
template <typename T, typename I>
void add(T* out, uint64_t K, const I* index, const T* values, uint64_t n,
         const CallOptions& options) {
  const auto call = [&](void* memory, size_t& bytes) {
    return values != nullptr
               ? scatter_add(memory, bytes, out, K, index, values, n, nullptr, options)
               : histogram(memory, bytes, out, K, index, n, nullptr, options);
  };
  Workspace workspace(call);
  CHECK_CUDA(call(workspace.data(), workspace.bytes()));
  CHECK_CUDA(cudaDeviceSynchronize());
}

template <typename T, typename I>
void test_form(const std::vector<uint32_t>& targets, uint32_t bins, const Action& action,
               bool decides, std::mt19937_64& random) {
  const OneAction one(action);
  const DispatchTree tree = one.tree(decides);
  std::vector<I> index(targets.begin(), targets.end());
  std::vector<Total> totals(bins);
  const bool ones = random() % 3 == 0;
  const std::vector<T> values =
      ones ? std::vector<T>() : wild_values<T>(random, targets.size());
  for (size_t u = 0; u < index.size(); ++u) {
    if (random() % 11 == 0) {
      index[u] = I(5);  // ignored
    } else if (random() % 13 == 0) {
      index[u] = random() % 2 == 0 ? I(-3) : I(bins + u);
    } else {
      if (index[u] == I(5)) index[u] = I(6);
      totals[size_t(index[u])].add(ones ? T(1) : values[u]);
    }
  }
  const DeviceArray<I> indices(index);
  const DeviceArray<T> loaded(values), out(std::vector<T>(bins, T(1)));
  const DeviceArray<uint32_t> words(std::vector<uint32_t>{0, 77});
  CallOptions options;
  options.tree = &tree;
  options.has_ignore = true;
  options.ignore = 5;
  options.error = words.data();
  options.chosen = words.data() + 1;
  add(out.data(), bins, static_cast<const I*>(indices.data()),
      static_cast<const T*>(loaded.data()), index.size(), options);
  const std::string what = "scatter_add by " + std::string(action.name) + " of " +
                           type_name<T>() + " with " + type_name<I>();
  expect_totals(out.to_host(), totals, T(1), what);
  const std::vector<uint32_t> told = words.to_host();
  expect(told[0] == (index.size() > 200 ? 1u : told[0]), what + ": error");
  expect(told[1] < 2, what + ": chosen");
}

template <typename T, typename I>
void test_fetch(const std::vector<uint32_t>& targets, uint32_t bins, const Action& action,
                std::mt19937_64& random) {
  const OneAction one(action);
  const DispatchTree tree = one.tree(true);
  const std::vector<I> index(targets.begin(), targets.end());
  const std::vector<T> values = small_values<T>(random, targets.size());
  const DeviceArray<I> indices(index);
  const DeviceArray<T> loaded(values), out(std::vector<T>(bins, T(1)));
  const DeviceArray<T> old(std::vector<T>(index.size(), T(0)));
  CallOptions options;
  options.tree = &tree;
  const auto call = [&](void* memory, size_t& bytes) {
    return fetch_add(memory, bytes, out.data(), bins, static_cast<const I*>(indices.data()),
                     static_cast<const T*>(loaded.data()), old.data(), index.size(), nullptr,
                     options);
  };
  Workspace workspace(call);
  CHECK_CUDA(call(workspace.data(), workspace.bytes()));
  CHECK_CUDA(cudaDeviceSynchronize());
  expect_explained(out.to_host(), targets, values, old.to_host(), T(1),
                   "fetch_add by " + std::string(action.name) + " of " + type_name<T>());
}

template <typename T, typename I>
void test_forms(std::mt19937_64& random) {
  for (size_t n : {size_t(1000), size_t(40000)}) {
    for (uint32_t bins : {40u, 3000u, 100000u}) {
      const std::vector<uint32_t> targets = random_indices(random, n, bins);
      for (const Action& action : all_actions()) {
        test_form<T, I>(targets, bins, action, random() % 2 == 0, random);
      }
    }
  }
  const std::vector<uint32_t> targets = random_indices(random, 30000, 500);
  for (const Action& action : all_actions()) {
    if (action.base == Base::ranges || action.base == Base::partition ||
        action.base == Base::threadprivate) {
      continue;
    }
    if (action.unroll != 1) continue;
    test_fetch<T, I>(targets, 500, action, random);
  }
}

// test_device_tree runs what the device's own tree chooses.
template <typename T, typename I>
void test_device_tree(std::mt19937_64& random) {
  for (size_t n : {size_t(1), size_t(33), size_t(5000), size_t(1) << 20, size_t(1) << 22}) {
    for (uint32_t bins : {1u, 300u, 20000u, 1u << 20, 5000000u}) {
      const std::vector<uint32_t> targets = random_indices(random, n, bins);
      const std::vector<I> index(targets.begin(), targets.end());
      const std::vector<T> values = wild_values<T>(random, n);
      const DeviceArray<I> indices(index);
      const DeviceArray<T> loaded(values), out(std::vector<T>(bins, T(77)));
      CallOptions options;
      options.clear = true;
      add(out.data(), bins, static_cast<const I*>(indices.data()),
          static_cast<const T*>(loaded.data()), n, options);
      expect_totals(out.to_host(), totals_of(targets, values, bins), T(0),
                    "the device's tree on " + std::to_string(n) + " updates of " +
                        std::to_string(bins));
    }
  }
}

void test_edges() {
  uint32_t dummy[4] = {};
  size_t bytes = 0;
  const DeviceArray<uint32_t> out(std::vector<uint32_t>{7, 7, 7});
  const DeviceArray<int64_t> index(std::vector<int64_t>{0, 1, 1, int64_t(1) << 40});
  const auto none = static_cast<const int64_t*>(nullptr);
  expect(histogram(nullptr, bytes, out.data(), 3, none, 0) == cudaSuccess && bytes > 0,
         "the working memory of no updates");
  const DeviceArray<unsigned char> memory(bytes);
  expect(histogram(memory.data(), bytes, out.data(), 3, none, 0) == cudaSuccess, "n = 0");
  size_t less = bytes - 1;
  const auto in = static_cast<const int64_t*>(index.data());
  expect(histogram(memory.data(), less, out.data(), 3, in, 4) == cudaErrorInvalidValue,
         "too little memory");
  expect(histogram(memory.data(), bytes, out.data(), uint64_t(1) << 32, in, 4) ==
             cudaErrorInvalidValue,
         "too many targets");
  const auto crooked = reinterpret_cast<uint32_t*>(reinterpret_cast<char*>(dummy) + 2);
  expect(histogram(memory.data(), bytes, crooked, 3, in, 4) == cudaErrorInvalidValue,
         "targets that are not aligned");
  expect(histogram(memory.data(), bytes, out.data(), 3,
                   reinterpret_cast<const int64_t*>(reinterpret_cast<const char*>(in) + 4),
                   1) == cudaErrorInvalidValue,
         "indices that are not aligned");
  expect(out.to_host() == std::vector<uint32_t>({7, 7, 7}), "a refused call changed targets");
  CHECK_CUDA(histogram(memory.data(), bytes, out.data(), 2, in, 4));
  CHECK_CUDA(cudaDeviceSynchronize());
  expect(out.to_host() == std::vector<uint32_t>({8, 9, 7}), "the target after the last");
  CHECK_CUDA(histogram(memory.data(), bytes, out.data(), 1, in, 4));
  CHECK_CUDA(cudaDeviceSynchronize());
  expect(out.to_host() == std::vector<uint32_t>({9, 9, 7}), "K = 1");
  CHECK_CUDA(histogram(memory.data(), bytes, out.data(), 0, in, 4));
  CHECK_CUDA(cudaDeviceSynchronize());
  expect(out.to_host() == std::vector<uint32_t>({9, 9, 7}), "K = 0");
}

// test_many_targets has 2^31 targets, of which few are read back.
void test_many_targets() {
  const uint64_t K = uint64_t(1) << 31;
  size_t free = 0, all = 0;
  CHECK_CUDA(cudaMemGetInfo(&free, &all));
  if (free < K * sizeof(float) + (size_t(4) << 30)) return;
  const DeviceArray<float> out(K);
  CHECK_CUDA(cudaMemset(out.data(), 0, out.bytes()));
  std::vector<int64_t> index(1 << 20);
  for (size_t u = 0; u < index.size(); ++u) index[u] = int64_t(K - 1 - u % 3 * 1000000000);
  const DeviceArray<int64_t> indices(index);
  add(out.data(), K, static_cast<const int64_t*>(indices.data()),
      static_cast<const float*>(nullptr), index.size(), {});
  for (size_t k = 0; k < 3; ++k) {
    float got = 0;
    CHECK_CUDA(cudaMemcpy(&got, out.data() + (K - 1 - k * 1000000000), sizeof got,
                          cudaMemcpyDeviceToHost));
    expect(got == float(index.size() / 3 + (k < index.size() % 3)), "K = 2^31");
  }
}

// test_graph captures a call and replays it with other data: skewed, then uniform.
void test_graph(std::mt19937_64& random) {
  const uint32_t bins = 100000;
  const size_t n = 1 << 20;
  cudaStream_t stream;
  CHECK_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  const DeviceArray<uint32_t> indices(n), values(n), out(bins);
  const DeviceArray<uint32_t> chosen(1);
  CallOptions options;
  options.chosen = chosen.data();
  const auto call = [&](void* memory, size_t& bytes) {
    return scatter_add(memory, bytes, out.data(), bins,
                       static_cast<const uint32_t*>(indices.data()),
                       static_cast<const uint32_t*>(values.data()), n, stream, options);
  };
  Workspace workspace(call);
  cudaGraph_t graph;
  cudaGraphExec_t replay;
  CHECK_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  CHECK_CUDA(call(workspace.data(), workspace.bytes()));
  CHECK_CUDA(cudaStreamEndCapture(stream, &graph));
  CHECK_CUDA(cudaGraphInstantiate(&replay, graph, 0));
  std::vector<uint32_t> index(n);
  for (int round = 0; round < 6; ++round) {
    for (uint32_t& i : index) {
      i = round % 2 == 0 && random() % 10 != 0 ? 7 : uint32_t(random() % bins);
    }
    const std::vector<uint32_t> value = wild_values<uint32_t>(random, n);
    CHECK_CUDA(cudaMemcpy(indices.data(), index.data(), indices.bytes(),
                          cudaMemcpyHostToDevice));
    CHECK_CUDA(
        cudaMemcpy(values.data(), value.data(), values.bytes(), cudaMemcpyHostToDevice));
    CHECK_CUDA(cudaMemset(out.data(), 0, out.bytes()));
    CHECK_CUDA(cudaDeviceSynchronize());  // the stream does not wait for the default one
    const int replays = round == 5 ? 1000 : 1;
    for (int k = 0; k < replays; ++k) CHECK_CUDA(cudaGraphLaunch(replay, stream));
    CHECK_CUDA(cudaStreamSynchronize(stream));
    std::vector<uint32_t> want(bins);
    for (size_t u = 0; u < n; ++u) want[index[u]] += value[u] * uint32_t(replays);
    expect(out.to_host() == want, "a replayed graph");
  }
  CHECK_CUDA(cudaGraphExecDestroy(replay));
  CHECK_CUDA(cudaGraphDestroy(graph));
  CHECK_CUDA(cudaStreamDestroy(stream));
}

// test_two_streams has calls of two streams under way at once.
void test_two_streams(std::mt19937_64& random) {
  const uint32_t bins = 5000;
  const size_t n = 1 << 20;
  const std::vector<uint32_t> first = random_indices(random, n, bins);
  const std::vector<uint32_t> second(n, 17);
  const DeviceArray<uint32_t> one(first), two(second);
  const std::vector<float> zeros(bins);
  const DeviceArray<float> out1(zeros), out2(zeros);
  cudaStream_t streams[2];
  for (cudaStream_t& s : streams) {
    CHECK_CUDA(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
  }
  const auto call = [&](int k, void* memory, size_t& bytes) {
    return histogram(memory, bytes, k == 0 ? out1.data() : out2.data(), bins,
                     static_cast<const uint32_t*>(k == 0 ? one.data() : two.data()), n,
                     streams[k]);
  };
  Workspace a([&](void* memory, size_t& bytes) { return call(0, memory, bytes); });
  Workspace b([&](void* memory, size_t& bytes) { return call(1, memory, bytes); });
  for (int k = 0; k < 10; ++k) {
    CHECK_CUDA(call(0, a.data(), a.bytes()));
    CHECK_CUDA(call(1, b.data(), b.bytes()));
  }
  CHECK_CUDA(cudaDeviceSynchronize());
  std::vector<float> want1(bins), want2(bins);
  for (uint32_t i : first) want1[i] += 10;
  want2[17] = 10.f * float(n);
  expect(out1.to_host() == want1 && out2.to_host() == want2, "two streams at once");
  for (cudaStream_t s : streams) CHECK_CUDA(cudaStreamDestroy(s));
}

// test_extremes compares least and greatest values with a serial loop.
template <typename T>
void test_extremes(std::mt19937_64& random) {
  for (uint32_t bins : {7u, 4000u, 1000000u}) {
    const size_t n = 200000;
    const std::vector<uint32_t> index = random_indices(random, n, bins);
    const std::vector<T> values = wild_values<T>(random, n);
    std::vector<T> least(bins, T(1)), greatest(bins, T(1));
    for (size_t u = 0; u < n; ++u) {
      least[index[u]] = std::min(least[index[u]], values[u]);
      greatest[index[u]] = std::max(greatest[index[u]], values[u]);
    }
    const DeviceArray<uint32_t> indices(index);
    const DeviceArray<T> loaded(values), low(std::vector<T>(bins, T(1)));
    const DeviceArray<T> high(std::vector<T>(bins, T(1)));
    CHECK_CUDA(scatter_min(low.data(), bins, static_cast<const uint32_t*>(indices.data()),
                           static_cast<const T*>(loaded.data()), n, nullptr, StreamMemory()));
    CHECK_CUDA(scatter_max(high.data(), bins, static_cast<const uint32_t*>(indices.data()),
                           static_cast<const T*>(loaded.data()), n, nullptr, StreamMemory()));
    CHECK_CUDA(cudaDeviceSynchronize());
    expect(low.to_host() == least, "scatter_min of " + type_name<T>());
    expect(high.to_host() == greatest, "scatter_max of " + type_name<T>());
  }
}

// test_deterministic demands the same bits of many runs, and sums within the bound.
template <typename T>
void test_deterministic(std::mt19937_64& random, int runs) {
  for (uint32_t bins : {3u, 2000u, 300000u}) {
    const size_t n = 1 << 18;
    const std::vector<uint32_t> index = random_indices(random, n, bins);
    const std::vector<T> values = wild_values<T>(random, n);
    const DeviceArray<uint32_t> indices(index);
    const DeviceArray<T> loaded(values), out(std::vector<T>(bins, T(0)));
    CallOptions options;
    options.deterministic = true;
    options.clear = true;
    const auto call = [&](void* memory, size_t& bytes) {
      return scatter_add(memory, bytes, out.data(), bins,
                         static_cast<const uint32_t*>(indices.data()),
                         static_cast<const T*>(loaded.data()), n, nullptr, options);
    };
    Workspace workspace(call);
    std::vector<T> first;
    for (int k = 0; k < runs; ++k) {
      CHECK_CUDA(call(workspace.data(), workspace.bytes()));
      CHECK_CUDA(cudaDeviceSynchronize());
      const std::vector<T> got = out.to_host();
      if (k == 0) {
        first = got;
        expect_totals(got, totals_of(index, values, bins), T(0), "deterministic sums");
      } else if (std::memcmp(first.data(), got.data(), bins * sizeof(T)) != 0) {
        expect(false, "run " + std::to_string(k) + " has other bits");
        break;
      }
    }
    expect(first.size() == bins, "deterministic sums of " + type_name<T>());
  }
}

// test_plan inspects, tunes, runs, saves and finds plans.
template <typename T, typename I>
void test_plan(std::mt19937_64& random) {
  const std::string path = "/tmp/atomtune_plans_test";
  std::remove(path.c_str());
  for (uint32_t bins : {1u, 3000u, 2000000u}) {
    const size_t n = 1 << 20;
    const std::vector<uint32_t> targets = random_indices(random, n, bins);
    const std::vector<I> index(targets.begin(), targets.end());
    const std::vector<T> values = wild_values<T>(random, n);
    const DeviceArray<I> indices(index);
    const DeviceArray<T> loaded(values), out(std::vector<T>(bins, T(0)));
    const I* const in = indices.data();
    const T* const v = loaded.data();
    Plan<T, I> plan;
    expect(plan.run(out.data(), in, v) == cudaErrorNotReady, "a plan that did not inspect");
    CHECK_CUDA(plan.inspect(bins, in, n));
    const std::string first = plan.text();
    CHECK_CUDA(plan.run(out.data(), in, v));
    CHECK_CUDA(cudaDeviceSynchronize());
    const std::vector<Total> totals = totals_of(targets, values, bins);
    expect_totals(out.to_host(), totals, T(0), "a plan: " + plan.explain());
    CHECK_CUDA(plan.inspect(bins, in, n));
    expect(plan.text() == first, "a second look has another plan: " + plan.text());
    CHECK_CUDA(plan.tune(bins, in, n));
    std::printf("%s\n", plan.explain().c_str());
    CallOptions clear;
    clear.clear = true;
    CHECK_CUDA(plan.run(out.data(), in, v, nullptr, clear));
    CHECK_CUDA(cudaDeviceSynchronize());
    expect_totals(out.to_host(), totals, T(0), "a tuned plan: " + plan.explain());
    expect(plan.save(path), "a plan is saved");
    PlannedForm found;
    expect(find_plan(path, plan.key(), false, &found) && found == plan.form(),
           "a saved plan is found");
    PlanKey other = plan.key();
    ++other.sample;
    expect(!find_plan(path, other, false, &found), "a plan of another stream is a miss");
    setenv("ATOMTUNE_PLANS", path.c_str(), 1);
    Plan<T, I> again;
    CHECK_CUDA(again.inspect(bins, in, n));
    expect(again.form() == plan.form(), "inspect takes the saved plan");
    unsetenv("ATOMTUNE_PLANS");
  }
  std::remove(path.c_str());
}

}  // namespace

int main(int argc, char** argv) {
  const bool quick = argc > 1 && std::strcmp(argv[1], "quick") == 0;
  std::mt19937_64 random(20260103);
  try {
    test_edges();
    test_forms<float, int64_t>(random);
    test_forms<uint32_t, uint32_t>(random);
    if (!quick) {
      test_forms<double, int32_t>(random);
      test_forms<long long, uint64_t>(random);
      test_many_targets();
    }
    test_extremes<float>(random);
    test_extremes<int32_t>(random);
    if (!quick) test_extremes<double>(random);
    test_deterministic<float>(random, quick ? 20 : 1000);
    if (!quick) test_deterministic<double>(random, 1000);
    test_plan<float, int64_t>(random);
    test_device_tree<uint32_t, uint32_t>(random);
    test_device_tree<float, int64_t>(random);
    if (!quick) test_device_tree<double, uint32_t>(random);
    test_graph(random);
    test_two_streams(random);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "FAIL %s\n", error.what());
    return 1;
  }
  return verdict("dispatch_gpu_test", 200);
}
