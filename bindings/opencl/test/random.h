// The generator SplitMix64: Steele, Lea, Flood. Fast Splittable Pseudorandom
// Number Generators. OOPSLA 2014.
#ifndef RANDOM_H
#define RANDOM_H

#include <stdint.h>

static inline uint64_t random_bits(uint64_t *state) {
  uint64_t z = *state += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

// A number below n.
static inline uint32_t random_below(uint64_t *state, uint32_t n) {
  return (uint32_t)((random_bits(state) >> 32) * n >> 32);
}

// A number of [-1, 1).
static inline double random_real(uint64_t *state) {
  return (double)(int64_t)random_bits(state) * 0x1p-63;
}

#endif
