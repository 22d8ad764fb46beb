// One warp's chain of operations on global memory, each at an address that depends
// on the result before.
//
// Arguments. base: memory of zeros. apart: bytes from the place of one operation to that
// of the next, since the way to a slice of L2 is not the same from every place. offset:
// of each lane, in bytes. The last pass of 64 operations counts.
#include "casloop.cuh"
#include "timing.cuh"

namespace {

__device__ __forceinline__ uint32_t load_past_l1(const uint32_t* p) {
  uint32_t v;
  asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
  return v;
}
__device__ __forceinline__ u64 load_past_l1(const u64* p) {
  u64 v;
  asm volatile("ld.global.cg.u64 %0, [%1];" : "=l"(v) : "l"(p) : "memory");
  return v + (v << 32);  // both halves matter, or only one would be loaded
}

struct LoadL2 {
  template <typename T>
  static __device__ __forceinline__ T apply(T* p, T) { return load_past_l1(p); }
};

template <typename Operation, typename T>
__device__ __forceinline__ void run_chain(unsigned char* base, uint32_t apart,
                                          const uint32_t* offset, T value, T* sink,
                                          long long* intervals) {
  unsigned char* const first = base + offset[threadIdx.x];
  T old = T(0);
#pragma unroll 1
  for (int pass = 0; pass < chain_passes; ++pass) {
    __syncwarp();
    unsigned char* place = first;
    const long long start = clock64();
#pragma unroll 8
    for (int k = 0; k < chain_length; ++k) {
      old = Operation::apply(reinterpret_cast<T*>(place) + sign_of(old), value);
      place += apart;
    }
    sink[threadIdx.x] = old;
    __syncwarp();
    record(intervals, start, clock64());
  }
}

}  // namespace

#define CHAIN(name, Operation, T)                                                 \
  extern "C" __global__ void __launch_bounds__(warp_size) global_chain_##name(    \
      unsigned char* base, uint32_t apart, const uint32_t* offset, T value,       \
      T* sink, long long* intervals) {                                            \
    run_chain<Operation, T>(base, apart, offset, value, sink, intervals);         \
  }

CHAIN(u32_add, Add, uint32_t)
CHAIN(i32_add, Add, int32_t)
CHAIN(f32_add, Add, float)
CHAIN(u64_add, Add, u64)
CHAIN(i64_add, Add, long long)
CHAIN(f64_add, Add, double)
CHAIN(u32_min, Min, uint32_t)
CHAIN(u32_exch, Exch, uint32_t)
CHAIN(u64_exch, Exch, u64)
CHAIN(u32_cas, Cas, uint32_t)
CHAIN(u32_casloop, CasLoop, uint32_t)
CHAIN(f32_casloop, CasLoop, float)
CHAIN(f64_casloop, CasLoop, double)
CHAIN(u32_load, LoadL2, uint32_t)
CHAIN(u64_load, LoadL2, u64)
