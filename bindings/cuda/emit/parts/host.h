// What emitted programs do on the host: memory, values, times, and the check of the sums.
#pragma once

#include <cuda_runtime.h>

namespace program {

// check ends the program where a call of CUDA failed.
inline void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(status));
  std::exit(2);
}

// device_array is memory on the GPU, which the end of the program frees.
template <typename T>
T* device_array(size_t count) {
  void* data = nullptr;
  check(cudaMalloc(&data, (count + 1) * sizeof(T)), "cudaMalloc");
  return static_cast<T*>(data);
}

// to_device copies.
template <typename T>
T* to_device(const std::vector<T>& host) {
  T* const data = device_array<T>(host.size());
  const size_t bytes = host.size() * sizeof(T);
  check(cudaMemcpy(data, host.data(), bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
  return data;
}

// to_host copies back.
template <typename T>
std::vector<T> to_host(const T* data, size_t count) {
  std::vector<T> host(count);
  check(cudaMemcpy(host.data(), data, count * sizeof(T), cudaMemcpyDeviceToHost), "cudaMemcpy");
  return host;
}

// read_indices reads a file of little-endian indices below bins.
template <typename I>
std::vector<I> read_indices(const char* path, uint32_t bins) {
  std::ifstream file(path, std::ios::binary);
  std::vector<I> index;
  I i = 0;
  while (file.read(reinterpret_cast<char*>(&i), sizeof i) && i < bins) index.push_back(i);
  if (!file.eof() || file.gcount() != 0 || index.empty()) {
    std::fprintf(stderr, "%s: want a file of %zu-bit indices below %u\n", path, 8 * sizeof(I), bins);
    std::exit(2);
  }
  return index;
}

// narrowed are indices in another type, which holds them all.
template <typename I>
std::vector<I> narrowed(const std::vector<uint32_t>& index) {
  return std::vector<I>(index.begin(), index.end());
}

// value_of is the value of update u.
inline uint32_t value_of(size_t u) { return uint32_t(1 + u % 3); }

// one_of is the value of each update where ones are added.
inline uint32_t one_of(size_t) { return 1; }

// make_values makes the values of the updates.
template <typename T>
std::vector<T> make_values(size_t updates) {
  std::vector<T> values(updates);
  for (size_t u = 0; u < updates; ++u) values[u] = T(value_of(u));
  return values;
}

// right_sums compares the targets, rows of so many, with a serial sum. Floats are exact below 2^p, p the width of the
// significand; above, n terms in any order are off by n / (2^p - n) at most.
template <typename T, typename I, typename Value>
bool right_sums(const std::vector<T>& A, const std::vector<I>& index, Value value, size_t width = 1) {
  std::vector<uint64_t> sum(A.size()), terms(A.size());
  for (size_t u = 0; u < index.size() * width; ++u) {
    const size_t k = index[u / width] * width + u % width;
    sum[k] += value(u);
    ++terms[k];
  }
  for (size_t k = 0; k < A.size(); ++k) {
    bool same = A[k] == static_cast<T>(sum[k]);
    if constexpr (std::is_floating_point_v<T>) {
      const double limit = std::ldexp(1.0, std::numeric_limits<T>::digits);
      const double want = double(sum[k]), n = double(terms[k]), bound = want * n / (limit - n);
      if (want >= limit) same = n < limit && std::fabs(double(A[k]) - want) <= bound;
    }
    if (same) continue;
    std::fprintf(stderr, "target %zu is %.17g, should be %llu\n", k, double(A[k]),
                 static_cast<unsigned long long>(sum[k]));
    return false;
  }
  return true;
}

// right_old reports whether the old values are those of a serial order of the updates, each the one
// before it plus what that update added. Floats are compared as long as no sum is rounded.
template <typename T, typename I, typename Value>
bool right_old(const std::vector<T>& old, const std::vector<I>& index, Value value) {
  std::vector<size_t> order(index.size());
  for (size_t u = 0; u < order.size(); ++u) order[u] = u;
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return index[a] != index[b] ? index[a] < index[b] : old[a] < old[b];
  });
  uint64_t now = 0;
  for (size_t p = 0; p < order.size(); ++p) {
    const size_t u = order[p];
    if (p == 0 || index[order[p - 1]] != index[u]) now = 0;
    bool exact = true;
    if constexpr (std::is_floating_point_v<T>) {
      exact = double(now) < std::ldexp(1.0, std::numeric_limits<T>::digits);
    }
    if (exact && old[u] != static_cast<T>(now)) {
      std::fprintf(stderr, "update %zu of target %llu got %.17g, should be %llu\n", u,
                   static_cast<unsigned long long>(index[u]), double(old[u]), static_cast<unsigned long long>(now));
      return false;
    }
    now += value(u);
  }
  return true;
}

// median_us is the median time of 20 calls in microseconds, after 3 that are not counted.
template <typename Call>
double median_us(Call call) {
  constexpr int calls = 20, before = 3;
  cudaEvent_t start = nullptr, stop = nullptr;
  check(cudaEventCreate(&start), "cudaEventCreate");
  check(cudaEventCreate(&stop), "cudaEventCreate");
  std::vector<double> us;
  for (int c = 0; c < before + calls; ++c) {
    check(cudaEventRecord(start), "cudaEventRecord");
    call();
    check(cudaGetLastError(), "launch");
    check(cudaEventRecord(stop), "cudaEventRecord");
    check(cudaEventSynchronize(stop), "kernel");
    float ms = 0;
    check(cudaEventElapsedTime(&ms, start, stop), "cudaEventElapsedTime");
    if (c >= before) us.push_back(1e3 * double(ms));
  }
  std::sort(us.begin(), us.end());
  return (us[calls / 2 - 1] + us[calls / 2]) / 2;
}

// verdict prints the times and returns the exit status.
inline int verdict(const char* name, double predicted_us, double us, bool right) {
  cudaDeviceProp gpu;
  check(cudaGetDeviceProperties(&gpu, 0), "cudaGetDeviceProperties");
  std::printf("%s on %s: predicted %.2f us, measured %.2f us, ratio %.3f, %s\n", name, gpu.name,
              predicted_us, us, us / predicted_us, right ? "right" : "WRONG");
  return right ? 0 : 1;
}

// warp_order is scatter_order of whole warps, each of which stands for its first update's target;
// the last, partial warp stays last.
template <typename I>
std::vector<uint32_t> warp_order(const I* index, size_t updates, size_t bins) {
  std::vector<I> first;
  std::vector<uint32_t> order;
  for (size_t u = 0; u + 32 <= updates; u += 32) first.push_back(index[u]);
  for (const uint32_t warp : scatter_order(first.data(), first.size(), bins)) {
    for (uint32_t lane = 0; lane < 32; ++lane) order.push_back(32 * warp + lane);
  }
  while (order.size() < updates) order.push_back(static_cast<uint32_t>(order.size()));
  return order;
}

}  // namespace program
