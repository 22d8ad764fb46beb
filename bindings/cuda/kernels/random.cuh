// Random numbers in registers, cheap enough not to be what is measured.
#pragma once

#include <cstdint>

// scramble is a bijection of 32-bit words without visible pattern.
__device__ __forceinline__ uint32_t scramble(uint32_t x) {
  x = (x ^ x >> 16) * 2246822519u;
  x = (x ^ x >> 13) * 3266489917u;
  return x ^ x >> 16;
}

// next_state is a linear congruential generator of full period. Its upper bits
// are the random ones.
__device__ __forceinline__ uint32_t next_state(uint32_t x) {
  return x * 747796405u + 2891336453u;
}

// upper_bits drops the lower bits of a state. To drop all 32 leaves 0, which C++
// leaves undefined and PTX does not.
__device__ __forceinline__ uint32_t upper_bits(uint32_t x, uint32_t dropped) {
  uint32_t bits;
  asm("shr.u32 %0, %1, %2;" : "=r"(bits) : "r"(x), "r"(dropped));
  return bits;
}
