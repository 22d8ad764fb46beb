// The kernels of suite calls.
#include <math.h>
#include <string.h>

#include "standin.h"

#define T uint32_t
#define NAME "u32"
#define FN(name) name##_u32
#define FLOATS 0
#include "updates.inc"

#define T uint64_t
#define NAME "u64"
#define FN(name) name##_u64
#define FLOATS 0
#include "updates.inc"

#define T float
#define NAME "f32"
#define FN(name) name##_f32
#define FLOATS 1
#include "updates.inc"

#define T double
#define NAME "f64"
#define FN(name) name##_f64
#define FLOATS 1
#include "updates.inc"

static void gather(const Grid* g) {
  const uint64_t updates = g->v[3];
  uint32_t* out = need(g, 0, updates * 4);
  const uint32_t *index = need(g, 1, updates * 4), *order = need(g, 2, updates * 4);
  for (uint64_t p = 0; p < updates; ++p) out[p] = index[order[p]];
}

int update(const Grid* g) {
  if (strcmp(g->name, "gather_index") == 0) return gather(g), 1;
  if (strcmp(g->name, "copy_stream") == 0) {
    memmove(need(g, 0, g->v[2] * 4), need(g, 1, g->v[2] * 4), g->v[2] * 4);
    return 1;
  }
  return run_u32(g) || run_u64(g) || run_f32(g) || run_f64(g);
}
