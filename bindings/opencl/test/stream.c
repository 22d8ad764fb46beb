#include "stream.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "random.h"

static double rounded(const Stream *s, double x) { return s->is_f32 ? (double)(float)x : x; }

uint32_t stream_target(const Stream *s, uint32_t i) {
  const uint32_t copy = s->copies == 1 ? 0 : i % items / group_size;
  return copy * s->bins + s->index[i];
}

int same(double x, double y) {
  if (isnan(x) || isnan(y)) return isnan(x) && isnan(y);
  return x == y && signbit(x) == signbit(y);
}

// IEEE 754-2019's minimumNumber, or for sign -1 maximumNumber.
static double extreme(double x, double y, int sign) {
  if (isnan(y)) return x;
  if (isnan(x)) return y;
  if (x == y) return (signbit(y) != 0) == (sign > 0) ? y : x;
  return (y < x) == (sign > 0) ? y : x;
}

// An addend as a, or as the product of a and b.
static void split(const Stream *s, uint32_t i, double addend, uint64_t *random) {
  if (strcmp(s->op, "mad") != 0) {
    s->a[i] = addend;
    return;
  }
  const int shift = (int)random_below(random, 7) - 3;
  s->a[i] = ldexp(addend, shift);
  s->b[i] = ldexp(1, -shift);
}

static void make_sums(Stream *s, uint64_t *random) {
  static long double sum[groups * max_bins], moduli[groups * max_bins];
  static uint32_t additions[groups * max_bins];
  for (uint32_t t = 0; t < s->copies * s->bins; ++t) {
    s->initial[t] = s->values == ones ? 0 : (double)(t % 5) - 2;
    sum[t] = s->initial[t];
    moduli[t] = fabs(s->initial[t]);
    additions[t] = 0;
  }
  for (uint32_t i = 0; i < updates; ++i) {
    if (s->values == real) {
      s->a[i] = rounded(s, random_real(random));
      s->b[i] = rounded(s, random_real(random));
    } else {
      split(s, i, s->values == ones ? 1 : (double)random_below(random, 17) - 8, random);
    }
    const long double addend = (long double)s->a[i] * (strcmp(s->op, "mad") == 0 ? s->b[i] : 1);
    const uint32_t t = stream_target(s, i);
    sum[t] += addend;
    moduli[t] += fabsl(addend);
    ++additions[t];
  }
  const double u = s->is_f32 ? 0x1p-24 : 0x1p-53;
  for (uint32_t t = 0; t < s->copies * s->bins; ++t) {
    const double mu = additions[t] * u;
    s->expected[t] = (double)sum[t];
    s->bound[t] = s->values == real ? (double)(mu / (1 - mu) * moduli[t]) : 0;
  }
}

// Each item multiplies each target by 2 or 1/2 in turns that start either way, and
// changes its sign now and then.
static void make_powers(Stream *s, uint64_t *random) {
  static int exponent[items][groups * max_bins];
  memset(exponent, 0, sizeof exponent);
  for (uint32_t t = 0; t < s->copies * s->bins; ++t) s->expected[t] = s->initial[t] = 3;
  for (uint32_t i = 0; i < updates; ++i) {
    const uint32_t t = stream_target(s, i);
    int *at = &exponent[i % items][t];
    const int step = *at != 0 ? -*at : (random_bits(random) & 1) != 0 ? 1 : -1;
    *at += step;
    const double factor = ldexp((random_bits(random) & 1) != 0 ? -1 : 1, step);
    s->a[i] = strcmp(s->op, "div") == 0 ? 1 / factor : factor;
    s->expected[t] *= factor;
  }
}

// A value of which a few win: the others are NaN, or zeros and subnormal numbers
// on the losing side.
static double zero(const Stream *s, int sign, uint64_t *random) {
  const double subnormal = s->is_f32 ? 0x1p-149 : 0x1p-1074;
  switch (random_below(random, 4)) {
    case 0:
      return NAN;
    case 1:
      return sign * subnormal;
    case 2:
      return copysign(0, sign);
  }
  return random_below(random, 20000) == 0 ? copysign(0, -sign) : sign * 3 * subnormal;
}

static void make_extremes(Stream *s, uint64_t *random) {
  const int sign = strcmp(s->op, "min") == 0 ? 1 : -1;
  for (uint32_t t = 0; t < s->copies * s->bins; ++t) {
    s->expected[t] = s->initial[t] = t % 2 == 0 ? NAN : sign;
  }
  for (uint32_t i = 0; i < updates; ++i) {
    if (s->values == zeros) {
      s->a[i] = zero(s, sign, random);
    } else if (random_below(random, 16) == 0) {
      s->a[i] = NAN;
    } else {
      s->a[i] = rounded(s, ldexp(random_real(random), (int)random_below(random, 121) - 60));
    }
    const uint32_t t = stream_target(s, i);
    s->expected[t] = extreme(s->expected[t], s->a[i], sign);
  }
}

Stream stream_make(const char *op, Values values, int is_f32, uint32_t copies, uint32_t bins) {
  Stream s = {.op = op, .values = values, .is_f32 = is_f32, .copies = copies, .bins = bins};
  s.index = malloc(updates * sizeof *s.index);
  s.a = calloc(updates, sizeof *s.a);
  s.b = calloc(updates, sizeof *s.b);
  if (s.index == NULL || s.a == NULL || s.b == NULL) stop("no memory for %d updates", (int)updates);
  uint64_t random = bins;
  for (uint32_t i = 0; i < updates; ++i) s.index[i] = random_below(&random, bins);
  switch (values) {
    case whole:
    case ones:
    case real:
      make_sums(&s, &random);
      break;
    case powers:
      make_powers(&s, &random);
      break;
    case numbers:
    case zeros:
      make_extremes(&s, &random);
      break;
  }
  return s;
}

void stream_free(Stream *s) {
  free(s->index);
  free(s->a);
  free(s->b);
}
