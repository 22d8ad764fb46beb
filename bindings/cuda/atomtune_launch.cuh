// The kernel that decides, and the partitions that may follow it.
#pragma once

#include "atomtune_decide.cuh"
#include "atomtune_device.cuh"
#include "atomtune_partition_update.cuh"

namespace atomtune {

namespace calling {

inline constexpr unsigned threads = 1024;

// decide_kernel has pointers to the targets and the old values among its parameters, and not
// in a struct, so that compilers know that they point to global memory.
template <bool Returns, typename T, typename Index, typename Values>
__global__ void __launch_bounds__(threads)
    decide_kernel(T* out, T* old, Call<T, Index, Values> call,
                  const __grid_constant__ CutTree tree) {
  extern __shared__ uint4 dynamic_words[];
  __shared__ uint32_t sums[feature_count];
  call.out = out;
  call.old = old;
  decide_and_run<threads, Returns>(call, tree, reinterpret_cast<unsigned char*>(dynamic_words),
                                   sums);
}

// form_bytes is the shared memory that a form wants of a block.
template <typename T>
size_t form_bytes(const CutTree::Form& form, uint32_t bins, unsigned threads, size_t most) {
  const size_t copies = at_least(form.copies, 1u);
  size_t bytes = 0;
  if (form.base == Base::copies) {
    bytes = sizeof(T) * copies * (size_t(bins) + 1);
  } else if (form.base == Base::ranges) {
    bytes = sizeof(T) * copies * (bins / at_least(form.parameter, 1u) + 2);
  } else if (form.base == Base::threadprivate) {
    bytes = sizeof(T) * threads * size_t(bins);
  } else if (form.base == Base::hot) {
    bytes = (sizeof(uint32_t) + sizeof(T) * copies) * form.parameter + sizeof(T) * copies;
  }
  return at_most(bytes, most);
}

// Grid is how a call is launched: so many blocks for each SM, no more than there are updates.
struct Grid {
  unsigned per_sm = 1, threads = calling::threads;
};

// may_share are the devices on which a kernel may have all of a block's memory. Each file that is
// compiled has its own, since nvcc 13 gives each its own kernels.
template <typename... Kernel>
static std::atomic<uint64_t> may_share{0};

// Enqueued is a launch of a call: its grid and the shared memory of a block.
struct Enqueued {
  unsigned blocks, threads;
  size_t bytes;
  cudaStream_t stream;
};

// form_kernel runs one form, which needs no decision. A kernel of all forms takes half a
// microsecond longer, until the device has fetched what it comes to of so much code.
template <Base base, Reduction reduction, typename T, typename Index, typename Values>
__global__ void __launch_bounds__(threads)
    form_kernel(T* out, Call<T, Index, Values> call, CutTree::Form form) {
  extern __shared__ uint4 dynamic_words[];
  call.out = out;
  run_alone<base, reduction, threads>(call, form,
                                      reinterpret_cast<unsigned char*>(dynamic_words));
}

template <Base base, Reduction reduction, typename T, typename Index, typename Values>
cudaError_t launch_form(const Device& device, const CutTree::Form& form,
                        const Call<T, Index, Values>& call, const Enqueued& at) {
  using std::integral_constant;
  const auto kernel = form_kernel<base, reduction, T, Index, Values>;
  const cudaError_t status =
      allow(reinterpret_cast<const void*>(kernel),
            may_share<integral_constant<Base, base>, integral_constant<Reduction, reduction>, T,
                      Index, Values>,
            device.number, device.block_bytes - 64);
  if (status != cudaSuccess) return status;
  kernel<<<at.blocks, at.threads, at.bytes, at.stream>>>(call.out, call, form);
  return cudaGetLastError();
}

// alone is launch_form of a form, or null for one that has no kernel of its own. Calls have those
// to which the trees come before they ask for a sample, and plain atomics; plans have all others
// too. What nothing runs is not compiled.
template <bool plan, typename T, typename Index, typename Values>
auto alone(const CutTree::Form& form) {
  using Launch = cudaError_t (*)(const Device&, const CutTree::Form&,
                                 const Call<T, Index, Values>&, const Enqueued&);
  const Reduction reduction = form.reduction;
  const bool none = reduction == Reduction::none, match = reduction == Reduction::match;
  Launch launch = nullptr;
  if (form.base == Base::copies) {
    launch = none    ? launch_form<Base::copies, Reduction::none, T, Index, Values>
             : match ? launch_form<Base::copies, Reduction::match, T, Index, Values>
                     : launch_form<Base::copies, Reduction::sr, T, Index, Values>;
  } else if (form.base == Base::global && none) {
    launch = launch_form<Base::global, Reduction::none, T, Index, Values>;
  } else if (form.base == Base::global && match) {
    launch = launch_form<Base::global, Reduction::match, T, Index, Values>;
  } else if constexpr (plan) {
    if (form.base == Base::global) {
      launch = launch_form<Base::global, Reduction::sr, T, Index, Values>;
    } else if (form.base == Base::ranges) {
      launch = launch_form<Base::ranges, Reduction::none, T, Index, Values>;
    } else if (form.base == Base::hot && none) {
      launch = launch_form<Base::hot, Reduction::none, T, Index, Values>;
    } else if (form.base == Base::hot && match) {
      launch = launch_form<Base::hot, Reduction::match, T, Index, Values>;
    }
  }
  return launch;
}

// launch enqueues the kernel that decides, or that of the form that is left: plain atomics, by its
// reduction, where that does not fit.
template <bool Returns, bool plan = false, typename T, typename Index, typename Values>
cudaError_t launch(const Device& device, const CutTree& tree, Call<T, Index, Values> call,
                   cudaStream_t stream, Grid grid = {}) {
  const size_t most = device.block_bytes - 64;
  const bool samples =
      !tree.settled() || (tree.actions[0].base == Base::hot && call.tags == nullptr);
  size_t bytes = samples ? sampling::counter_bytes : 0;
  for (uint32_t k = 0; k < tree.action_count; ++k) {
    bytes = at_least(bytes, form_bytes<T>(tree.actions[k], call.bins, grid.threads, most));
  }
  bytes = at_most((bytes + 15) / 16 * 16, most);
  call.shared_bytes = uint32_t(bytes);
  const size_t blocks = at_most<size_t>((call.updates + grid.threads - 1) / grid.threads,
                                         size_t(device.sms) * grid.per_sm);
  const Enqueued at{unsigned(blocks), grid.threads, bytes, stream};
  if constexpr (!Returns && !deciding::few_forms<T>) {
    CutTree::Form form = tree.actions[0];
    if (!deciding::fits<T>(form, call.bins, at.blocks, at.threads, bytes)) {
      form.base = Base::global;
    }
    const auto launch = samples ? nullptr : alone<plan, T, Index, Values>(form);
    if (launch != nullptr) return launch(device, form, call, at);
  }
  const auto kernel = decide_kernel<Returns, T, Index, Values>;
  const cudaError_t status =
      allow(reinterpret_cast<const void*>(kernel),
            may_share<std::bool_constant<Returns>, T, Index, Values>, device.number, most);
  if (status != cudaSuccess) return status;
  kernel<<<at.blocks, at.threads, at.bytes, at.stream>>>(call.out, call.old, call, tree);
  return cudaGetLastError();
}

// Followers are the kernels of a partition that a call may come to. They follow the kernel
// that decides, and end at once unless it came to them. A tree may name several widths of
// ranges; the widest that fits follows, since each would take launches of its own.
template <typename T, typename Index, typename Values>
class Followers {
 public:
  // prepare finds the launches of the widest partition in tree, and has the targets updated
  // directly where none fits.
  cudaError_t prepare(CutTree* tree, uint32_t bins, size_t updates) {
    for (uint32_t k = 0; k < tree->action_count; ++k) {
      const CutTree::Form& form = tree->actions[k];
      if (form.base != Base::partition || (there_ && form.parameter <= width_)) continue;
      partitioning::Call<T, Values, Index> call;
      call.partition = {bins, log2_of(form.parameter), at_least(form.copies, 1u)};
      call.updates = updates;
      if (!partitioning::fits(call.partition, updates)) continue;
      const cudaError_t status = call.prepare();
      if (status == cudaErrorInvalidValue) continue;
      if (status != cudaSuccess) return status;
      call_ = call;
      width_ = form.parameter;
      number_ = form.number;
      there_ = true;
    }
    for (uint32_t k = 0; k < tree->action_count; ++k) {
      CutTree::Form& form = tree->actions[k];
      if (form.base != Base::partition) continue;
      if (there_) form.number = uint8_t(number_);
      if (!there_) form.base = Base::global;
    }
    return cudaSuccess;
  }

  // bytes is the working memory.
  size_t bytes() {
    if (!there_) return 0;
    Carver carver(nullptr);
    call_.place(carver);
    return carver.bytes();
  }

  // cleared is what the kernel that decides clears where it comes to the partition.
  Cleared cleared(void* memory) {
    if (!there_) return {};
    Carver carver(memory);
    call_.place(carver);
    return {call_.buckets.count, uint32_t(call_.zeros())};
  }

  cudaError_t run(void* memory, T* out, Index index, Values values, const uint32_t* chosen,
                  cudaStream_t stream) {
    if (!there_) return cudaSuccess;
    Carver carver(memory);
    call_.place(carver);
    return call_.run(out, index, values, Finish::add, stream, {chosen, number_});
  }

 private:
  static unsigned log2_of(uint32_t power) {
    unsigned bits = 0;
    while (power > 1) power /= 2, ++bits;
    return bits;
  }

  partitioning::Call<T, Values, Index> call_;
  uint32_t width_ = 0, number_ = 0;
  bool there_ = false;
};

// NoFollowers is for what has no partition: old values.
template <typename T, typename Index, typename Values>
struct NoFollowers {
  cudaError_t prepare(CutTree* tree, uint32_t, size_t) {
    for (uint32_t k = 0; k < tree->action_count; ++k) {
      Base& base = tree->actions[k].base;
      if (base == Base::partition) base = Base::global;
    }
    return cudaSuccess;
  }
  size_t bytes() const { return 0; }
  Cleared cleared(void*) const { return {}; }
  cudaError_t run(void*, T*, Index, Values, const uint32_t*, cudaStream_t) {
    return cudaSuccess;
  }
};

}  // namespace calling

}  // namespace atomtune
