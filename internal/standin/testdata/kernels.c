// The measuring kernels: they leave clocks that grow with their work, the same in
// every run.
#include <string.h>

#include "standin.h"

static int begins(const char* name, const char* with) { return strncmp(name, with, strlen(with)) == 0; }

static double hash(const char* name) {
  uint32_t h = 2166136261u;
  for (; *name != 0; ++name) h = (h ^ (uint8_t)*name) * 16777619u;
  return h % 17;
}

// record leaves an interval for each warp: start, stop and the number of its SM.
static double record(const Grid* g, int argument, double cycles) {
  const uint64_t warps = (g->blocks * g->threads + LANES - 1) / LANES;
  int64_t* all = need(g, argument, warps * 24);
  for (uint64_t w = 0; w < warps; ++w) {
    all[3 * w] = 1000;
    all[3 * w + 1] = 1000 + (int64_t)cycles;
    all[3 * w + 2] = (int64_t)(w * LANES / g->threads % SMS);
  }
  return cycles / 1.5;
}

// A kernel that leaves intervals in its last argument. How often it performs an
// operation stands so many arguments before that; 64 times where that is 0.
typedef struct {
  const char* prefix;
  int steps;
} Timed;

static const Timed timed[] = {
    {"shared_throughput_", 1}, {"shared_contention_", 2}, {"warp_barrier", 1}, {"warp_", 2},
    {"instruction_", 3},       {"global_chain_", 0},      {"chase", 2},
};

// A kernel whose whole duration is measured, by argument rounds.
typedef struct {
  const char* prefix;
  int rounds;
  double ns;  // of a round of a warp
} Streamed;

static const Streamed streamed[] = {
    {"global_throughput_", 4, 0.4}, {"global_returns_", 6, 0.4}, {"copy_words", 3, 2},
    {"read_words", 2, 1}, {"read_and_add", 2, 1.25},
};

// pattern leaves the cycles of 64 operations of each block: by the lanes of the
// fullest bank.
static void pattern(const Grid* g) {
  const int32_t* lanes = need(g, 0, g->blocks * LANES * 4);
  int64_t* cycles = need(g, 4, g->blocks * 8);
  for (uint64_t b = 0; b < g->blocks; ++b) {
    int bank[LANES] = {0}, most = 0;
    for (int lane = 0; lane < LANES; ++lane) {
      const int32_t word = lanes[b * LANES + (uint64_t)lane];
      if (word >= 0 && ++bank[word % LANES] > most) most = bank[word % LANES];
    }
    cycles[b] = 64 * (int64_t)(30 + hash(g->name) + 2 * most);
  }
}

static double spin(const Grid* g) {
  int64_t* spans = need(g, 1, g->blocks * 16);
  const double ns = (double)g->v[0] / 1.5;
  for (uint64_t b = 0; b < g->blocks; ++b) {
    spans[2 * b] = (int64_t)g->v[0];
    spans[2 * b + 1] = (int64_t)ns;
  }
  return ns;
}

double perform(const Grid* g) {
  const double warps = (double)(g->blocks * g->threads) / LANES;
  if (update(g)) return 0.02 * warps + 100 * (1 + hash(g->name));
  if (strcmp(g->name, "empty") == 0 || strcmp(g->name, "nothing") == 0 || begins(g->name, "link_")) return 500;
  if (strcmp(g->name, "spin") == 0) return spin(g);
  if (begins(g->name, "scratchpad_")) return pattern(g), 1000;
  for (size_t i = 0; i < sizeof timed / sizeof *timed; ++i) {
    if (!begins(g->name, timed[i].prefix)) continue;
    const int last = g->arguments - 1;
    const double steps = timed[i].steps == 0 ? 64 : (double)(uint32_t)g->v[last - timed[i].steps];
    return record(g, last, 40 + steps * (4 + hash(g->name) + (double)g->threads / 256));
  }
  for (size_t i = 0; i < sizeof streamed / sizeof *streamed; ++i) {
    if (begins(g->name, streamed[i].prefix)) {
      return streamed[i].ns * warps * (double)(uint32_t)g->v[streamed[i].rounds];
    }
  }
  return -1;
}
