/*
 * What atomtune.h promises besides the answers: errors, NULL, sizes of structures, buffers that
 * are too small, no updates, plans, and threads. Prints the number of checks.
 */
#include <atomtune.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "streams.h"

static int checks, faults;

#define CHECK(condition)                                                 \
  do {                                                                   \
    checks++;                                                            \
    if (!(condition)) {                                                  \
      char text[300];                                                    \
      faults++;                                                          \
      atomtune_last_error(text, sizeof text);                            \
      printf("line %d: %s (last error: %s)\n", __LINE__, #condition, text); \
    }                                                                    \
  } while (0)

/* says reports whether the last error has these words in it. */
static int says(const char *words) {
  char text[1100];
  return atomtune_last_error(text, sizeof text) < sizeof text && strstr(text, words) != NULL;
}

enum { N = 100000 };
static uint32_t stream[N];

static struct atomtune_call usual(void) {
  struct atomtune_call call;
  ATOMTUNE_INIT(call);
  call.device = "h200";
  call.bins = BINS;
  return call;
}

static struct atomtune_choice nothing(void) {
  struct atomtune_choice choice;
  ATOMTUNE_INIT(choice);
  return choice;
}

/* Each field of a call with a number that stands for nothing is refused by name. */
static void test_fields(void) {
  struct atomtune_choice choice = nothing();
  struct atomtune_call call;
#define REFUSED(set, number, words)                                \
  call = usual();                                                  \
  call.launches = 1000000000;                                      \
  call.set;                                                        \
  CHECK(atomtune_choose(&call, stream, N, &choice) == number);     \
  CHECK(says(words))
  REFUSED(device = "abacus", ATOMTUNE_DEVICE, "abacus");
  REFUSED(device = "/nowhere/profile.json", ATOMTUNE_DEVICE, "/nowhere/profile.json");
  REFUSED(type = 6, ATOMTUNE_ARGUMENT, "type is 6");
  REFUSED(type = -1, ATOMTUNE_ARGUMENT, "type is -1");
  REFUSED(op = 6, ATOMTUNE_ARGUMENT, "op is 6");
  REFUSED(value = 2, ATOMTUNE_ARGUMENT, "value is 2");
  REFUSED(index = 4, ATOMTUNE_ARGUMENT, "index is 4");
  REFUSED(returns = 2, ATOMTUNE_ARGUMENT, "returns is 2");
  REFUSED(whole = 300, ATOMTUNE_ARGUMENT, "whole is 300");
  REFUSED(bins = 0, ATOMTUNE_ARGUMENT, "bins is 0");
  REFUSED(whole = 1; call.bins = 7, ATOMTUNE_STREAM, "7 bins");
  REFUSED(launch_threads = 48, ATOMTUNE_ARGUMENT, "48");
  REFUSED(launch_unroll = 3, ATOMTUNE_ARGUMENT, "3");
  REFUSED(launch_unroll = 4000000000u, ATOMTUNE_ARGUMENT, "4000000000");
  REFUSED(only = "naive future:q=1", ATOMTUNE_ARGUMENT, "future");
  REFUSED(exclude = "match match", ATOMTUNE_ARGUMENT, "twice");
  REFUSED(only = "hot:s=64", ATOMTUNE_ARGUMENT, "hot:s=64");
  REFUSED(sampling_cost_us = -1, ATOMTUNE_ARGUMENT, "-1");
  CHECK(choice.predicted_us == 0 && choice.implementation[0] == 0);
  call = usual();
  call.device = NULL; /* the default */
  CHECK(atomtune_choose(&call, stream, N, &choice) == ATOMTUNE_OK);
  call.only = call.exclude = "naive";
  CHECK(atomtune_choose(&call, stream, N, &choice) == ATOMTUNE_NONE);
}

static void test_leaves(void) {
  uint32_t features[ATOMTUNE_FEATURES], action = 99999;
  struct atomtune_choice choice = nothing();
  struct atomtune_call call = usual();
  CHECK(atomtune_features(NULL, stream, N, features) == ATOMTUNE_ARGUMENT);
  CHECK(atomtune_features(&call, stream, N, NULL) == ATOMTUNE_ARGUMENT && says("features"));
  CHECK(atomtune_features(&call, NULL, N, features) == ATOMTUNE_ARGUMENT && says("index"));
  call.device = NULL; /* which features do not need */
  CHECK(atomtune_features(&call, NULL, 0, features) == ATOMTUNE_OK);
  CHECK(features[0] == 0 && features[1] == BINS && features[12] == 0);
  CHECK(atomtune_features(&call, stream, N, features) == ATOMTUNE_OK && features[0] == N);
  CHECK(atomtune_leaf(&call, features, &action, &choice) == ATOMTUNE_OK && action != 99999); /* h200 */
  call.device = "gtx580";
  CHECK(atomtune_leaf(&call, features, &action, &choice) == ATOMTUNE_DEVICE && says("gtx580"));
  call.device = "h200";
  CHECK(atomtune_leaf(&call, NULL, &action, &choice) == ATOMTUNE_ARGUMENT);
  CHECK(atomtune_leaf(&call, features, &action, NULL) == ATOMTUNE_ARGUMENT);
  CHECK(atomtune_leaf(&call, features, NULL, &choice) == ATOMTUNE_OK);
  CHECK(choice.source == ATOMTUNE_LEAF && choice.implementation[0] != 0);
  call.type = ATOMTUNE_F64;
  CHECK(atomtune_leaf(&call, features, NULL, &choice) == ATOMTUNE_ARGUMENT && says("f64"));
}

static void test_null(void) {
  struct atomtune_choice choice = nothing();
  struct atomtune_statistics statistics;
  struct atomtune_call call = usual();
  ATOMTUNE_INIT(statistics);
  CHECK(atomtune_choose(NULL, stream, N, &choice) == ATOMTUNE_ARGUMENT && says("call is NULL"));
  CHECK(atomtune_choose(&call, stream, N, NULL) == ATOMTUNE_ARGUMENT && says("choice is NULL"));
  CHECK(atomtune_choose(&call, NULL, N, &choice) == ATOMTUNE_ARGUMENT && says("index is NULL"));
  CHECK(atomtune_measure(&call, stream, N, NULL) == ATOMTUNE_ARGUMENT);
  CHECK(atomtune_choose_statistics(&call, NULL, &choice) == ATOMTUNE_ARGUMENT);
  CHECK(atomtune_choose_statistics(&call, &statistics, &choice) == ATOMTUNE_STREAM);
  statistics.warp_size = (uint64_t)-1;
  CHECK(atomtune_choose_statistics(&call, &statistics, &choice) == ATOMTUNE_STREAM);
}

/* Rows are told of by a choice for their indices, and a call of the version before them is one of
 * single values. */
static void test_rows(void) {
  struct atomtune_call call = usual();
  struct atomtune_choice single = nothing(), row = nothing(), wide = nothing(), choice = nothing();
  struct atomtune_statistics statistics;
  ATOMTUNE_INIT(statistics);
  call.whole = 1;
  CHECK(atomtune_choose(&call, stream, N, &single) == ATOMTUNE_OK);
  call.width = 64;
  call.type = ATOMTUNE_F32;
  CHECK(atomtune_choose(&call, stream, N, &row) == ATOMTUNE_OK);
  CHECK(row.predicted_us > single.predicted_us && row.low_us < row.predicted_us && row.floor_us > 0);
  CHECK(row.launch_threads > 0 && row.reason[0] != 0 && row.source == ATOMTUNE_STATISTICS);
  call.values = ATOMTUNE_BF16;
  CHECK(atomtune_choose(&call, stream, N, &wide) == ATOMTUNE_OK && wide.predicted_us < row.predicted_us);
  call.type = ATOMTUNE_BF16;
  CHECK(atomtune_choose(&call, stream, N, &wide) == ATOMTUNE_OK && wide.predicted_us < row.predicted_us);
  CHECK(atomtune_measure(&call, stream, N, &statistics) == ATOMTUNE_ARGUMENT && says("width"));
  REFUSED(width = 64; call.type = ATOMTUNE_F32; call.values = 7, ATOMTUNE_ARGUMENT, "values is 7");
  REFUSED(width = (uint64_t)-1; call.type = ATOMTUNE_F32, ATOMTUNE_ARGUMENT, "rows");
  REFUSED(width = 8; call.type = ATOMTUNE_F32; call.device = "gtx680", ATOMTUNE_NONE, "row scatters");
  REFUSED(width = 8; call.type = ATOMTUNE_F32; call.deterministic = 1, ATOMTUNE_NONE, "order");
  REFUSED(width = 8; call.type = ATOMTUNE_F32; call.returns = 1, ATOMTUNE_ARGUMENT, "old value");
  REFUSED(width = 8; call.type = ATOMTUNE_F32; call.bins = 7, ATOMTUNE_STREAM, "7 bins");
  call = usual();
  call.whole = 1;
  call.width = (uint64_t)-1;
  call.struct_size = offsetof(struct atomtune_call, width);
  CHECK(atomtune_choose(&call, stream, N, &choice) == ATOMTUNE_OK);
  CHECK(choice.predicted_us == single.predicted_us);
}

/* The structures of the header, each with room behind it for fields of a later version. */
struct all {
  struct { struct atomtune_call is; char later[8]; } call;
  struct { struct atomtune_statistics is; char later[8]; } statistics;
  struct { struct atomtune_choice is; char later[8]; } choice;
};

static const char *kept_in; /* a file of plans */

static int choose(struct all *a) { return atomtune_choose(&a->call.is, stream, N, &a->choice.is); }
static int measure(struct all *a) {
  return atomtune_measure(&a->call.is, stream, N, &a->statistics.is);
}
static int choose_statistics(struct all *a) {
  return atomtune_choose_statistics(&a->call.is, &a->statistics.is, &a->choice.is);
}
static int features(struct all *a) {
  uint32_t found[ATOMTUNE_FEATURES];
  return atomtune_features(&a->call.is, stream, N, found);
}
static int leaf(struct all *a) {
  static const uint32_t some[ATOMTUNE_FEATURES];
  return atomtune_leaf(&a->call.is, some, NULL, &a->choice.is);
}
static int save_plan(struct all *a) {
  return atomtune_save_plan(kept_in, NULL, &a->call.is, stream, N, &a->choice.is);
}
static int find_plan(struct all *a) {
  return atomtune_find_plan(kept_in, NULL, &a->call.is, stream, N, &a->choice.is);
}

/* Every structure of every function: it is at least as large as in this version, what is read has no
 * field of a later one, and nothing is written behind the fields of this version. */
static void test_sizes(void) {
  enum use { NONE, READ, WRITTEN };
  static const struct {
    int (*ask)(struct all *);
    enum use uses[3]; /* of call, statistics and choice */
  } functions[] = {{choose, {READ, NONE, WRITTEN}},   {measure, {READ, WRITTEN, NONE}},
                   {choose_statistics, {READ, READ, WRITTEN}}, {features, {READ, NONE, NONE}},
                   {leaf, {READ, NONE, WRITTEN}},     {save_plan, {READ, NONE, READ}},
                   {find_plan, {READ, NONE, WRITTEN}}};
  static struct all good, all; /* zero */
  struct { char *at; size_t size; } const parts[] = {
      {(char *)&all.call, sizeof all.call.is},
      {(char *)&all.statistics, sizeof all.statistics.is},
      {(char *)&all.choice, sizeof all.choice.is}};
  size_t f, p, s, size;
  good.call.is = usual();
  ATOMTUNE_INIT(good.statistics.is);
  good.choice.is = nothing();
  CHECK(measure(&good) == ATOMTUNE_OK && choose(&good) == ATOMTUNE_OK);
  for (f = 0; f < sizeof functions / sizeof *functions; f++) {
    for (p = 0; p < 3; p++) {
      const size_t known = parts[p].size, refused[] = {0, known - 1, (size_t)-1};
      char *later = parts[p].at + known;
      if (functions[f].uses[p] == NONE) continue;
      for (s = 0; s < 3; s++) {
        all = good;
        memcpy(parts[p].at, &refused[s], sizeof size);
        CHECK(functions[f].ask(&all) == ATOMTUNE_ARGUMENT && says("struct_size"));
      }
      all = good;
      CHECK(functions[f].ask(&all) == ATOMTUNE_OK);
      all = good;
      size = known + 8;
      memcpy(parts[p].at, &size, sizeof size);
      CHECK(functions[f].ask(&all) == ATOMTUNE_OK);
      memcpy(&size, parts[p].at, sizeof size);
      CHECK(size == known + 8);
      memset(later, 'x', 8);
      if (functions[f].uses[p] == READ) {
        CHECK(functions[f].ask(&all) == ATOMTUNE_ARGUMENT && says("does not know"));
      } else {
        CHECK(functions[f].ask(&all) == ATOMTUNE_OK && memcmp(later, "xxxxxxxx", 8) == 0);
      }
    }
  }
}

/* The last index of a signed type is a target like any other, and so is the last of all. */
static void test_last(void) {
  static const int32_t narrow[] = {INT32_MAX, 0, -1, INT32_MIN};
  static const int64_t wide[] = {(int64_t)UINT32_MAX, 0, -1, INT64_MIN};
  struct atomtune_statistics s;
  struct atomtune_call call = usual();
  ATOMTUNE_INIT(s);
  call.index = ATOMTUNE_INDEX_I32;
  call.bins = 0;
  CHECK(atomtune_measure(&call, narrow, 2, &s) == ATOMTUNE_OK && s.bins == (uint64_t)1 << 31);
  CHECK(atomtune_measure(&call, narrow, 3, &s) == ATOMTUNE_STREAM && says("index -1"));
  CHECK(atomtune_measure(&call, narrow + 3, 1, &s) == ATOMTUNE_STREAM);
  call.bins = INT32_MAX;
  CHECK(atomtune_measure(&call, narrow, 2, &s) == ATOMTUNE_STREAM);
  call.has_ignore = 1;
  call.ignore = INT32_MAX;
  CHECK(atomtune_measure(&call, narrow, 2, &s) == ATOMTUNE_OK && s.updates == 1);
  call.ignore = ((int64_t)1 << 32) + INT32_MAX; /* which stands for none */
  CHECK(atomtune_measure(&call, narrow, 2, &s) == ATOMTUNE_STREAM);
  call.index = ATOMTUNE_INDEX_I64;
  call.bins = 0;
  CHECK(atomtune_measure(&call, wide, 2, &s) == ATOMTUNE_OK && s.bins == (uint64_t)1 << 32);
  CHECK(atomtune_measure(&call, wide + 3, 1, &s) == ATOMTUNE_STREAM);
}

/* Indices lie where their type may lie. */
static void test_alignment(void) {
  static const uint64_t memory[4];
  const char *at = (const char *)memory;
  struct atomtune_statistics s;
  struct atomtune_call call = usual();
  int offset;
  ATOMTUNE_INIT(s);
  for (call.index = 0; call.index < 4; call.index++) {
    const int bytes = call.index < ATOMTUNE_INDEX_U64 ? 4 : 8;
    for (offset = 0; offset <= 8; offset++) {
      CHECK(atomtune_measure(&call, at + offset, 2, &s) ==
            (offset % bytes == 0 ? ATOMTUNE_OK : ATOMTUNE_ARGUMENT));
    }
  }
}

static void test_streams(void) {
  static const int64_t broken[] = {1, 2, -3}, padded[] = {1, -1, 1};
  static int64_t far[N]; /* of targets that no device has */
  int i;
  struct atomtune_statistics s;
  struct atomtune_choice choice = nothing();
  struct atomtune_call call = usual();
  ATOMTUNE_INIT(s);
  for (i = 0; i < N; i++) far[i] = (int64_t)1 << 40;
  CHECK(atomtune_choose(&call, NULL, 0, &choice) == ATOMTUNE_STREAM);
  CHECK(atomtune_measure(&call, NULL, 0, &s) == ATOMTUNE_STREAM);
  CHECK(atomtune_choose(&call, stream, UINT64_MAX, &choice) == ATOMTUNE_ARGUMENT);
  call.index = ATOMTUNE_INDEX_I64;
  CHECK(atomtune_measure(&call, broken, 3, &s) == ATOMTUNE_STREAM && says("update 2 has index -3"));
  CHECK(atomtune_measure(&call, far, N, &s) == ATOMTUNE_STREAM && says("1099511627776"));
  call.launches = 1000000000;
  CHECK(atomtune_choose(&call, far, N, &choice) == ATOMTUNE_STREAM && says("sample: "));
  call.has_ignore = 1;
  call.ignore = -1;
  call.bins = 0;
  CHECK(atomtune_measure(&call, padded, 3, &s) == ATOMTUNE_OK && s.updates == 2 && s.bins == 2);
  call.ignore = 1;
  CHECK(atomtune_choose(&call, padded, 1, &choice) == ATOMTUNE_STREAM);
}

/* A sample is taken where it is worth its cost, and where that is not beyond what samples may cost. */
static void test_costs(void) {
  struct atomtune_choice choice = nothing();
  struct atomtune_call call = usual();
  call.launches = 1000000000;
  CHECK(atomtune_choose(&call, stream, N, &choice) == ATOMTUNE_OK && choice.source == ATOMTUNE_SAMPLE);
  call.sampling_most_us = 1e-3;
  CHECK(atomtune_choose(&call, stream, N, &choice) == ATOMTUNE_OK && choice.source == ATOMTUNE_PRIOR);
  call.sampling_most_us = 0;
  call.sampling_cost_us = 1e15;
  CHECK(atomtune_choose(&call, stream, N, &choice) == ATOMTUNE_OK && choice.source == ATOMTUNE_PRIOR);
  call.sampling_most_us = 1e3;
  call.sampling_cost_us = 1;
  CHECK(atomtune_choose(&call, stream, N, &choice) == ATOMTUNE_OK && choice.source == ATOMTUNE_SAMPLE);
}

/* A table that must be told the frequent targets is the choice for many calls, by either name, and not for one. */
static void test_calls(void) {
  static uint32_t skewed[N];
  int i;
  struct atomtune_choice once = nothing(), many = nothing(), other = nothing();
  struct atomtune_call call = usual();
  for (i = 0; i < N; i++) skewed[i] = i % 8 == 0 ? i % BINS : 3;
  call.whole = 1;
  call.only = "naive hot:s=64,r=32";
  CHECK(atomtune_choose(&call, skewed, N, &once) == ATOMTUNE_OK && strcmp(once.implementation, "naive") == 0);
  call.calls = 1000000;
  CHECK(atomtune_choose(&call, skewed, N, &many) == ATOMTUNE_OK && strncmp(many.implementation, "hot", 3) == 0);
  call.launches = 5;
  CHECK(atomtune_choose(&call, skewed, N, &other) == ATOMTUNE_ARGUMENT && says("calls is 1000000") && says("5"));
  call.launches = 1000000;
  call.calls = 0;
  CHECK(atomtune_choose(&call, skewed, N, &other) == ATOMTUNE_OK && other.predicted_us == many.predicted_us);
}

static void test_texts(void) {
  char text[64] = "unchanged", tiny[5] = "abcd", names[200];
  static char long_name[3000]; /* longer than the text of any error */
  struct atomtune_choice choice = nothing();
  struct atomtune_call call = usual();
  size_t length;
  CHECK(strcmp(atomtune_version(), ATOMTUNE_VERSION) == 0);
  memset(long_name, 'x', sizeof long_name - 1);
  call.device = long_name;
  CHECK(atomtune_choose(&call, stream, N, &choice) == ATOMTUNE_DEVICE && says("xxx"));
  CHECK(atomtune_choose(NULL, NULL, 0, &choice) == ATOMTUNE_ARGUMENT);
  length = atomtune_last_error(NULL, 0);
  CHECK(length == strlen("bad argument: call is NULL"));
  CHECK(atomtune_last_error(tiny, sizeof tiny) == length && strcmp(tiny, "bad ") == 0);
  CHECK(atomtune_last_error(text, 0) == length && strcmp(text, "unchanged") == 0);
  CHECK(atomtune_last_error(text, length + 1) == length && strlen(text) == length);
  CHECK(atomtune_last_error(text, length) == length && strlen(text) == length - 1);
  CHECK(atomtune_devices(names, sizeof names) == strlen(names));
  CHECK(strstr(names, "h200") != NULL && strstr(names, "\n") != NULL);
}

/* same reports whether two choices launch the same. */
static int same(const struct atomtune_choice *a, const struct atomtune_choice *b) {
  return strcmp(a->implementation, b->implementation) == 0 && strcmp(a->kind, b->kind) == 0 &&
         a->launch_blocks == b->launch_blocks && a->launch_threads == b->launch_threads &&
         a->launch_unroll == b->launch_unroll && a->shared_bytes == b->shared_bytes;
}

static void test_plans(const char *path, const char *foreign) {
  struct atomtune_choice choice = nothing(), found = nothing();
  struct atomtune_call call = usual(), other;
  uint32_t kept = stream[0];
  call.whole = 1;
  call.type = ATOMTUNE_F32;
  unsetenv("ATOMTUNE_PLANS");
  CHECK(atomtune_find_plan(path, NULL, &call, stream, N, &found) == ATOMTUNE_MISS);
  CHECK(atomtune_find_plan(NULL, NULL, &call, stream, N, &found) == ATOMTUNE_MISS);
  CHECK(atomtune_choose(&call, stream, N, &choice) == ATOMTUNE_OK);
  CHECK(atomtune_save_plan(NULL, NULL, &call, stream, N, &choice) == ATOMTUNE_ARGUMENT);
  CHECK(atomtune_save_plan(path, NULL, &call, stream, N, &choice) == ATOMTUNE_OK);
  CHECK(atomtune_find_plan(path, NULL, &call, stream, N, &found) == ATOMTUNE_OK);
  CHECK(same(&choice, &found) && found.source == ATOMTUNE_PLAN && found.predicted_us == 0);
  CHECK(atomtune_find_plan(path, "NVIDIA H200", &call, stream, N, &found) == ATOMTUNE_OK);
  CHECK(atomtune_find_plan(path, "NVIDIA H300", &call, stream, N, &found) == ATOMTUNE_MISS);
  setenv("ATOMTUNE_PLANS", path, 1);
  CHECK(atomtune_find_plan(NULL, NULL, &call, stream, N, &found) == ATOMTUNE_OK);
  unsetenv("ATOMTUNE_PLANS");

#define MISSES(set)  \
  other = call;      \
  other.set;         \
  CHECK(atomtune_find_plan(path, NULL, &other, stream, N, &found) == ATOMTUNE_MISS)
  MISSES(type = ATOMTUNE_U32);
  MISSES(op = ATOMTUNE_MAX);
  MISSES(returns = 1);
  MISSES(bins = BINS + 1);
  MISSES(deterministic = 1); /* the plan's sums of floats are not */
  MISSES(exclude = choice.implementation);
  CHECK(atomtune_find_plan(path, NULL, &call, stream, N - 1, &found) == ATOMTUNE_MISS);
  stream[0] = kept + 1;
  CHECK(atomtune_find_plan(path, NULL, &call, stream, N, &found) == ATOMTUNE_MISS);
  stream[0] = kept;

  memset(choice.implementation, 'x', sizeof choice.implementation); /* without a zero */
  CHECK(atomtune_save_plan(path, NULL, &call, stream, N, &choice) == ATOMTUNE_ARGUMENT);
  strcpy(choice.implementation, "naive");
  CHECK(atomtune_save_plan("/nowhere/plans", NULL, &call, stream, N, &choice) == ATOMTUNE_FILE);
  CHECK(says("/nowhere/plans"));
  CHECK(atomtune_save_plan(foreign, NULL, &call, stream, N, &choice) == ATOMTUNE_FILE);
  CHECK(says(foreign));
  other = call;
  other.bins = 0;
  CHECK(atomtune_find_plan(path, NULL, &other, stream, N, &found) == ATOMTUNE_ARGUMENT);
}

/* Threads that choose and fail at once see their own answers and errors. */
static void *thread(void *arg) {
  int i, number = *(int *)arg;
  long wrong = 0;
  struct atomtune_choice first = nothing(), choice = nothing();
  struct atomtune_call call = usual();
  char name[20], error[200];
  call.type = number % 6;
  call.launches = 1000;
  for (i = 0; i < 20; i++) {
    if (atomtune_choose(&call, stream, N, i == 0 ? &first : &choice) != ATOMTUNE_OK) wrong++;
    if (i > 0 && (!same(&first, &choice) || first.predicted_us != choice.predicted_us)) wrong++;
    sprintf(name, "device%d", number);
    call.device = name;
    if (atomtune_choose(&call, stream, N, &choice) != ATOMTUNE_DEVICE) wrong++;
    call.device = "h200";
    atomtune_last_error(error, sizeof error);
    if (strstr(error, name) == NULL) wrong++;
  }
  return (void *)wrong;
}

static void test_threads(void) {
  pthread_t threads[8];
  int i, numbers[8];
  void *wrong;
  for (i = 0; i < 8; i++) {
    numbers[i] = i;
    CHECK(pthread_create(&threads[i], NULL, thread, &numbers[i]) == 0);
  }
  for (i = 0; i < 8; i++) {
    CHECK(pthread_join(threads[i], &wrong) == 0);
    CHECK(wrong == NULL);
  }
}

int main(int argc, char **argv) {
  uint64_t i;
  if (argc != 3) return 2;
  for (i = 0; i < N; i++) stream[i] = target(0, i, N);
  test_texts();
  test_fields();
  test_rows();
  test_null();
  test_last();
  test_alignment();
  test_leaves();
  test_streams();
  test_costs();
  test_calls();
  test_plans(argv[1], argv[2]);
  kept_in = argv[1];
  test_sizes();
  test_threads();
  printf("%d checks, %d faults\n", checks, faults);
  return faults > 0;
}
