/*
 * Calls of atomtune_update.h on the stand-in driver: what is refused and by which words, what is launched,
 * what a failing driver leaves. The kernels, machine code, are not run.
 *
 *   calls_test DRIVER OLD_DRIVER FOLDER     OLD_DRIVER lacks a function
 */
#define _GNU_SOURCE
#include "atomtune_update.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define STRING_(x) #x
#define STRING(x) STRING_(x)
#define CHECK(what) \
  ((what) ? (void)0 : fail(__FILE__ ":" STRING(__LINE__) ": " #what))
#define EXPECT(code, words, call) expect(__FILE__ ":" STRING(__LINE__) ": " #call, code, words, call)

static const char *driver, *old_driver;
static char log_path[512], file_path[512];

static void fail(const char *what) {
  char text[1024];
  atomtune_update_error(text, sizeof text);
  fprintf(stderr, "%s\n  the last error is \"%s\"\n", what, text);
  exit(1);
}

/* The code, and the words in the text where it is an error. */
static void expect(const char *what, int code, const char *words, int got) {
  char text[1024];
  const size_t length = atomtune_update_error(text, sizeof text);
  if (got == code && (code == ATOMTUNE_OK || (length > 0 && strstr(text, words) != NULL))) return;
  fprintf(stderr, "wanted %d with \"%s\", got %d\n", code, words, got);
  fail(what);
}

/* A process of its own, with a driver and its fault. */
static void apart(void (*body)(void), const char *path, const char *fault) {
  const pid_t child = fork();
  int status = 1;
  if (child == 0) {
    setenv("ATOMTUNE_LIBCUDA", path, 1);
    setenv("STANDIN_FAULT", fault, 1);
    remove(log_path);
    body();
    exit(0);
  }
  waitpid(child, &status, 0);
  if (status != 0) {
    fprintf(stderr, "with %s and the fault \"%s\": status %d\n", path, fault, status);
    exit(1);
  }
}

/* Lines of the log that begin so. */
static int logged(const char *begin) {
  char line[8192];
  int lines = 0;
  FILE *const log = fopen(log_path, "r");
  if (log == NULL) return 0;
  while (fgets(line, sizeof line, log) != NULL) lines += strncmp(line, begin, strlen(begin)) == 0;
  fclose(log);
  return lines;
}

/* Device memory, which is the host's. */
static void *device_memory(size_t bytes) {
  unsigned long long address = 0;
  void *const library = dlopen(driver, RTLD_NOW);
  int (*allocate)(unsigned long long *, size_t);
  CHECK(library != NULL);
  *(void **)&allocate = dlsym(library, "cuMemAlloc_v2");
  CHECK(allocate(&address, bytes) == 0);
  return (void *)(uintptr_t)address;
}

enum { BINS = 1000, UPDATES = 100000 };

static struct atomtune_update sum(void) {
  static void *out, *index, *values;
  struct atomtune_update call;
  if (out == NULL) {
    out = device_memory(4 * BINS);
    index = device_memory(4 * UPDATES);
    values = device_memory(4 * UPDATES);
  }
  ATOMTUNE_INIT(call);
  call.out = out, call.bins = BINS;
  call.index = index, call.values = values, call.updates = UPDATES;
  call.stream = (void *)0x5;
  return call;
}

/* A call with other fields, refused as a call and where its workspace is asked for. */
#define REFUSED(code, words, ...)                               \
  do {                                                          \
    struct atomtune_update c = sum();                           \
    size_t bytes = 7;                                           \
    __VA_ARGS__;                                                \
    EXPECT(code, words, atomtune_update(&c));                   \
    EXPECT(code, words, atomtune_update_workspace(&c, &bytes)); \
    CHECK(bytes == 7);                                          \
  } while (0)

/* A call whose memory is refused. */
#define MISPLACED(words, ...)                                \
  do {                                                       \
    struct atomtune_update c = sum();                        \
    __VA_ARGS__;                                             \
    EXPECT(ATOMTUNE_ARGUMENT, words, atomtune_update(&c));   \
  } while (0)

static void refused_arguments(void) {
  static const struct {
    const char *name;
    size_t at;
    int most;
  } numbers[] = {
#define NUMBER(field, most) {#field " ", offsetof(struct atomtune_update, field), most}
      NUMBER(type, ATOMTUNE_F16),       NUMBER(op, ATOMTUNE_MAX),
      NUMBER(value, ATOMTUNE_ONE),      NUMBER(values_type, ATOMTUNE_F16),
      NUMBER(clear, 1),                 NUMBER(index_type, ATOMTUNE_INDEX_I16),
      NUMBER(deterministic, 1),         NUMBER(row_form, ATOMTUNE_ROW_NAIVE),
      NUMBER(has_ignore, 1),            NUMBER(row_wraps, 1),
  };
  struct {
    struct atomtune_update call;
    char later[64];
  } longer;
  size_t bytes, k;
  for (k = 0; k < sizeof numbers / sizeof *numbers; ++k) {
    const int32_t wrong[] = {-1, INT32_MIN, INT32_MAX, numbers[k].most + 1};
    for (size_t w = 0; w < 4; ++w) {
      REFUSED(ATOMTUNE_ARGUMENT, numbers[k].name, memcpy((char *)&c + numbers[k].at, &wrong[w], 4));
    }
  }

  EXPECT(ATOMTUNE_ARGUMENT, "NULL", atomtune_update(NULL));
  EXPECT(ATOMTUNE_ARGUMENT, "NULL", atomtune_update_workspace(NULL, &bytes));
  REFUSED(ATOMTUNE_ARGUMENT, "struct_size 0", c.struct_size = 0);
  REFUSED(ATOMTUNE_ARGUMENT, "struct_size", --c.struct_size);
  REFUSED(ATOMTUNE_ARGUMENT, "struct_size", c.struct_size = SIZE_MAX);
  memset(&longer, 0, sizeof longer);
  longer.call = sum();
  longer.call.struct_size = sizeof longer;
  EXPECT(ATOMTUNE_OK, "", atomtune_update_workspace(&longer.call, &bytes));
  longer.later[63] = 1;
  EXPECT(ATOMTUNE_ARGUMENT, "does not know", atomtune_update(&longer.call));

  REFUSED(ATOMTUNE_ARGUMENT, "bins 4294967295", c.bins = UINT32_MAX);
  REFUSED(ATOMTUNE_ARGUMENT, "bins 18446744073709551615", c.bins = UINT64_MAX);
  REFUSED(ATOMTUNE_ARGUMENT, "width 4294967296", c.width = UINT64_C(1) << 32);
  REFUSED(ATOMTUNE_ARGUMENT, "no memory", c.updates = UINT64_MAX);
  REFUSED(ATOMTUNE_ARGUMENT, "no memory", c.bins = UINT32_MAX - 1, c.width = UINT32_MAX);
  REFUSED(ATOMTUNE_ARGUMENT, "no memory", c.updates = UINT64_C(1) << 40, c.width = UINT32_MAX);
  REFUSED(ATOMTUNE_ARGUMENT, "clear is for", c.op = ATOMTUNE_MIN, c.clear = 1);
  REFUSED(ATOMTUNE_UNSUPPORTED, "row_wraps is for rows", c.row_wraps = 1);
  REFUSED(ATOMTUNE_UNSUPPORTED, "op 1: want", c.op = ATOMTUNE_MUL);
  REFUSED(ATOMTUNE_UNSUPPORTED, "op 3: want", c.op = ATOMTUNE_DIV);
  REFUSED(ATOMTUNE_UNSUPPORTED, "old values", c.old = c.out, c.width = 4);
  REFUSED(ATOMTUNE_UNSUPPORTED, "old values", c.old = c.out, c.op = ATOMTUNE_MAX);
  REFUSED(ATOMTUNE_UNSUPPORTED, "old values", c.old = c.out, c.deterministic = 1);
  REFUSED(ATOMTUNE_UNSUPPORTED, "old values", c.old = c.out, c.type = ATOMTUNE_F16);
  REFUSED(ATOMTUNE_UNSUPPORTED, "old values", c.old = c.out, c.value = ATOMTUNE_ONE);
  REFUSED(ATOMTUNE_UNSUPPORTED, "ATOMTUNE_ONE", c.value = ATOMTUNE_ONE, c.width = 1);
  REFUSED(ATOMTUNE_UNSUPPORTED, "ATOMTUNE_ONE", c.value = ATOMTUNE_ONE, c.op = ATOMTUNE_MIN);
  REFUSED(ATOMTUNE_UNSUPPORTED, "ATOMTUNE_ONE", c.value = ATOMTUNE_ONE, c.type = ATOMTUNE_BF16);
  REFUSED(ATOMTUNE_UNSUPPORTED, "values_type 2 for type 0", c.values_type = ATOMTUNE_F32);
  REFUSED(ATOMTUNE_UNSUPPORTED, "values_type 7 for type 6",
          c.type = ATOMTUNE_BF16, c.values_type = ATOMTUNE_F16);
  REFUSED(ATOMTUNE_UNSUPPORTED, "values of 16 bits",
          c.type = ATOMTUNE_F32, c.values_type = ATOMTUNE_F16, c.op = ATOMTUNE_MIN);
  REFUSED(ATOMTUNE_UNSUPPORTED, "not deterministic", c.type = ATOMTUNE_F16, c.deterministic = 1);
  /* What the library was built without. */
  REFUSED(ATOMTUNE_UNSUPPORTED, "built without calls of op 0, type 5", c.type = ATOMTUNE_F64);
  REFUSED(ATOMTUNE_UNSUPPORTED, "built without", c.op = ATOMTUNE_MIN);
  REFUSED(ATOMTUNE_UNSUPPORTED, "built without", c.old = c.out);
  REFUSED(ATOMTUNE_UNSUPPORTED, "built without", c.width = 4);
  REFUSED(ATOMTUNE_UNSUPPORTED, "built without", c.type = ATOMTUNE_F16);
  REFUSED(ATOMTUNE_UNSUPPORTED, "built without", c.type = ATOMTUNE_F32, c.width = 4, c.deterministic = 1);
  REFUSED(ATOMTUNE_UNSUPPORTED, "built without", c.value = ATOMTUNE_ONE);

  MISPLACED("out is NULL", c.out = NULL);
  MISPLACED("out is NULL", c.out = NULL, c.updates = 0);
  MISPLACED("index is NULL", c.index = NULL);
  MISPLACED("values is NULL", c.values = NULL);
  MISPLACED("aligned", c.out = (char *)c.out + 2);
  MISPLACED("aligned", c.index = (const char *)c.index + 1);
  MISPLACED("aligned", c.values = (const char *)c.values + 3);
  MISPLACED("aligned", c.workspace = (char *)c.out + 8, c.workspace_bytes = 1 << 20);
  MISPLACED("too small", c.workspace = c.out, c.workspace_bytes = 0);
  MISPLACED("too small", c.workspace = c.out, c.workspace_bytes = 64);
#define ROWS c.type = ATOMTUNE_F32, c.bins = 10, c.updates = 1000, c.width = 100
  MISPLACED("aligned", ROWS, c.out = (char *)c.out + 2);
  MISPLACED("row_slots", ROWS, c.row_form = ATOMTUNE_ROW_HOT, c.row_slots = 3);
  MISPLACED("row_slots", ROWS, c.row_form = ATOMTUNE_ROW_HOT, c.row_slots = 2048);
  MISPLACED("2^32 updates", ROWS, c.row_form = ATOMTUNE_ROW_SORT, c.updates = UINT64_C(1) << 32);
  CHECK(logged("launch") == 0 && logged("pool_alloc") == logged("pool_free"));
}

/* Helpers that are refused. */
static void refused_others(void) {
  struct atomtune_update call = sum();
  struct atomtune_plan *plan = NULL;
  struct atomtune_tree *tree = NULL;
  EXPECT(ATOMTUNE_ARGUMENT, "bytes is NULL", atomtune_update_workspace(&call, NULL));
  EXPECT(ATOMTUNE_ARGUMENT, "plan is NULL", atomtune_plan_make(&call, NULL));
  EXPECT(ATOMTUNE_ARGUMENT, "call is NULL", atomtune_plan_make(NULL, &plan));
  EXPECT(ATOMTUNE_ARGUMENT, "plan is NULL", atomtune_plan_save(NULL, file_path));
  EXPECT(ATOMTUNE_ARGUMENT, "path is NULL", atomtune_tree_load(NULL, NULL, &tree));
  EXPECT(ATOMTUNE_ARGUMENT, "tree is NULL", atomtune_tree_load(file_path, NULL, NULL));
  call.index = NULL;
  EXPECT(ATOMTUNE_ARGUMENT, "index is NULL", atomtune_plan_make(&call, &plan));
  call = sum();
  call.op = 99;
  EXPECT(ATOMTUNE_ARGUMENT, "op 99", atomtune_plan_make(&call, &plan));
  CHECK(plan == NULL && tree == NULL && atomtune_plan_explain(NULL, NULL, 0) == 0);
  atomtune_plan_free(NULL);
  atomtune_tree_free(NULL);
}

/* Texts are cut where they do not fit. */
static void texts(void) {
  char whole[1024], cut[8] = "";
  size_t length;
  CHECK(atomtune_update_error(whole, sizeof whole) == 0 && whole[0] == 0);
  EXPECT(ATOMTUNE_ARGUMENT, "NULL", atomtune_update(NULL));
  length = atomtune_update_error(whole, sizeof whole);
  CHECK(length == strlen(whole) && atomtune_update_error(NULL, 0) == length);
  CHECK(atomtune_update_error(cut, sizeof cut) == length && strlen(cut) == 7);
  CHECK(strncmp(cut, whole, 7) == 0);
  length = atomtune_update_about(whole, sizeof whole);
  CHECK(length == strlen(whole) && strstr(whole, "Stand-in GPU: sm_90, which the driver") != NULL);
}

/* What a call enqueues: its workspace, the kernel, the end of the workspace. */
static void launches(void) {
  struct atomtune_update call = sum();
  unsigned char *const out = call.out;
  size_t bytes = 0;
  char line[8192], name[4096], in[32];
  unsigned blocks, threads, shared;
  FILE *log;
  memset(out, 0xff, 4 * BINS);
  remove(log_path);
  EXPECT(ATOMTUNE_OK, "", atomtune_update(&call));
  log = fopen(log_path, "r");
  CHECK(log != NULL && fgets(line, sizeof line, log) != NULL);
  CHECK(sscanf(line, "pool_alloc %zu", &bytes) == 1);
  CHECK(fgets(line, sizeof line, log) != NULL && strcmp(line, "library\n") == 0);
  CHECK(fgets(line, sizeof line, log) != NULL);
  CHECK(sscanf(line, "launch %4095s %u %u %u %31s", name, &blocks, &threads, &shared, in) == 5);
  CHECK(strstr(name, "7calling") != NULL && strcmp(in, "0x5") == 0);
  CHECK(blocks % 4 == 0 && blocks > 0 && threads == 1024 && shared >= 4 * BINS && shared <= 232448);
  CHECK(fgets(line, sizeof line, log) != NULL && strncmp(line, "pool_free", 9) == 0);
  CHECK(fgets(line, sizeof line, log) == NULL);
  fclose(log);
  CHECK(out[0] == 0xff);

  /* With memory of one's own, cleared; code that was loaded stays. */
  call.clear = 1;
  EXPECT(ATOMTUNE_OK, "", atomtune_update_workspace(&call, &call.workspace_bytes));
  CHECK(call.workspace_bytes == bytes);
  call.workspace = device_memory(bytes);
  remove(log_path);
  EXPECT(ATOMTUNE_OK, "", atomtune_update(&call));
  CHECK(logged("launch") == 1 && logged("") == 1);
  CHECK(out[0] == 0 && out[4 * BINS - 1] == 0);

  /* Without updates targets are cleared alone; without targets there is nothing. */
  memset(out, 0xff, 4 * BINS);
  remove(log_path);
  call.updates = 0, call.index = call.values = NULL;
  EXPECT(ATOMTUNE_OK, "", atomtune_update(&call));
  CHECK(logged("") == 0 && out[0] == 0 && out[4 * BINS - 1] == 0);
  call.bins = 0, call.out = NULL;
  EXPECT(ATOMTUNE_OK, "", atomtune_update(&call));
  CHECK(logged("") == 0);

  /* Targets beyond shared memory may come to a partition, whose kernels follow. */
  call = sum();
  call.bins = call.updates = 1 << 26;
  EXPECT(ATOMTUNE_OK, "", atomtune_update(&call));
  CHECK(logged("launch") > 1);
  for (int form = ATOMTUNE_ROW_AUTOMATIC; form <= ATOMTUNE_ROW_NAIVE; ++form) {
    call = sum();
    call.type = ATOMTUNE_F32, call.bins = 10, call.updates = 1000, call.width = 100;
    call.row_form = form, call.clear = 1;
    memset(out, 0xff, 4 * BINS);
    remove(log_path);
    EXPECT(ATOMTUNE_OK, "", atomtune_update(&call));
    CHECK(logged("launch") >= 1 && out[0] == 0 && out[4 * BINS - 1] == 0);
    CHECK(logged("pool_alloc") == 1 && logged("pool_free") == 1);
  }
  EXPECT(ATOMTUNE_OK, "",
         atomtune_scatter_add(ATOMTUNE_I32, call.out, BINS, ATOMTUNE_INDEX_I32, call.index,
                              call.values, UPDATES, NULL));
  remove(log_path);
  EXPECT(ATOMTUNE_OK, "",
         atomtune_scatter_add_rows(ATOMTUNE_F32, call.out, BINS, ATOMTUNE_INDEX_I32, call.index,
                                   call.values, UPDATES, 0, NULL)); /* rows of nothing */
  CHECK(logged("") == 0);
}

/* Without a driver. */
static void no_driver(void) {
  const char *const path = getenv("ATOMTUNE_LIBCUDA"), *const fault = getenv("STANDIN_FAULT");
  const char *const words = strcmp(path, old_driver) == 0 ? "has no cuOccupancy"
                            : *fault == 0             ? "cannot be loaded"
                            : strcmp(fault, "stub") == 0 ? "cuInit says 34"
                            : strcmp(fault, "old_ptx") == 0
                                ? "is of CUDA 9.1: a driver of CUDA 12.4 or later is needed"
                                : "cuInit says CUDA_ERROR_NO_DEVICE";
  struct atomtune_update call;
  struct atomtune_plan *plan = NULL;
  size_t bytes;
  char text[1024];
  ATOMTUNE_INIT(call);
  for (int again = 0; again < 2; ++again) {
    EXPECT(ATOMTUNE_NO_DRIVER, words, atomtune_update(&call));
    EXPECT(ATOMTUNE_NO_DRIVER, path, atomtune_update_workspace(&call, &bytes));
    EXPECT(ATOMTUNE_NO_DRIVER, words, atomtune_plan_make(&call, &plan));
  }
  call.op = -1;
  EXPECT(ATOMTUNE_ARGUMENT, "op -1", atomtune_update(&call));
  atomtune_update_about(text, sizeof text);
  CHECK(strstr(text, words) != NULL);
}

/* A driver that always refuses. */
static void refusing(void) {
  struct atomtune_update call = sum();
  call.out = (void *)64; /* which no context has */
  for (int again = 0; again < 2; ++again) {
    EXPECT(ATOMTUNE_DRIVER, "unknown error (101)", atomtune_update(&call));
  }
  CHECK(logged("pool_alloc") == logged("pool_free") && logged("launch") == 0);
}

/* The driver fails once, at any of its functions: with errors that the headers have too. The call says so,
 * gives back what it took, and the next one is as ever. */
static int reached;
static void failing(void) {
  struct atomtune_update call = sum();
  const char *const fault = getenv("STANDIN_FAULT");
  struct atomtune_plan *plan = NULL;
  const int status = atomtune_update(&call);
  if (logged("failed") == 0) exit(0);
  if (status != ATOMTUNE_OK) {
    EXPECT(ATOMTUNE_DRIVER, strrchr(fault, ':') + 1, status);
  }
  CHECK(logged("pool_alloc") - logged("pool_free") <= logged("failed cuMemFreeAsync"));
  EXPECT(ATOMTUNE_OK, "", atomtune_update(&call));
  EXPECT(ATOMTUNE_OK, "", atomtune_plan_make(&call, &plan));
  atomtune_plan_free(plan);
  exit(2);
}
static void failing_plan(void) {
  struct atomtune_update call = sum();
  struct atomtune_plan *plan = NULL;
  int status;
  call.calls = 1000;
  status = atomtune_plan_make(&call, &plan);
  if (logged("failed") == 0) exit(0);
  if (status != ATOMTUNE_OK) {
    EXPECT(ATOMTUNE_DRIVER, strrchr(getenv("STANDIN_FAULT"), ':') + 1, status);
  }
  CHECK((plan == NULL) == (status != ATOMTUNE_OK));
  atomtune_plan_free(plan);
  CHECK(logged("alloc") - logged("free") <= 3 + logged("failed cuMemFree"));
  exit(2);
}

/* Runs a body with the driver's N-th function failing, for each N up to most that it reaches. */
static void each_failing(void (*body)(void), int code, int most) {
  reached = 0;
  for (int n = 1; n <= most; ++n) {
    char fault[64];
    int status;
    const pid_t child = fork();
    snprintf(fault, sizeof fault, "once:%d:%d", n, code);
    if (child == 0) {
      setenv("ATOMTUNE_LIBCUDA", driver, 1);
      sum(); /* its memory is taken before */
      setenv("STANDIN_FAULT", fault, 1);
      remove(log_path);
      body();
    }
    waitpid(child, &status, 0);
    status = WIFEXITED(status) ? WEXITSTATUS(status) : 1;
    if (status == 0) return;
    if (status == 1) {
      fprintf(stderr, "with the fault %s\n", fault);
      exit(1);
    }
    ++reached;
  }
}

static void write_file(const char *text, size_t bytes) {
  FILE *file;
  remove(file_path); /* a new file is written faster than an old one anew */
  file = fopen(file_path, "wb");
  CHECK(file != NULL && fwrite(text, 1, bytes, file) == bytes && fclose(file) == 0);
}

/* A thread without a context. */
static void *freeing(void *plan) {
  atomtune_plan_free(plan);
  return NULL;
}

/* Plans. */
static void plans(void) {
  struct atomtune_update call = sum(), other;
  pthread_t thread;
  struct atomtune_plan *plan = NULL;
  char text[2048];
  EXPECT(ATOMTUNE_OK, "", atomtune_plan_make(&call, &plan));
  CHECK(logged("launch") >= 1);
  CHECK(atomtune_plan_explain(plan, text, sizeof text) == strlen(text));
  CHECK(strstr(text, "Stand-in GPU") != NULL && strstr(text, "the tree of") != NULL);
  call.plan = plan;
  remove(log_path);
  EXPECT(ATOMTUNE_OK, "", atomtune_update(&call));
  CHECK(logged("launch") >= 1 && logged("pool_alloc") == 0);
#define UNPLANNED(code, words, ...)                                    \
  do {                                                                 \
    other = call;                                                      \
    __VA_ARGS__;                                                       \
    EXPECT(code, words, atomtune_update(&other));                      \
  } while (0)
  UNPLANNED(ATOMTUNE_ARGUMENT, "the plan is for", ++other.bins);
  UNPLANNED(ATOMTUNE_ARGUMENT, "the plan is for", --other.updates);
  UNPLANNED(ATOMTUNE_ARGUMENT, "the plan is for", other.index_type = ATOMTUNE_INDEX_I32);
  UNPLANNED(ATOMTUNE_ARGUMENT, "the plan is for", other.has_ignore = 1);
  UNPLANNED(ATOMTUNE_ARGUMENT, "aligned", other.out = (char *)other.out + 1);
  UNPLANNED(ATOMTUNE_ARGUMENT, "values is NULL", other.values = NULL);
  UNPLANNED(ATOMTUNE_OK, "", other.type = ATOMTUNE_I32);
  EXPECT(ATOMTUNE_FILE, "/nowhere/plans", atomtune_plan_save(plan, "/nowhere/plans"));
  atomtune_plan_free(plan);

  /* Measured, saved, and found again. */
  call.plan = plan = NULL;
  call.calls = 1000;
  EXPECT(ATOMTUNE_OK, "", atomtune_plan_make(&call, &plan));
  atomtune_plan_explain(plan, text, sizeof text);
  CHECK(strstr(text, "measured") != NULL);
  remove(file_path);
  EXPECT(ATOMTUNE_OK, "", atomtune_plan_save(plan, file_path));
  CHECK(pthread_create(&thread, NULL, freeing, plan) == 0 && pthread_join(thread, NULL) == 0);
  CHECK(logged("alloc") - logged("free") <= 0);

  call.deterministic = 1;
  call.type = ATOMTUNE_F32;
  EXPECT(ATOMTUNE_UNSUPPORTED, "built without", atomtune_plan_make(&call, &plan));
}

/* Calls take what a file of plans has for their type, of whatever indices. */
static void named_plans(void) {
#define LINE(type, form)                                                                        \
  "device=Stand-in_GPU version=0.1 op=add type=" type " value=loaded index=u32 returns=0 "      \
  "updates=100000 bins=1000 sample=0000000000000000 implementation=" form " launch=rule\n"
  static const char text[] = "atomtune-plan 1\n" LINE("u32", "naive") LINE("i32", "match");
  struct atomtune_update call = sum();
  setenv("ATOMTUNE_MODE", "plan", 1);
  setenv("ATOMTUNE_PLANS", file_path, 1);
  write_file(text, sizeof text - 1);
  EXPECT(ATOMTUNE_OK, "", atomtune_update(&call));
  CHECK(logged("launch _ZN8atomtune7calling11form_kernelILNS_4BaseE0ELNS_9ReductionE0E") == 1);
  call.type = ATOMTUNE_I32;
  EXPECT(ATOMTUNE_OK, "", atomtune_update(&call));
  CHECK(logged("launch _ZN8atomtune7calling11form_kernelILNS_4BaseE0ELNS_9ReductionE2E") == 1);
}

/* Threads at once, none with a context, the first calls of the process among them. */
static void *calling(void *number) {
  struct atomtune_update call = *(struct atomtune_update *)number;
  char words[32];
  for (int k = 0; k < 50; ++k) {
    EXPECT(ATOMTUNE_OK, "", atomtune_update(&call));
    call.op = 100 + (int)(uintptr_t)call.stream;
    snprintf(words, sizeof words, "op %d:", call.op);
    EXPECT(ATOMTUNE_ARGUMENT, words, atomtune_update(&call));
    call.op = ATOMTUNE_ADD;
  }
  return NULL;
}
static void threads(void) {
  enum { THREADS = 8 };
  pthread_t all[THREADS];
  struct atomtune_update calls[THREADS];
  for (int k = 0; k < THREADS; ++k) {
    calls[k] = sum();
    calls[k].stream = (void *)(uintptr_t)(k + 1);
  }
  for (int k = 0; k < THREADS; ++k) CHECK(pthread_create(&all[k], NULL, calling, &calls[k]) == 0);
  for (int k = 0; k < THREADS; ++k) CHECK(pthread_join(all[k], NULL) == 0);
  CHECK(logged("launch") == 50 * THREADS && logged("library") == 1);
  CHECK(logged("pool_alloc") == 50 * THREADS && logged("pool_free") == 50 * THREADS);
}

static int load(const char *text, const char *device, struct atomtune_tree **tree) {
  write_file(text, strlen(text));
  return atomtune_tree_load(file_path, device, tree);
}

#define HEAD "# a comment\n\ntree 9.0 4 5 2 Stand-in\n"
#define NODES "node 1000000 2 0\nnode 0 0 255\nnode 5 4 6\nnode 0 1 255\nnode 0 0 255\n"
#define ACTIONS "action naive\naction private:r=8,pad=1\n"
static const char good_tree[] = HEAD NODES ACTIONS;

static void trees(void) {
  static const struct {
    const char *text, *words;
  } wrong[] = {
      {"", "no tree"},
      {"# nothing\n", "no tree"},
      {"\x7f\x45\x4c\x46 binary\n", ":1: "},
      {"tree 9.0 4 1 1\n", ":1: "},
      {"tree 9 4 1 1 d\n", ":1: "},
      {"tree 9.0 0 1 1 d\n", ":1: "},
      {"tree 9.0 4 0 1 d\n", ":1: "},
      {"tree 9.0 4 1 0 d\n", ":1: "},
      {"tree 9.0 4 65536 1 d\n", ":1: "},
      {"tree 9.0 4 1 256 d\n", ":1: "},
      {"tree 9.0 4 4294967297 1 d\nnode 0 0 255\n" ACTIONS, ":1: "},
      {"tree 9.0 4 -1 1 d\n", ":1: "},
      {"tree 2147483647.0 4 1 1 d\n", ":1: "},
      {"tree -1.0 4 1 1 d\n", ":1: "},
      {"tree 9.2147483647 4 1 1 d\n", ":1: "},
      {"tree 9.0 4 99999999999999999999999 1 d\n", ":1: "},
      {HEAD, ":3: \"\": want a node"},
      {HEAD "node 1 2 0\nnode 0 0 255", ":5: \"\": want a node"},
      {HEAD NODES, ":8: \"\": want action"},
      {HEAD NODES "action naive\n", ":9: "},
      {HEAD "node 1 2\n", ":4: "},
      {HEAD "node 1 2 0 0\n", ":4: "},
      {HEAD "node -1 2 0\n", ":4: "},
      {HEAD "node 4294967296 2 0\n", ":4: "},
      {HEAD "node 1 2 0\r\n", ":4: "},
      {HEAD "node 1 2 13\n", ":4: "},
      {HEAD "node 1 2 254\n", ":4: "},
      {HEAD "node 1 2 256\n", ":4: "},
      {HEAD "node 1 0 0\n", ":4: "},
      {HEAD "node 1 1 0\n", ":4: "},
      {HEAD "node 1 5 0\n", ":4: "},
      {HEAD "node 0 2 255\n", ":4: "},
      {HEAD "node 1 2 0\nnode 0 0 255\nnode 1 2 0\n", ":6: "},
      {HEAD "node 1 3 0\nnode 0 0 255\nnode 5 4 6\nnode 0 1 255\nnode 0 0 255\n" ACTIONS, ":8: "},
      {HEAD "node 0 0 255\nnode 0 0 255\nnode 0 0 255\nnode 0 0 255\nnode 0 0 255\n" ACTIONS, ":8: "},
      {HEAD "node 1 4 0\nnode 1 4 0\nnode 1 4 0\nnode 0 0 255\nnode 0 0 255\n" ACTIONS, ":8: "},
      {HEAD NODES "action \n", ":9: "},
      {HEAD NODES "action hashed\n", ":9: "},
      {HEAD NODES "action naive \n", ":9: "},
      {HEAD NODES "action naive\r\n", ":9: "},
      {HEAD NODES "action private:r=1,ranges=0\n", ":9: "},
      {HEAD NODES "action private:r=0,pad=1\n", ":9: "},
      {HEAD NODES "action private:r=4294967296,pad=1\n", ":9: "},
      {HEAD NODES "action hot:s=131072,sample=2048\n", ":9: "},
      {HEAD NODES "action hot:s=0,sample=2048\n", ":9: "},
      {HEAD NODES "action hot:s=8,sample=2048\n", ":9: "},
      {HEAD NODES "action hot:s=100,sample=2048\n", ":9: "},
      {HEAD NODES "action partition:w=-1\n", ":9: "},
      {HEAD NODES ACTIONS "trees\n", ":11: "},
  };
  struct atomtune_tree *tree = NULL;
  struct atomtune_update call = sum();
  struct atomtune_plan *plan = NULL;
  char text[1024];
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; ++k) {
    EXPECT(ATOMTUNE_FILE, wrong[k].words, load(wrong[k].text, NULL, &tree));
    EXPECT(ATOMTUNE_FILE, file_path, load(wrong[k].text, NULL, &tree));
  }
  EXPECT(ATOMTUNE_FILE, "/nowhere/tree", atomtune_tree_load("/nowhere/tree", NULL, &tree));
  EXPECT(ATOMTUNE_FILE, "no tree of b200", load(good_tree, "b200", &tree));
  CHECK(tree == NULL);

  EXPECT(ATOMTUNE_OK, "", load(good_tree, "Stand-in", &tree));
  call.tree = tree;
  remove(log_path);
  EXPECT(ATOMTUNE_OK, "", atomtune_update(&call));
  CHECK(logged("launch _ZN8atomtune7calling11form_kernelILNS_4BaseE0E") == 1); /* the first leaf */
  EXPECT(ATOMTUNE_OK, "", atomtune_plan_make(&call, &plan));
  atomtune_plan_explain(plan, text, sizeof text);
  CHECK(strstr(text, "the tree of Stand-in") != NULL);
  atomtune_plan_free(plan);
  call.updates = 10000000;
  EXPECT(ATOMTUNE_OK, "", atomtune_update(&call));
  CHECK(logged("launch _ZN8atomtune7calling13decide_kernel") == 1); /* the others */
  atomtune_tree_free(tree);
}

/* Trees with bytes, words and lines exchanged are refused by file and line, or are trees. */
static void mutated_trees(void) {
  static const char *const numbers[] = {"0", "1", "2", "4", "5", "255", "65535", "4294967295", "-1", "1e9"};
  struct atomtune_update call = sum();
  uint32_t random = 1;
  int whole = 0;
#define RANDOM(n) ((random = random * 1664525u + 1013904223u) >> 8) % (n)
  setenv("STANDIN_LOG", "/dev/null", 1);
  for (int k = 0; k < 5000; ++k) {
    struct atomtune_tree *tree = NULL;
    char text[1024];
    size_t bytes = sizeof good_tree - 1;
    memcpy(text, good_tree, bytes);
    for (unsigned changes = 1 + RANDOM(3); changes > 0; --changes) {
      const size_t at = RANDOM(bytes);
      const unsigned kind = RANDOM(4);
      if (kind == 0) text[at] = (char)(RANDOM(256));
      if (kind == 1) bytes = at + 1;
      if (kind >= 2 && text[at] >= '0' && text[at] <= '9') {
        const char *const number = numbers[RANDOM(10)];
        const size_t length = strlen(number);
        memmove(text + at + length, text + at + 1, bytes - at - 1);
        memcpy(text + at, number, length);
        bytes += length - 1;
      }
    }
    write_file(text, bytes);
    if (atomtune_tree_load(file_path, NULL, &tree) != ATOMTUNE_OK) {
      EXPECT(ATOMTUNE_FILE, file_path, atomtune_tree_load(file_path, NULL, &tree));
      CHECK(tree == NULL);
      continue;
    }
    ++whole;
    call.tree = tree;
    call.updates = k % 2 == 0 ? UPDATES : 10000000;
    EXPECT(ATOMTUNE_OK, "", atomtune_update(&call));
    atomtune_tree_free(tree);
  }
  CHECK(whole > 100 && whole < 4900);
}

/* ATOMTUNE_TREES names trees that come first; where the file is wrong, no call is made. */
static void named_trees(void) {
  struct atomtune_update call = sum();
  struct atomtune_plan *plan = NULL;
  size_t bytes;
  setenv("ATOMTUNE_TREES", file_path, 1);
  write_file(good_tree, sizeof good_tree - 1);
  EXPECT(ATOMTUNE_OK, "", atomtune_update(&call));
  CHECK(logged("launch _ZN8atomtune7calling11form_kernel") == 1);
  EXPECT(ATOMTUNE_OK, "", atomtune_update_workspace(&call, &bytes));
  EXPECT(ATOMTUNE_OK, "", atomtune_plan_make(&call, &plan));
  atomtune_plan_free(plan);
}
static void wrong_named_trees(void) {
  struct atomtune_update call = sum();
  struct atomtune_plan *plan = NULL;
  size_t bytes;
  setenv("ATOMTUNE_TREES", file_path, 1);
  write_file(HEAD, sizeof HEAD - 1);
  for (int again = 0; again < 2; ++again) {
    EXPECT(ATOMTUNE_FILE, file_path, atomtune_update(&call));
    EXPECT(ATOMTUNE_FILE, ":3: ", atomtune_update_workspace(&call, &bytes));
    EXPECT(ATOMTUNE_FILE, ":3: ", atomtune_plan_make(&call, &plan));
  }
}

int main(int count, char **words) {
  if (count != 4) return 2;
  driver = words[1], old_driver = words[2];
  snprintf(log_path, sizeof log_path, "%s/log", words[3]);
  snprintf(file_path, sizeof file_path, "%s/file", words[3]);
  setenv("STANDIN_LOG", log_path, 1);
  unsetenv("ATOMTUNE_TREES");
  unsetenv("ATOMTUNE_PLANS");
  unsetenv("ATOMTUNE_MODE");
  apart(refused_arguments, driver, "");
  apart(refused_others, driver, "");
  apart(texts, driver, "");
  apart(launches, driver, "");
  apart(no_driver, "/nowhere/libcuda.so", "");
  apart(no_driver, old_driver, "");
  apart(no_driver, driver, "no_device");
  apart(no_driver, driver, "stub");
  apart(no_driver, driver, "old_ptx");
  apart(refusing, driver, "no_devices");
  each_failing(failing, 2, 1000);
  CHECK(reached > 10);
  each_failing(failing, 1, 1000);   /* as the headers' cudaErrorInvalidValue */
  each_failing(failing, 801, 1000); /* as their cudaErrorNotSupported */
  each_failing(failing_plan, 2, 100);
  CHECK(reached > 50);
  apart(plans, driver, "");
  apart(named_plans, driver, "");
  apart(threads, driver, "");
  apart(trees, driver, "");
  apart(mutated_trees, driver, "");
  apart(named_trees, driver, "");
  apart(wrong_named_trees, driver, "");
  return 0;
}
