// Calls: what launching and clearing cost as two events see it, and the SM clock.
#include "micro.cuh"

namespace {

__global__ void empty_kernel() {}

// spin_clock counts SM cycles and nanoseconds over about two milliseconds.
__global__ void spin_clock(unsigned long long* cycles_and_ns) {
  unsigned long long ns0, ns1;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns0));
  const long long c0 = clock64();
  long long c1 = c0;
  while (c1 - c0 < 4000000) c1 = clock64();
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns1));
  if (blockIdx.x != 0 || threadIdx.x != 0) return;
  cycles_and_ns[0] = c1 - c0;
  cycles_and_ns[1] = ns1 - ns0;
}

void measure_launches(Sheet& sheet) {
  for (int launches : {1, 2, 3, 5}) {
    const double us = median_us(51, [&] {
      for (int l = 0; l < launches; ++l) empty_kernel<<<1, warp_size>>>();
      CHECK_LAUNCH();
    });
    sheet.row("call_empty_kernels", key_value("launches", launches), us, "us");
  }
}

void measure_clearing(Sheet& sheet) {
  for (size_t bytes = 1 << 10; bytes <= 64 << 20; bytes *= 16) {
    DeviceArray<unsigned char> target(bytes);
    const double us = median_us(51, [&] {
      CHECK_CUDA(cudaMemsetAsync(target.data(), 0, bytes));
      empty_kernel<<<1, warp_size>>>();
      CHECK_LAUNCH();
    });
    sheet.row("call_memset_empty_kernel", key_value("bytes", bytes), us, "us");
  }
}

void measure_clock(Sheet& sheet) {
  DeviceArray<unsigned long long> reading(2);
  for (int r = 0; r < 3; ++r) {  // the clock rises during the first runs
    spin_clock<<<sm_count(), warp_size>>>(reading.data());
    CHECK_LAUNCH();
  }
  const std::vector<unsigned long long> host = reading.to_host();
  if (host[1] == 0) throw std::runtime_error("the global timer does not advance");
  sheet.row("sm_clock", "load=spin", double(host[0]) / double(host[1]), "cycles_per_ns");
}

}  // namespace

void measure_calls(Sheet& sheet) {
  measure_clock(sheet);
  measure_launches(sheet);
  measure_clearing(sheet);
}
