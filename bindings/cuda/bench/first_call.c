/*
 * Times the first calls of a process through libatomtune_cuda, in milliseconds: what the driver takes
 * for a context, then a call with the load of its code, and the same call again. Needs no toolkit:
 *
 *   cc -O2 first_call.c $(pkg-config --cflags --libs atomtune-cuda) -ldl -o first_call && ./first_call
 *
 * With CUDA_CACHE_DISABLE=1 the driver keeps nothing of what it compiles.
 */
#include <atomtune_update.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { BINS = 1 << 17, UPDATES = 1 << 20 };

static void *driver;

/* check ends the program where the driver refuses. */
static void check(int status, const char *what) {
  if (status == 0) return;
  fprintf(stderr, "%s: %d\n", what, status);
  exit(1);
}

#define CALL(name, types, ...) check(((int(*) types)dlsym(driver, #name))(__VA_ARGS__), #name)

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static void *memory(size_t bytes) {
  unsigned long long place = 0;
  CALL(cuMemAlloc_v2, (unsigned long long *, size_t), &place, bytes);
  CALL(cuMemsetD8_v2, (unsigned long long, unsigned char, size_t), place, 0, bytes);
  return (void *)(uintptr_t)place;
}

static double call(const struct atomtune_update *update) {
  const double start = now();
  if (atomtune_update(update) != ATOMTUNE_OK) {
    char text[1024];
    atomtune_update_error(text, sizeof text);
    fprintf(stderr, "%s\n", text);
    exit(1);
  }
  CALL(cuCtxSynchronize, (void), );
  return now() - start;
}

int main(void) {
  const double start = now();
  void *context = NULL;
  struct atomtune_update update;
  char about[4096];
  double first, second, other;
  driver = dlopen("libcuda.so.1", RTLD_NOW);
  if (driver == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  CALL(cuInit, (unsigned), 0);
  CALL(cuDevicePrimaryCtxRetain, (void **, int), &context, 0);
  CALL(cuCtxSetCurrent, (void *), context);
  ATOMTUNE_INIT(update);
  update.type = ATOMTUNE_F32;
  update.index_type = ATOMTUNE_INDEX_I64;
  update.out = memory(4 * BINS), update.bins = BINS;
  update.index = memory(8 * UPDATES), update.values = memory(4 * UPDATES);
  update.updates = UPDATES;
  printf("context: %.1f ms\n", now() - start);
  first = call(&update);
  second = call(&update);
  update.width = 8, update.updates /= 8;
  other = call(&update);
  printf("first call: %.1f ms\nsecond call: %.3f ms\nfirst call of rows: %.1f ms\n", first, second,
         other);
  atomtune_update_about(about, sizeof about);
  fputs(about, stdout);
  return 0;
}
