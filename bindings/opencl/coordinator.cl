// Atomic add, exchange and compare-exchange of 32-bit integers without global atomics,
// for OpenCL C 1.2: the coordinator of [elteir11] section IV, Figures 6 and 7.
//
// Work-group 0 is the coordinator: it alone writes the targets. The work-items of
// the other groups come together in local memory, wavefront by wavefront, and ask the
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
//   ... old = atomtune_coordinated_exchange(&c, local, takes_part, target, value); ...
//   ... old = atomtune_coordinated_compare_exchange(&c, local, takes_part, target, expected,
//                                                   value); ...
//   atomtune_finish(&c);
//
// Where this differs from the figures:
//   - A wavefront is any ATOMTUNE_WAVEFRONT neighbouring work-items, and barriers
//     stand where the figures count on lock step. All work-items of a group make
//     the call together; one that has nothing to add says so.
//   - The work-items of a wavefront may name different targets and are served in
//     one round per distinct target.
//   - A request names a target by number, with the operation: a pointer does not fit
//     into an int.
//   - Figure 7 looks for the first slot with the same target from slot 1 on. The
//     slots here belong to requesting wavefronts only, and the search starts at 0.
//   - Figure 7 adds where the sum is positive; here every sum is added.
//   - Fences stand between sum and request, request and sum, old value and
//     release, release and old value. The figures leave them out.
//   - The work-items of the coordinator all stop in the same round.
//   - The figures add only. The last exchange of a wavefront asks for all of its
//     exchanges. One comparison of a wavefront asks; the others that fail after it have
//     their answer then, and the rest ask again. Where a scan has requests other than
//     additions, the first slot of each target executes all that name it.
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
#define ATOMTUNE_ARRAY_WORDS(W) (5 * (W) + 1)
#define ATOMTUNE_LOCAL_WORDS(W) (4 * (W) + 2)

// The operations of a request.
enum { ATOMTUNE_ADD, ATOMTUNE_EXCHANGE, ATOMTUNE_COMPARE_EXCHANGE };

// What the coordinator and the wavefronts share. Each array has an element for
// every requesting wavefront.
typedef struct {
  volatile __global uint *targets;   // the shared variables
  volatile __global uint *request;   // of atomtune_request_of, or 0: WavefrontsAddresses
  volatile __global uint *operand;   // what to add, or the new value: WavefrontsSums
  volatile __global uint *before;    // the target before: WavefrontsPrefixsums
  volatile __global uint *finished;  // 1 once the wavefront asks no more: Finished
  volatile __global uint *expected;  // by a compare-exchange
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
  c.operand = arrays + c.wavefronts;
  c.before = arrays + 2 * c.wavefronts;
  c.finished = arrays + 3 * c.wavefronts;
  c.expected = arrays + 4 * c.wavefronts;
  c.expired = arrays + 5 * c.wavefronts;
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

// A request, and the target that it names.
static inline uint atomtune_request_of(const uint op, const uint target) {
  return 4 * target + op + 1;
}
static inline uint atomtune_target_of(const uint request) { return (request - 1) / 4; }

// What a target becomes.
static inline uint atomtune_applied(const uint op, const uint before, const uint operand,
                                    const uint expected) {
  if (op == ATOMTUNE_ADD) return before + operand;
  return op == ATOMTUNE_EXCHANGE || before == expected ? operand : before;
}

// A wavefront's request in the making, in local memory.
typedef struct {
  uint leader;   // lowest lane that still waits: the figures' dominant thread
  uint target;   // its target
  uint operand;  // of the lanes that name this target: their sum, the last one's, the leader's
  uint before;   // the target before
} atomtune_wavefront;

// Whether a lane of the group still waits; the same for all its work-items.
static inline int atomtune_group_waits(__local const atomtune_wavefront *wavefronts) {
  const uint count = atomtune_wavefronts_per_group();
  for (uint w = 0; w < count; ++w) {
    if (wavefronts[w].leader < ATOMTUNE_WAVEFRONT) return 1;
  }
  return 0;
}

// Writes the request of a wavefront: the operand before the word that announces it.
static inline void atomtune_ask(const atomtune_coordination *c, const uint op, const uint target,
                                const uint operand, const uint expected) {
  const uint slot = atomtune_slot();
  c->operand[slot] = operand;
  c->expected[slot] = expected;
  ATOMTUNE_FENCE();
  c->request[slot] = atomtune_request_of(op, target);
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

// Performs an operation on targets[target] and returns the value before. All work-items
// of a requesting group make the call together, with one operation, those with takes_part 0
// to no effect. words is the group's local memory. Figure 6.
static inline uint atomtune_coordinated(const atomtune_coordination *c, __local uint *words,
                                        const int takes_part, const uint op, const uint target,
                                        const uint expected, const uint value) {
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
      own->operand = value;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const int joins = waits && !leads && own->target == target;
    uint prefix = 0;
    if (joins && op == ATOMTUNE_ADD) prefix = atomic_add(&own->operand, value);
    if (joins && op == ATOMTUNE_EXCHANGE) prefix = atomic_xchg(&own->operand, value);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (leads) atomtune_ask(c, op, target, own->operand, expected);
    // All wavefronts have asked before one waits: their work-items may take turns.
    barrier(CLK_LOCAL_MEM_FENCE);
    if (leads) {
      old = own->before = atomtune_await(c);
      if (op == ATOMTUNE_COMPARE_EXCHANGE) {
        own->operand = atomtune_applied(op, old, value, expected);  // the target now
      }
      own->leader = ATOMTUNE_WAVEFRONT;
      waits = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (joins) {
      old = op == ATOMTUNE_ADD ? own->before + prefix
                               : op == ATOMTUNE_EXCHANGE ? prefix : own->operand;
      // A comparison that holds now has to ask by itself.
      waits = op == ATOMTUNE_COMPARE_EXCHANGE && old == expected && value != expected;
    }
    if (waits) atomic_min(&own->leader, lane);
    barrier(CLK_LOCAL_MEM_FENCE);
    group_waits = atomtune_group_waits(wavefronts);
    barrier(CLK_LOCAL_MEM_FENCE);
  } while (group_waits);
  return old;
}

// As atomic_add; subtraction adds the two's complement.
static inline uint atomtune_coordinated_add(const atomtune_coordination *c, __local uint *words,
                                            const int takes_part, const uint target,
                                            const uint value) {
  return atomtune_coordinated(c, words, takes_part, ATOMTUNE_ADD, target, 0, value);
}

// As atomic_xchg.
static inline uint atomtune_coordinated_exchange(const atomtune_coordination *c,
                                                 __local uint *words, const int takes_part,
                                                 const uint target, const uint value) {
  return atomtune_coordinated(c, words, takes_part, ATOMTUNE_EXCHANGE, target, 0, value);
}

// As atomic_cmpxchg: the target becomes value where it is the expected one.
static inline uint atomtune_coordinated_compare_exchange(const atomtune_coordination *c,
                                                         __local uint *words, const int takes_part,
                                                         const uint target, const uint expected,
                                                         const uint value) {
  return atomtune_coordinated(c, words, takes_part, ATOMTUNE_COMPARE_EXCHANGE, target, expected,
                              value);
}

// Says that the caller's wavefront asks no more. Every work-item of a requesting
// group calls it once, after its last operation.
static inline void atomtune_finish(const atomtune_coordination *c) {
  if (get_local_id(0) % ATOMTUNE_WAVEFRONT != 0) return;
  ATOMTUNE_FENCE();
  c->finished[atomtune_slot()] = 1;
}

// What the coordinator knows of a slot in this round, in local memory.
typedef struct {
  uint request;
  uint operand;  // after step 2 what to add: in the first slot of a target for all that name it
  uint expected;
} atomtune_asked;

static inline uint atomtune_op_of(const atomtune_asked asked) { return (asked.request - 1) % 4; }

// Whether a slot has a request of the target that another request names.
static inline int atomtune_names(const atomtune_asked asked, const uint request) {
  return asked.request != 0 && atomtune_target_of(asked.request) == atomtune_target_of(request);
}

// Step 1: reads the request of a slot, and its operand only after it.
static inline atomtune_asked atomtune_read_request(const atomtune_coordination *c,
                                                   const uint slot) {
  atomtune_asked asked;
  asked.request = c->request[slot];
  ATOMTUNE_FENCE();
  asked.operand = asked.request != 0 ? c->operand[slot] : 0;
  asked.expected = asked.request != 0 ? c->expected[slot] : 0;
  return asked;
}

// Step 2: writes what the target holds before a slot's request. Where all requests are additions
// it adds the slot's operand to that of the first slot with the same target; else the first slot
// executes the requests of all.
static inline void atomtune_answer(const atomtune_coordination *c, __local atomtune_asked *asked,
                                   const uint slot, const int adds) {
  const uint request = asked[slot].request;
  if (request == 0) return;
  uint first = 0;
  while (!atomtune_names(asked[first], request)) ++first;
  const uint before = c->targets[atomtune_target_of(request)];
  if (adds) {
    uint prefix = 0;
    if (first != slot) {
      prefix = atomic_add((volatile __local uint *)&asked[first].operand, asked[slot].operand);
      asked[slot].operand = 0;
    }
    c->before[slot] = before + prefix;
  } else if (first == slot) {
    uint value = before;
    for (uint other = slot; other < c->wavefronts; ++other) {
      if (!atomtune_names(asked[other], request)) continue;
      c->before[other] = value;
      value = atomtune_applied(atomtune_op_of(asked[other]), value, asked[other].operand,
                               asked[other].expected);
      asked[other].operand = 0;
    }
    asked[slot].operand = value - before;
  }
}

// The coordinator: serves requests until all wavefronts have finished. Called by
// every work-item of group 0; words is the group's local memory. Figure 7.
static inline void atomtune_coordinate(const atomtune_coordination *c, __local uint *words) {
  __local uint *finished = words;
  __local uint *requests = words + 1;
  __local uint *others = words + 2;  // whether a request is no addition
  __local atomtune_asked *asked = (__local atomtune_asked *)(words + 3);
  const uint lane = get_local_id(0), lanes = get_local_size(0);
  uint idle = 0;
  int serves;
  if (lane == 0) *others = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  do {
    for (uint slot = lane; slot < c->wavefronts; slot += lanes) {
      asked[slot] = atomtune_read_request(c, slot);
      if (asked[slot].request != 0 && atomtune_op_of(asked[slot]) != ATOMTUNE_ADD) *others = 1;
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (lane == 0) *finished = *requests = 0;
    for (uint slot = lane; slot < c->wavefronts; slot += lanes) {
      atomtune_answer(c, asked, slot, *others == 0);
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (lane == 0) *others = 0;
    for (uint slot = lane; slot < c->wavefronts; slot += lanes) {
      if (c->finished[slot] != 0) atomic_inc(finished);
      if (asked[slot].request == 0) continue;
      atomic_inc(requests);
      // A slot that is not the first of its target adds 0; only the first one may write.
      if (asked[slot].operand != 0) {
        c->targets[atomtune_target_of(asked[slot].request)] += asked[slot].operand;
      }
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
