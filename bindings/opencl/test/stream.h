// Streams of float updates with the result that any order of them must give.
#ifndef STREAM_H
#define STREAM_H

#include <stdint.h>

enum {
  updates = 250000,
  items = 64,  // work-items; item i makes the updates i, i + 64, ... in this order
  group_size = 8,
  groups = items / group_size,
  max_bins = 64,
};

typedef enum { whole, ones, real, powers, numbers, zeros } Values;

// Updates of bins targets that copies of the targets take: one, or one a group.
typedef struct {
  const char *op;
  Values values;
  int is_f32;
  uint32_t copies, bins;
  uint32_t *index;
  double *a, *b;
  double initial[groups * max_bins], expected[groups * max_bins];
  double bound[groups * max_bins];  // of the distance from what is expected
} Stream;

// Makes the stream.
//   whole   sums of whole numbers below 2^24, exact in any order
//   ones    each update adds 1
//   real    numbers of [-1, 1): any order of m additions stays within
//           m u / (1 - m u) times the sum of the moduli, u = 2^-24 or 2^-53
//           [Higham, Accuracy and Stability of Numerical Algorithms, section 4.2]
//   powers  products or quotients of powers of two whose exponents stay within
//           -1 and 1 in each item, so that any order is exact
//   numbers of many sizes, and NaN
//   zeros   of both signs, subnormal numbers and NaN
Stream stream_make(const char *op, Values values, int is_f32, uint32_t copies, uint32_t bins);

void stream_free(Stream *stream);

// The target that update i reaches, among all copies.
uint32_t stream_target(const Stream *stream, uint32_t i);

// Whether two numbers are the same: NaN is, -0 and 0 are not.
int same(double x, double y);

#endif
