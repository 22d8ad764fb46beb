/*
 * atomtune: which implementation of atomic updates is fastest for an index stream on a GPU.
 *
 * Link with the flags of `pkg-config --cflags --libs atomtune`. The header is C89 with
 * <stdint.h>, and C++. The example in README.md is a whole program.
 *
 * All functions may be called from several threads at once. None keeps a pointer of the caller,
 * and none returns memory to free: what they find is written into the caller's structures. Those
 * that return int return ATOMTUNE_OK, ATOMTUNE_MISS, or one of the errors, which are negative;
 * atomtune_last_error has its text then, and what was to be filled in stays as it was.
 *
 * The library is written in Go. Its runtime starts when the library is loaded, so that a process
 * that forked after that must not call it, unless it calls exec, and it cannot be unloaded.
 */
#ifndef ATOMTUNE_H
#define ATOMTUNE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this header; atomtune_version says that of the library. */
#define ATOMTUNE_VERSION "0.1"

/*
 * Sets a structure of this header to zero, and its size, which says what its caller knows of it.
 * Zero is the usual case of each field. Fields come behind the last one in later versions: the
 * library leaves alone what the caller has not, and refuses fields that it does not know unless
 * they are zero.
 */
#define ATOMTUNE_INIT(x) (memset(&(x), 0, sizeof(x)), (void)((x).struct_size = sizeof(x)))

enum atomtune_status {
  ATOMTUNE_OK = 0,
  ATOMTUNE_MISS = 1,      /* there is no plan: ask atomtune_choose */
  ATOMTUNE_ARGUMENT = -1, /* NULL, a number that stands for nothing, options that contradict */
  ATOMTUNE_DEVICE = -2,   /* unknown device, or a profile that cannot be read */
  ATOMTUNE_STREAM = -3,   /* no updates, an index out of range, statistics that no stream has */
  ATOMTUNE_NONE = -4,     /* the options leave no implementation that the device can run */
  ATOMTUNE_FILE = -5,     /* a file that cannot be read or written */
  ATOMTUNE_INTERNAL = -6, /* a fault of the library */
  /* Of atomtune_update.h: */
  ATOMTUNE_UNSUPPORTED = -7, /* there is no such call */
  ATOMTUNE_NO_DRIVER = -8,   /* there is no driver, or none that is new enough */
  ATOMTUNE_DRIVER = -9       /* the driver refuses, as its own name for it says */
};

/* The element type of the targets. */
enum atomtune_type {
  ATOMTUNE_U32,
  ATOMTUNE_I32,
  ATOMTUNE_F32,
  ATOMTUNE_U64,
  ATOMTUNE_I64,
  ATOMTUNE_F64,
  ATOMTUNE_BF16, /* of rows alone */
  ATOMTUNE_F16   /* of atomtune_update.h alone */
};

/* What an update makes of its target x with its operand a, and mad with a second one, b. */
enum atomtune_op {
  ATOMTUNE_ADD, /* x + a */
  ATOMTUNE_MUL, /* x * a */
  ATOMTUNE_MAD, /* x + a * b */
  ATOMTUNE_DIV, /* x / a */
  ATOMTUNE_MIN, /* the smaller of x and a */
  ATOMTUNE_MAX  /* the larger of x and a */
};

/* Where operands come from. */
enum atomtune_value {
  ATOMTUNE_LOADED, /* from memory */
  ATOMTUNE_ONE     /* they are the constant 1, as in a histogram */
};

/* The type of the indices. */
enum atomtune_index {
  ATOMTUNE_INDEX_U32,
  ATOMTUNE_INDEX_I32,
  ATOMTUNE_INDEX_U64,
  ATOMTUNE_INDEX_I64,
  ATOMTUNE_INDEX_U8, /* these and the rest of atomtune_update.h alone */
  ATOMTUNE_INDEX_I8,
  ATOMTUNE_INDEX_U16,
  ATOMTUNE_INDEX_I16
};

/* What a choice is made of. */
enum atomtune_source {
  ATOMTUNE_STATISTICS, /* statistics of the whole stream, or those of the caller */
  ATOMTUNE_SAMPLE,     /* a sample of the stream */
  ATOMTUNE_PRIOR,      /* means over kinds of streams: no sample was worth its cost */
  ATOMTUNE_PLAN,       /* a plan */
  ATOMTUNE_LEAF        /* a decision tree, by a sample */
};

/* One call on the GPU: n updates of `bins` targets. */
struct atomtune_call {
  size_t struct_size;
  const char *device;   /* name, of atomtune_devices, or path of a profile; NULL: h200 */
  const char *only;     /* implementations to choose among, blanks or commas between them; NULL: all. Their
                           times are those that they have among all */
  const char *exclude;  /* implementations to leave out; NULL: none */
  uint64_t bins;        /* number of targets, at most 2^32. 0: the highest index + 1, where the
                           whole stream is read */
  uint64_t memory_bytes; /* device memory that may be taken beside stream and targets; 0: any */
  int64_t ignore;       /* the index to ignore, where has_ignore is set */
  int32_t has_ignore;   /* the whole stream is read then */
  int32_t type;         /* enum atomtune_type */
  int32_t op;           /* enum atomtune_op */
  int32_t value;        /* enum atomtune_value */
  int32_t index;        /* enum atomtune_index */
  int32_t returns;      /* each update needs the old value of its target */
  int32_t keeps;        /* the call adds to the existing values: it does not clear the targets */
  int32_t deterministic; /* repeated calls must agree in every bit */
  int32_t no_sort;      /* do not bring the stream into another order */
  int32_t cautious;     /* choose by the upper end of the interval of each time: an error where low_us
                           would be NaN */
  int32_t relaid;       /* the updates come re-laid, so that ss takes no time of the host */
  int32_t whole;        /* read the whole stream in place of a sample */
  int32_t rule_launch;  /* take the launches of the device's rule. Else, where the whole stream is
                           known, the best of a few is taken; a sample has that of the rule */
  uint32_t launch_threads; /* fix the launch of the main kernel; 0: do not */
  uint64_t launch_blocks;
  uint32_t launch_unroll;  /* 1, 2, 4 or 8 updates of a thread in flight */
  uint32_t launches;    /* another name of calls, for programs that use it */
  double sampling_cost_us; /* what each sample costs besides the host's reading, microseconds */
  double sampling_most_us; /* what all samples may cost, microseconds; 0: 100, or the first alone */
  uint64_t seed;        /* selects the sample */
  uint64_t width; /* elements of a row, where each index updates so many consecutive targets:
                     A[index[u] * width + j] += values[u * width + j] for 0 <= j < width, and bins counts
                     rows. 0: each updates a single one. atomtune_choose alone takes it, and reads the
                     whole stream; choices are those of scatter_add_rows */
  int32_t values; /* enum atomtune_type of the values of rows: ATOMTUNE_BF16 for targets of ATOMTUNE_F32;
                     0: that of the targets */
  uint32_t calls; /* so many calls have the same indices: what is prepared once (the frequent targets, a
                     re-layout) counts once in all of them, and a larger sample is worth its cost. 0: 1 */
};

/* A choice. Times are those of one call on the device, in microseconds; 0 is not known. */
struct atomtune_choice {
  size_t struct_size;
  char implementation[96]; /* its name, as `atomtune choose` prints it */
  char kind[24];           /* naive, reduced-collision or non-atomic */
  double predicted_us;
  double low_us;           /* ends of the interval that holds the time in 9 of 10 cases. NaN, as are
                              high_us and loss_bound, where no call of the device was recorded */
  double high_us;
  double speedup_over_naive; /* 0 where the device cannot run plain atomics */
  double loss_bound; /* at most so many times the time of the fastest, if all intervals hold */
  double floor_us;   /* least time of any implementation */
  uint64_t launch_blocks; /* of the main kernel; 0 where the grids of several kernels follow from
                             the stream */
  uint32_t launch_threads; /* of a block */
  uint32_t launch_unroll;  /* updates of a thread in flight */
  uint64_t shared_bytes;   /* of a block */
  uint64_t memory_bytes;   /* device memory beside stream and targets */
  uint64_t sampled;        /* updates that were read, where source is ATOMTUNE_SAMPLE */
  int32_t source;          /* enum atomtune_source */
  int32_t reserved;
  char reason[2048];       /* why, in some sentences, cut off where it is longer */
};

/* What a table of hot targets leaves over, means over the warps of the stream. */
struct atomtune_misses {
  double lanes_per_warp;
  double distinct_per_warp;
  double highest_per_warp;
  double sectors_per_warp_4;
  double sectors_per_warp_8;
  uint64_t max_frequency;
};

/* How the updates of a stream collide: the fields of `atomtune analyze --json`, whose help says
 * what each is. */
struct atomtune_statistics {
  size_t struct_size;
  uint64_t updates;
  uint64_t bins;
  uint64_t unique;
  uint64_t warp_size;
  uint64_t block_size;
  double warp_level;
  double block_level;
  double all_level;
  double distinct_per_warp;
  double distinct_per_block;
  double clustered_fraction;
  uint64_t runs;
  uint64_t max_frequency;
  uint64_t max_chunk_frequency_4;
  uint64_t max_chunk_frequency_8;
  double hot_warps;
  double hot_segments;
  double sectors_per_warp_4;
  double sectors_per_warp_8;
  double sector_passes_per_warp_4;
  double sector_passes_per_warp_8;
  double bank_degree;
  double bank_lanes;
  double cover[17];                 /* share of the updates on the 2^j most frequent targets */
  struct atomtune_misses misses[6]; /* of tables of 16, 64 and so on to 16,384 slots */
};

/* Returns the library's version, which is not to be freed. */
const char *atomtune_version(void);

/*
 * Writes the text of the last error of the calling thread, "" if there was none, with a zero at
 * its end, and returns its length: where that is size or more, the text was cut. The text may
 * be NULL where size is 0.
 */
size_t atomtune_last_error(char *text, size_t size);

/* Writes the names of the built-in devices, one a line, as atomtune_last_error writes. The profiles of
 * some are estimates, which "atomtune devices" labels: doc/results/ESTIMATES.md says how far such ones
 * were off. */
size_t atomtune_devices(char *names, size_t size);

/* Chooses for n updates whose indices lie in the host's memory, aligned and in its order of bytes, of
 * which it reads a sample. */
int atomtune_choose(const struct atomtune_call *call, const void *index, uint64_t n,
                    struct atomtune_choice *choice);

/* Measures the whole stream, without the updates that it ignores. Warps are the device's. */
int atomtune_measure(const struct atomtune_call *call, const void *index, uint64_t n,
                     struct atomtune_statistics *statistics);

/* Chooses for a stream with these statistics; index, bins and sampling of the call do not
 * matter. */
int atomtune_choose_statistics(const struct atomtune_call *call,
                               const struct atomtune_statistics *statistics,
                               struct atomtune_choice *choice);

/* What the decision tree of a call on the GPU reads: the size of the call and its sample. */
#define ATOMTUNE_FEATURES 14

/*
 * Writes the features of a stream: updates, bins, type, one, returns, distinct, highest, runs,
 * sectors, full, pairs, repeated, used, top, as package dispatch defines them. An index that is ignored
 * or out of range counts as one target more. The call needs no device.
 */
int atomtune_features(const struct atomtune_call *call, const void *index, uint64_t n,
                      uint32_t features[ATOMTUNE_FEATURES]);

/*
 * Evaluates the built-in decision tree of the call's device for features of the call's type, as a
 * call on the GPU does: writes the number of the action, which may be NULL, and the action with as
 * many copies as fit a block. Options of the call do not matter, and no times are known.
 */
int atomtune_leaf(const struct atomtune_call *call, const uint32_t features[ATOMTUNE_FEATURES],
                  uint32_t *action, struct atomtune_choice *choice);

/*
 * Looks the choice for this very call up in a file of plans: of the GPU of this name (NULL: the
 * title of the device's profile), type, operation, size and a hash of the targets of 64 warps. Returns
 * ATOMTUNE_MISS if there is none, or no such file, or the plan is of another version, breaks
 * the call's options or is right on grouped streams alone, as segreduce is. A path that is NULL is
 * that of the environment's ATOMTUNE_PLANS, and ATOMTUNE_MISS where that is not set.
 */
int atomtune_find_plan(const char *path, const char *gpu, const struct atomtune_call *call,
                       const void *index, uint64_t n, struct atomtune_choice *choice);

/*
 * Keeps implementation and launch of a choice as a plan for this call, in place of an earlier one.
 * The file is created if it does not exist, and replaced as a whole. Threads and processes that save to
 * one file wait for each other, by a lock on a file beside it, PATH.lock, which stays. A path that
 * is NULL is that of ATOMTUNE_PLANS.
 */
int atomtune_save_plan(const char *path, const char *gpu, const struct atomtune_call *call,
                       const void *index, uint64_t n, const struct atomtune_choice *choice);

#ifdef __cplusplus
}
#endif

#endif
