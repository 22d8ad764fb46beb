// The choice inside one kernel: each block takes the sample of atomtune_sample.cuh, asks the
// tree, and runs the form of the leaf. All blocks come to the same leaf.
#pragma once

#include "atomtune_fixed.cuh"
#include "atomtune_private_fetch.cuh"
#include "atomtune_ranges.cuh"
#include "atomtune_sample.cuh"
#include "atomtune_trees.cuh"

namespace atomtune {

// CutTree is what is left of a tree once the features known on the host are settled. A leaf
// holds the place of its action in actions.
struct CutTree {
  static constexpr uint32_t most_nodes = 383, most_actions = 32;

  struct Form {
    Base base;
    Reduction reduction;
    uint8_t number;  // of the action in the tree that was cut
    uint32_t copies, parameter;
  };

  uint32_t known[known_features];
  uint32_t action_count;
  TreeNode nodes[most_nodes];
  Form actions[most_actions];

  __host__ __device__ bool settled() const { return nodes[0].feature == leaf; }

  static constexpr uint8_t leaf = 255;
};

// find_action is the place of the action that the features lead to.
__device__ __forceinline__ uint32_t find_action(const CutTree& tree,
                                                const uint32_t* features) {
  uint32_t at = 0;
  TreeNode node = tree.nodes[0];
  while (node.feature != CutTree::leaf) {
    at = features[node.feature] < node.threshold ? at + 1 : node.right;
    node = tree.nodes[at];
  }
  return node.right;
}

// Cleared are words of global memory that kernels behind the one that decides want zero.
struct Cleared {
  uint32_t* words = nullptr;
  uint32_t number = 0;
};

// Call is what a kernel that decides is asked for.
template <typename T, typename Index, typename Values>
struct Call {
  using Type = T;

  T* out;
  T* old;  // where old values are wanted
  Index index;
  Values values;
  size_t updates;
  uint32_t bins;
  uint32_t shared_bytes;  // of a block
  uint32_t* chosen;       // gets the number of the action, where given
  const uint32_t* tags;   // of a table of hot targets that is known, where given
  Cleared cleared = {};   // where the choice is a partition
};

namespace deciding {

// fitting is the number of copies, wanted at most, that fit into a block, at least 1.
template <typename T>
__device__ __forceinline__ uint32_t fitting(uint32_t wanted, size_t bytes, uint32_t width) {
  const size_t most = bytes / (sizeof(T) * (size_t(width) + 1));
  if (wanted <= 1 || most <= 1) return 1;
  return most < wanted ? uint32_t(most) : wanted;
}

// odd_pad puts copies an odd number of words apart: then a warp's copies of a target lie in different banks.
__device__ __forceinline__ uint32_t odd_pad(uint32_t copies, uint32_t width) {
  return copies > 1 ? 1 - width % 2 : 0;
}

// few_forms reports whether targets of a type have only the forms that gain most, for the sake of
// the time to compile: sums in fixed point, whose values are made where they are added. Lanes are
// joined by match in place of sr.
template <typename T>
inline constexpr bool few_forms = is_fixed_sum<T>;

// InFlight is the updates in flight of a thread.
template <int number>
using InFlight = std::integral_constant<int, number>;

// with_form calls body with the form of a reduction and the updates in flight.
template <typename T, typename Body>
__device__ __forceinline__ void with_form(const CutTree::Form& form, const Body& body) {
  if (form.reduction == Reduction::none) {
    body(Naive(), InFlight<4>());
  } else if (few_forms<T> || form.reduction == Reduction::match) {
    body(Match(), InFlight<4>());
  } else if constexpr (!few_forms<T>) {
    body(ScanReduce(), InFlight<4>());
  }
}

// What is done with a form. These are types with an operator, and not closures, so that
// compilers put their code in place and know which pointers point to shared memory.
template <typename C>
struct UpdateGlobal {
  const C& call;

  template <typename Form, typename Turns>
  __device__ __forceinline__ void operator()(Form, Turns) const {
    global_update<Form, Turns::value>(call.out, call.index, call.values, call.updates);
  }
};

template <typename C>
struct FetchGlobal {
  const C& call;

  template <typename Form, typename Turns>
  __device__ __forceinline__ void operator()(Form, Turns) const {
    global_fetch_update<Form>(call.out, call.index, call.values, call.old, call.updates);
  }
};

template <typename C, typename Target>
struct UpdateTarget {
  const C& call;
  Target target;

  template <typename Form, typename Turns>
  __device__ __forceinline__ void operator()(Form, Turns) const {
    for_each_update<Turns::value>(whole_grid(), call.index, call.values, call.updates,
                                  AddTo<Form, Target>{target});
  }
};

template <bool Returns, typename C>
__device__ __forceinline__ void run_global(const CutTree::Form& form, const C& call) {
  if constexpr (Returns) {
    with_form<typename C::Type>(form, FetchGlobal<C>{call});
  } else {
    with_form<typename C::Type>(form, UpdateGlobal<C>{call});
  }
}

template <bool Returns, typename C>
__device__ __forceinline__ void run_copies(const CutTree::Form& form, const C& call,
                                           unsigned char* shared) {
  using T = typename C::Type;
  const uint32_t copies = fitting<T>(form.copies, call.shared_bytes, call.bins);
  const Copies layout{call.bins, copies, odd_pad(copies, call.bins), false};
  T* const sums = reinterpret_cast<T*>(shared);
  if constexpr (Returns) {
    private_fetch_update(call.out, call.index, call.values, call.old, call.updates, layout,
                         sums);
  } else {
    using Target = TargetOf<T, decltype(call.index)>;
    layout.clear(sums);
    with_form<T>(form, UpdateTarget<C, Target>{call, {layout.mine(sums)}});
    layout.flush(call.out, sums);
  }
}

template <typename C>
__device__ __forceinline__ void run_ranges(const CutTree::Form& form, const C& call,
                                           unsigned char* shared) {
  using T = typename C::Type;
  RangedCopies layout{{call.bins, 1, 0, false}, form.parameter};
  layout.all.number = fitting<T>(form.copies, call.shared_bytes, layout.width());
  layout.all.pad = odd_pad(layout.all.number, layout.width());
  private_update<Naive, 4>(call.out, call.index, call.values, call.updates, layout,
                           reinterpret_cast<T*>(shared));
}

template <unsigned Threads, bool Returns, typename C>
__device__ __forceinline__ void run_hot(const CutTree::Form& form, const C& call,
                                        const StreamSample<Threads>& sample,
                                        unsigned char* shared) {
  using T = typename C::Type;
  const uint32_t slots = form.parameter;
  uint32_t* const tags = reinterpret_cast<uint32_t*>(shared);
  T* const sums = reinterpret_cast<T*>(tags + slots);
  const size_t left = call.shared_bytes - sizeof(uint32_t) * slots;
  const HotTable table{slots, fitting<T>(form.copies, left, slots), call.tags};
  if (call.tags != nullptr) {
    load_hot(table, tags, sums);
  } else {
    sample.fill_tags(tags, reinterpret_cast<uint32_t*>(sums), slots);
    table.sums().clear(sums);
  }
  if constexpr (Returns) {
    hot_fetch_update_tagged(call.out, call.index, call.values, call.old, call.updates, table,
                            tags, sums);
  } else {
    const auto target = hot_target<decltype(call.index)>(call.out, table, tags, sums);
    with_form<T>(form, UpdateTarget<C, std::decay_t<decltype(target)>>{call, target});
    flush_hot(call.out, table, tags, sums);
  }
}

// tell says which action a call has come to, where it is asked.
template <typename C>
__device__ __forceinline__ void tell(const CutTree::Form& form, const C& call) {
  if (call.chosen != nullptr && blockIdx.x == 0 && threadIdx.x == 0) {
    *call.chosen = form.number;
  }
}

// fits reports whether a form has the blocks and the shared memory that it wants at least.
template <typename T>
__host__ __device__ __forceinline__ bool fits(const CutTree::Form& form, uint32_t bins,
                                              unsigned blocks, unsigned threads, size_t bytes) {
  switch (form.base) {
    case Base::copies: return sizeof(T) * size_t(bins) <= bytes;
    case Base::hot: return (sizeof(uint32_t) + sizeof(T)) * size_t(form.parameter) <= bytes;
    case Base::threadprivate: return sizeof(T) * size_t(bins) * threads <= bytes;
    case Base::ranges: {
      const RangedCopies layout{{bins, 1, 0, false}, form.parameter};
      return form.parameter > 0 && form.parameter <= blocks && sizeof(T) * layout.words() <= bytes;
    }
    default: return true;
  }
}

// run_form runs the form of an action with the shared memory of the block, and updates the
// targets directly where it does not fit. The sample has the tags of a table of hot targets.
template <unsigned Threads, bool Returns, typename C>
__device__ __forceinline__ void run_form(const CutTree::Form& form, const C& call,
                                         const StreamSample<Threads>& sample,
                                         unsigned char* shared) {
  using T = typename C::Type;
  const bool fit = fits<T>(form, call.bins, gridDim.x, blockDim.x, call.shared_bytes);
  if (form.base == Base::copies && fit) {
    run_copies<Returns>(form, call, shared);
    return;
  }
  if (form.base == Base::hot && fit) {
    run_hot<Threads, Returns>(form, call, sample, shared);
    return;
  }
  if constexpr (!Returns) {
    if (form.base == Base::threadprivate && fit) {
      threadprivate_add(call.out, call.index, call.values, call.updates, call.bins,
                        reinterpret_cast<T*>(shared));
      return;
    }
    if (form.base == Base::ranges && fit) {
      run_ranges(form, call, shared);
      return;
    }
  }
  run_global<Returns>(form, call);
}

}  // namespace deciding

// take_sample takes the sample of a stream and leaves the features in sums, whose known ones are
// there. counter has sampling::counter_bytes. Elements of the targets have so many bytes. The whole
// block calls it, and may read sums as soon as it returns.
template <unsigned Threads, typename Index>
__device__ __forceinline__ void take_sample(StreamSample<Threads>& sample, Index index,
                                            size_t updates, unsigned bytes, uint32_t* counter,
                                            uint32_t* sums) {
  sample.load(0, index, updates);
  for (uint32_t k = threadIdx.x; k < sampling::counters; k += Threads) counter[k] = 0;
  for (uint32_t f = known_features + threadIdx.x; f < feature_count; f += Threads) sums[f] = 0;
  __syncthreads();
  sample.measure(updates, counter, bytes == 4 ? 3 : 2, sums);
  __syncthreads();
}

// decide_and_run makes the updates of a call in blocks of Threads threads, one-dimensional,
// with call.shared_bytes of shared memory, sampling::counter_bytes at least. Where nothing is
// sampled, blocks may have fewer threads, and the memory that the form wants. sums has
// feature_count words of shared memory of their own.
template <unsigned Threads, bool Returns, typename T, typename Index, typename Values>
__device__ __forceinline__ void decide_and_run(const Call<T, Index, Values>& call,
                                               const CutTree& tree, unsigned char* shared,
                                               uint32_t* sums) {
  StreamSample<Threads> sample;
  uint32_t place = tree.nodes[0].right;
  const bool decides = !tree.settled();
  if (decides || (tree.actions[place].base == Base::hot && call.tags == nullptr)) {
    uint32_t* const counter = reinterpret_cast<uint32_t*>(shared);
    for (uint32_t f = threadIdx.x; f < known_features; f += blockDim.x) sums[f] = tree.known[f];
    take_sample(sample, call.index, call.updates, sizeof(T), counter, sums);
    if (decides) place = find_action(tree, sums);
    if (tree.actions[place].base == Base::hot) {
      sample.complete(call.index, call.updates, counter);
    }
  }
  const CutTree::Form form = tree.actions[place];
  deciding::tell(form, call);
  if (form.base == Base::partition) {
    for (uint32_t k = blockIdx.x * blockDim.x + threadIdx.x; k < call.cleared.number;
         k += gridDim.x * blockDim.x) {
      call.cleared.words[k] = 0;
    }
    return;
  }
  __syncthreads();  // the counters give way to copies
  deciding::run_form<Threads, Returns>(form, call, sample, shared);
}

// run_alone makes the updates of a call in a form that is known to the compiler and fits; form has
// its sizes. A table of hot targets has its tags in the call.
template <Base base, Reduction reduction, unsigned Threads, typename T, typename Index,
          typename Values>
__device__ __forceinline__ void run_alone(const Call<T, Index, Values>& call,
                                          CutTree::Form form, unsigned char* shared) {
  deciding::tell(form, call);
  form.base = base;
  form.reduction = reduction;
  if constexpr (base == Base::copies) {
    deciding::run_copies<false>(form, call, shared);
  } else if constexpr (base == Base::ranges) {
    deciding::run_ranges(form, call, shared);
  } else if constexpr (base == Base::hot) {
    deciding::run_hot<Threads, false>(form, call, StreamSample<Threads>(), shared);
  } else {
    deciding::run_global<false>(form, call);
  }
}

}  // namespace atomtune
