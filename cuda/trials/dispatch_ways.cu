// What the choice of a form on the device costs, by each way that CUDA has for it: the time of
// a call that samples, decides and updates, over that of the form alone in the same launch.
//
//   nvcc -O3 -std=c++17 -arch=native -rdc=true trials/dispatch_ways.cu -lcudadevrt \
//       -o dispatch_ways && ./dispatch_ways > trials/dispatch_ways.csv
//
// -DNO_GRAPH leaves out conditional nodes (CUDA 12.8), -DNO_DEVICE_LAUNCH graphs that the device
// launches; without both, -rdc=true and -lcudadevrt are not needed. Names of ways in the
// arguments run these alone. A way that fails, or whose sums or choice are wrong, is told on
// standard error and leaves exit code 1.
#include <cuda_runtime.h>

#if CUDART_VERSION >= 12080 && !defined(NO_GRAPH)
#define TRIAL_CONDITIONAL 1
#endif
#if CUDART_VERSION >= 12000 && !defined(NO_DEVICE_LAUNCH)
#define TRIAL_DEVICE_LAUNCH 1
#endif

#include <algorithm>
#include <array>
#include <cstdio>
#include <set>
#include <tuple>

#include "dispatch_trial.cuh"

namespace trial {

using Form = void (*)(Call);
using Gated = void (*)(Call, const uint32_t*);

const std::array<Form, forms> plain_forms = {plain<0>, plain<1>, plain<2>, plain<3>, plain<4>};

template <bool Dependent>
std::array<Gated, forms> gated_forms() {
  return {gated<0, Dependent>, gated<1, Dependent>, gated<2, Dependent>, gated<3, Dependent>,
          gated<4, Dependent>};
}

// bare is the form in the launch of SMs x 1,024 and nothing else.
Way bare(const Case& c) {
  const Launch how{c.sms(), c.shared_of(int(c.expected)), c.stream};
  const Call& a = c.call;
  if (c.expected == private_naive) {
    const auto kernel = atomtune::update_private<Naive, 4, float, Loaded<float>, Copies>;
    return {1, registers_of(kernel), false, [=] {
              launch(how, kernel, a.out, a.index, a.values, a.updates, a.copies);
            }};
  }
  const auto kernel = atomtune::update_global<Naive, 4, float, Loaded<float>>;
  return {1, registers_of(kernel), false,
          [=] { launch(how, kernel, a.out, a.index, a.values, a.updates); }};
}

// known_action is all forms behind a switch, without a sample.
Way known_action(const Case& c) {
  const Launch how{c.sms(), c.shared_of(int(c.expected)), c.stream};
  return {1, registers_of(planned), false,
          [=, call = c.call, form = c.expected] { launch(how, planned, call, form); }};
}

using Deciding = void (*)(Call, const Node*, uint32_t*);

// one_kernel is all forms behind a switch, with so much shared memory a block.
Way one_kernel(const Case& c, Deciding kernel, size_t shared) {
  CHECK_CUDA(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel),
                                  cudaFuncAttributeMaxDynamicSharedMemorySize, int(shared)));
  const Launch how{c.sms(), shared, c.stream};
  return {1, registers_of(kernel), true,
          [=, call = c.call, tree = c.tree.data(), chosen = c.chosen.data()] {
            launch(how, kernel, call, tree, chosen);
          }};
}

// gated_kernels is a block that samples and number kernels, of which one does not return at
// once.
template <bool Dependent>
Way gated_kernels(const Case& c, int number) {
  if (Dependent && c.device.major < 9) throw std::runtime_error("needs compute capability 9.0");
  const auto kernels = gated_forms<Dependent>();
  const Launch first{1, sizeof(Sampled), c.stream};
  std::vector<Launch> how;
  int registers = registers_of(sample<Dependent>);
  for (int f = 0; f < number; ++f) {
    how.push_back({c.sms(), c.shared_of(f), c.stream, Dependent});
    registers = std::max(registers, registers_of(kernels[f]));
  }
  return {1 + number, registers, true,
          [=, call = c.call, tree = c.tree.data(), chosen = c.chosen.data()] {
            launch(first, sample<Dependent>, call, tree, chosen);
            for (int f = 0; f < number; ++f) launch(how[f], kernels[f], call, chosen);
          }};
}

#if TRIAL_CONDITIONAL
// add_kernel adds a kernel without dependencies to a graph.
template <typename... P, typename... A>
cudaGraphNode_t add_kernel(cudaGraph_t graph, unsigned blocks, size_t shared,
                           void (*kernel)(P...), const A&... args) {
  std::tuple<P...> values(args...);
  cudaGraphNode_t added = nullptr;
  std::apply(
      [&](P&... value) {
        void* pointers[] = {&value...};
        cudaKernelNodeParams node = {};
        node.func = reinterpret_cast<void*>(kernel);
        node.gridDim = dim3(blocks);
        node.blockDim = dim3(threads);
        node.sharedMemBytes = unsigned(shared);
        node.kernelParams = pointers;
        CHECK_CUDA(cudaGraphAddKernelNode(&added, graph, nullptr, 0, &node));
      },
      values);
  return added;
}

// switch_node is a graph of a block that samples and a node that switches among the forms.
Way switch_node(const Case& c) {
  const auto graph = std::make_shared<Graph>();
  cudaGraphConditionalHandle handle;
  CHECK_CUDA(cudaGraphConditionalHandleCreate(&handle, graph->graph, 0, 0));
  const cudaGraphNode_t first = add_kernel(graph->graph, 1, sizeof(Sampled), sample_set, c.call,
                                           c.tree.data(), c.chosen.data(), handle);
  cudaGraphNodeParams branch = {};
  branch.type = cudaGraphNodeTypeConditional;
  branch.conditional.handle = handle;
  branch.conditional.type = cudaGraphCondTypeSwitch;
  branch.conditional.size = forms;
  cudaGraphNode_t node = nullptr;
#if CUDART_VERSION >= 13000
  CHECK_CUDA(cudaGraphAddNode(&node, graph->graph, &first, nullptr, 1, &branch));
#else
  CHECK_CUDA(cudaGraphAddNode(&node, graph->graph, &first, 1, &branch));
#endif
  int registers = registers_of(sample_set);
  for (int f = 0; f < forms; ++f) {
    add_kernel(branch.conditional.phGraph_out[f], c.sms(), c.shared_of(f), plain_forms[f], c.call);
    registers = std::max(registers, registers_of(plain_forms[f]));
  }
  graph->instantiate(c.stream);
  return {2, registers, true, [graph, stream = cudaStream_t(c.stream)] {
            CHECK_CUDA(cudaGraphLaunch(graph->exec, stream));
          }};
}
#endif

#if TRIAL_DEVICE_LAUNCH
// device_launch is a graph of a block that samples and launches the graph of the form.
template <bool Tail>
Way device_launch(const Case& c) {
  std::vector<std::shared_ptr<Graph>> bodies;
  FormGraphs device;
  int registers = registers_of(sample_launch<Tail>);
  for (int f = 0; f < forms; ++f) {
    const Launch how{c.sms(), c.shared_of(f), c.stream};
    bodies.push_back(std::make_shared<Graph>(
        c.stream, [&] { launch(how, plain_forms[f], c.call); }));
    bodies[f]->instantiate(c.stream, cudaGraphInstantiateFlagDeviceLaunch);
    device.form[f] = bodies[f]->exec;
    registers = std::max(registers, registers_of(plain_forms[f]));
  }
  const Launch first{1, sizeof(Sampled), c.stream};
  const auto graph = std::make_shared<Graph>(c.stream, [&] {
    launch(first, sample_launch<Tail>, c.call, c.tree.data(), c.chosen.data(), device);
  });
  graph->instantiate(c.stream);
  return {2, registers, true, [graph, bodies, stream = cudaStream_t(c.stream)] {
            CHECK_CUDA(cudaGraphLaunch(graph->exec, stream));
          }};
}
#endif

// Maker makes a way for a case.
struct Maker {
  std::string name;
  std::function<Way(const Case&)> make;
  bool is_graph = false;
};

// The ways that a stream takes, each of which can be captured into a graph.
std::vector<Maker> stream_ways() {
  std::vector<Maker> ways = {
      {"known-action", known_action},
      {"one-kernel",
       [](const Case& c) { return one_kernel(c, persistent, c.shared_of_all()); }},
      {"one-kernel-whole-shared",
       [](const Case& c) { return one_kernel(c, persistent, size_t(c.device.whole_shared)); }},
      {"own-tile", [](const Case& c) { return one_kernel(c, own_tile, c.shared_of_all()); }}};
  for (int k = 2; k <= forms; ++k) {
    ways.push_back({"gated-" + std::to_string(k),
                    [k](const Case& c) { return gated_kernels<false>(c, k); }});
  }
  for (int k = 2; k <= forms; ++k) {
    ways.push_back({"dependent-" + std::to_string(k),
                    [k](const Case& c) { return gated_kernels<true>(c, k); }});
  }
  return ways;
}

// The ways that are graphs.
std::vector<Maker> graph_ways() {
  std::vector<Maker> ways;
#if TRIAL_CONDITIONAL
  ways.push_back({"switch-node", switch_node, true});
#endif
#if TRIAL_DEVICE_LAUNCH
  ways.push_back({"device-tail", device_launch<true>, true});
  ways.push_back({"device-fire", device_launch<false>, true});
#endif
  return ways;
}

// replayed is a way captured into a graph.
Way replayed(const Case& c, const Way& way) {
  const auto graph = std::make_shared<Graph>(c.stream, way.enqueue);
  graph->instantiate(c.stream);
  return {way.kernels, way.registers, way.decides, [graph, stream = cudaStream_t(c.stream)] {
            CHECK_CUDA(cudaGraphLaunch(graph->exec, stream));
          }};
}

// Report prints a row for each way that works and counts the others.
struct Report {
  std::set<std::string> wanted;  // empty: all
  int failed = 0;

  void row(const Case& c, const std::string& name, const char* mode, const Way& way,
           const Times& times, double base) const {
    std::printf("%s,%s,%d,%d,%zu,%u,%.2f,%.2f,%.2f\n", name.c_str(), mode, way.kernels,
                way.registers, c.call.updates, c.call.bins, times.device, times.device - base,
                times.host);
    std::fflush(stdout);
  }

  // run measures the bare form right before the way, both as graphs or both on the stream.
  void run(const Case& c, const Maker& maker, bool as_graph) {
    if (!wanted.empty() && wanted.count(maker.name) == 0) return;
    const char* const mode = as_graph ? "graph" : "stream";
    try {
      const Way made = maker.make(c);
      const Way way = as_graph && !maker.is_graph ? replayed(c, made) : made;
      check(c, way);
      const Way alone = as_graph ? replayed(c, bare(c)) : bare(c);
      check(c, alone);
      const Times base = measure(c, alone);
      const Times times = measure(c, way);
      row(c, "bare", mode, alone, base, base.device);
      row(c, maker.name, mode, way, times, base.device);
    } catch (const std::exception& e) {
      ++failed;
      std::fprintf(stderr, "%s, %s, %zu updates of %u: %s\n", maker.name.c_str(), mode,
                   c.call.updates, c.call.bins, e.what());
    }
  }
};

// for_each_case calls body with a stream of each size.
template <typename Body>
void for_each_case(Body body) {
  for (const size_t updates : {size_t(1) << 16, size_t(1) << 20, size_t(1) << 23}) {
    for (const uint32_t bins : {256u, 65536u}) body(Case(updates, bins));
  }
}

int run(const std::set<std::string>& wanted) {
  int driver = 0;
  CHECK_CUDA(cudaDriverGetVersion(&driver));
  std::printf("# %s, driver's CUDA %d, runtime's %d, medians of 50 calls in us\n",
              companion::gpu_name().c_str(), driver, CUDART_VERSION);
  std::printf("way,mode,kernels,registers,n,bins,us,us_over_base,host_us\n");
  Report report{wanted};
  for_each_case([&](const Case& c) {
    for (const Maker& maker : stream_ways()) {
      for (const bool as_graph : {false, true}) report.run(c, maker, as_graph);
    }
  });
  // Last, since an error of theirs may end the process's use of the device.
  for (const Maker& maker : graph_ways()) {
    for_each_case([&](const Case& c) { report.run(c, maker, true); });
  }
  return report.failed == 0 ? 0 : 1;
}

}  // namespace trial

int main(int argc, char** argv) {
  try {
    return trial::run(std::set<std::string>(argv + 1, argv + argc));
  } catch (const std::exception& e) {
    std::fprintf(stderr, "dispatch_ways: %s\n", e.what());
    return 1;
  }
}
