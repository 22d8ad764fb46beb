#include "floats.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "stream.h"

// Bytes of an element.
static size_t width(const Stream *s) { return s->is_f32 ? sizeof(float) : sizeof(double); }

static void store(const Stream *s, const double *values, size_t count, void *memory) {
  for (size_t k = 0; k < count; ++k) {
    if (s->is_f32) {
      ((float *)memory)[k] = (float)values[k];
    } else {
      ((double *)memory)[k] = values[k];
    }
  }
}

static double load(const Stream *s, const void *memory, size_t k) {
  return s->is_f32 ? ((const float *)memory)[k] : ((const double *)memory)[k];
}

// Runs the kernel on the stream. Targets and returned values lie in memory then.
static void run(const Device *device, const char *kernel, const Stream *s, void *targets,
                void *old) {
  const size_t width_bytes = width(s), bins = s->copies * s->bins;
  store(s, s->initial, bins, targets);
  cl_mem target = device_buffer(device, bins * width_bytes, targets);
  cl_mem index = device_buffer(device, updates * sizeof *s->index, s->index);
  store(s, s->a, updates, old);
  cl_mem a = device_buffer(device, updates * width_bytes, old);
  store(s, s->b, updates, old);
  cl_mem b = device_buffer(device, updates * width_bytes, old);
  cl_mem returned = device_buffer(device, updates * width_bytes, NULL);
  const cl_uint count = updates;
  const Argument arguments[] = {
      {sizeof target, &target},
      {sizeof index, &index},
      {sizeof a, &a},
      {sizeof b, &b},
      {sizeof returned, &returned},
      {sizeof count, &count},
      {sizeof s->bins, &s->bins},
      {s->bins * width_bytes, NULL},
  };
  device_run(device, kernel, groups, group_size, arguments, s->copies == 1 ? 7 : 8);
  device_read(device, target, bins * width_bytes, targets);
  device_read(device, returned, updates * width_bytes, old);
  cl_mem buffers[] = {target, index, a, b, returned};
  for (size_t k = 0; k < sizeof buffers / sizeof *buffers; ++k) clReleaseMemObject(buffers[k]);
}

// Number of targets that differ from what is expected; first is the first of them.
static uint32_t wrong_targets(const Stream *s, const void *targets, uint32_t *first,
                              double *worst) {
  uint32_t wrong = 0;
  for (uint32_t t = s->copies * s->bins; t-- > 0;) {
    const double got = load(s, targets, t), want = s->expected[t], bound = s->bound[t];
    if (bound > 0) *worst = fmax(*worst, fabs(got - want) / bound);
    if (bound > 0 ? fabs(got - want) <= bound : same(got, want)) continue;
    ++wrong;
    *first = t;
  }
  return wrong;
}

// Checks that updates by 1 returned each value of their target once.
static void check_returned(const Stream *s, const void *old, const char *kernel) {
  uint32_t start[groups * max_bins + 1] = {0};  // of a target's values among all
  for (uint32_t t = 0; t < s->copies * s->bins; ++t) {
    start[t + 1] = start[t] + (uint32_t)s->expected[t];
  }
  char *seen = calloc(updates, 1);
  if (seen == NULL) stop("no memory for the values returned");
  long wrong = 0;
  for (uint32_t i = 0; i < updates; ++i) {
    const uint32_t t = stream_target(s, i);
    const double before = load(s, old, i);
    const int is_value = before >= 0 && before < s->expected[t];
    if (!is_value || seen[start[t] + (uint32_t)before]++ != 0) ++wrong;
  }
  expect(wrong == 0, "%s, %u targets: %ld returned values fit into no order", kernel, s->bins,
         wrong);
  free(seen);
}

typedef struct {
  const char *op;
  Values values;
} Case;

static const Case cases[] = {
    {"add", whole}, {"add", ones},    {"add", real},   {"mul", powers},
    {"mad", whole}, {"mad", real},    {"div", powers}, {"min", numbers},
    {"min", zeros}, {"max", numbers}, {"max", zeros},
};

// What the tests of this file run on and with.
typedef struct {
  const Device *device;
  void *targets, *old;  // of the last run
  double worst;         // largest distance from an expected sum, over its bound
} Bench;

static Bench bench_make(const Device *device) {
  Bench b = {.device = device};
  b.targets = malloc(groups * max_bins * sizeof(double));
  b.old = malloc(updates * sizeof(double));
  if (b.targets == NULL || b.old == NULL) stop("no memory for %d updates", (int)updates);
  return b;
}

static void bench_free(Bench *b) {
  free(b->targets);
  free(b->old);
}

static void test_case(Bench *b, const Case *c, int is_f32, int is_local, uint32_t bins) {
  char kernel[32];
  snprintf(kernel, sizeof kernel, "%s_%s_%s", c->op, is_local ? "local" : "global",
           is_f32 ? "f32" : "f64");
  Stream s = stream_make(c->op, c->values, is_f32, is_local ? groups : 1, bins);
  run(b->device, kernel, &s, b->targets, b->old);
  uint32_t first = 0;
  const uint32_t wrong = wrong_targets(&s, b->targets, &first, &b->worst);
  expect(wrong == 0, "%s, %u targets: %u are wrong, the first %.17g in place of %.17g", kernel,
         bins, wrong, load(&s, b->targets, first), s.expected[first]);
  if (s.values == ones) check_returned(&s, b->old, kernel);
  stream_free(&s);
}

void floats_test(const Device *device) {
  static const uint32_t bin_counts[] = {1, 7, 64};
  Bench b = bench_make(device);
  long runs = 0;
  for (int is_f32 = device->has_f64 ? 0 : 1; is_f32 <= 1; ++is_f32) {
    for (int is_local = 0; is_local <= 1; ++is_local) {
      for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
        for (size_t k = 0; k < sizeof bin_counts / sizeof *bin_counts; ++k, ++runs) {
          test_case(&b, &cases[c], is_f32, is_local, bin_counts[k]);
        }
      }
    }
  }
  printf("float atomics: %ld runs of %d updates; sums of reals within %.2g of their bound\n", runs,
         (int)updates, b.worst);
  bench_free(&b);
}

void floats_control(const Device *device) {
  enum { attempts = 2000 }; // on a busy machine work-groups seldom meet
  Bench b = bench_make(device);
  Stream s = stream_make("add", ones, 1, 1, 1);
  uint32_t first, wrong = 0;
  for (int attempt = 0; attempt < attempts && wrong == 0; ++attempt) {
    run(device, "plain_global_f32", &s, b.targets, b.old);
    wrong = wrong_targets(&s, b.targets, &first, &b.worst);
  }
  expect(wrong != 0,
         "plain reads and writes lose nothing: the work-groups do not run at the same time");
  printf("plain reads and writes: %.0f of %d updates are lost\n", updates - load(&s, b.targets, 0),
         (int)updates);
  stream_free(&s);
  bench_free(&b);
}
