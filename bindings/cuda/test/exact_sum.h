// Sums of floats without rounding, to say which number is nearest to one. It shares no
// arithmetic with the header.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

// ExactSum holds a sum of doubles, each times a power of two, in digits of 32 bits from
// 2^-1600 on.
class ExactSum {
 public:
  void add(double v, int scale = 0) {
    int exponent = 0;
    const double fraction = std::frexp(v, &exponent);  // v = fraction * 2^exponent
    int64_t mantissa = int64_t(std::ldexp(fraction, 53));
    const int place = exponent - 53 + scale + lowest;
    const int64_t sign = mantissa < 0 ? -1 : 1;
    uint64_t rest = uint64_t(mantissa * sign);
    // At most three digits: 53 bits from any bit of the first on.
    unsigned __int128 wide = (unsigned __int128)rest << (place % 32);
    for (size_t k = size_t(place / 32); wide != 0; ++k, wide >>= 32) {
      digits_[k] += sign * int64_t(uint32_t(wide));
    }
  }

  void add(const ExactSum& other, int sign) {
    for (size_t k = 0; k < digits_.size(); ++k) digits_[k] += sign * other.digits_[k];
  }

  // sign is -1, 0 or 1.
  int sign() const {
    int64_t carry = 0;
    bool any = false;
    for (const int64_t digit : digits_) {
      const int64_t sum = digit + carry;
      carry = sum >> 32;
      any = any || uint32_t(sum) != 0;
    }
    return carry < 0 ? -1 : any || carry > 0 ? 1 : 0;
  }

 private:
  static constexpr int lowest = 1600;
  std::vector<int64_t> digits_ = std::vector<int64_t>(100);
};

// is_nearest reports whether got is what exact rounds to, ties to even: neither of the midpoints
// between got and its neighbours lies between them. Infinity stands for the power of two
// after the greatest number.
template <typename T>
bool is_nearest(const ExactSum& exact, T got) {
  const int overflow = std::numeric_limits<T>::max_exponent;
  const auto twice_less = [&](T a, T b) {  // the sign of 2 exact - a - b
    ExactSum sum = exact;
    sum.add(exact, 1);
    for (const T x : {a, b}) {
      const double sign = std::signbit(x) ? 1 : -1;
      std::isinf(x) ? sum.add(sign, overflow) : sum.add(-double(x));
    }
    return sum.sign();
  };
  const T infinity = std::numeric_limits<T>::infinity();
  uint64_t word = 0;
  std::memcpy(&word, &got, sizeof got);
  const bool even = word % 2 == 0;
  const int above = got == -infinity ? 1 : twice_less(got, std::nextafter(got, -infinity));
  const int below = got == infinity ? -1 : twice_less(got, std::nextafter(got, infinity));
  return (above > 0 || (above == 0 && even)) && (below < 0 || (below == 0 && even));
}
