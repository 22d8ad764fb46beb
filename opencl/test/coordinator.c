#include "coordinator.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "random.h"

enum {
  coordinator = 1,  // parts of the kernel
  requesters = 2,
  wavefronts_per_group = 4,
  max_groups = 4,
  max_bins = 64,
};

// Updates, how those of a wavefront choose their targets, and what they add.
typedef struct {
  const char *name;
  uint32_t updates, bins;
  int is_mixed;   // each its own target, else all one
  int is_signed;  // -8 to 8, else 1 to 5
} Case;

// What the updates run on.
typedef struct {
  const Device *device;
  size_t groups;     // the coordinator and the requesting ones
  size_t wavefront;  // work-items, as the kernels are built
} Machine;

typedef struct {
  uint32_t index, value, old;
} Update;

static void make_updates(const Machine *m, const Case *c, Update *stream) {
  uint64_t random = c->bins;
  uint32_t index = 0;
  for (uint32_t i = 0; i < c->updates; ++i) {
    if (c->is_mixed || i % m->wavefront == 0) index = random_below(&random, c->bins);
    stream[i].index = index;
    stream[i].value = c->is_signed ? random_below(&random, 17) - 8 : 1 + random_below(&random, 5);
  }
}

// Runs the updates; returns whether a wait was given up.
static int run(const Machine *m, const Case *c, Update *stream, uint32_t *targets,
               cl_uint poll_limit, cl_uint present) {
  const Device *device = m->device;
  const size_t wavefronts = (m->groups - 1) * wavefronts_per_group;
  const size_t array_words = 4 * wavefronts + 1, local_words = 4 * wavefronts + 2;
  uint32_t *words = malloc((c->updates + array_words) * sizeof *words);
  if (words == NULL) stop("no memory for %u updates", c->updates);
  const size_t bytes = c->updates * sizeof *words;
  for (uint32_t i = 0; i < c->updates; ++i) words[i] = stream[i].index;
  cl_mem index = device_buffer(device, bytes, words);
  for (uint32_t i = 0; i < c->updates; ++i) words[i] = stream[i].value;
  cl_mem value = device_buffer(device, bytes, words);
  cl_mem target = device_buffer(device, c->bins * sizeof *targets, NULL);
  cl_mem old = device_buffer(device, bytes, NULL);
  cl_mem arrays = device_buffer(device, array_words * sizeof *words, NULL);
  const cl_uint count = c->updates;
  const Argument arguments[] = {
      {sizeof target, &target},   {sizeof index, &index},
      {sizeof value, &value},     {sizeof old, &old},
      {sizeof arrays, &arrays},   {local_words * sizeof *words, NULL},
      {sizeof count, &count},     {sizeof poll_limit, &poll_limit},
      {sizeof present, &present},
  };
  device_run(device, "coordinated", m->groups, wavefronts_per_group * m->wavefront, arguments,
             sizeof arguments / sizeof *arguments);
  device_read(device, target, c->bins * sizeof *targets, targets);
  device_read(device, old, bytes, words);
  for (uint32_t i = 0; i < c->updates; ++i) stream[i].old = words[i];
  device_read(device, arrays, array_words * sizeof *words, words);
  const int expired = words[4 * wavefronts] != 0;
  cl_mem buffers[] = {index, value, target, old, arrays};
  for (size_t k = 0; k < sizeof buffers / sizeof *buffers; ++k) clReleaseMemObject(buffers[k]);
  free(words);
  return expired;
}

static int by_target_then_old(const void *x, const void *y) {
  const Update *a = x, *b = y;
  if (a->index != b->index) return a->index < b->index ? -1 : 1;
  return a->old < b->old ? -1 : a->old > b->old;
}

// Checks that the values returned are those of one serial order: as all values
// are positive, each update of a target starts where another one ends.
static void check_returned(const Case *c, Update *stream) {
  qsort(stream, c->updates, sizeof *stream, by_target_then_old);
  long wrong = 0;
  for (uint32_t i = 0; i < c->updates; ++i) {
    const int is_first = i == 0 || stream[i].index != stream[i - 1].index;
    if (stream[i].old != (is_first ? 0 : stream[i - 1].old + stream[i - 1].value)) ++wrong;
  }
  expect(wrong == 0, "coordinator, %s, %u targets: %ld returned values fit into no order", c->name,
         c->bins, wrong);
}

static void test_case(const Machine *m, const Case *c, Update *stream) {
  const cl_uint poll_limit = 1u << 29;
  uint32_t targets[max_bins], expected[max_bins] = {0};
  make_updates(m, c, stream);
  for (uint32_t i = 0; i < c->updates; ++i) expected[stream[i].index] += stream[i].value;
  const int expired = run(m, c, stream, targets, poll_limit, coordinator | requesters);
  expect(!expired, "coordinator, %s, %u targets: a wait was given up", c->name, c->bins);
  for (uint32_t t = 0; t < c->bins; ++t) {
    expect(targets[t] == expected[t], "coordinator, %s, %u targets: target %u is %u, not %u",
           c->name, c->bins, t, targets[t], expected[t]);
  }
  if (!c->is_signed) check_returned(c, stream);
}

// Checks that either side gives up where the other does not come.
static void test_alone(const Machine *m, cl_uint present, Update *stream) {
  const Case alone = {"alone", 1000, 1, 0, 0};
  uint32_t target;
  make_updates(m, &alone, stream);
  expect(run(m, &alone, stream, &target, 1000, present), "part %u alone gives no wait up", present);
  expect(target == 0, "part %u alone makes the target %u, not 0", present, target);
}

void coordinator_test(const Device *device, size_t wavefront, unsigned updates) {
  const Case cases[] = {
      {"u32", updates, 1, 0, 0},
      {"u32", updates, 7, 0, 0},
      {"u32", updates, 64, 0, 0},
      {"i32", updates, 1, 0, 1},
      {"i32", updates, 7, 0, 1},
      {"i32", updates, 64, 0, 1},
      {"u32 mixed", updates, 3, 1, 0},
      {"i32 mixed", updates, 2, 1, 1},
      {"u32 mixed", updates / 64, 64, 1, 0},
      {"u32", 1, 1, 0, 0},
  };
  // All groups must run at the same time, and one requests at least.
  const Machine m = {
      device, device->compute_units < max_groups ? device->compute_units : max_groups, wavefront};
  if (m.groups < 2)
    stop("the coordinator needs 2 compute units, the device has %zu", device->compute_units);
  Update *stream = malloc((updates + 1000) * sizeof *stream);
  if (stream == NULL) stop("no memory for %u updates", updates);
  for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) test_case(&m, &cases[k], stream);
  test_alone(&m, coordinator, stream);
  test_alone(&m, requesters, stream);
  printf(
      "coordinator: %zu streams of 1 to %u updates, %zu requesting groups of %d wavefronts of "
      "%zu\n",
      sizeof cases / sizeof *cases, updates, m.groups - 1, (int)wavefronts_per_group, wavefront);
  free(stream);
}
