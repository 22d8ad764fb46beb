// The kernels of the ways to run the form that a tree chooses: see dispatch_ways.cu.
#pragma once

#include "dispatch_sample.cuh"

namespace trial {

using atomtune::Copies;
using atomtune::Loaded;
using atomtune::Match;
using atomtune::Naive;
using atomtune::ScanReduce;

// Call is one call: out[index[u]] += values[u].
struct Call {
  float* out;
  const uint32_t* index;
  Loaded<float> values;
  size_t updates;
  uint32_t bins;
  Copies copies;  // of the private forms
};

constexpr int forms = 5;
constexpr uint32_t naive = 0, private_naive = 1;  // what uniform streams get

__host__ __device__ constexpr bool is_private(int form) { return form == 1 || form == 4; }

// run_form runs form number Form on the caller's grid.
template <int Form>
__device__ __forceinline__ void run_form(const Call& c) {
  using Update = std::conditional_t<Form == 2 || Form == 4, Match,
                                    std::conditional_t<Form == 3, ScanReduce, Naive>>;
  if constexpr (is_private(Form)) {
    atomtune::private_update<Update, 4>(c.out, c.index, c.values, c.updates, c.copies,
                                        reinterpret_cast<float*>(atomtune::dynamic_shared));
  } else {
    atomtune::global_update<Update, 4>(c.out, c.index, c.values, c.updates);
  }
}

__device__ __forceinline__ void run_chosen(uint32_t action, const Call& c) {
  switch (action) {
    case 0: return run_form<0>(c);
    case 1: return run_form<1>(c);
    case 2: return run_form<2>(c);
    case 3: return run_form<3>(c);
    case 4: return run_form<4>(c);
  }
}

template <typename Place>
__device__ __forceinline__ uint32_t decide_call(const Call& c, const Node* tree, Place place) {
  return decide(*reinterpret_cast<Sampled*>(atomtune::dynamic_shared), tree, c.index,
                uint32_t(c.updates), c.bins, place);
}

// spin takes so many cycles.
__global__ void spin(long long cycles) {
  const long long start = clock64();
  while (clock64() - start < cycles) {
  }
}

// plain is one form, planned the form of an action that the host knows.
template <int Form>
__global__ void __launch_bounds__(threads) plain(Call c) {
  run_form<Form>(c);
}
__global__ void __launch_bounds__(threads) planned(Call c, uint32_t action) {
  run_chosen(action, c);
}

// persistent: every block takes the same sample, decides alike and updates.
__global__ void __launch_bounds__(threads) persistent(Call c, const Node* tree, uint32_t* chosen) {
  const uint32_t action = decide_call(c, tree, WholeStream{c.updates});
  if (blockIdx.x == 0 && threadIdx.x == 0) *chosen = action;
  run_chosen(action, c);
}

// own_tile: every block decides for itself from its first 1,024 updates. Blocks of different
// forms add to the same targets. The stream is a multiple of a tile.
__global__ void __launch_bounds__(threads) own_tile(Call c, const Node* tree, uint32_t* chosen) {
  if (size_t(blockIdx.x) * threads >= c.updates) return;
  const uint32_t action = decide_call(c, tree, OwnTile{blockIdx.x});
  if (blockIdx.x == 0 && threadIdx.x == 0) *chosen = action;
  run_chosen(action, c);
}

// release lets the next kernel of the stream start, where it was launched as a dependent one;
// await waits until the kernel before has ended and its stores are seen.
__device__ __forceinline__ void release() {
#if __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion();
#endif
}
__device__ __forceinline__ void await() {
#if __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
#endif
}

// sample is one block that writes its decision.
template <bool Dependent>
__global__ void __launch_bounds__(threads) sample(Call c, const Node* tree, uint32_t* chosen) {
  if constexpr (Dependent) release();
  const uint32_t action = decide_call(c, tree, WholeStream{c.updates});
  if (threadIdx.x == 0) *chosen = action;
}

// gated is one form that returns at once where it was not chosen.
template <int Form, bool Dependent>
__global__ void __launch_bounds__(threads) gated(Call c, const uint32_t* chosen) {
  if constexpr (Dependent) {
    release();
    await();
  }
  if (*static_cast<const volatile uint32_t*>(chosen) == Form) run_form<Form>(c);
}

#if TRIAL_CONDITIONAL
// sample_set is one block that sets the value by which a conditional node switches.
__global__ void __launch_bounds__(threads)
    sample_set(Call c, const Node* tree, uint32_t* chosen, cudaGraphConditionalHandle handle) {
  const uint32_t action = decide_call(c, tree, WholeStream{c.updates});
  if (threadIdx.x != 0) return;
  *chosen = action;
  cudaGraphSetConditional(handle, action);
}
#endif

#if TRIAL_DEVICE_LAUNCH
// FormGraphs are graphs of one form each that the device may launch.
struct FormGraphs {
  cudaGraphExec_t form[forms];
};

// sample_launch is one block that launches the graph of the form: when its own graph has
// ended (Tail), or at once. A launch that fails leaves no valid action.
template <bool Tail>
__global__ void __launch_bounds__(threads)
    sample_launch(Call c, const Node* tree, uint32_t* chosen, FormGraphs graphs) {
  const uint32_t action = decide_call(c, tree, WholeStream{c.updates});
  if (threadIdx.x != 0) return;
  cudaError_t status;
  if constexpr (Tail) {
    status = cudaGraphLaunch(graphs.form[action], cudaStreamGraphTailLaunch);
  } else {
    status = cudaGraphLaunch(graphs.form[action], cudaStreamGraphFireAndForget);
  }
  *chosen = status == cudaSuccess ? action : uint32_t(forms) + uint32_t(status);
}
#endif

}  // namespace trial
