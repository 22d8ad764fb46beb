// A whole stream of updates in one kernel: the forms as types, so that one body
// serves them all, the two kinds of value, and the loop over the stream.
#pragma once

#include <cstddef>

#include "atomtune_fetch.cuh"

namespace atomtune {

// A form as a type: add_to with a destination, fetch_add with an array. mask names the
// lanes that call together, draw is vr's.
struct Naive {
  template <typename Target, typename K, typename V>
  static __device__ __forceinline__ void add_to(Target target, K i, V v, unsigned,
                                                unsigned) {
    target.add(i, v);
  }
  template <typename T, typename I, typename V>
  static __device__ __forceinline__ T fetch_add(T* A, I i, V v, unsigned, unsigned) {
    return fetch_add_naive(A, i, v);
  }
};

struct ScanReduce {
  template <typename Target, typename K, typename V>
  static __device__ __forceinline__ void add_to(Target target, K i, V v, unsigned mask,
                                                unsigned) {
    add_sr_to(target, i, v, mask);
  }
  template <typename T, typename I, typename V>
  static __device__ __forceinline__ T fetch_add(T* A, I i, V v, unsigned mask, unsigned) {
    return fetch_add_sr(A, i, v, mask);
  }
};

struct VoteReduce {
  template <typename Target, typename K, typename V>
  static __device__ __forceinline__ void add_to(Target target, K i, V v, unsigned mask,
                                                unsigned draw) {
    add_vr_to(target, i, v, mask, draw);
  }
  template <typename T, typename I, typename V>
  static __device__ __forceinline__ T fetch_add(T* A, I i, V v, unsigned mask,
                                                unsigned draw) {
    return fetch_add_vr(A, i, v, mask, draw);
  }
};

struct Peers {
  template <typename Target, typename K, typename V>
  static __device__ __forceinline__ void add_to(Target target, K i, V v, unsigned mask,
                                                unsigned) {
    add_peers_to(target, i, v, mask);
  }
  template <typename T, typename I, typename V>
  static __device__ __forceinline__ T fetch_add(T* A, I i, V v, unsigned mask, unsigned) {
    return fetch_add_peers(A, i, v, mask);
  }
};

struct Match {
  template <typename Target, typename K, typename V>
  static __device__ __forceinline__ void add_to(Target target, K i, V v, unsigned mask,
                                                unsigned) {
    add_match_to(target, i, v, mask);
  }
  template <typename T, typename I, typename V>
  static __device__ __forceinline__ T fetch_add(T* A, I i, V v, unsigned mask, unsigned) {
    return fetch_add_match(A, i, v, mask);
  }
};

// Loaded reads each update's value from memory.
template <typename T>
struct Loaded {
  const T* values;
  __device__ __forceinline__ T operator[](size_t u) const { return __ldg(values + u); }
};

// Ones adds the constant 1 and reads nothing.
struct Ones {
  __device__ __forceinline__ One operator[](size_t) const { return {}; }
};

// An index is a pointer to targets, or a CheckedIndex or AnyIndex (atomtune_index.cuh). load_index reads
// that of update u as it stands, target_of makes a target of it, which may be no_target.
// They are apart so that the loads of several updates are under way together.
template <typename Index>
__device__ __forceinline__ auto load_index(Index index, size_t u) {
  if constexpr (std::is_pointer_v<Index>) {
    return __ldg(index + u);
  } else {
    return index.load(u);
  }
}

// IndexWord is what load_index reads.
template <typename Index>
using IndexWord = decltype(load_index(Index(), size_t()));

// load_indices reads the indices of the updates at(0), at(1) and so on together. An AnyIndex waits
// for them, so that values which do not depend on an index are loaded before.
template <int n, typename Index, typename At>
__device__ __forceinline__ void load_indices(Index index, IndexWord<Index> (&word)[n],
                                             const At& at) {
  if constexpr (std::is_pointer_v<Index>) {
#pragma unroll
    for (int k = 0; k < n; ++k) word[k] = __ldg(index + at(k));
  } else {
    index.load_all(word, at);
  }
}

template <typename Index, typename Word>
__device__ __forceinline__ uint32_t target_of(Index index, Word i) {
  if constexpr (std::is_pointer_v<Index>) {
    return static_cast<uint32_t>(i);
  } else {
    return index.target(i);
  }
}

// target_at is the target of update u.
template <typename Index>
__device__ __forceinline__ uint32_t target_at(Index index, size_t u) {
  return target_of(index, load_index(index, u));
}

// Share says which blocks read a stream together, by grid stride, and which of them the
// caller's is.
struct Share {
  unsigned block, blocks;
};

__device__ __forceinline__ Share whole_grid() { return {blockIdx.x, gridDim.x}; }

// draw_of is the draw of update u, the same for the 32 updates of a warp's turn.
__device__ __forceinline__ unsigned draw_of(size_t u) {
  return (unsigned(u / 32) * 2654435769u) >> 27;
}

// is_checked reports whether an index may say no_target.
template <typename Index>
inline constexpr bool is_checked = !std::is_pointer_v<Index>;

// no_target is the target of an update that is not made. It is the tag of an empty slot of
// a HotTable too, and so no target may have that number.
inline constexpr uint32_t no_target = 0xffffffffu;

// known_target is i, which compilers may take for a target.
__device__ __forceinline__ uint32_t known_target(uint32_t i) {
#if defined(__CUDA_ARCH__)
  __builtin_assume(i != no_target);
#endif
  return i;
}

// value_at is the value of update u, whose index is word, where the body wants it.
template <typename Body, typename Word, typename Values>
__device__ __forceinline__ auto value_at(const Body& body, Word word, Values values, size_t u) {
  using Value = decltype(values[u]);
  if constexpr (Body::takes_all) {
    return values[u];
  } else {
    return body.takes(static_cast<uint32_t>(word)) ? values[u] : Value();
  }
}

// prepared are values to read in a kernel, and number_for is what an update of target i adds, given
// what values[u] has read. Values that make more of it have functions of their own.
template <typename Values>
__device__ __forceinline__ Values prepared(const Values& values) {
  return values;
}
template <typename Values, typename V>
__device__ __forceinline__ V number_for(const Values&, uint32_t, V v) {
  return v;
}

// add_turns has body add the updates of Turns turns of a whole warp, u and those step apart, in
// their order. It loads all before it adds the first. As a rule all indices of the warp are targets:
// one branch settles that for all turns. Else the turns share one add in a loop, so that there is
// little to compile.
template <int Turns, typename Index, typename Values, typename Body>
__device__ __forceinline__ void add_turns(Index index, Values values, size_t u, size_t step,
                                          const Body& body) {
  IndexWord<Index> word[Turns];
  decltype(values[u]) v[Turns];
  const auto at = [=](int k) { return u + k * step; };
  // What reads every value does not wait for an index.
  if constexpr (Body::takes_all) {
#pragma unroll
    for (int k = 0; k < Turns; ++k) v[k] = values[at(k)];
  }
  load_indices(index, word, at);
  if constexpr (!Body::takes_all) {
#pragma unroll
    for (int k = 0; k < Turns; ++k) v[k] = value_at(body, word[k], values, at(k));
  }
  if constexpr (is_checked<Index>) {
    bool plain = true;
#pragma unroll
    for (int k = 0; k < Turns; ++k) plain = plain && index.plain(word[k]);
    if (__any_sync(full_warp, !plain)) {
#pragma unroll 1
      for (int turn = 0; turn < Turns; ++turn) {
        const uint32_t i = target_of(index, word[0]);
        body.add(at(turn), i, number_for(values, i, v[0]), full_warp, draw_of(at(turn)));
#pragma unroll
        for (int k = 1; k < Turns; ++k) word[k - 1] = word[k], v[k - 1] = v[k];
      }
      return;
    }
  }
#pragma unroll
  for (int k = 0; k < Turns; ++k) {
    const uint32_t i = known_target(static_cast<uint32_t>(word[k]));
    body.add(at(k), i, number_for(values, i, v[k]), full_warp, draw_of(at(k)));
  }
}

// for_each_update has body add every update of the stream that falls to the caller, update
// u on lane u % 32 of its warp, in a grid-stride loop over the blocks of share. Blocks are
// one-dimensional with whole warps. A body is
//
//   static constexpr bool takes_all;    whether the value of every update is wanted; else
//   bool takes(uint32_t i) const;       whether that of an update of i is
//   void add(size_t u, uint32_t i, V v, unsigned mask, unsigned draw) const;
//
// where mask names the lanes that have an update, and draw is a number that is new for
// each warp and turn. A thread loads the indices and values of Unroll turns, 1, 2, 4 or 8,
// before it adds the first; turns that do not fill Unroll are made one by one. The stream's last,
// partial warp stands apart, since a constant mask saves a test of it before each warp primitive.
template <int Unroll, typename Index, typename Values, typename Body>
__device__ __forceinline__ void for_each_update(Share share, Index index, Values given,
                                                size_t updates, const Body& body) {
  static_assert(Unroll == 1 || Unroll == 2 || Unroll == 4 || Unroll == 8,
                "1, 2, 4 or 8 updates in flight");
  const auto values = prepared(given);
  const unsigned lane = threadIdx.x % 32;
  const size_t step = size_t(share.blocks) * blockDim.x;
  size_t base = size_t(share.block) * blockDim.x + threadIdx.x - lane;
  if constexpr (Unroll > 1) {
    for (; base + (Unroll - 1) * step + 32 <= updates; base += Unroll * step) {
      add_turns<Unroll>(index, values, base + lane, step, body);
    }
  }
  for (; base + 32 <= updates; base += step) {
    add_turns<1>(index, values, base + lane, step, body);
  }
  if (base + lane < updates) {
    const size_t u = base + lane;
    const IndexWord<Index> word = load_index(index, u);
    const uint32_t i = target_of(index, word);
    body.add(u, i, number_for(values, i, value_at(body, word, values, u)),
             (1u << (updates - base)) - 1u, draw_of(u));
  }
}

// AddTo adds to a destination by a form.
template <typename Form, typename Target>
struct AddTo {
  Target target;

  static constexpr bool takes_all = true;

  template <typename V>
  __device__ __forceinline__ void add(size_t, uint32_t i, V v, unsigned mask,
                                      unsigned draw) const {
    Form::add_to(target, i, v, mask, draw);
  }
};

// GuardedTarget is ArrayTarget that makes no update of no_target.
template <typename T>
struct GuardedTarget {
  using Sum = T;
  T* A;

  template <typename V>
  __device__ __forceinline__ void add(uint32_t i, V v) const {
    if (i != no_target) atomic_add<T>(A + i, v);
  }
};

// TargetOf is an array to which updates by an index add by atomics.
template <typename T, typename Index>
using TargetOf = std::conditional_t<is_checked<Index>, GuardedTarget<T>, ArrayTarget<T>>;

template <typename Form, typename T, typename Index = const uint32_t*>
using AddToArray = AddTo<Form, TargetOf<T, Index>>;

// global_update applies every update to A: A[index[u]] += values[u], with Unroll updates in
// flight per thread. Any grid is right; a grid that fills the device once, 2,048 threads
// an SM, is enough.
template <typename Form, int Unroll = 1, typename T, typename Index, typename Values>
__device__ __forceinline__ void global_update(T* A, Index index, Values values,
                                              size_t updates) {
  for_each_update<Unroll>(whole_grid(), index, values, updates,
                          AddToArray<Form, T, Index>{{A}});
}

// FetchTo is AddTo that writes what update u found to old[u]. Where the index is Checked,
// nothing is written for an update that is not made.
template <typename Form, typename T, bool Checked = false>
struct FetchTo {
  T* A;
  T* old;

  static constexpr bool takes_all = true;

  template <typename V>
  __device__ __forceinline__ void add(size_t u, uint32_t i, V v, unsigned mask,
                                      unsigned draw) const {
    if constexpr (Checked) {
      mask = __ballot_sync(mask, i != no_target);
      if (i == no_target) return;
    }
    old[u] = Form::fetch_add(A, i, v, mask, draw);
  }
};

// global_fetch_update is global_update that writes what update u found to old[u].
template <typename Form, int Unroll = 1, typename T, typename Index, typename Values>
__device__ __forceinline__ void global_fetch_update(T* A, Index index, Values values,
                                                    T* old, size_t updates) {
  for_each_update<Unroll>(whole_grid(), index, values, updates,
                          FetchTo<Form, T, is_checked<Index>>{A, old});
}

}  // namespace atomtune
