// What compilers make of an addition: of the constant 1 or of a value known at run
// time, with its result used or not, at an address known at compile time or at run
// time, in shared or in global memory. All lanes of a warp add to one word, and go round
// eight words; in global memory these lie apart, since the way to a slice of L2 is not
// the same from every place.
//
// Arguments. offset: of each lane, 0, which only kernels with an address known at run
// time read. steps: additions of a pass, a multiple of 8. The last pass counts.
#include "operations.cuh"
#include "timing.cuh"

namespace {

enum Space { shared, global };
enum Address { fixed, runtime };

constexpr int bytes_apart = 33 * 128;  // of the words in global memory

template <Space space, typename T>
constexpr int words_apart = space == global ? bytes_apart / int(sizeof(T)) : 1;

template <typename T>
__device__ T global_words[unroll * words_apart<global, T>];

template <Space space, typename T>
__device__ __forceinline__ T* words_of() {
  if (space == global) return global_words<T>;
  __shared__ T shared_words[unroll + 1];
  return shared_words;
}

// add_used makes the next addition wait for the result of this one: by its address,
// or, where that is fixed, by a branch that is never taken.
template <typename Operation, Address address, typename T>
__device__ __forceinline__ bool add_used(T* word, T value, T* old) {
  *old = Operation::apply(address == fixed ? word : word + sign_of(*old), value);
  return address == runtime || sign_of(*old) == 0;
}

template <typename Operation, Space space, bool used, Address address, typename T>
__device__ __forceinline__ void run_instruction(const uint32_t* offset, T value,
                                                uint32_t steps, uint32_t passes, T* sink,
                                                long long* intervals) {
  T* const words = words_of<space, T>();
  if (threadIdx.x < unroll) words[threadIdx.x * words_apart<space, T>] = T(0);
  T* const first = address == fixed ? words : words + offset[threadIdx.x % warp_size];
  T old = T(0);
#pragma unroll 1
  for (uint32_t pass = 0; pass < passes; ++pass) {
    __syncthreads();
    const long long start = clock64();
#pragma unroll 1
    for (uint32_t s = 0; s < steps; s += unroll) {
#pragma unroll
      for (int u = 0; u < unroll; ++u) {
        T* const word = first + u * words_apart<space, T>;
        if (!used) {
          Operation::apply(word, value);
        } else if (!add_used<Operation, address>(word, value, &old)) {
          return;
        }
      }
    }
    if (used) sink[blockIdx.x * blockDim.x + threadIdx.x] = old;
    if (!used && space == shared) __threadfence_block();
    record(intervals, start, clock64());
    __syncwarp();
  }
}

}  // namespace

#define INSTRUCTION(name, Operation, space, used, address, T)                        \
  extern "C" __global__ void __launch_bounds__(1024) instruction_##name(             \
      const uint32_t* offset, T value, uint32_t steps, uint32_t passes, T* sink,     \
      long long* intervals) {                                                        \
    run_instruction<Operation, space, used, address>(offset, value, steps, passes,   \
                                                     sink, intervals);               \
  }

#define INSTRUCTION_ADDRESSES(name, Operation, space, used, T)               \
  INSTRUCTION(name##_static, Operation, space, used, fixed, T)               \
  INSTRUCTION(name##_runtime, Operation, space, used, runtime, T)

#define INSTRUCTION_RESULTS(name, Operation, space, T)                       \
  INSTRUCTION_ADDRESSES(name##_used, Operation, space, true, T)              \
  INSTRUCTION_ADDRESSES(name##_unused, Operation, space, false, T)

#define INSTRUCTION_OPERANDS(name, space, T)                                 \
  INSTRUCTION_RESULTS(name##_one, AddOne, space, T)                          \
  INSTRUCTION_RESULTS(name##_runtime, Add, space, T)

#define INSTRUCTION_SPACES(name, T)                                          \
  INSTRUCTION_OPERANDS(name##_shared, shared, T)                             \
  INSTRUCTION_OPERANDS(name##_global, global, T)

INSTRUCTION_SPACES(u32_add, uint32_t)
INSTRUCTION_SPACES(f32_add, float)
INSTRUCTION_SPACES(f64_add, double)
