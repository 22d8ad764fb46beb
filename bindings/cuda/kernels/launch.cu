// Launches: a kernel that does nothing, kernels that wait, and the SM's clock.
#include "timing.cuh"

extern "C" __global__ void empty() {}

// spin waits for so many cycles of the SM's clock. Each block says how long that
// was, in cycles and in nanoseconds of the global timer.
extern "C" __global__ void spin(unsigned long long cycles, unsigned long long* spans) {
  const unsigned long long ns = nanoseconds();
  const long long start = clock64();
  long long now = start;
  while (static_cast<unsigned long long>(now - start) < cycles) now = clock64();
  if (threadIdx.x != 0) return;
  spans[2 * blockIdx.x] = now - start;
  spans[2 * blockIdx.x + 1] = nanoseconds() - ns;
}
