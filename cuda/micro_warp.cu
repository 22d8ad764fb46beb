// Warp primitives and barriers on one SM: latency of one warp's dependent chain,
// and throughput with 32 warps of four independent chains each.
#include "micro.cuh"

namespace {

constexpr unsigned full_warp = 0xffffffffu;
constexpr int chain_length = 64;

// Each operation makes the next word from the last; its cost holds one or two
// arithmetic instructions where the primitive's result cannot be its next operand.
struct Shuffle {
  static constexpr const char* name = "shuffle";
  static __device__ __forceinline__ uint32_t next(uint32_t v, uint32_t) {
    return __shfl_sync(full_warp, v, v);  // the lane to read comes along
  }
};

struct Ballot {
  static constexpr const char* name = "ballot";
  static __device__ __forceinline__ uint32_t next(uint32_t v, uint32_t zero) {
    return __ballot_sync(full_warp, v != zero);
  }
};

struct MatchAny {
  static constexpr const char* name = "match_any";
  static __device__ __forceinline__ uint32_t next(uint32_t v, uint32_t zero) {
    return v | (__match_any_sync(full_warp, v) & zero);
  }
};

struct ReduceAdd {
  static constexpr const char* name = "reduce_add";
  static __device__ __forceinline__ uint32_t next(uint32_t v, uint32_t) {
    return __reduce_add_sync(full_warp, v);
  }
};

// run_chains performs chain_length operations on each of Chains words. distinct is
// the number of different words in the warp at the start; zero is 0. The second
// pass counts: the first one fetches the instructions.
template <typename Operation, int Chains>
__global__ void run_chains(uint32_t distinct, uint32_t zero, uint32_t* sink,
                           Interval* intervals) {
  uint32_t v[Chains];
  for (int c = 0; c < Chains; ++c) v[c] = threadIdx.x % distinct + 32 * zero * c;
#pragma unroll 1
  for (int pass = 0; pass < 2; ++pass) {
    __syncthreads();
    const long long t0 = clock64();
#pragma unroll 16
    for (int k = 0; k < chain_length; ++k) {
#pragma unroll
      for (int c = 0; c < Chains; ++c) v[c] = Operation::next(v[c], zero);
    }
    uint32_t all = 0;
    for (int c = 0; c < Chains; ++c) all ^= v[c] + c;
    sink[threadIdx.x] = all;
    __syncwarp();
    const long long t1 = clock64();
    if (threadIdx.x % warp_size == 0) intervals[threadIdx.x / warp_size] = {t0, t1};
  }
}

template <typename Operation, int Chains>
double cycles_each(unsigned warps, uint32_t distinct) {
  DeviceArray<uint32_t> sink(warps * warp_size);
  DeviceArray<Interval> intervals(warps);
  return min_of_five([&] {
    run_chains<Operation, Chains><<<1, warps * warp_size>>>(distinct, 0, sink.data(),
                                                            intervals.data());
    CHECK_LAUNCH();
    return double(span(intervals.to_host())) / chain_length;
  });
}

template <typename Operation>
void measure_operation(Sheet& sheet, uint32_t distinct) {
  constexpr int warps = 32, chains = 4;
  const std::string name = Operation::name;
  const std::string parameter = key_value("distinct", distinct);
  sheet.row(name + "_latency", parameter, cycles_each<Operation, 1>(1, distinct),
            "cycles");
  sheet.row(name + "_throughput", parameter,
            cycles_each<Operation, chains>(warps, distinct) / (warps * chains),
            "cycles_per_warp_instruction");
}

__global__ void run_barriers(Interval* intervals) {
#pragma unroll 1
  for (int pass = 0; pass < 2; ++pass) {
    __syncthreads();
    const long long t0 = clock64();
#pragma unroll 16
    for (int k = 0; k < chain_length; ++k) __syncthreads();
    const long long t1 = clock64();
    if (threadIdx.x % warp_size == 0) intervals[threadIdx.x / warp_size] = {t0, t1};
  }
}

void measure_barrier(Sheet& sheet) {
  for (int warps : {1, 2, 4, 8, 16, 32}) {
    DeviceArray<Interval> intervals(warps);
    const double cycles = min_of_five([&] {
      run_barriers<<<1, warps * warp_size>>>(intervals.data());
      CHECK_LAUNCH();
      return double(span(intervals.to_host())) / chain_length;
    });
    sheet.row("barrier", key_value("threads", warps * warp_size), cycles, "cycles");
  }
}

}  // namespace

void measure_warp(Sheet& sheet) {
  measure_operation<Shuffle>(sheet, 32);
  measure_operation<Ballot>(sheet, 32);
  measure_operation<ReduceAdd>(sheet, 32);
  for (uint32_t distinct : {1, 2, 4, 8, 16, 32}) {
    measure_operation<MatchAny>(sheet, distinct);
  }
  measure_barrier(sheet);
}
