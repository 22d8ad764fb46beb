/*
 * atomtune: updates on an NVIDIA GPU, by the implementation that suits the indices.
 *
 *   struct atomtune_update call;
 *   ATOMTUNE_INIT(call);
 *   call.out = out, call.bins = K;                   // device memory
 *   call.index = index, call.values = values, call.updates = n;
 *   call.type = ATOMTUNE_F32, call.index_type = ATOMTUNE_INDEX_I64;
 *   call.stream = stream;
 *   if (atomtune_update(&call) != ATOMTUNE_OK) ...   // out[index[u]] += values[u]
 *
 * Link with the flags of `pkg-config --cflags --libs atomtune-cuda`, or with atomtune::cuda of the
 * CMake package. The library holds the kernels of the CUDA headers, compiled: it needs the driver of
 * the GPU, of CUDA 12.4 or later, and neither a toolkit nor CUDA's runtime.
 *
 * A call is made in the context that is current in the calling thread, where none is in that of out.
 * Its stream is of that context. It waits for nothing, so that a stream that is captured into a CUDA
 * graph takes it, and the graph can be replayed with other data. Several threads may call at once.
 *
 * Functions that return int return ATOMTUNE_OK or an error, which is negative;
 * atomtune_update_error has its text then. After ATOMTUNE_DRIVER the targets may hold anything.
 * After another error they are as they were.
 */
#ifndef ATOMTUNE_UPDATE_H
#define ATOMTUNE_UPDATE_H

#include "atomtune.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How updates of one row are kept from meeting. */
enum atomtune_row_form {
  ATOMTUNE_ROW_AUTOMATIC, /* by the sizes and a sample */
  ATOMTUNE_ROW_RUNS,      /* neighbouring updates of a row are added first */
  ATOMTUNE_ROW_HOT,       /* and frequent rows, which a sample finds, have sums in shared memory */
  ATOMTUNE_ROW_SORT,      /* the updates are sorted by row; fewer than 2^32 */
  ATOMTUNE_ROW_NAIVE      /* an atomic for each element, to compare with */
};

struct atomtune_tree; /* a decision tree that was loaded */
struct atomtune_plan; /* a choice for indices that come again */

/*
 * A call: out[index[u]] op= values[u] for each of its updates. Memory is the device's, or such as
 * the device can reach, and aligned to its elements.
 */
struct atomtune_update {
  size_t struct_size;
  void *out;           /* the targets: bins of them */
  const void *index;   /* updates of them. An update whose index is not below bins is left out */
  const void *values;  /* NULL where value is ATOMTUNE_ONE */
  void *old;           /* gets what each update found; NULL: it is not wanted. For ATOMTUNE_ADD of
                          loaded values to single targets of 32 or 64 bits */
  uint64_t bins;       /* below 2^32 - 1 */
  uint64_t updates;
  uint64_t width;      /* elements of a row, where each index updates so many consecutive targets:
                          out[index[u] * width + j] op= values[u * width + j], and bins counts rows.
                          0: each updates a single target */
  int64_t ignore;      /* the index to ignore, where has_ignore is set */
  int32_t has_ignore;
  int32_t type;        /* enum atomtune_type of the targets */
  int32_t op;          /* ATOMTUNE_ADD, ATOMTUNE_MIN or ATOMTUNE_MAX; of floats a NaN is less and
                          greater than any number, and -0 less than 0 */
  int32_t value;       /* enum atomtune_value; ATOMTUNE_ONE for ATOMTUNE_ADD to single targets */
  int32_t values_type; /* ATOMTUNE_F16 or ATOMTUNE_BF16 for targets of ATOMTUNE_F32; 0: the targets' */
  int32_t index_type;  /* enum atomtune_index */
  int32_t clear;       /* the targets are set to zero first; for ATOMTUNE_ADD */
  int32_t deterministic; /* sums are the same bits on every run; not with old, nor for sums of 16 bits */
  int32_t row_form;    /* enum atomtune_row_form */
  uint32_t row_slots;  /* rows that have sums in shared memory, a power of two of 2 to 1,024; 0: 4 KiB
                          of each warp */
  int32_t row_wraps;   /* an index below 0 counts from the end: index + bins. For rows alone */
  void *stream;        /* CUstream or cudaStream_t; NULL: the default stream */
  void *workspace;     /* at least what atomtune_update_workspace says, aligned to 16 bytes. NULL: it is
                          taken from the device's pool and given back in the order of the stream */
  size_t workspace_bytes;
  uint32_t *error;     /* becomes 1 where an index is out of range, and is never cleared; NULL: not
                          wanted. The device writes it */
  uint32_t *chosen;    /* gets the number of the tree's action; NULL: not wanted. The device writes it.
                          Rows and plans have no tree */
  const struct atomtune_tree *tree; /* decides; NULL: the one of the device */
  struct atomtune_plan *plan;       /* runs the call as planned; NULL: the tree decides. Sizes, types
                                       and the ignored index are then those of the plan */
  uint64_t calls;      /* so many calls with these indices are to come: from 1,000 on
                          atomtune_plan_make measures. 0: 1 */
};

/* Enqueues a call. */
int atomtune_update(const struct atomtune_update *call);

/* Writes the size of the workspace of a call, in bytes. No memory of the call is looked at. */
int atomtune_update_workspace(const struct atomtune_update *call, size_t *bytes);

/* Writes the text of the last error of the calling thread, "" if there was none, with a zero at its
 * end, and returns its length: where that is size or more, the text was cut. */
size_t atomtune_update_error(char *text, size_t size);

/* Writes, likewise, what the library is: its version, the architectures that it has machine code of,
 * the driver, and for each device whether its code is there or is compiled by the driver, once, at the first
 * call of a kind. */
size_t atomtune_update_about(char *text, size_t size);

/*
 * Looks at the indices of a call and makes a plan for calls with such indices. It waits for the
 * stream. The targets are not touched. From 1,000 calls on it runs what may be fastest on these
 * indices, with values and targets of its own, and keeps what was. For fewer a plan of the file that
 * ATOMTUNE_PLANS names comes before the tree. Plans are for sums without old values, of numbers of one
 * type, that need not be deterministic, of single targets. A plan is used in one stream at a time, in the
 * context in which it was made.
 *
 * Calls of single targets without a plan or a tree of their own take what that file has for their sizes
 * where ATOMTUNE_MODE is plan, and are plain atomics where it is off.
 */
int atomtune_plan_make(const struct atomtune_update *call, struct atomtune_plan **plan);

/* Writes, likewise, what was chosen, from what, and what the sample told. */
size_t atomtune_plan_explain(const struct atomtune_plan *plan, char *text, size_t size);

/* Adds the plan to a file. */
int atomtune_plan_save(const struct atomtune_plan *plan, const char *path);

/* Gives the plan back, once its calls have ended. NULL is allowed. */
void atomtune_plan_free(struct atomtune_plan *plan);

/* Loads the tree of that device (NULL: the first) from a file that `atomtune export --to text` wrote.
 * ATOMTUNE_TREES names a file whose trees come before the built-in ones. */
int atomtune_tree_load(const char *path, const char *device, struct atomtune_tree **tree);

/* Gives the tree back, once its calls have ended. NULL is allowed. */
void atomtune_tree_free(struct atomtune_tree *tree);

/* The usual calls, of numbers of one type; the rest of them is zero. */

static inline struct atomtune_update atomtune_call_of(int op, int type, void *out, uint64_t bins,
                                                      int index_type, const void *index,
                                                      const void *values, uint64_t updates,
                                                      void *stream) {
  struct atomtune_update call;
  ATOMTUNE_INIT(call);
  call.op = op;
  call.type = type;
  call.out = out;
  call.bins = bins;
  call.index_type = index_type;
  call.index = index;
  call.values = values;
  call.updates = updates;
  call.stream = stream;
  return call;
}

static inline int atomtune_scatter_add(int type, void *out, uint64_t bins, int index_type,
                                       const void *index, const void *values, uint64_t updates,
                                       void *stream) {
  const struct atomtune_update call = atomtune_call_of(ATOMTUNE_ADD, type, out, bins, index_type,
                                                       index, values, updates, stream);
  return atomtune_update(&call);
}

static inline int atomtune_scatter_min(int type, void *out, uint64_t bins, int index_type,
                                       const void *index, const void *values, uint64_t updates,
                                       void *stream) {
  const struct atomtune_update call = atomtune_call_of(ATOMTUNE_MIN, type, out, bins, index_type,
                                                       index, values, updates, stream);
  return atomtune_update(&call);
}

static inline int atomtune_scatter_max(int type, void *out, uint64_t bins, int index_type,
                                       const void *index, const void *values, uint64_t updates,
                                       void *stream) {
  const struct atomtune_update call = atomtune_call_of(ATOMTUNE_MAX, type, out, bins, index_type,
                                                       index, values, updates, stream);
  return atomtune_update(&call);
}

static inline int atomtune_histogram(int type, void *out, uint64_t bins, int index_type,
                                     const void *index, uint64_t updates, void *stream) {
  struct atomtune_update call = atomtune_call_of(ATOMTUNE_ADD, type, out, bins, index_type, index,
                                                 NULL, updates, stream);
  call.value = ATOMTUNE_ONE;
  return atomtune_update(&call);
}

static inline int atomtune_fetch_add(int type, void *out, uint64_t bins, int index_type,
                                     const void *index, const void *values, void *old,
                                     uint64_t updates, void *stream) {
  struct atomtune_update call = atomtune_call_of(ATOMTUNE_ADD, type, out, bins, index_type, index,
                                                 values, updates, stream);
  call.old = old;
  return atomtune_update(&call);
}

static inline int atomtune_scatter_add_rows(int type, void *out, uint64_t bins, int index_type,
                                            const void *index, const void *values,
                                            uint64_t updates, uint64_t width, void *stream) {
  /* Rows of no elements; in a call 0 stands for single targets. */
  if (width == 0) return ATOMTUNE_OK;
  struct atomtune_update call = atomtune_call_of(ATOMTUNE_ADD, type, out, bins, index_type, index,
                                                 values, updates, stream);
  call.width = width;
  return atomtune_update(&call);
}

#ifdef __cplusplus
}
#endif

#endif
