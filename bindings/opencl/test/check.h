// Checks of the tests: counted, so that a test that checked nothing is seen.
#ifndef CHECK_H
#define CHECK_H

extern long checks;
extern long failures;

// Counts a check. The first failures are printed, by the format and what follows.
void expect(int ok, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Prints why the tests cannot go on, and ends them with exit status 2.
void stop(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

#endif
