// Integers of several words, and the 64 bits from which a sum is rounded.
#pragma once

#include "atomtune_warp.cuh"

namespace atomtune {

// shifted is m * 2^by, by of either sign, less what leaves the 64 bits on either side.
__host__ __device__ __forceinline__ unsigned long long shifted(unsigned long long m, int by) {
  if (by >= 64 || by <= -64) return 0;
  return by >= 0 ? m << by : m >> -by;
}

// Wide is an integer of limbs * 64 bits in two's complement, the lowest limb first.
template <int limbs>
struct Wide {
  using Word = unsigned long long;
  Word limb[limbs];

  __device__ __forceinline__ Wide() {
    for (int i = 0; i < limbs; ++i) limb[i] = 0;
  }

  // add adds magnitude * 2^position, or subtracts it. Bits below the lowest are lost.
  __device__ __forceinline__ void add(Word magnitude, int position, bool negative) {
    const Word flip = negative ? ~Word(0) : 0;
    Word carry = negative ? 1 : 0;
#pragma unroll
    for (int i = 0; i < limbs; ++i) {
      const Word part = shifted(magnitude, position - 64 * i) ^ flip;
      const Word sum = limb[i] + part, with_carry = sum + carry;
      carry = (sum < part || with_carry < carry) ? 1 : 0;
      limb[i] = with_carry;
    }
  }

  __device__ __forceinline__ bool negative() const { return limb[limbs - 1] >> 63 != 0; }

  __device__ __forceinline__ void negate() {
    Word carry = 1;
#pragma unroll
    for (int i = 0; i < limbs; ++i) {
      limb[i] = ~limb[i] + carry;
      carry = (carry != 0 && limb[i] == 0) ? 1 : 0;
    }
  }
};

// Leading is a positive number by its 64 bits from the highest set one on: bits * 2^place.
// The last bit is set too where any below it is. Zero has no bits.
struct Leading {
  unsigned long long bits;
  int place;
};

template <int limbs>
__device__ __forceinline__ Leading leading(const Wide<limbs>& x) {
  using Word = unsigned long long;
  Word high = 0, low = 0, rest = 0;
  int place = 0;
#pragma unroll
  for (int i = limbs - 1; i >= 0; --i) {
    if (high == 0) {
      high = x.limb[i];
      low = i > 0 ? x.limb[i - 1] : 0;
      place = 64 * i;
    } else if (64 * (i + 1) < place) {
      rest |= x.limb[i];
    }
  }
  if (high == 0) return {0, 0};
  const unsigned upper = unsigned(high >> 32);
  const int lead = upper != 0 ? __clz(int(upper)) : 32 + __clz(int(unsigned(high)));
  const Word bits = high << lead | shifted(low, lead - 64);
  rest |= low << lead;
  return {bits | (rest != 0 ? 1u : 0u), place - lead};
}

}  // namespace atomtune
