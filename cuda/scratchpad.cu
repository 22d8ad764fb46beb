// scratchpad measures what one warp's access to shared memory takes, pattern by
// pattern and operation by operation, and what warps cost that add to the same
// words. README.md says how a number is made.
//
//   scratchpad PATTERNS OUT.csv [REPEATS]       one warp, every pattern
//   scratchpad --warps OUT.csv [REPEATS]        several warps of one SM
//
// PATTERNS holds 32 comma-separated word addresses a line, -1 for an inactive
// lane. Exit status: 0 done, 1 failed, 2 wrong use.
#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "device.cuh"
#include "scratchpad_operations.cuh"

namespace {

constexpr int warp_size = 32;
constexpr int words = 12288;      // addresses lie below
constexpr int chain_length = 64;  // operations between two readings of the clock, unrolled by 8

extern __shared__ __align__(16) unsigned char shared_bytes[];

template <typename T>
__device__ T* clear_shared() {
  T* const shared = reinterpret_cast<T*>(shared_bytes);
  for (uint32_t k = threadIdx.x; k <= words; k += blockDim.x) shared[k] = T(0);
  __syncthreads();
  return shared;
}

// run_pattern lets the one warp of each block perform 64 operations with the
// block's pattern, each at an address that depends on the result before. Of three
// passes the last one counts: the first fetches the instructions. Inactive lanes
// wait at the end or, where the operation asks for a whole warp, take part in
// everything but the update.
template <typename Operation, typename T>
__global__ void __launch_bounds__(warp_size)
    run_pattern(const int32_t* patterns, T value, T* sink, float* cycles) {
  T* const shared = clear_shared<T>();
  const int32_t word = patterns[blockIdx.x * warp_size + threadIdx.x];
  const bool active = word >= 0;
  long long span = 0;
  if (active || Operation::whole_warp) {
    const unsigned lanes = __activemask();
    T* const mine = shared + max(word, 0);
    T old = T(0);
#pragma unroll 1
    for (int pass = 0; pass < 3; ++pass) {
      __syncwarp(lanes);
      const long long start = clock64();
#pragma unroll 8
      for (int k = 0; k < chain_length; ++k) {
        old = Operation::apply(mine + sign_of(old), value, active);
      }
      sink[blockIdx.x * warp_size + threadIdx.x] = old;
      __syncwarp(lanes);
      span = clock64() - start;
    }
  }
  for (int step = warp_size / 2; step > 0; step /= 2) {
    span = max(span, __shfl_xor_sync(0xffffffff, span, step));
  }
  if (threadIdx.x == 0) cycles[blockIdx.x] = float(span) / chain_length;
}

// run_warps lets all warps of one block perform operations, independent within the
// warp. The first `colliding` lanes of the first `together` warps share words with
// those warps, lane by lane; `degree` lanes of a warp share a word.
template <typename Operation, typename T>
__global__ void run_warps(T value, int together, int colliding, int degree, int steps,
                          T* sink, long long* span) {
  T* const shared = clear_shared<T>();
  const int warp = threadIdx.x / warp_size, lane = threadIdx.x % warp_size;
  const bool shares = warp < together && lane < colliding;
  T* const mine = shared + (shares ? 0 : (1 + warp) * warp_size) + lane / degree;
  __shared__ long long first, last;
  if (threadIdx.x == 0) first = LLONG_MAX, last = 0;
  __syncthreads();
  const long long start = clock64();
  T old = T(0);
#pragma unroll 1
  for (int s = 0; s < steps; ++s) {
    old = Operation::apply(mine + sign_of(old), value, true);
  }
  sink[threadIdx.x] = old;
  __threadfence_block();
  const long long stop = clock64();
  atomicMin(&first, start);
  atomicMax(&last, stop);
  __syncthreads();
  if (threadIdx.x == 0) *span = last - first;
}

std::vector<int32_t> read_patterns(const char* path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error(std::string(path) + ": " + std::strerror(errno));
  std::vector<int32_t> all;
  std::string line, field;
  for (int number = 1; std::getline(file, line); ++number) {
    if (line.empty() || line[0] == '#') continue;
    const size_t before = all.size();
    std::istringstream fields(line);
    while (std::getline(fields, field, ',')) {
      const long word = std::strtol(field.c_str(), nullptr, 10);
      if (word < -1 || word >= words) {
        throw std::runtime_error(std::string(path) + ":" + std::to_string(number) +
                                 ": address " + field);
      }
      all.push_back(int32_t(word));
    }
    if (all.size() != before + warp_size) {
      throw std::runtime_error(std::string(path) + ":" + std::to_string(number) +
                               ": no 32 addresses");
    }
  }
  return all;
}

// Column is one operation.
struct Column {
  std::string name;
  std::vector<std::vector<float>> repeats;  // [repeat][pattern]
};

template <typename Operation, typename T>
Column measure(const char* name, const std::vector<int32_t>& patterns, int repeats) {
  const int count = int(patterns.size() / warp_size);
  const DeviceArray<int32_t> input(patterns);
  DeviceArray<T> sink(patterns.size());
  DeviceArray<float> cycles(count);
  auto* const kernel = &run_pattern<Operation, T>;
  const int bytes = int(max_shared_bytes());  // one block to an SM
  CHECK_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  Column column{name, {}};
  for (int r = 0; r < repeats; ++r) {
    kernel<<<count, warp_size, bytes>>>(input.data(), T(1), sink.data(), cycles.data());
    CHECK_LAUNCH();
    column.repeats.push_back(cycles.to_host());
  }
  return column;
}

float median_of(const Column& column, size_t pattern) {
  std::vector<float> values;
  for (const auto& repeat : column.repeats) values.push_back(repeat[pattern]);
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

void describe_noise(const Column& column) {
  std::vector<double> spread;
  for (size_t p = 0; p < column.repeats[0].size(); ++p) {
    float low = column.repeats[0][p], high = low;
    for (const auto& repeat : column.repeats) {
      low = std::min(low, repeat[p]);
      high = std::max(high, repeat[p]);
    }
    spread.push_back((high - low) / median_of(column, p));
  }
  std::sort(spread.begin(), spread.end());
  std::printf("%s: spread of %zu repeats: median %.3g, p95 %.3g, max %.3g\n",
              column.name.c_str(), column.repeats.size(), spread[spread.size() / 2],
              spread[spread.size() * 95 / 100], spread.back());
}

void describe_run(std::FILE* out, int repeats, int clock_before) {
  std::fprintf(out, "# device=%s driver=%s cuda=%d sm_clock_mhz=%d,%d\n", gpu_name().c_str(),
               driver_version().c_str(), CUDART_VERSION, clock_before, sm_clock_mhz());
  std::fprintf(out, "# repeats=%d chain=%d unroll=8 threads=%d blocks_per_sm=1\n", repeats,
               chain_length, warp_size);
}

std::FILE* open_output(const char* path) {
  std::FILE* const out = std::fopen(path, "w");
  if (!out) throw std::runtime_error(std::string(path) + ": " + std::strerror(errno));
  return out;
}

void measure_patterns(const char* from, const char* to, int repeats) {
  const std::vector<int32_t> patterns = read_patterns(from);
  const int clock_before = sm_clock_mhz();
  std::vector<Column> columns;
#define MEASURE(name, Operation, T) \
  columns.push_back(measure<Operation, T>(name, patterns, repeats));
  FOR_EACH_OPERATION(MEASURE)
#undef MEASURE
  std::FILE* const out = open_output(to);
  describe_run(out, repeats, clock_before);
  for (int l = 0; l < warp_size; ++l) std::fprintf(out, "lane%d,", l);
  for (size_t c = 0; c < columns.size(); ++c) {
    std::fprintf(out, "%s_cycles%s", columns[c].name.c_str(),
                 c + 1 < columns.size() ? "," : "\n");
  }
  for (size_t p = 0; p < patterns.size() / warp_size; ++p) {
    for (int l = 0; l < warp_size; ++l) std::fprintf(out, "%d,", patterns[p * warp_size + l]);
    for (size_t c = 0; c < columns.size(); ++c) {
      std::fprintf(out, "%.2f%s", median_of(columns[c], p), c + 1 < columns.size() ? "," : "\n");
    }
  }
  for (const Column& column : columns) describe_noise(column);
  if (std::fclose(out) != 0) throw std::runtime_error("cannot write the measurements");
}

template <typename Operation, typename T>
void measure_contention(std::FILE* out, const char* name, int repeats) {
  constexpr int steps = 64;
  auto* const kernel = &run_warps<Operation, T>;
  const int bytes = int((words + 1) * sizeof(T));
  CHECK_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  DeviceArray<T> sink(1024);
  DeviceArray<long long> span(1);
  for (int warps : {1, 2, 4, 8, 16, 32}) {
    for (int together : {0, 1, 2, 4, 8, 16, 32}) {
      for (int colliding : {1, 2, 8, 16, 32}) {
        for (int degree : {1, 2, 8, 32}) {
          if (together > warps || (together == 0 && colliding > 1)) continue;
          std::vector<double> cycles;
          for (int r = 0; r < repeats; ++r) {
            kernel<<<1, warps * warp_size, bytes>>>(T(1), together, colliding, degree, steps,
                                                    sink.data(), span.data());
            CHECK_LAUNCH();
            cycles.push_back(double(span.to_host()[0]) / steps / warps);
          }
          std::sort(cycles.begin(), cycles.end());
          std::fprintf(out, "%s,%d,%d,%d,%d,%.3f\n", name, warps, together, colliding, degree,
                       cycles[cycles.size() / 2]);
        }
      }
    }
  }
}

void measure_warps(const char* to, int repeats) {
  std::FILE* const out = open_output(to);
  describe_run(out, repeats, sm_clock_mhz());
  std::fputs("operation,warps,colliding_warps,colliding_lanes,degree,cycles_per_warp_operation\n", out);
#define MEASURE(name, Operation, T) measure_contention<Operation, T>(out, name, repeats);
  FOR_EACH_CONTENDED(MEASURE)
#undef MEASURE
  if (std::fclose(out) != 0) throw std::runtime_error("cannot write the measurements");
}

}  // namespace

int main(int argc, char** argv) {
  const int repeats = argc == 4 ? std::atoi(argv[3]) : 5;
  if (argc < 3 || argc > 4 || repeats < 1) {
    std::fputs("usage: scratchpad PATTERNS|--warps OUT.csv [REPEATS]\n", stderr);
    return 2;
  }
  try {
    if (std::strcmp(argv[1], "--warps") == 0) {
      measure_warps(argv[2], repeats);
    } else {
      measure_patterns(argv[1], argv[2], repeats);
    }
    return 0;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "scratchpad: %s\n", e.what());
    return 1;
  }
}
