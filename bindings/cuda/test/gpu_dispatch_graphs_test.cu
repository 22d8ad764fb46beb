// Calls on a GPU that are captured into a graph and replayed with other data, some of which
// takes another form.
#include <cstring>

#include "gpu_dispatch.cuh"

using namespace atomtune;

namespace {

class Stream {
 public:
  Stream() { CHECK_CUDA(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() { cudaStreamDestroy(stream_); }
  operator cudaStream_t() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

// Graph is what call() enqueues in a stream.
class Graph {
 public:
  template <typename Call>
  Graph(cudaStream_t stream, Call call) : stream_(stream) {
    CHECK_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    const cudaError_t status = call();
    CHECK_CUDA(cudaStreamEndCapture(stream, &graph_));
    CHECK_CUDA(status);
    CHECK_CUDA(cudaGraphInstantiate(&replay_, graph_, 0));
  }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  ~Graph() {
    cudaGraphExecDestroy(replay_);
    cudaGraphDestroy(graph_);
  }

  // launch replays it so many times and waits. The stream does not wait for the default one.
  void launch(int times) const {
    CHECK_CUDA(cudaDeviceSynchronize());
    for (int k = 0; k < times; ++k) CHECK_CUDA(cudaGraphLaunch(replay_, stream_));
    CHECK_CUDA(cudaStreamSynchronize(stream_));
  }

 private:
  cudaStream_t stream_;
  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t replay_ = nullptr;
};

// write has other data on the device.
template <typename T>
void write(const DeviceArray<T>& to, const std::vector<T>& from) {
  CHECK_CUDA(cudaMemcpy(to.data(), from.data(), to.bytes(), cudaMemcpyHostToDevice));
}

// stream_of is uniform, or has most updates on one target.
std::vector<uint32_t> stream_of(bool skewed, size_t n, uint32_t bins,
                                std::mt19937_64& random) {
  std::vector<uint32_t> index(n);
  for (uint32_t& i : index) {
    i = skewed && random() % 10 != 0 ? 7 : uint32_t(random() % bins);
  }
  return index;
}

// ByTop is a tree that comes to a partition where no target is frequent, else to a table of
// hot ones.
struct ByTop {
  static constexpr uint32_t spread = 0, skewed = 1;
  Action actions[2] = {{Base::partition, Reduction::none, 1, 0, 4096, "partition"},
                       {Base::hot, Reduction::none, 4, 1, 256, "hot"}};
  TreeNode nodes[3] = {{16, 2, feature_top, 0},
                       {0, spread, CutTree::leaf, 0},
                       {0, skewed, CutTree::leaf, 0}};
  DispatchTree tree{"test", 9, 0, 132, nodes, 3, actions, 2};
};

// check_changed_data replays a call on streams and values that change, last of all many times.
// Without a tree it is the device's.
void check_changed_data(const ByTop* by, const std::string& what, std::mt19937_64& random) {
  const uint32_t bins = 100000;
  const size_t n = work.updates();
  const Stream stream;
  const DeviceArray<uint32_t> indices(n), values(n), out(bins);
  const DeviceArray<uint32_t> chosen(std::vector<uint32_t>{77});
  CallOptions options;
  options.chosen = chosen.data();
  options.tree = by != nullptr ? &by->tree : nullptr;
  const auto call = [&](void* memory, size_t& bytes) {
    return scatter_add(memory, bytes, out.data(), bins, indices.data(), values.data(), n,
                       stream, options);
  };
  Workspace workspace(call);
  const Graph graph(stream, [&] { return call(workspace.data(), workspace.bytes()); });
  for (int round = 0; round < 6; ++round) {
    const bool skewed = round % 2 == 0;
    const int replays = round < 4 ? 1 : work.repeats();
    const std::vector<uint32_t> index = stream_of(skewed, n, bins, random);
    const std::vector<uint32_t> value = wild_values<uint32_t>(random, n);
    write(indices, index);
    write(values, value);
    write(out, std::vector<uint32_t>(bins, 0));
    graph.launch(replays);
    std::vector<uint32_t> want(bins);
    for (size_t u = 0; u < n; ++u) want[index[u]] += value[u] * uint32_t(replays);
    expect(out.to_host() == want, what + ", round " + std::to_string(round));
    if (by == nullptr) continue;
    expect(chosen.to_host()[0] == (skewed ? ByTop::skewed : ByTop::spread),
           what + " took the form of other data, round " + std::to_string(round));
  }
}

// check_deterministic replays a call that clears and whose sums have the same bits.
void check_deterministic(std::mt19937_64& random) {
  const uint32_t bins = 3000;
  const std::vector<uint32_t> index = random_indices(random, work.updates(), bins);
  const std::vector<float> values = wild_values<float>(random, index.size());
  const Stream stream;
  const DeviceArray<uint32_t> indices(index);
  const DeviceArray<float> loaded(values), out(std::vector<float>(bins, 5.f));
  CallOptions options;
  options.clear = true;
  const auto call = [&](void* memory, size_t& bytes) {
    return scatter_add(memory, bytes, out.data(), bins, indices.data(), loaded.data(),
                       index.size(), stream, deterministic(options));
  };
  Workspace workspace(call);
  const Graph graph(stream, [&] { return call(workspace.data(), workspace.bytes()); });
  graph.launch(1);
  const std::vector<float> first = out.to_host();
  expect_totals(first, totals_of(index, values, bins), 0.f, "a deterministic graph");
  graph.launch(10);
  const std::vector<float> again = out.to_host();
  expect(std::memcmp(first.data(), again.data(), out.bytes()) == 0,
         "a deterministic graph has other bits when replayed");
}

// check_memory_of_stream has the working memory taken and given back within the graph.
void check_memory_of_stream(std::mt19937_64& random) {
  const uint32_t bins = 50000;
  const std::vector<uint32_t> index = random_indices(random, work.updates(), bins);
  const Stream stream;
  const ByTop by;
  const DeviceArray<uint32_t> indices(index), values(std::vector<uint32_t>(index.size(), 3));
  const DeviceArray<uint32_t> out(std::vector<uint32_t>(bins, 0));
  CallOptions options;
  options.tree = &by.tree;
  const Graph graph(stream, [&] {
    return scatter_add(out.data(), bins, indices.data(), values.data(), index.size(), stream,
                       StreamMemory(), options);
  });
  graph.launch(4);
  std::vector<uint32_t> want(bins);
  for (uint32_t i : index) want[i] += 4 * 3;
  expect(out.to_host() == want, "a graph that takes its own memory");
}

// check_error_word has an index out of range in the second replay only.
void check_error_word() {
  const Stream stream;
  const DeviceArray<uint32_t> indices(1000), values(std::vector<uint32_t>(1000, 1));
  const DeviceArray<uint32_t> out(std::vector<uint32_t>(10, 0)), error(std::vector<uint32_t>{0});
  CallOptions options;
  options.error = error.data();
  const auto call = [&](void* memory, size_t& bytes) {
    return scatter_add(memory, bytes, out.data(), out.size(), indices.data(), values.data(),
                       indices.size(), stream, options);
  };
  Workspace workspace(call);
  const Graph graph(stream, [&] { return call(workspace.data(), workspace.bytes()); });
  std::vector<uint32_t> index(indices.size(), 4);
  write(indices, index);
  graph.launch(1);
  expect(error.to_host()[0] == 0, "a graph of good indices tells an error");
  index[500] = 10;
  write(indices, index);
  graph.launch(1);
  expect(error.to_host()[0] == 1, "a graph does not tell an index out of range");
  std::vector<uint32_t> want(out.size());
  want[4] = 1000 + 999;
  expect(out.to_host() == want, "a graph with an index out of range");
}

}  // namespace

void test_graphs() {
  std::mt19937_64 random(61);
  const ByTop by;
  check_changed_data(&by, "a graph of a tree", random);
  check_changed_data(nullptr, "a graph of the device's tree", random);
  check_deterministic(random);
  check_memory_of_stream(random);
  check_error_word();
}
