// Atomic add of 32-bit integers without global atomics, for OpenCL C 1.2: the
// coordinator of [elteir11] section IV, Figures 6 and 7.
//
// Work-group 0 is the coordinator: it alone writes the targets. The work-items of
// the other groups add up in local memory, wavefront by wavefront, and ask the
// coordinator through arrays in global memory. With no global atomic in it, a
// kernel keeps the fast path to memory where a compiler sends every access of a
// kernel with one down a slow path (Radeon HD 5000 series).
//
//   const atomtune_coordination c = atomtune_coordination_of(targets, arrays, limit);
//   if (atomtune_is_coordinator()) {
//     atomtune_coordinate(&c, local);
//     return;
//   }
//   ... old = atomtune_coordinated_add(&c, local, takes_part, target, value); ...
//   atomtune_finish(&c);
//
// Where this differs from the figures:
//   - A wavefront is any ATOMTUNE_WAVEFRONT neighbouring work-items, and barriers
//     stand where the figures count on lock step. All work-items of a group make
//     the call together; one that has nothing to add says so.
//   - The work-items of a wavefront may name different targets and are served in
//     one round per distinct target.
//   - A request names a target by number: a pointer does not fit into an int.
//   - Figure 7 looks for the first slot with the same target from slot 1 on. The
//     slots here belong to requesting wavefronts only, and the search starts at 0.
//   - Figure 7 adds where the sum is positive; here every sum is added.
//   - Fences stand between sum and request, request and sum, old value and
//     release, release and old value. The figures leave them out.
//   - The work-items of the coordinator all stop in the same round.
//
// A loop with barriers leaves at its end and right after one: PoCL runs the
// work-items of a group in turns between barriers and compiles other forms wrongly.
//
// [elteir11] Elteir, Lin, Feng. Performance Characterization and Optimization of
//   Atomic Operations on AMD GPUs. IEEE CLUSTER 2011.
#ifndef ATOMTUNE_COORDINATOR_CL
#define ATOMTUNE_COORDINATOR_CL

#ifndef ATOMTUNE_WAVEFRONT
#define ATOMTUNE_WAVEFRONT 64
#endif

// ATOMTUNE_FENCE orders a work-item's accesses to global memory as other groups
// see them. OpenCL C 1.2 promises the order in which they are committed and no
// more; from 2.0 on there is a fence for the whole device.
#ifndef ATOMTUNE_FENCE
#if (__OPENCL_C_VERSION__ >= 200 && __OPENCL_C_VERSION__ < 300) || \
    (defined(__opencl_c_atomic_order_acq_rel) && defined(__opencl_c_atomic_scope_device))
#define ATOMTUNE_FENCE() \
  atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device)
#else
#define ATOMTUNE_FENCE() mem_fence(CLK_GLOBAL_MEM_FENCE)
#endif
#endif

// Words, for W requesting wavefronts, of the arrays in global memory, which the
// host clears before each launch, and of the local memory that each group needs.
#define ATOMTUNE_ARRAY_WORDS(W) (4 * (W) + 1)
#define ATOMTUNE_LOCAL_WORDS(W) (4 * (W) + 2)

// What the coordinator and the wavefronts share. Each array has an element for
// every requesting wavefront.
typedef struct {
  volatile __global uint *targets;   // the shared variables
  volatile __global uint *request;   // 1 + the target's number, or 0: WavefrontsAddresses
  volatile __global uint *sum;       // what to add to it: WavefrontsSums
  volatile __global uint *before;    // the target before: WavefrontsPrefixsums
  volatile __global uint *finished;  // 1 once the wavefront asks no more: Finished
  volatile __global uint *expired;   // one word, 1 once a wait was given up
  uint wavefronts;                   // requesting wavefronts
  uint poll_limit;                   // looks before a wait is given up, 0 for no limit
} atomtune_coordination;

static inline uint atomtune_wavefronts_per_group(void) {
  return ((uint)get_local_size(0) + ATOMTUNE_WAVEFRONT - 1) / ATOMTUNE_WAVEFRONT;
}

// The coordination of this launch over arrays of ATOMTUNE_ARRAY_WORDS(W) words,
// W being the number of wavefronts of all groups but the first.
static inline atomtune_coordination atomtune_coordination_of(volatile __global uint *targets,
                                                             volatile __global uint *arrays,
                                                             const uint poll_limit) {
  atomtune_coordination c;
  c.wavefronts = ((uint)get_num_groups(0) - 1) * atomtune_wavefronts_per_group();
  c.poll_limit = poll_limit;
  c.targets = targets;
  c.request = arrays;
  c.sum = arrays + c.wavefronts;
  c.before = arrays + 2 * c.wavefronts;
  c.finished = arrays + 3 * c.wavefronts;
  c.expired = arrays + 4 * c.wavefronts;
  return c;
}

static inline int atomtune_is_coordinator(void) { return get_group_id(0) == 0; }

// The caller's number among the work-items of the requesting groups, and theirs.
static inline uint atomtune_requester(void) {
  return ((uint)get_group_id(0) - 1) * (uint)get_local_size(0) + (uint)get_local_id(0);
}
static inline uint atomtune_requesters(void) {
  return ((uint)get_num_groups(0) - 1) * (uint)get_local_size(0);
}

// The caller's wavefront among the requesting ones.
static inline uint atomtune_slot(void) {
  return ((uint)get_group_id(0) - 1) * atomtune_wavefronts_per_group() +
         (uint)get_local_id(0) / ATOMTUNE_WAVEFRONT;
}

// A wavefront's request in the making, in local memory.
typedef struct {
  uint leader;  // lowest lane that still waits: the figures' dominant thread
  uint target;  // its target
  uint sum;     // of the lanes that name this target
  uint before;  // the target before this sum was added
} atomtune_wavefront;

// Whether a lane of the group still waits; the same for all its work-items.
static inline int atomtune_group_waits(__local const atomtune_wavefront *wavefronts) {
  const uint count = atomtune_wavefronts_per_group();
  for (uint w = 0; w < count; ++w) {
    if (wavefronts[w].leader < ATOMTUNE_WAVEFRONT) return 1;
  }
  return 0;
}

// Writes the request of a wavefront: the sum before the word that announces it.
static inline void atomtune_ask(const atomtune_coordination *c, const uint target,
                                const uint sum) {
  const uint slot = atomtune_slot();
  c->sum[slot] = sum;
  ATOMTUNE_FENCE();
  c->request[slot] = target + 1;
}

// Waits for the answer and returns the target before. A wait that exceeds the
// limit is given up, and so are all that follow it.
static inline uint atomtune_await(const atomtune_coordination *c) {
  const uint slot = atomtune_slot();
  uint polls = 0;
  while (c->request[slot] != 0) {
    if (c->poll_limit != 0 && (polls == c->poll_limit || *c->expired != 0)) {
      *c->expired = 1;
      return 0;
    }
    ++polls;
    ATOMTUNE_FENCE();
  }
  ATOMTUNE_FENCE();
  return c->before[slot];
}

// Adds value to targets[target] and returns the value before, as atomic_add would;
// subtraction adds the two's complement. All work-items of a requesting group
// make the call together, those with takes_part 0 to no effect. words is the
// group's local memory. Figure 6.
static inline uint atomtune_coordinated_add(const atomtune_coordination *c, __local uint *words,
                                            const int takes_part, const uint target,
                                            const uint value) {
  __local atomtune_wavefront *wavefronts = (__local atomtune_wavefront *)words;
  __local atomtune_wavefront *own = wavefronts + get_local_id(0) / ATOMTUNE_WAVEFRONT;
  const uint lane = get_local_id(0) % ATOMTUNE_WAVEFRONT;
  int waits = takes_part;
  uint old = 0;
  int group_waits;
  if (lane == 0) own->leader = ATOMTUNE_WAVEFRONT;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (waits) atomic_min(&own->leader, lane);
  barrier(CLK_LOCAL_MEM_FENCE);
  do {
    const int leads = own->leader == lane;
    if (leads) {
      own->target = target;
      own->sum = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const int joins = waits && own->target == target;
    const uint prefix = joins ? atomic_add(&own->sum, value) : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (leads) atomtune_ask(c, target, own->sum);
    // All wavefronts have asked before one waits: their work-items may take turns.
    barrier(CLK_LOCAL_MEM_FENCE);
    if (leads) {
      own->before = atomtune_await(c);
      own->leader = ATOMTUNE_WAVEFRONT;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (joins) {
      old = own->before + prefix;
      waits = 0;
    }
    if (waits) atomic_min(&own->leader, lane);
    barrier(CLK_LOCAL_MEM_FENCE);
    group_waits = atomtune_group_waits(wavefronts);
    barrier(CLK_LOCAL_MEM_FENCE);
  } while (group_waits);
  return old;
}

// Says that the caller's wavefront asks no more. Every work-item of a requesting
// group calls it once, after its last add.
static inline void atomtune_finish(const atomtune_coordination *c) {
  if (get_local_id(0) % ATOMTUNE_WAVEFRONT != 0) return;
  ATOMTUNE_FENCE();
  c->finished[atomtune_slot()] = 1;
}

// What the coordinator knows of a slot in this round, in local memory.
typedef struct {
  uint request;
  uint sum;  // in the first slot of a target the sum of all slots that name it
} atomtune_asked;

// Step 1: reads the request of a slot, and its sum only after it.
static inline atomtune_asked atomtune_read_request(const atomtune_coordination *c,
                                                   const uint slot) {
  atomtune_asked asked;
  asked.request = c->request[slot];
  ATOMTUNE_FENCE();
  asked.sum = asked.request != 0 ? c->sum[slot] : 0;
  return asked;
}

// Step 2: adds a slot's sum to that of the first slot with the same target, and
// writes what the target holds before it.
static inline void atomtune_answer(const atomtune_coordination *c, __local atomtune_asked *asked,
                                   const uint slot) {
  const uint request = asked[slot].request;
  if (request == 0) return;
  uint first = 0;
  while (asked[first].request != request) ++first;
  uint before = c->targets[request - 1];
  if (first != slot) {
    before += atomic_add((volatile __local uint *)&asked[first].sum, asked[slot].sum);
    asked[slot].sum = 0;
  }
  c->before[slot] = before;
}

// The coordinator: serves requests until all wavefronts have finished. Called by
// every work-item of group 0; words is the group's local memory. Figure 7.
static inline void atomtune_coordinate(const atomtune_coordination *c, __local uint *words) {
  __local uint *finished = words;
  __local uint *requests = words + 1;
  __local atomtune_asked *asked = (__local atomtune_asked *)(words + 2);
  const uint lane = get_local_id(0), lanes = get_local_size(0);
  uint idle = 0;
  int serves;
  do {
    for (uint slot = lane; slot < c->wavefronts; slot += lanes) {
      asked[slot] = atomtune_read_request(c, slot);
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (lane == 0) *finished = *requests = 0;
    for (uint slot = lane; slot < c->wavefronts; slot += lanes) atomtune_answer(c, asked, slot);
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    for (uint slot = lane; slot < c->wavefronts; slot += lanes) {
      if (c->finished[slot] != 0) atomic_inc(finished);
      if (asked[slot].request == 0) continue;
      atomic_inc(requests);
      // A slot that is not the first of its target adds 0; only the first one may write.
      if (asked[slot].sum != 0) c->targets[asked[slot].request - 1] += asked[slot].sum;
    }
    ATOMTUNE_FENCE();
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    // Again, for what the other work-items of the group have written.
    ATOMTUNE_FENCE();
    for (uint slot = lane; slot < c->wavefronts; slot += lanes) {
      if (asked[slot].request != 0) c->request[slot] = 0;
    }
    idle = *requests == 0 ? idle + 1 : 0;
    serves = *finished != c->wavefronts && (c->poll_limit == 0 || idle < c->poll_limit);
    barrier(CLK_LOCAL_MEM_FENCE);
  } while (serves);
  if (*finished != c->wavefronts) *c->expired = 1;
}

#endif
