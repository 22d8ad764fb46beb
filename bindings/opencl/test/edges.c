#include "edges.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "check.h"

enum { max_edges = 4096 };

typedef struct {
  int line;
  uint64_t old, a, b, next;
} Edge;

static int is_f32(const char *type) { return strcmp(type, "f32") == 0; }

static uint64_t infinite(const char *type) {
  return is_f32(type) ? 0x7f800000 : 0x7ff0000000000000;
}

static uint64_t modulus(const char *type, uint64_t bits) {
  return bits & (is_f32(type) ? 0x7fffffff : 0x7fffffffffffffff);
}

static int is_nan(const char *type, uint64_t bits) { return modulus(type, bits) > infinite(type); }

static int is_subnormal(uint64_t bits) { return modulus("f32", bits) - 1 < 0x007fffff; }

// Whether the device need not give the line's bits.
static int is_free(const Device *device, const char *type, const char *op, const Edge *e) {
  if (!is_f32(type) || strcmp(op, "min") == 0 || strcmp(op, "max") == 0) return 0;
  if (strcmp(op, "div") == 0 && !device->divides_exactly) return 1;
  return !device->has_subnormals && (is_subnormal(e->old) || is_subnormal(e->a) ||
                                     is_subnormal(e->b) || is_subnormal(e->next));
}

// Reads the lines of one operation on one type.
static size_t read_edges(const Device *device, const char *path, const char *type, const char *op,
                         Edge *edges) {
  FILE *file = fopen(path, "r");
  if (file == NULL) stop("%s: cannot be opened", path);
  size_t count = 0;
  char text[256];
  for (int line = 1; fgets(text, sizeof text, file) != NULL; ++line) {
    char its_type[8], its_op[8];
    Edge e = {.line = line};
    if (sscanf(text, "%7s %7s %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64, its_type, its_op,
               &e.old, &e.a, &e.b, &e.next) != 6) {
      stop("%s:%d: not TYPE OP OLD A B NEW: %s", path, line, text);
    }
    if (strcmp(its_type, type) != 0 || strcmp(its_op, op) != 0 || is_free(device, type, op, &e))
      continue;
    if (count == max_edges)
      stop("%s:%d: more than %d lines of %s %s", path, line, (int)max_edges, type, op);
    edges[count++] = e;
  }
  fclose(file);
  return count;
}

static cl_mem bits_buffer(const Device *device, const char *type, const uint64_t *bits,
                          size_t count) {
  static uint32_t narrow[max_edges];
  if (!is_f32(type)) return device_buffer(device, count * sizeof *bits, bits);
  for (size_t k = 0; k < count; ++k) narrow[k] = (uint32_t)bits[k];
  return device_buffer(device, count * sizeof *narrow, narrow);
}

static void read_bits(const Device *device, const char *type, cl_mem buffer, uint64_t *bits,
                      size_t count) {
  static uint32_t narrow[max_edges];
  if (!is_f32(type)) {
    device_read(device, buffer, count * sizeof *bits, bits);
  } else {
    device_read(device, buffer, count * sizeof *narrow, narrow);
    for (size_t k = 0; k < count; ++k) bits[k] = narrow[k];
  }
  clReleaseMemObject(buffer);
}

static void expect_bits(const char *type, const char *kernel, int line, const char *what,
                        uint64_t got, uint64_t want) {
  expect(got == want || (is_nan(type, got) && is_nan(type, want)),
         "%s, line %d: %s is %" PRIx64 ", not %" PRIx64, kernel, line, what, got, want);
}

// Runs each line as an update of a target of its own.
static void test_lines(const Device *device, const char *type, const char *kernel, int is_local,
                       const Edge *edges, size_t count) {
  static uint64_t old[max_edges], a[max_edges], b[max_edges], target_bits[max_edges],
      returned_bits[max_edges];
  static cl_uint index_values[max_edges];
  for (size_t k = 0; k < count; ++k) {
    old[k] = edges[k].old;
    a[k] = edges[k].a;
    b[k] = edges[k].b;
    index_values[k] = (cl_uint)k;
  }
  const size_t width = is_f32(type) ? 4 : 8;
  cl_mem target = bits_buffer(device, type, old, count);
  cl_mem index = device_buffer(device, count * sizeof *index_values, index_values);
  cl_mem first = bits_buffer(device, type, a, count), second = bits_buffer(device, type, b, count);
  cl_mem returned = device_buffer(device, count * width, NULL);
  const cl_uint lines = (cl_uint)count;
  const Argument arguments[] = {
      {sizeof target, &target}, {sizeof index, &index},       {sizeof first, &first},
      {sizeof second, &second}, {sizeof returned, &returned}, {sizeof lines, &lines},
      {sizeof lines, &lines},   {count * width, NULL},
  };
  device_run(device, kernel, 1, 1, arguments, is_local ? 8 : 7);
  read_bits(device, type, target, target_bits, count);
  read_bits(device, type, returned, returned_bits, count);
  for (size_t k = 0; k < count; ++k) {
    expect_bits(type, kernel, edges[k].line, "the target", target_bits[k], edges[k].next);
    expect_bits(type, kernel, edges[k].line, "the returned value", returned_bits[k], edges[k].old);
  }
  clReleaseMemObject(index);
  clReleaseMemObject(first);
  clReleaseMemObject(second);
}

void edges_test(const Device *device, const char *path) {
  static const char *const types[] = {"f32", "f64"};
  static const char *const ops[] = {"add", "mul", "mad", "div", "min", "max"};
  static Edge edges[max_edges];
  size_t tested = 0;
  for (int t = 0; t < (device->has_f64 ? 2 : 1); ++t) {
    for (int o = 0; o < 6; ++o) {
      const size_t count = read_edges(device, path, types[t], ops[o], edges);
      expect(count > 0 || !device->divides_exactly, "%s: no line of %s %s", path, types[t], ops[o]);
      for (int is_local = 0; is_local <= 1 && count > 0; ++is_local) {
        char kernel[32];
        snprintf(kernel, sizeof kernel, "%s_%s_%s", ops[o], is_local ? "local" : "global",
                 types[t]);
        test_lines(device, types[t], kernel, is_local, edges, count);
      }
      tested += count;
    }
  }
  printf("edges: %zu lines of %s\n", tested, path);
}
