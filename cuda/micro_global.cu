// Global atomics whose result is unused: time per warp instruction against the
// number of SMs that issue them.
#include "micro.cuh"

namespace {

// How a warp's lanes spread over the targets.
enum Pattern { one_address, line, sectors };

const char* name_of(Pattern pattern) {
  switch (pattern) {
    case one_address: return "one_address";  // all lanes on one random word
    case line: return "line";                // 32 neighbouring words, random start
    default: return "sectors";               // each lane its own random sector
  }
}

constexpr uint32_t region_bytes = 32 << 20;  // stays in L2
constexpr uint32_t sector_bytes = 32;

// scramble is a bijection of 32-bit words without visible pattern.
__device__ __forceinline__ uint32_t scramble(uint32_t x) {
  x = (x ^ x >> 16) * 2246822519u;
  x = (x ^ x >> 13) * 3266489917u;
  return x ^ x >> 16;
}

template <typename T, Pattern pattern>
__device__ __forceinline__ uint32_t target_word(uint32_t step, uint32_t warp,
                                                uint32_t lane) {
  constexpr uint32_t words = region_bytes / sizeof(T);
  const uint32_t h = scramble(step * 65536u + warp);
  if (pattern == one_address) return h % words;
  if (pattern == line) return h % (words / warp_size) * warp_size + lane;
  constexpr uint32_t sectors_in_region = region_bytes / sector_bytes;
  return scramble(h + lane) % sectors_in_region * (sector_bytes / sizeof(T));
}

// issue_atomics lets every warp of the grid issue steps atomics.
template <typename T, Pattern pattern>
__global__ void issue_atomics(T* targets, T value, uint32_t steps) {
  const uint32_t warp = (blockIdx.x * blockDim.x + threadIdx.x) / warp_size;
  const uint32_t lane = threadIdx.x % warp_size;
  for (uint32_t s = 0; s < steps; ++s) {
    atomicAdd(targets + target_word<T, pattern>(s, warp, lane), value);
  }
}

// measure_pattern takes the difference of two run lengths, which removes the
// launch. Each block fills an SM, since it takes most of the shared memory.
template <typename T, Pattern pattern>
void measure_pattern(Sheet& sheet, const char* type, const DeviceArray<uint4>& region) {
  constexpr unsigned threads = 1024;
  constexpr uint32_t steps = 256;
  const size_t shared = max_shared_bytes();
  auto* const kernel = &issue_atomics<T, pattern>;
  CHECK_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  int(shared)));
  T* const targets = reinterpret_cast<T*>(region.data());
  for (int sms : {1, 2, 4, 8, 16, 33, 66, 132}) {
    if (sms > sm_count()) continue;
    const auto least_us = [&](uint32_t n) {
      return sorted_us(5, [&] {
        kernel<<<sms, threads, shared>>>(targets, T(1), n);
        CHECK_LAUNCH();
      }).front();
    };
    const double us = least_us(3 * steps) - least_us(steps);
    const double warp_instructions = 2.0 * steps * sms * (threads / warp_size);
    sheet.row("global_atomic_add",
              key_value("type", type) + " " + key_value("pattern", name_of(pattern)) +
                  " " + key_value("sms", sms),
              1e3 * us / warp_instructions, "ns_per_warp_instruction");
  }
}

template <typename T>
void measure_type(Sheet& sheet, const char* type, const DeviceArray<uint4>& region) {
  CHECK_CUDA(cudaMemset(region.data(), 0, region.bytes()));
  measure_pattern<T, one_address>(sheet, type, region);
  measure_pattern<T, line>(sheet, type, region);
  measure_pattern<T, sectors>(sheet, type, region);
}

}  // namespace

void measure_global_atomics(Sheet& sheet) {
  const DeviceArray<uint4> region(region_bytes / sizeof(uint4));
  measure_type<uint32_t>(sheet, "u32", region);
  measure_type<float>(sheet, "f32", region);
  measure_type<unsigned long long>(sheet, "u64", region);
  measure_type<double>(sheet, "f64", region);
}
