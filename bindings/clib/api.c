//go:build cgo

/*
 * The functions of atomtune.h. Each checks the structures of the caller, copies them into ones of
 * this version, calls its Go function, and copies the answer back where it was ATOMTUNE_OK.
 */
#include "_cgo_export.h"

#include <stdio.h>
#include <stdlib.h>

static _Thread_local char message[ATOMTUNE_MESSAGE];

const char *atomtune_version(void) { return ATOMTUNE_VERSION; }

/* text copies a text into the caller's buffer and returns its length. */
static size_t text(const char *from, char *to, size_t size) {
  size_t length = strlen(from);
  if (to != NULL && size > 0) {
    size_t n = length < size ? length : size - 1;
    memcpy(to, from, n);
    to[n] = 0;
  }
  return length;
}

size_t atomtune_last_error(char *to, size_t size) { return text(message, to, size); }

size_t atomtune_devices(char *names, size_t size) {
  char all[ATOMTUNE_MESSAGE];
  goDevices(all);
  return text(all, names, size);
}

static int wrong(const char *what, const char *why) {
  snprintf(message, sizeof message, "bad argument: %s %s", what, why);
  return ATOMTUNE_ARGUMENT;
}

/* room checks that a structure of the caller has at least the fields of the first version. */
static int room(const void *at, size_t known, const char *what) {
  const size_t most = 1 << 16; /* bytes; what no ATOMTUNE_INIT has set is mostly beyond */
  size_t size;
  if (at == NULL) return wrong(what, "is NULL");
  memcpy(&size, at, sizeof size);
  if (size < known || size > most) return wrong(what, "has a struct_size that no version has");
  return ATOMTUNE_OK;
}

/* take copies a structure of the caller, whose fields of later versions must be zero. Those that an
 * earlier version lacks become zero. */
static int take_since(void *to, size_t first, size_t known, const void *from, const char *what) {
  size_t size, i;
  int status = room(from, first, what);
  if (status) return status;
  memcpy(&size, from, sizeof size);
  if (size != first && size < known) return wrong(what, "has a struct_size that no version has");
  for (i = known; i < size; i++) {
    if (((const unsigned char *)from)[i] != 0) {
      return wrong(what, "has a field set that version " ATOMTUNE_VERSION " does not know");
    }
  }
  memset(to, 0, known);
  memcpy(to, from, size < known ? size : known);
  return ATOMTUNE_OK;
}

static int take(void *to, size_t known, const void *from, const char *what) {
  return take_since(to, known, known, from, what);
}

/* take_call copies a call, whose first version ended before the width. */
static int take_call(struct atomtune_call *to, const struct atomtune_call *from) {
  return take_since(to, offsetof(struct atomtune_call, width), sizeof *to, from, "call");
}

/* give copies an answer to the caller, whose struct_size stays. */
static void give(void *to, const void *answer, size_t known) {
  memcpy((char *)to + sizeof(size_t), (const char *)answer + sizeof(size_t),
         known - sizeof(size_t));
}

static int indices(const void *index, uint64_t n) {
  return index == NULL && n > 0 ? wrong("index", "is NULL") : ATOMTUNE_OK;
}

int atomtune_choose(const struct atomtune_call *call, const void *index, uint64_t n,
                    struct atomtune_choice *choice) {
  struct atomtune_call c;
  struct atomtune_choice found = {0};
  int status;
  if ((status = take_call(&c, call)) ||
      (status = room(choice, sizeof found, "choice")) || (status = indices(index, n)) ||
      (status = goChoose(&c, (void *)index, n, &found, message)))
    return status;
  give(choice, &found, sizeof found);
  return ATOMTUNE_OK;
}

int atomtune_measure(const struct atomtune_call *call, const void *index, uint64_t n,
                     struct atomtune_statistics *statistics) {
  struct atomtune_call c;
  struct atomtune_statistics found = {0};
  int status;
  if ((status = take_call(&c, call)) ||
      (status = room(statistics, sizeof found, "statistics")) || (status = indices(index, n)) ||
      (status = goMeasure(&c, (void *)index, n, &found, message)))
    return status;
  give(statistics, &found, sizeof found);
  return ATOMTUNE_OK;
}

int atomtune_choose_statistics(const struct atomtune_call *call,
                               const struct atomtune_statistics *statistics,
                               struct atomtune_choice *choice) {
  struct atomtune_call c;
  struct atomtune_statistics s;
  struct atomtune_choice found = {0};
  int status;
  if ((status = take_call(&c, call)) ||
      (status = take(&s, sizeof s, statistics, "statistics")) ||
      (status = room(choice, sizeof found, "choice")) ||
      (status = goChooseStatistics(&c, &s, &found, message)))
    return status;
  give(choice, &found, sizeof found);
  return ATOMTUNE_OK;
}

int atomtune_features(const struct atomtune_call *call, const void *index, uint64_t n,
                      uint32_t features[ATOMTUNE_FEATURES]) {
  struct atomtune_call c;
  uint32_t found[ATOMTUNE_FEATURES];
  int status;
  if ((status = take_call(&c, call)) || (status = indices(index, n))) return status;
  if (features == NULL) return wrong("features", "is NULL");
  if ((status = goFeatures(&c, (void *)index, n, found, message))) return status;
  memcpy(features, found, sizeof found);
  return ATOMTUNE_OK;
}

int atomtune_leaf(const struct atomtune_call *call, const uint32_t features[ATOMTUNE_FEATURES],
                  uint32_t *action, struct atomtune_choice *choice) {
  struct atomtune_call c;
  struct atomtune_choice found = {0};
  uint32_t number;
  int status;
  if ((status = take_call(&c, call)) ||
      (status = room(choice, sizeof found, "choice")))
    return status;
  if (features == NULL) return wrong("features", "is NULL");
  if ((status = goLeaf(&c, (uint32_t *)features, &number, &found, message))) return status;
  if (action != NULL) *action = number;
  give(choice, &found, sizeof found);
  return ATOMTUNE_OK;
}

int atomtune_find_plan(const char *path, const char *gpu, const struct atomtune_call *call,
                       const void *index, uint64_t n, struct atomtune_choice *choice) {
  struct atomtune_call c;
  struct atomtune_choice found = {0};
  int status;
  if (path == NULL) path = getenv("ATOMTUNE_PLANS");
  if ((status = take_call(&c, call)) ||
      (status = room(choice, sizeof found, "choice")) || (status = indices(index, n)) ||
      (status = goFindPlan((char *)path, (char *)gpu, &c, (void *)index, n, &found, message)))
    return status;
  give(choice, &found, sizeof found);
  return ATOMTUNE_OK;
}

int atomtune_save_plan(const char *path, const char *gpu, const struct atomtune_call *call,
                       const void *index, uint64_t n, const struct atomtune_choice *choice) {
  struct atomtune_call c;
  struct atomtune_choice kept;
  int status;
  if (path == NULL) path = getenv("ATOMTUNE_PLANS");
  if (path == NULL) return wrong("path", "is NULL, and ATOMTUNE_PLANS is not set");
  if ((status = take_call(&c, call)) ||
      (status = take(&kept, sizeof kept, choice, "choice")) || (status = indices(index, n)))
    return status;
  return goSavePlan((char *)path, (char *)gpu, &c, (void *)index, n, &kept, message);
}
