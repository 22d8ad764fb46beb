// The kernels of suite calls.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
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

// slot_of is the slot of a target in a table of so many, a power of two.
static uint32_t slot_of(uint32_t target, uint32_t slots) {
  return (uint32_t)((uint64_t)(target * 2654435761u) * slots >> 32);
}

// sample leaves in each slot the last target of the stream that belongs there.
static void sample(const Grid* g) {
  const uint64_t updates = g->v[2];
  const uint32_t slots = (uint32_t)g->v[3];
  uint32_t* tags = need(g, 0, slots * 4ull);
  const uint32_t* index = need(g, 1, updates * 4);
  memset(tags, 0xff, slots * 4ull);
  for (uint64_t u = 0; u < updates; ++u) tags[slot_of(index[u], slots)] = index[u];
}

// need_tags ends the program if a hot target does not stand in its slot.
static void need_tags(const Grid* g, int argument) {
  const uint32_t slots = (uint32_t)g->v[argument + 1];
  const uint32_t* tags = need(g, argument, slots * 4ull);
  for (uint32_t s = 0; s < slots; ++s) {
    if (tags[s] == 0xffffffff || slot_of(tags[s], slots) == s) continue;
    fprintf(stderr, "stand-in: %s: target %u stands in slot %u of %u\n", g->name, tags[s], s, slots);
    abort();
  }
}

int update(const Grid* g) {
  if (strcmp(g->name, "sample_hot") == 0) return sample(g), 1;
  if (strstr(g->name, "_hot_") != NULL) need_tags(g, g->arguments - 3);
  if (strcmp(g->name, "gather_index") == 0) return gather(g), 1;
  if (strcmp(g->name, "copy_stream") == 0) {
    memmove(need(g, 0, g->v[2] * 4), need(g, 1, g->v[2] * 4), g->v[2] * 4);
    return 1;
  }
  return run_u32(g) || run_u64(g) || run_f32(g) || run_f64(g);
}
