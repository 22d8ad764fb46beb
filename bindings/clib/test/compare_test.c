/*
 * Prints what the library answers for streams, types of indices and calls, a line each, for
 * clib_test.go to compare with the tuner: numbers of 64 bits in hexadecimal, those of floats too.
 */
#include <atomtune.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "streams.h"

static void *make(int index, int kind, uint64_t n) {
  uint64_t i;
  int wide = index == ATOMTUNE_INDEX_U64 || index == ATOMTUNE_INDEX_I64;
  void *all = malloc((size_t)(n + 1) * 8);
  if (all == NULL) exit(1);
  for (i = 0; i < n; i++) {
    if (wide) {
      ((uint64_t *)all)[i] = target(kind, i, n);
    } else {
      ((uint32_t *)all)[i] = target(kind, i, n);
    }
  }
  return all;
}

static void number(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  printf(" %" PRIx64, bits);
}

static void print(int status, const struct atomtune_choice *c) {
  char error[200];
  if (status != ATOMTUNE_OK) {
    atomtune_last_error(error, sizeof error);
    printf("status %d: %s\n", status, error);
    return;
  }
  printf("%s %s", c->implementation, c->kind);
  number(c->predicted_us);
  number(c->low_us);
  number(c->high_us);
  number(c->speedup_over_naive);
  number(c->loss_bound);
  number(c->floor_us);
  printf(" %" PRIu64 "x%" PRIu32 "x%" PRIu32 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %d %s\n",
         c->launch_blocks, c->launch_threads, c->launch_unroll, c->shared_bytes, c->memory_bytes,
         c->sampled, (int)c->source, c->reason);
}

#define SHOW(field) printf(" " #field), number((double)s.field)

static void measured(const struct atomtune_call *call, const void *index, uint64_t n) {
  struct atomtune_statistics s;
  struct atomtune_choice choice;
  int i, status;
  ATOMTUNE_INIT(s);
  ATOMTUNE_INIT(choice);
  status = atomtune_measure(call, index, n, &s);
  if (status != ATOMTUNE_OK) {
    print(status, NULL);
    return;
  }
  SHOW(updates), SHOW(bins), SHOW(unique), SHOW(warp_size), SHOW(block_size), SHOW(warp_level);
  SHOW(block_level), SHOW(all_level), SHOW(distinct_per_warp), SHOW(distinct_per_block);
  SHOW(clustered_fraction), SHOW(runs), SHOW(max_frequency), SHOW(max_chunk_frequency_4);
  SHOW(max_chunk_frequency_8), SHOW(hot_warps), SHOW(hot_segments), SHOW(sectors_per_warp_4);
  SHOW(sectors_per_warp_8), SHOW(sector_passes_per_warp_4), SHOW(sector_passes_per_warp_8);
  SHOW(bank_degree), SHOW(bank_lanes);
  for (i = 0; i < 17; i++) printf(" cover.%d", i), number(s.cover[i]);
  for (i = 0; i < 6; i++) {
    const struct atomtune_misses *m = &s.misses[i];
    printf(" misses.%d.lanes_per_warp", i), number(m->lanes_per_warp);
    printf(" misses.%d.distinct_per_warp", i), number(m->distinct_per_warp);
    printf(" misses.%d.highest_per_warp", i), number(m->highest_per_warp);
    printf(" misses.%d.sectors_per_warp_4", i), number(m->sectors_per_warp_4);
    printf(" misses.%d.sectors_per_warp_8", i), number(m->sectors_per_warp_8);
    printf(" misses.%d.max_frequency", i), number((double)m->max_frequency);
  }
  printf("\n");
  print(atomtune_choose_statistics(call, &s, &choice), &choice);
}

/* leaf prints the features, the number of the action and the action. */
static void leaf(const struct atomtune_call *call, const void *index, uint64_t n) {
  uint32_t features[ATOMTUNE_FEATURES], action = 0;
  struct atomtune_choice choice;
  int i, status = atomtune_features(call, index, n, features);
  ATOMTUNE_INIT(choice);
  for (i = 0; i < ATOMTUNE_FEATURES; i++) printf("%" PRIu32 " ", features[i]);
  if (status == ATOMTUNE_OK) status = atomtune_leaf(call, features, &action, &choice);
  printf("%" PRIu32 " ", action);
  print(status, &choice);
}

int main(void) {
  static const uint64_t sizes[] = {1, 1000, 300001};
  static const char *const devices[] = {"h200", "h100", "gtx680"};
  struct atomtune_choice choice;
  int device, kind, size;
  for (device = 0; device < 3; device++) {
    for (kind = 0; kind < KINDS; kind++) {
      for (size = 0; size < 3; size++) {
        uint64_t n = sizes[size];
        struct atomtune_call call;
        void *index;
        ATOMTUNE_INIT(call);
        ATOMTUNE_INIT(choice);
        call.device = devices[device];
        call.bins = BINS;
        call.index = (kind + size) % 4;
        call.type = (kind + device) % 6;
        call.value = kind % 2;
        call.returns = kind == 4;
        call.deterministic = kind == 2;
        call.calls = size == 2 ? 1000 : 0;
        call.seed = 5;
        index = make(call.index, kind, n);
        leaf(&call, index, n);
        print(atomtune_choose(&call, index, n, &choice), &choice);
        call.whole = 1;
        print(atomtune_choose(&call, index, n, &choice), &choice);
        call.rule_launch = 1;
        measured(&call, index, n);
        call.only = "naive  sr private:r=4,pad=1";
        call.exclude = "sr";
        call.cautious = 1;
        print(atomtune_choose(&call, index, n, &choice), &choice);
        call.launch_blocks = 20;
        call.launch_threads = 128;
        call.has_ignore = 1;
        call.ignore = 7;
        print(atomtune_choose(&call, index, n, &choice), &choice);
        free(index);
      }
    }
  }
  return 0;
}
