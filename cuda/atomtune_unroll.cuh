// Several updates in flight per thread: a thread loads the indices and values of Unroll
// turns before it adds the first. One loop serves every way of adding, which is a body:
//
//   bool takes(uint32_t i) const;       whether the value of an update of i is wanted
//   void add(size_t u, uint32_t i, V v, unsigned mask, unsigned draw) const;
//
// The whole calls of atomtune_stream.cuh and atomtune_private.cuh come with it as
// global_update<Form, Unroll> and so on, for an Unroll of 1, 2, 4 or 8.
#pragma once

#include "atomtune_private.cuh"

namespace atomtune {

// Share says which blocks read a stream together, by grid stride, and which of them the
// caller's is.
struct Share {
  unsigned block, blocks;
};

__device__ __forceinline__ Share whole_grid() { return {blockIdx.x, gridDim.x}; }

// draw_of is the draw of update u, the same for the 32 updates of a warp's turn.
__device__ __forceinline__ unsigned draw_of(size_t u) {
  return (unsigned(u / 32) * 2654435769u) >> 27;
}

// perform loads the updates of Turns turns, u and those step apart, then has body add
// them in their order.
template <int Turns, typename Values, typename Body>
__device__ __forceinline__ void perform(const uint32_t* __restrict__ index, Values values,
                                        size_t u, size_t step, unsigned mask,
                                        const Body& body) {
  using Value = decltype(values[u]);
  uint32_t i[Turns];
  Value v[Turns];
#pragma unroll
  for (int k = 0; k < Turns; ++k) i[k] = __ldg(index + u + k * step);
#pragma unroll
  for (int k = 0; k < Turns; ++k) {
    v[k] = body.takes(i[k]) ? values[u + k * step] : Value();
  }
#pragma unroll
  for (int k = 0; k < Turns; ++k) {
    body.add(u + k * step, i[k], v[k], mask, draw_of(u + k * step));
  }
}

// for_each_update has body add every update of the stream that falls to the caller, as
// the loop of atomtune_stream.cuh does; the blocks of share are its grid. The turns that
// do not fill Unroll are made one by one, and the stream's last, partial warp stands
// apart.
template <int Unroll, typename Values, typename Body>
__device__ __forceinline__ void for_each_update(Share share,
                                                const uint32_t* __restrict__ index,
                                                Values values, size_t updates,
                                                const Body& body) {
  static_assert(Unroll == 1 || Unroll == 2 || Unroll == 4 || Unroll == 8,
                "1, 2, 4 or 8 updates in flight");
  const unsigned lane = threadIdx.x % 32;
  const size_t step = size_t(share.blocks) * blockDim.x;
  size_t base = size_t(share.block) * blockDim.x + threadIdx.x - lane;
  if constexpr (Unroll > 1) {
    for (; base + (Unroll - 1) * step + 32 <= updates; base += Unroll * step) {
      perform<Unroll>(index, values, base + lane, step, full_warp, body);
    }
  }
  for (; base + 32 <= updates; base += step) {
    perform<1>(index, values, base + lane, step, full_warp, body);
  }
  if (base + lane < updates) {
    perform<1>(index, values, base + lane, step, (1u << (updates - base)) - 1u, body);
  }
}

// AddTo adds to A by a form.
template <typename Form, typename T>
struct AddTo {
  T* A;

  __device__ __forceinline__ bool takes(uint32_t) const { return true; }

  template <typename V>
  __device__ __forceinline__ void add(size_t, uint32_t i, V v, unsigned mask,
                                      unsigned draw) const {
    Form::add(A, i, v, mask, draw);
  }
};

template <typename Form, int Unroll, typename T, typename Values>
__device__ __forceinline__ void global_update(T* A, const uint32_t* __restrict__ index,
                                              Values values, size_t updates) {
  for_each_update<Unroll>(whole_grid(), index, values, updates, AddTo<Form, T>{A});
}

// FetchTo is AddTo that writes what update u found to old[u].
template <typename Form, typename T>
struct FetchTo {
  T* A;
  T* old;

  __device__ __forceinline__ bool takes(uint32_t) const { return true; }

  template <typename V>
  __device__ __forceinline__ void add(size_t u, uint32_t i, V v, unsigned mask,
                                      unsigned draw) const {
    old[u] = Form::fetch_add(A, i, v, mask, draw);
  }
};

template <typename Form, int Unroll, typename T, typename Values>
__device__ __forceinline__ void global_fetch_update(T* A,
                                                    const uint32_t* __restrict__ index,
                                                    Values values, T* old,
                                                    size_t updates) {
  for_each_update<Unroll>(whole_grid(), index, values, updates, FetchTo<Form, T>{A, old});
}

template <typename Form, int Unroll, typename T, typename Values>
__device__ __forceinline__ void private_update(T* A, const uint32_t* __restrict__ index,
                                               Values values, size_t updates,
                                               Copies copies, T* shared) {
  copies.clear(shared);
  for_each_update<Unroll>(whole_grid(), index, values, updates,
                          AddTo<Form, T>{copies.mine(shared)});
  copies.flush(A, shared);
}

// CountOwn adds to the calling thread's counters, [target][thread].
template <typename T>
struct CountOwn {
  T* counters;

  __device__ __forceinline__ bool takes(uint32_t) const { return true; }

  template <typename V>
  __device__ __forceinline__ void add(size_t, uint32_t i, V v, unsigned, unsigned) const {
    T& counter = counters[i * blockDim.x + threadIdx.x];
    counter = plus(counter, as_number<T>(v));
  }
};

// store_partials writes the block's sum of each target to partial[target][block].
template <typename T>
__device__ __forceinline__ void store_partials(T* partial, uint32_t bins,
                                               const T* counters) {
  __syncthreads();
  const unsigned lane = threadIdx.x % 32;
  for (uint32_t k = threadIdx.x / 32; k < bins; k += blockDim.x / 32) {
    T sum = T(0);
    for (unsigned t = lane; t < blockDim.x; t += 32) {
      sum = plus(sum, counters[k * blockDim.x + t]);
    }
    sum = sum_warp(sum);
    if (lane == 0) partial[size_t(k) * gridDim.x + blockIdx.x] = sum;
  }
}

template <int Unroll, typename T, typename Values>
__device__ __forceinline__ void threadprivate_update(T* partial,
                                                     const uint32_t* __restrict__ index,
                                                     Values values, size_t updates,
                                                     uint32_t bins, T* shared) {
  for (uint32_t k = threadIdx.x; k < bins * blockDim.x; k += blockDim.x) {
    shared[k] = T(0);
  }
  __syncthreads();
  for_each_update<Unroll>(whole_grid(), index, values, updates, CountOwn<T>{shared});
  store_partials(partial, bins, shared);
}

}  // namespace atomtune
