#include "check.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { printed_failures = 20 };

long checks = 0;
long failures = 0;

static void print(const char *format, va_list values) {
  vfprintf(stderr, format, values);
  fputc('\n', stderr);
}

void expect(int ok, const char *format, ...) {
  ++checks;
  if (ok || ++failures > printed_failures) return;
  va_list values;
  va_start(values, format);
  fputs("FAIL ", stderr);
  print(format, values);
  va_end(values);
}

void stop(const char *format, ...) {
  va_list values;
  va_start(values, format);
  print(format, values);
  va_end(values);
  exit(2);
}
