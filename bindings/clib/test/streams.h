/* The streams of the test, which clib_test.go makes as well. */
#include <stdint.h>

enum { KINDS = 5, BINS = 5000 };

/* target returns the target of update i of n in a stream of one of KINDS kinds. */
static uint32_t target(int kind, uint64_t i, uint64_t n) {
  uint64_t mixed = (i + 1) * 0x9e3779b97f4a7c15u;
  mixed ^= mixed >> 29;
  switch (kind) {
    case 0: return (uint32_t)(mixed % BINS);         /* uniform */
    case 1: return 7;                                /* one target */
    case 2: return (uint32_t)(i * BINS / (n ? n : 1)); /* sorted */
    case 3: return (uint32_t)(mixed % BINS * (mixed >> 40 & 1)); /* half on target 0 */
    default: return (uint32_t)(i % 96);              /* few */
  }
}
