/*
 * Saves plans to a file from THREADS threads: through the library, or, compiled as C++, through the
 * CUDA header. Plan k is that of k + 1 updates; arguments are the file, the first k and the number.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 8 };
static const char *path;
static int first, number;

#ifdef __cplusplus
#include "atomtune_plan_save.cuh"

static int save(int k) {
  atomtune::PlanKey key;
  strcpy(key.device, "h200");
  key.op = "add", key.type = "u32", key.value = "one", key.index = "u32";
  key.updates = uint64_t(k) + 1, key.bins = 1;
  return atomtune::save_plan(path, key, atomtune::PlannedForm{});
}
#else
#include <atomtune.h>

static int save(int k) {
  static const uint32_t index[2000];
  struct atomtune_call call;
  struct atomtune_choice choice;
  ATOMTUNE_INIT(call);
  ATOMTUNE_INIT(choice);
  call.device = "h200";
  call.bins = 1;
  choice.launch_blocks = 1;
  choice.launch_threads = 32;
  choice.launch_unroll = 1;
  strcpy(choice.implementation, "naive");
  return atomtune_save_plan(path, NULL, &call, index, (uint64_t)k + 1, &choice) == ATOMTUNE_OK;
}
#endif

static void *thread(void *arg) {
  for (int k = first + *(int *)arg; k < first + number; k += THREADS) {
    if (!save(k)) exit(1);
  }
  return NULL;
}

int main(int argc, char **argv) {
  pthread_t threads[THREADS];
  int i, numbers[THREADS];
  if (argc != 4) return 2;
  path = argv[1], first = atoi(argv[2]), number = atoi(argv[3]);
  for (i = 0; i < THREADS; i++) {
    numbers[i] = i;
    if (pthread_create(&threads[i], NULL, thread, &numbers[i]) != 0) return 1;
  }
  for (i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  return 0;
}
