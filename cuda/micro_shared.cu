// Shared-memory atomics on one SM: latency of one warp's dependent chain, and
// throughput with all warps busy, for position and bank conflicts of each degree.
#include "micro.cuh"

namespace {

extern __shared__ __align__(16) unsigned char shared_bytes[];

enum Conflict { position, bank };

constexpr int degrees[] = {1, 2, 4, 8, 16, 32};

// word_of is the word of a lane under a conflict of the given degree: by position,
// groups of degree lanes share a word and the groups' words lie in different
// banks; by bank, the lanes of a group have different words, 32 words apart.
__host__ __device__ inline uint32_t word_of(Conflict conflict, uint32_t degree,
                                            uint32_t lane) {
  const uint32_t group = lane / degree;
  return conflict == position ? group : group + 32 * (lane % degree);
}

__host__ __device__ inline uint32_t words_per_warp(Conflict conflict, uint32_t degree) {
  return conflict == position ? 32 : 32 * degree;
}

// sign_of is the top bit of a sum, which is 0 here; the compiler does not know.
__device__ __forceinline__ uint32_t sign_of(uint32_t v) { return v >> 31; }
__device__ __forceinline__ uint32_t sign_of(int32_t v) { return uint32_t(v) >> 31; }
__device__ __forceinline__ uint32_t sign_of(float v) { return __float_as_uint(v) >> 31; }
__device__ __forceinline__ uint32_t sign_of(unsigned long long v) {
  return uint32_t(v >> 63);
}
__device__ __forceinline__ uint32_t sign_of(double v) {
  return uint32_t(__double2hiint(v)) >> 31;
}

struct Add {
  template <typename T>
  static __device__ __forceinline__ T apply(T* p, T v) {
    return atomicAdd(p, v);
  }
};

// AddOne adds a constant, for which the compiler has an instruction of its own
// where the type is a 32-bit integer.
struct AddOne {
  template <typename T>
  static __device__ __forceinline__ T apply(T* p, T) {
    return atomicAdd(p, T(1));
  }
};

// Load stands beside Add, so that the cost of the chain itself can be seen.
struct Load {
  template <typename T>
  static __device__ __forceinline__ T apply(T* p, T) {
    return *static_cast<volatile T*>(p);
  }
};

template <typename T>
__device__ void clear_shared(uint32_t words) {
  T* const shared = reinterpret_cast<T*>(shared_bytes);
  for (uint32_t k = threadIdx.x; k < words; k += blockDim.x) shared[k] = T(0);
  __syncthreads();
}

constexpr int chain_length = 64;

// run_chain lets one warp perform 64 operations, each at an address that depends
// on the result of the one before. The second pass counts: the first one fetches
// the instructions.
template <typename Operation, typename T>
__global__ void run_chain(T value, Conflict conflict, uint32_t degree, T* sink,
                          Interval* interval) {
  clear_shared<T>(words_per_warp(conflict, degree) + 1);
  T* const shared = reinterpret_cast<T*>(shared_bytes);
  const uint32_t word = word_of(conflict, degree, threadIdx.x);
  T old = T(0);
#pragma unroll 1
  for (int pass = 0; pass < 2; ++pass) {
    __syncwarp();
    const long long t0 = clock64();
#pragma unroll
    for (int k = 0; k < chain_length; ++k) {
      old = Operation::apply(shared + word + sign_of(old), value);
    }
    sink[threadIdx.x] = old;
    __syncwarp();
    const long long t1 = clock64();
    if (threadIdx.x == 0) *interval = {t0, t1};
  }
}

// run_busy lets every warp of one block issue steps independent operations, each
// warp on words of its own.
template <typename Operation, typename T>
__global__ void run_busy(T value, Conflict conflict, uint32_t degree, int steps,
                         Interval* intervals) {
  const uint32_t words = words_per_warp(conflict, degree);
  const uint32_t warp = threadIdx.x / warp_size;
  clear_shared<T>(words * (blockDim.x / warp_size));
  T* const mine = reinterpret_cast<T*>(shared_bytes) + warp * words +
                  word_of(conflict, degree, threadIdx.x % warp_size);
  __syncthreads();
  const long long t0 = clock64();
#pragma unroll 8
  for (int s = 0; s < steps; ++s) Operation::apply(mine, value);
  __threadfence_block();
  const long long t1 = clock64();
  if (threadIdx.x % warp_size == 0) intervals[warp] = {t0, t1};
}

std::string parameter(const char* type, Conflict conflict, int degree) {
  return key_value("type", type) + " " +
         key_value("conflict", conflict == position ? "position" : "bank") + " " +
         key_value("degree", degree);
}

template <typename Kernel>
void allow_shared(Kernel* kernel) {
  CHECK_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  int(max_shared_bytes())));
}

template <typename Operation, typename T>
void measure_latency(Sheet& sheet, const char* name, const char* type) {
  DeviceArray<T> sink(warp_size);
  DeviceArray<Interval> interval(1);
  for (Conflict conflict : {position, bank}) {
    for (int degree : degrees) {
      const size_t bytes = (words_per_warp(conflict, degree) + 1) * sizeof(T);
      const double cycles = min_of_five([&] {
        run_chain<Operation><<<1, warp_size, bytes>>>(T(1), conflict, degree, sink.data(),
                                                      interval.data());
        CHECK_LAUNCH();
        return double(span(interval.to_host())) / chain_length;
      });
      sheet.row(name, parameter(type, conflict, degree), cycles, "cycles");
    }
  }
}

// busy_warps is 32, or as many as have room for their words.
template <typename T>
unsigned busy_warps(Conflict conflict, uint32_t degree) {
  const size_t each = words_per_warp(conflict, degree) * sizeof(T);
  return unsigned(std::min<size_t>(32, max_shared_bytes() / each));
}

template <typename Operation, typename T>
void measure_throughput(Sheet& sheet, const char* name, const char* type) {
  constexpr int steps = 128;
  auto* const kernel = &run_busy<Operation, T>;
  allow_shared(kernel);
  for (Conflict conflict : {position, bank}) {
    for (int degree : degrees) {
      const unsigned warps = busy_warps<T>(conflict, degree);
      const size_t bytes = warps * words_per_warp(conflict, degree) * sizeof(T);
      DeviceArray<Interval> intervals(warps);
      const double cycles = min_of_five([&] {
        kernel<<<1, warps * warp_size, bytes>>>(T(1), conflict, degree, steps,
                                                intervals.data());
        CHECK_LAUNCH();
        return double(span(intervals.to_host())) / (double(steps) * warps);
      });
      sheet.row(name,
                parameter(type, conflict, degree) + " " + key_value("warps", warps),
                cycles, "cycles_per_warp_instruction");
    }
  }
}

template <typename T>
void measure_type(Sheet& sheet, const char* type) {
  measure_latency<Add, T>(sheet, "shared_atomic_add_latency", type);
  measure_throughput<Add, T>(sheet, "shared_atomic_add_throughput", type);
}

}  // namespace

void measure_shared_atomics(Sheet& sheet) {
  measure_latency<Load, uint32_t>(sheet, "shared_load_latency", "u32");
  measure_throughput<AddOne, uint32_t>(sheet, "shared_atomic_add_one_throughput", "u32");
  measure_type<uint32_t>(sheet, "u32");
  measure_type<int32_t>(sheet, "i32");
  measure_type<float>(sheet, "f32");
  measure_type<unsigned long long>(sheet, "u64");
  measure_type<double>(sheet, "f64");
}
