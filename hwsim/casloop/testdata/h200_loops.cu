// Times of f32 updates on an NVIDIA H200 by compare-and-swap loops in global memory,
// one kernel each, as CSV. nvcc -arch=sm_90 -O3 h200_loops.cu && ./a.out > h200_loops.csv
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

constexpr uint32_t whole_warp = 0xffffffff;
constexpr uint32_t most_updates = 1 << 17, most_targets = 1 << 16;

struct Mul {
  static constexpr const char* name = "mul";
  static __device__ float of(float x, float a) { return x * a; }
};
struct Div {
  static constexpr const char* name = "div";
  static __device__ float of(float x, float a) { return x / a; }
};
struct Min {
  static constexpr const char* name = "min";
  static __device__ float of(float x, float a) { return fminf(x, a); }
};

template <typename Op>
__device__ uint32_t made(uint32_t bits, float a) {
  return __float_as_uint(Op::of(__uint_as_float(bits), a));
}

// The second listing of [streamhpc]; lanes are free to run apart.
struct Plain {
  static constexpr const char* name = "plain";
  template <typename Op>
  static __device__ void update(uint32_t* word, float a) {
    uint32_t current = *static_cast<volatile uint32_t*>(word), expected;
    do {
      expected = current;
      current = atomicCAS(word, expected, made<Op>(expected, a));
    } while (current != expected);
  }
};

// The first listing, which loads in each turn.
struct Again {
  static constexpr const char* name = "again";
  template <typename Op>
  static __device__ void update(uint32_t* word, float a) {
    uint32_t expected;
    do {
      expected = *static_cast<volatile uint32_t*>(word);
    } while (atomicCAS(word, expected, made<Op>(expected, a)) != expected);
  }
};

// The second listing, the warp brought together in each turn.
struct Together {
  static constexpr const char* name = "together";
  template <typename Op>
  static __device__ void update(uint32_t* word, float a) {
    uint32_t current = *static_cast<volatile uint32_t*>(word);
    bool pending = true;
    while (__any_sync(whole_warp, pending)) {
      if (pending) {
        const uint32_t expected = current;
        current = atomicCAS(word, expected, made<Op>(expected, a));
        pending = current != expected;
      }
      __syncwarp();
    }
  }
};

template <typename Op, typename Loop>
__global__ void naive(const uint32_t* index, const float* value, uint32_t* target, uint32_t n) {
  for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    Loop::template update<Op>(target + index[i], value[i]);
  }
}

void check(cudaError_t e) {
  if (e == cudaSuccess) return;
  fprintf(stderr, "%s\n", cudaGetErrorString(e));
  exit(1);
}

uint32_t *index_, *target_;
float* value_;

// row prints the median of five calls after one that is not counted.
template <typename Op, typename Loop>
void row(const char* stream, uint32_t n) {
  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin));
  check(cudaEventCreate(&end));
  const std::vector<float> ones(most_targets, 1.0f);
  std::vector<float> us;
  for (int call = 0; call < 6; ++call) {
    check(cudaMemcpy(target_, ones.data(), 4 * most_targets, cudaMemcpyHostToDevice));
    check(cudaEventRecord(begin));
    naive<Op, Loop><<<std::min(132u * 8, (n + 255) / 256), 256>>>(index_, value_, target_, n);
    check(cudaEventRecord(end));
    check(cudaEventSynchronize(end));
    float ms;
    check(cudaEventElapsedTime(&ms, begin, end));
    if (call > 0) us.push_back(1e3f * ms);
  }
  std::sort(us.begin(), us.end());
  printf("\"%s\",%s,%s,%.2f\n", stream, Op::name, Loop::name, us[2]);
}

void upload(uint32_t* to, const std::vector<uint32_t>& from) {
  check(cudaMemcpy(to, from.data(), 4 * from.size(), cudaMemcpyHostToDevice));
}

void stream(uint32_t n, uint32_t k, double exponent) {
  std::mt19937 random(1);
  std::vector<double> weights(k);
  double sum = 0;
  for (uint32_t j = 0; j < k; ++j) weights[j] = sum += pow(j + 1, -exponent);
  std::vector<uint32_t> index(n);
  for (auto& x : index) {
    const double at = sum * (random() / 4294967296.0);
    x = std::lower_bound(weights.begin(), weights.end(), at) - weights.begin();
  }
  // Factors from 0.98 to 1.02 change every product; those to take the minimum of
  // are below 1.
  std::vector<float> factors(n), below(n);
  for (auto& v : factors) v = 1 + (static_cast<int>(random() % 4001) - 2000) * 1e-5f;
  for (auto& v : below) v = (random() % 1000003) * 9e-7f;
  char name[64];
  snprintf(name, sizeof name, exponent > 0 ? "zipf:n=%u,k=%u,seed=1,s=%g" : "uniform:n=%u,k=%u,seed=1", n, k, exponent);
  upload(index_, index);
  check(cudaMemcpy(value_, factors.data(), 4 * n, cudaMemcpyHostToDevice));
  row<Mul, Plain>(name, n);
  row<Mul, Together>(name, n);
  row<Mul, Again>(name, n);
  row<Div, Together>(name, n);
  check(cudaMemcpy(value_, below.data(), 4 * n, cudaMemcpyHostToDevice));
  row<Min, Plain>(name, n);
  row<Min, Together>(name, n);
}

int main() {
  check(cudaMalloc(&index_, 4 * most_updates));
  check(cudaMalloc(&value_, 4 * most_updates));
  check(cudaMalloc(&target_, 4 * most_targets));
  printf("stream,op,loop,us\n");
  for (uint32_t k : {1u, 16u, 256u}) stream(2048, k, 0);
  for (uint32_t k : {1u, 16u, 256u, 4096u}) stream(8192, k, 0);
  for (uint32_t k : {16u, 256u, 4096u, 65536u}) stream(32768, k, 0);
  for (uint32_t k : {4096u, 65536u}) stream(131072, k, 0);
  for (uint32_t n : {2048u, 8192u, 32768u}) stream(n, 1024, 1.2);
  return 0;
}
