// Floats of 16 bits by their definition, for the tests of Widened.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

// short_float is the number with these bits: a sign, then `exponent` bits of the exponent,
// then those of the fraction.
inline float short_float(uint16_t bits, int exponent) {
  const int fraction = 15 - exponent, most = (1 << exponent) - 1, bias = most / 2;
  const int field = bits >> fraction & most, low = bits & ((1 << fraction) - 1);
  const double sign = bits >> 15 != 0 ? -1 : 1;
  if (field == most) {
    const float infinity = std::numeric_limits<float>::infinity();
    return low != 0 ? std::numeric_limits<float>::quiet_NaN() : float(sign) * infinity;
  }
  const int hidden = field == 0 ? 0 : 1 << fraction, place = field == 0 ? 1 : field;
  return float(sign * std::ldexp(double(hidden + low), place - bias - fraction));
}

inline float half_number(uint16_t bits) { return short_float(bits, 5); }
inline float bfloat16_number(uint16_t bits) { return short_float(bits, 8); }

// short_bits are the bits of a number that needs no rounding and is zero or not subnormal.
inline uint16_t short_bits(float x, int exponent) {
  const int fraction = 15 - exponent, bias = (1 << (exponent - 1)) - 1;
  int place = 0;
  const float size = std::frexp(std::fabs(x), &place);  // of 0.5 to 1, hidden bit and all
  const int sign = std::signbit(x) ? 1 << 15 : 0;
  if (size == 0) return uint16_t(sign);
  return uint16_t(sign + ((place + bias - 2) << fraction) + int(std::ldexp(size, fraction + 1)));
}
