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

typedef enum { add, exchange, compare_exchange, mixed } Op;

static const char *const kernels[] = {"coordinated_add", "coordinated_exchange",
                                      "coordinated_compare_exchange", "coordinated_mixed"};

// Updates, how those of a wavefront choose their targets, and what they do.
typedef struct {
  Op op;
  uint32_t updates, bins;
  int is_mixed;   // each its own target, else all one
  int is_signed;  // additions of -8 to 8, else of 1 to 5
} Case;

// What the updates run on.
typedef struct {
  const Device *device;
  size_t groups;     // the coordinator and the requesting ones
  size_t wavefront;  // work-items, as the kernels are built
} Machine;

typedef struct {
  uint32_t index, value, expected, old;
} Update;

static size_t wavefronts_of(const Machine *m) { return (m->groups - 1) * wavefronts_per_group; }

static uint32_t turn_of(const Machine *m, uint32_t i) {
  return i / (wavefronts_of(m) * m->wavefront);
}

// Makes the updates. Exchanges bring each value once. Comparisons lead each target from 0
// upwards by ones: the two halves of a wavefront want to make one step each, in every turn. Where
// the operations take turns, exchanges bring 0, and comparisons wait for 0.
static void make_updates(const Machine *m, const Case *c, Update *stream) {
  uint64_t random = c->bins;
  uint32_t index = 0;
  for (uint32_t i = 0; i < c->updates; ++i) {
    if (c->is_mixed || i % m->wavefront == 0) index = random_below(&random, c->bins);
    stream[i].index = index;
    stream[i].expected = 0;
    stream[i].value = c->is_signed ? random_below(&random, 17) - 8 : 1 + random_below(&random, 5);
    if (c->op == exchange) stream[i].value = i + 1;
    if (c->op == mixed && turn_of(m, i) % 3 == exchange) stream[i].value = 0;
    if (c->op == compare_exchange) {
      stream[i].expected = 2 * turn_of(m, i) + (i % m->wavefront >= m->wavefront / 2);
      stream[i].value = stream[i].expected + 1;
    }
  }
}

static cl_mem words_of(const Device *device, uint32_t updates, const uint32_t *first) {
  uint32_t *words = malloc(updates * sizeof *words);
  if (words == NULL) stop("no memory for %u updates", updates);
  const size_t stride = sizeof(Update) / sizeof *words;
  for (uint32_t i = 0; i < updates; ++i) words[i] = first[i * stride];
  cl_mem buffer = device_buffer(device, updates * sizeof *words, words);
  free(words);
  return buffer;
}

// Runs the updates; returns whether a wait was given up.
static int run(const Machine *m, const Case *c, Update *stream, uint32_t *targets,
               cl_uint poll_limit, cl_uint present) {
  const Device *device = m->device;
  const size_t wavefronts = wavefronts_of(m);
  const size_t array_words = 5 * wavefronts + 1, local_words = 4 * wavefronts + 2;
  uint32_t *words = malloc((c->updates + array_words) * sizeof *words);
  if (words == NULL) stop("no memory for %u updates", c->updates);
  const size_t bytes = c->updates * sizeof *words;
  cl_mem index = words_of(device, c->updates, &stream->index);
  cl_mem value = words_of(device, c->updates, &stream->value);
  cl_mem wanted = words_of(device, c->updates, &stream->expected);
  cl_mem target = device_buffer(device, c->bins * sizeof *targets, NULL);
  cl_mem old = device_buffer(device, bytes, NULL);
  cl_mem arrays = device_buffer(device, array_words * sizeof *words, NULL);
  const cl_uint count = c->updates;
  const Argument arguments[] = {
      {sizeof target, &target}, {sizeof index, &index},   {sizeof value, &value},
      {sizeof wanted, &wanted}, {sizeof old, &old},       {sizeof arrays, &arrays},
      {local_words * sizeof *words, NULL}, {sizeof count, &count},
      {sizeof poll_limit, &poll_limit}, {sizeof present, &present},
  };
  device_run(device, kernels[c->op], m->groups, wavefronts_per_group * m->wavefront, arguments,
             sizeof arguments / sizeof *arguments);
  device_read(device, target, c->bins * sizeof *targets, targets);
  device_read(device, old, bytes, words);
  for (uint32_t i = 0; i < c->updates; ++i) stream[i].old = words[i];
  device_read(device, arrays, array_words * sizeof *words, words);
  const int expired = words[5 * wavefronts] != 0;
  cl_mem buffers[] = {index, value, wanted, target, old, arrays};
  for (size_t k = 0; k < sizeof buffers / sizeof *buffers; ++k) clReleaseMemObject(buffers[k]);
  free(words);
  return expired;
}

static int by_target_then_old(const void *x, const void *y) {
  const Update *a = x, *b = y;
  if (a->index != b->index) return a->index < b->index ? -1 : 1;
  return a->old < b->old ? -1 : a->old > b->old;
}

static void expect_target(const Case *c, uint32_t t, uint32_t target, uint32_t expected) {
  expect(target == expected, "%s, %u targets: target %u is %u, not %u", kernels[c->op], c->bins, t,
         target, expected);
}

static void expect_none(const Case *c, long wrong) {
  expect(wrong == 0, "%s, %u targets: %ld returned values fit into no order", kernels[c->op], c->bins,
         wrong);
}

// Checks sums, and that the values returned are those of one serial order: where all values are
// positive, each update of a target starts where another one ends.
static void check_add(const Case *c, Update *stream, const uint32_t *targets) {
  uint32_t expected[max_bins] = {0};
  for (uint32_t i = 0; i < c->updates; ++i) expected[stream[i].index] += stream[i].value;
  for (uint32_t t = 0; t < c->bins; ++t) expect_target(c, t, targets[t], expected[t]);
  if (c->is_signed) return;
  qsort(stream, c->updates, sizeof *stream, by_target_then_old);
  long wrong = 0;
  for (uint32_t i = 0; i < c->updates; ++i) {
    const int is_first = i == 0 || stream[i].index != stream[i - 1].index;
    if (stream[i].old != (is_first ? 0 : stream[i - 1].old + stream[i - 1].value)) ++wrong;
  }
  expect_none(c, wrong);
}

// Checks that each value that was brought to a target, and its first one, is returned from there
// once or stays.
static void check_exchange(const Case *c, const Update *stream, const uint32_t *targets) {
  unsigned char *seen = calloc(c->updates + 1, 1);
  if (seen == NULL) stop("no memory for %u updates", c->updates);
  long wrong = 0;
  for (uint32_t i = 0; i < c->updates + c->bins; ++i) {
    const int stays = i >= c->updates;
    const uint32_t t = stays ? i - c->updates : stream[i].index;
    const uint32_t value = stays ? targets[t] : stream[i].old;
    // Value v is that of update v - 1; 0 is the first one of each target.
    if (value > c->updates || (value != 0 && stream[value - 1].index != t)) {
      ++wrong;
    } else {
      ++seen[value];
    }
  }
  for (uint32_t value = 0; value <= c->updates; ++value) {
    if (seen[value] != (value == 0 ? c->bins : 1)) ++wrong;
  }
  expect_none(c, wrong);
  free(seen);
}

// Checks that exactly one update made each step of a target, up to the last.
static void check_compare_exchange(const Case *c, const Update *stream, const uint32_t *targets) {
  uint32_t last[max_bins] = {0};
  for (uint32_t i = 0; i < c->updates; ++i) {
    if (stream[i].value > last[stream[i].index]) last[stream[i].index] = stream[i].value;
  }
  long wrong = 0;
  for (uint32_t t = 0; t < c->bins; ++t) {
    expect_target(c, t, targets[t], last[t]);
    uint32_t *winners = calloc(last[t] + 1, sizeof *winners);
    if (winners == NULL) stop("no memory for %u steps", last[t]);
    for (uint32_t i = 0; i < c->updates; ++i) {
      if (stream[i].index != t) continue;
      if (stream[i].old == stream[i].expected) ++winners[stream[i].expected];
      if (stream[i].old > last[t]) ++wrong;
    }
    for (uint32_t step = 0; step < last[t]; ++step) wrong += winners[step] != 1;
    free(winners);
  }
  expect_none(c, wrong);
}

// How many exchanges found a value, and how many comparisons held.
static long taken, held;

// Checks that what was added, or brought by a comparison that held, was taken by an exchange or
// stays.
static void check_mixed(const Machine *m, const Case *c, const Update *stream,
                        const uint32_t *targets) {
  uint32_t left[max_bins] = {0};
  for (uint32_t i = 0; i < c->updates; ++i) {
    const Update *u = stream + i;
    const Op op = turn_of(m, i) % 3;
    const int holds = op == compare_exchange && u->old == 0;
    if (op == exchange) left[u->index] -= u->old;
    if (op == add || holds) left[u->index] += u->value;
    taken += op == exchange && u->old != 0;
    held += holds;
  }
  for (uint32_t t = 0; t < c->bins; ++t) expect_target(c, t, targets[t], left[t]);
}

static void test_case(const Machine *m, const Case *c, Update *stream) {
  const cl_uint poll_limit = 1u << 29;
  uint32_t targets[max_bins];
  make_updates(m, c, stream);
  const int expired = run(m, c, stream, targets, poll_limit, coordinator | requesters);
  expect(!expired, "%s, %u targets: a wait was given up", kernels[c->op], c->bins);
  switch (c->op) {
    case add: check_add(c, stream, targets); break;
    case exchange: check_exchange(c, stream, targets); break;
    case compare_exchange: check_compare_exchange(c, stream, targets); break;
    case mixed: check_mixed(m, c, stream, targets); break;
  }
}

// Checks that either side gives up where the other does not come.
static void test_alone(const Machine *m, cl_uint present, Update *stream) {
  const Case alone = {add, 1000, 1, 0, 0};
  uint32_t target;
  make_updates(m, &alone, stream);
  expect(run(m, &alone, stream, &target, 1000, present), "part %u alone gives no wait up", present);
  expect(target == 0, "part %u alone makes the target %u, not 0", present, target);
}

void coordinator_test(const Device *device, size_t wavefront, unsigned updates) {
  const Case cases[] = {
      {add, updates, 1, 0, 0},
      {add, updates, 7, 0, 0},
      {add, updates, 64, 0, 0},
      {add, updates, 1, 0, 1},
      {add, updates, 7, 0, 1},
      {add, updates, 64, 0, 1},
      {add, updates, 3, 1, 0},
      {add, updates, 2, 1, 1},
      {add, updates / 64, 64, 1, 0},
      {add, 1, 1, 0, 0},
      {exchange, updates / 4, 1, 0, 0},
      {exchange, updates / 4, 7, 0, 0},
      {exchange, updates / 4, 3, 1, 0},
      {exchange, 1, 1, 0, 0},
      {compare_exchange, updates / 4, 1, 0, 0},
      {compare_exchange, updates / 4, 3, 1, 0},
      {compare_exchange, 1, 1, 0, 0},
      {mixed, updates / 4, 1, 0, 0},
      {mixed, updates / 4, 3, 1, 0},
  };
  // All groups must run at the same time, and one requests at least.
  const Machine m = {
      device, device->compute_units < max_groups ? device->compute_units : max_groups, wavefront};
  if (m.groups < 2)
    stop("the coordinator needs 2 compute units, the device has %zu", device->compute_units);
  Update *stream = malloc((updates + 1000) * sizeof *stream);
  if (stream == NULL) stop("no memory for %u updates", updates);
  for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) test_case(&m, &cases[k], stream);
  expect(taken > 0 && held > 0, "%ld exchanges found a value, %ld comparisons held", taken, held);
  test_alone(&m, coordinator, stream);
  test_alone(&m, requesters, stream);
  printf(
      "coordinator: %zu streams of 1 to %u updates, %zu requesting groups of %d wavefronts of "
      "%zu\n",
      sizeof cases / sizeof *cases, updates, m.groups - 1, (int)wavefronts_per_group, wavefront);
  free(stream);
}
