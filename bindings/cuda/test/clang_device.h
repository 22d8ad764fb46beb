// What nvcc brings and clang does not without CUDA's toolkit, as far as the kernels use it:
// enough to compile them to PTX where no toolkit is. Run by `make clang-ptx`. That PTX is
// for reading: what is measured is nvcc's.
#pragma once

#include <cstdint>
#include <cstdlib>

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __align__(n) __attribute__((aligned(n)))

struct uint3 {
  unsigned x, y, z;
};
struct dim3 {
  unsigned x, y, z;
};

#include <__clang_cuda_builtin_vars.h>

#define ON_DEVICE static __device__ __forceinline__

ON_DEVICE int __popc(unsigned x) { return __builtin_popcount(x); }
ON_DEVICE int __clz(int x) { return x == 0 ? 32 : __builtin_clz(unsigned(x)); }
ON_DEVICE int __ffs(int x) { return __builtin_ffs(x); }
ON_DEVICE unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  unsigned result;
  asm("shf.r.wrap.b32 %0, %1, %2, %3;" : "=r"(result) : "r"(low), "r"(high), "r"(shift));
  return result;
}

ON_DEVICE void __syncwarp(unsigned mask) { __nvvm_bar_warp_sync(mask); }
ON_DEVICE unsigned __activemask() {
  unsigned mask;
  asm volatile("activemask.b32 %0;" : "=r"(mask));
  return mask;
}
ON_DEVICE unsigned __ballot_sync(unsigned mask, int p) {
  return __nvvm_vote_ballot_sync(mask, p);
}
ON_DEVICE int __any_sync(unsigned mask, int p) { return __nvvm_vote_any_sync(mask, p); }

// On each word of a value of one or two words.
template <typename T, typename Move>
ON_DEVICE T move_words(T v, Move move) {
  int words[sizeof(T) / 4];
  __builtin_memcpy(words, &v, sizeof v);
  for (int& word : words) word = move(word);
  __builtin_memcpy(&v, words, sizeof v);
  return v;
}
template <typename T>
ON_DEVICE T __shfl_sync(unsigned mask, T v, int lane) {
  return move_words(v, [=](int w) { return __nvvm_shfl_sync_idx_i32(mask, w, lane, 31); });
}
template <typename T>
ON_DEVICE T __shfl_up_sync(unsigned mask, T v, unsigned by) {
  return move_words(v, [=](int w) { return __nvvm_shfl_sync_up_i32(mask, w, by, 0); });
}
template <typename T>
ON_DEVICE T __shfl_down_sync(unsigned mask, T v, unsigned by) {
  return move_words(v, [=](int w) { return __nvvm_shfl_sync_down_i32(mask, w, by, 31); });
}
template <typename T>
ON_DEVICE T __shfl_xor_sync(unsigned mask, T v, int bits) {
  return move_words(v, [=](int w) { return __nvvm_shfl_sync_bfly_i32(mask, w, bits, 31); });
}
template <typename K>
ON_DEVICE unsigned __match_any_sync(unsigned mask, K key) {
  if constexpr (sizeof(K) == 4) {
    return __nvvm_match_any_sync_i32(mask, key);
  } else {
    return __nvvm_match_any_sync_i64(mask, key);
  }
}

ON_DEVICE uint32_t __ldg(const uint32_t* p) { return __nvvm_ldg_ui(p); }
ON_DEVICE unsigned long __ldg(const unsigned long* p) { return __nvvm_ldg_ul(p); }
ON_DEVICE unsigned long long __ldg(const unsigned long long* p) {
  return __nvvm_ldg_ull(p);
}
ON_DEVICE float __ldg(const float* p) { return __nvvm_ldg_f(p); }
ON_DEVICE double __ldg(const double* p) { return __nvvm_ldg_d(p); }

ON_DEVICE unsigned atomicAdd(unsigned* target, unsigned v) {
  return __nvvm_atom_add_gen_i(reinterpret_cast<int*>(target), int(v));
}
ON_DEVICE unsigned long long atomicAdd(unsigned long long* target, unsigned long long v) {
  return __nvvm_atom_add_gen_ll(reinterpret_cast<long long*>(target), (long long)(v));
}
ON_DEVICE float atomicAdd(float* target, float v) {
  return __nvvm_atom_add_gen_f(target, v);
}
ON_DEVICE double atomicAdd(double* target, double v) {
  return __nvvm_atom_add_gen_d(target, v);
}
ON_DEVICE unsigned atomicMax(unsigned* target, unsigned v) {
  return __nvvm_atom_max_gen_ui(target, v);
}
ON_DEVICE unsigned long long atomicMax(unsigned long long* target, unsigned long long v) {
  return __nvvm_atom_max_gen_ull(target, v);
}
