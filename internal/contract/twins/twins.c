/*
 * What the C library answers: arguments in threes, a file of 32-bit indices, its bins and the
 * number of a type. Prints a JSON document a line.
 */
#include <atomtune.h>
#include <stdio.h>
#include <stdlib.h>

static uint32_t *load(const char *path, uint64_t *n) {
  FILE *f = fopen(path, "rb");
  uint32_t *all = malloc(1 << 20);
  if (f == NULL || all == NULL) exit(1);
  *n = fread(all, 4, 1 << 18, f);
  fclose(f);
  return all;
}

static void require(int status) {
  char error[200];
  if (status == ATOMTUNE_OK) return;
  atomtune_last_error(error, sizeof error);
  fprintf(stderr, "%s\n", error);
  exit(1);
}

static void answer(const char *device, const char *path, uint64_t bins, int type) {
  uint32_t features[ATOMTUNE_FEATURES], action = 0, *index;
  uint64_t n;
  int i;
  struct atomtune_call call;
  struct atomtune_choice leaf, choice;
  ATOMTUNE_INIT(call);
  ATOMTUNE_INIT(leaf);
  ATOMTUNE_INIT(choice);
  index = load(path, &n);
  call.device = device;
  call.bins = bins;
  call.type = type;
  require(atomtune_features(&call, index, n, features));
  require(atomtune_leaf(&call, features, &action, &leaf));
  call.whole = 1;
  require(atomtune_choose(&call, index, n, &choice));
  printf("{\"device\":\"%s\",\"features\":[", device);
  for (i = 0; i < ATOMTUNE_FEATURES; i++) printf("%s%lu", i > 0 ? "," : "", (unsigned long)features[i]);
  printf("],\"leaf\":%lu,\"action\":\"%s\",\"implementation\":\"%s\",\"class\":\"%s\"", (unsigned long)action,
         leaf.implementation, choice.implementation, choice.kind);
  printf(",\"predicted_us\":%.17g,\"low_us\":%.17g,\"high_us\":%.17g,\"floor_us\":%.17g", choice.predicted_us,
         choice.low_us, choice.high_us, choice.floor_us);
  printf(",\"launch\":\"%lux%lux%lu\"}\n", (unsigned long)choice.launch_blocks,
         (unsigned long)choice.launch_threads, (unsigned long)choice.launch_unroll);
  free(index);
}

int main(int argc, char **argv) {
  int i;
  for (i = 1; i + 2 < argc; i += 3) {
    answer("h200", argv[i], strtoul(argv[i + 1], NULL, 10), atoi(argv[i + 2]));
    answer("h100", argv[i], strtoul(argv[i + 1], NULL, 10), atoi(argv[i + 2]));
  }
  return 0;
}
