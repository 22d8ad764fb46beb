// Times vector reductions on global memory: random pieces, random rows of 32 pieces, and all warps
// on one. The results are unused.
//
//   nvcc -O3 -std=c++17 -arch=native row_pieces.cu -o row_pieces && ./row_pieces > pieces.csv
//
// A request is what a warp adds by one instruction: 32 pieces, one of each lane. spread says how
// the lanes stand to each other: row is 32 neighbouring pieces, parts 2 rows of 16, 4 of 8 and so
// on down to lanes, where each has a place of its own; same is one piece for all. Rows and places
// are random ones of the footprint.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "../atomtune_row_piece.cuh"

#include <cuda_bf16.h>

#include "../kernels/random.cuh"

namespace {

void check(cudaError_t status) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(status));
  std::exit(1);
}

// A group of lanes adds to a row of as many pieces.
template <typename T, int V>
__global__ void __launch_bounds__(1024)
    add_random(atomtune::Element<T>* A, size_t elements, uint32_t places, unsigned group, bool same, uint32_t steps) {
  const uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x;
  uint32_t state = scramble(thread / group);
  atomtune::Piece<V> piece;
  for (int e = 0; e < V; ++e) piece.element[e] = 1;
  const size_t mine = same ? 0 : threadIdx.x % group * V;
#pragma unroll 1
  for (uint32_t s = 0; s < steps; s += 4) {
#pragma unroll
    for (int u = 0; u < 4; ++u) {
      state = next_state(state);
      const size_t place = (uint64_t(state) * places) >> 32;
      const size_t first = place * (same ? 1 : group) * V;
      atomtune::add_piece<T>(A + first + mine, piece, {A, A + elements});
    }
  }
}

struct Pattern {
  const char* spread;
  unsigned group;
  bool same;
  uint32_t places;  // 0: as many as the footprint holds
};

template <typename T, int V>
void measure(const char* name, int sms, atomtune::Element<T>* A, size_t bytes) {
  const size_t elements = bytes / sizeof(*A);
  cudaEvent_t start, stop;
  check(cudaEventCreate(&start));
  check(cudaEventCreate(&stop));
  std::vector<Pattern> patterns;
  for (uint32_t places : {0u, 1u, 2u, 8u, 64u}) patterns.push_back({"row", 32, false, places});
  for (unsigned group : {16u, 8u, 4u, 2u, 1u}) patterns.push_back({"parts", group, false, 0});
  patterns.push_back({"parts", 4, false, 1});
  patterns.push_back({"parts", 1, false, 64});
  for (uint32_t places : {1u, 64u}) patterns.push_back({"same", 32, true, places});
  for (size_t footprint : {size_t(8) << 20, size_t(1) << 30}) {
    for (const Pattern& p : patterns) {
      if (p.places != 0 && footprint > size_t(8) << 20) continue;
      const size_t row = size_t(V) * sizeof(*A) * (p.same ? 1 : p.group);
      const uint32_t places = p.places ? p.places : uint32_t(footprint / row);
      const uint32_t steps = p.places || footprint > size_t(8) << 20 ? 128 : 512;
      std::vector<float> us;
      for (int r = 0; r < 6; ++r) {
        float ms = 0;
        check(cudaEventRecord(start));
        add_random<T, V><<<2 * sms, 1024>>>(A, elements, places, p.group, p.same, steps);
        check(cudaEventRecord(stop));
        check(cudaEventSynchronize(stop));
        check(cudaEventElapsedTime(&ms, start, stop));
        if (r > 0) us.push_back(1e3f * ms);
      }
      std::sort(us.begin(), us.end());
      const double requests = 64.0 * sms * steps;
      std::printf("%s,%d,%s,%u,%zu,%u,%.0f,%.4g,%.4g,%.4g\n", name, V, p.spread, p.group,
                  footprint, p.places, requests, double(us[2]), double(us.front()),
                  1e6 * us[2] / requests);
    }
  }
}

}  // namespace

int main() {
  cudaDeviceProp device;
  check(cudaGetDeviceProperties(&device, 0));
  const size_t bytes = (size_t(1) << 30) + 4096;
  void* memory = nullptr;
  check(cudaMalloc(&memory, bytes));
  check(cudaMemset(memory, 0, bytes));
  std::printf("# gpu: %s\nelements,piece,spread,group,footprint,places,requests,us,least_us,ps_per_request\n",
              device.name);
  float* const floats = static_cast<float*>(memory);
  measure<float, 1>("f32", device.multiProcessorCount, floats, bytes);
  measure<float, 2>("f32", device.multiProcessorCount, floats, bytes);
  measure<float, 4>("f32", device.multiProcessorCount, floats, bytes);
  uint16_t* const halves = static_cast<uint16_t*>(memory);
  measure<__nv_bfloat16, 1>("bf16", device.multiProcessorCount, halves, bytes);
  measure<__nv_bfloat16, 2>("bf16", device.multiProcessorCount, halves, bytes);
  measure<__nv_bfloat16, 4>("bf16", device.multiProcessorCount, halves, bytes);
  measure<__nv_bfloat16, 8>("bf16", device.multiProcessorCount, halves, bytes);
  return 0;
}
