// Memory: streaming bandwidth and load latency of L2 and DRAM. All accesses bypass
// L1.
#include "micro.cuh"

namespace {

// copy_passes copies the array passes times with 16-byte accesses.
__global__ void copy_passes(const uint4* from, uint4* to, size_t items, int passes) {
  const size_t step = size_t(gridDim.x) * blockDim.x;
  for (int p = 0; p < passes; ++p) {
#pragma unroll 4
    for (size_t k = size_t(blockIdx.x) * blockDim.x + threadIdx.x; k < items; k += step) {
      __stcg(to + k, __ldcg(from + k));
    }
  }
}

// read_passes reads the array passes times; sink is never written, since the data
// are zero, but the compiler does not know.
__global__ void read_passes(const uint4* from, uint32_t* sink, size_t items, int passes) {
  const size_t step = size_t(gridDim.x) * blockDim.x;
  uint32_t seen = 0;
  for (int p = 0; p < passes; ++p) {
#pragma unroll 8
    for (size_t k = size_t(blockIdx.x) * blockDim.x + threadIdx.x; k < items; k += step) {
      const uint4 v = __ldcg(from + k);
      seen |= v.x | v.y | v.z | v.w;
    }
    asm volatile("" ::: "memory");
  }
  if (seen != 0) *sink = seen;
}

// Small arrays are passed over several times, so that a run moves at least
// 512 MiB and its launch weighs little.
int passes_for(size_t bytes) {
  return int(std::max<size_t>(1, (size_t(512) << 20) / bytes));
}

void measure_bandwidth(Sheet& sheet) {
  const unsigned blocks = sm_count() * 4;
  for (size_t bytes = 1 << 20; bytes <= size_t(1) << 30; bytes *= 2) {
    DeviceArray<uint4> from(bytes / sizeof(uint4)), to(bytes / sizeof(uint4));
    DeviceArray<uint32_t> sink(1);
    CHECK_CUDA(cudaMemset(from.data(), 0, from.bytes()));
    const int passes = passes_for(bytes);
    const double moved = double(bytes) * passes;
    const double copy_us = median_us(5, [&] {
      copy_passes<<<blocks, 512>>>(from.data(), to.data(), from.size(), passes);
      CHECK_LAUNCH();
    });
    const double read_us = median_us(5, [&] {
      read_passes<<<blocks, 512>>>(from.data(), sink.data(), from.size(), passes);
      CHECK_LAUNCH();
    });
    const std::string size = key_value("bytes", bytes);
    sheet.row("copy_bandwidth", size, 2 * moved / (1e-6 * copy_us), "bytes_per_second");
    sheet.row("read_bandwidth", size, moved / (1e-6 * read_us), "bytes_per_second");
  }
}

constexpr uint32_t node_words = 32;  // a node fills a 128-byte line

// link_nodes makes one cycle through all nodes, in the order of a full-period
// linear congruential generator. nodes is a power of two.
__global__ void link_nodes(uint32_t* line, uint32_t nodes) {
  const uint32_t n = blockIdx.x * blockDim.x + threadIdx.x;
  if (n < nodes) line[size_t(n) * node_words] = (n * 1664525u + 1013904223u) & (nodes - 1);
}

// chase follows the cycle and writes the cycles per step.
__global__ void chase(const uint32_t* line, uint32_t start, int steps, uint32_t* end,
                      Interval* interval) {
  uint32_t n = start;
  const long long t0 = clock64();
  for (int s = 0; s < steps; ++s) n = __ldcg(line + size_t(n) * node_words);
  *end = n;
  const long long t1 = clock64();
  *interval = {t0, t1};
}

double chase_cycles(const DeviceArray<uint32_t>& line, uint32_t start, int steps) {
  DeviceArray<uint32_t> end(1);
  DeviceArray<Interval> interval(1);
  chase<<<1, 1>>>(line.data(), start, steps, end.data(), interval.data());
  CHECK_LAUNCH();
  return double(span(interval.to_host())) / steps;
}

// measure_latency reads an array that stays in L2, or one much larger than L2
// after other data have filled it.
void measure_latency(Sheet& sheet, const char* name, size_t bytes, bool evict) {
  constexpr int steps = 4096;
  DeviceArray<uint32_t> line(bytes / sizeof(uint32_t));
  const uint32_t nodes = uint32_t(line.size() / node_words);
  link_nodes<<<(nodes + 255) / 256, 256>>>(line.data(), nodes);
  CHECK_LAUNCH();
  DeviceArray<unsigned char> other(evict ? size_t(256) << 20 : 0);
  if (!evict) chase_cycles(line, 0, int(nodes));
  uint32_t start = 0;
  const double cycles = min_of_five([&] {
    if (evict) CHECK_CUDA(cudaMemset(other.data(), 0, other.bytes()));
    start = (start + 12345) & (nodes - 1);
    return chase_cycles(line, start, steps);
  });
  sheet.row(name, key_value("bytes", bytes), cycles, "cycles");
}

}  // namespace

void measure_memory(Sheet& sheet) {
  measure_bandwidth(sheet);
  measure_latency(sheet, "l2_load_latency", size_t(2) << 20, false);
  measure_latency(sheet, "l2_load_latency", size_t(16) << 20, false);
  measure_latency(sheet, "dram_load_latency", size_t(256) << 20, true);
  measure_latency(sheet, "dram_load_latency", size_t(1) << 30, true);
}
