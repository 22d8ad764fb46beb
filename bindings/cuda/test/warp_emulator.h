// One warp on the host, so that the device functions of atomtune.cuh can be
// tested without a GPU. A block is one warp or as many as are asked for, and blocks run one
// after the other.
//
// Each lane is a coroutine. A warp primitive suspends its lane until all lanes
// that its mask names have called the same primitive with the same mask; lanes
// that wait for each other in vain, or that disagree about the mask, end the
// program with a message. One lane runs at a time, and an atomic is one step of it; once
// interleave is called, a random lane goes on before each atomic.
#pragma once

#include <setjmp.h>
#include <ucontext.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <vector>

#define __device__
#define __host__
#define __global__
#define __shared__
#define __forceinline__ inline
#define __grid_constant__
#define __launch_bounds__(threads)
#define __align__(bytes) __attribute__((aligned(bytes)))

struct dim3_value {
  unsigned x, y, z;
};
inline dim3_value threadIdx{0, 0, 0};
inline dim3_value blockIdx{0, 0, 0};
inline dim3_value blockDim{32, 1, 1};
inline dim3_value gridDim{1, 1, 1};

// Body refers to what lanes do. Unlike std::function it adds but two functions to each lambda.
struct Body {
  template <typename F>
  Body(const F& f) : made(&f), call(&call_made<F>) {}
  template <typename F>
  static void call_made(const void* f) {
    (*static_cast<const F*>(f))();
  }
  const void* made;
  void (*call)(const void*);
};

class Warp {
 public:
  // run executes body on each lane of active, in the order given by turn, of each of the warps of
  // a block.
  void run(unsigned active, Body body, unsigned warps = 1) {
    active_ = active;
    body_ = &body;
    warps_.resize(warps);
    for (State& warp : warps_) warp.waiting = warp.finished = warp.arrived = 0;
    blockDim.x = 32 * warps;
    for (bool progressed = true; progressed;) {
      progressed = false;
      for (warp_ = 0; warp_ < warps; ++warp_) {
        for (int lane = 0; lane < 32; ++lane) {
          if (!((active & ~mine().finished & ~mine().waiting) >> lane & 1u)) continue;
          progressed = true;
          if (interleaving_ && random_() % 2 == 0) continue;
          resume(lane);
        }
      }
    }
    blockDim.x = 32;
    for (const State& warp : warps_) {
      if (warp.finished != active) fail("lanes wait for lanes that never come");
    }
  }

  // meet exchanges word among the lanes of mask and returns all their words.
  const uint64_t* meet(int primitive, unsigned mask, uint64_t word) {
    Lane& lane = mine().lanes[current_];
    if (!(mask >> current_ & 1u)) fail("a lane calls with a mask without itself");
    if (mask & ~active_) fail("a mask names a lane that is not active");
    lane.primitive = primitive;
    lane.mask = mask;
    lane.word = word;
    mine().waiting |= 1u << current_;
    if (complete(mask, primitive)) release(mask);
    while (mine().waiting >> current_ & 1u) pause();
    return lane.words;
  }

  // meet_block waits for all lanes of the block's warps.
  void meet_block(int primitive) {
    meet(primitive, active_, 0);
    mine().arrived |= 1u << current_;
    mine().waiting |= 1u << current_;
    bool all = true;
    for (const State& warp : warps_) all = all && warp.arrived == active_;
    for (State& warp : warps_) {
      if (all) warp.waiting = warp.arrived = 0;
    }
    while (mine().waiting >> current_ & 1u) pause();
  }

  // interleave has lanes give way to others before their atomics, at random.
  void interleave(unsigned seed) {
    interleaving_ = true;
    random_.seed(seed);
  }

  // watch has the atomics on the bytes from first to end counted as watched too.
  void watch(const void* first, const void* end) {
    first_ = static_cast<const char*>(first);
    end_ = static_cast<const char*>(end);
    atomics = watched = 0;
  }

  // begin_atomic counts an atomic that the current lane is about to make on target.
  void begin_atomic(const void* target) {
    const char* const byte = static_cast<const char*>(target);
    ++atomics;
    if (first_ <= byte && byte < end_) ++watched;
    if (interleaving_) pause();
  }

  unsigned active() const { return active_; }
  int current() const { return current_; }
  long atomics = 0, watched = 0;

  [[noreturn]] static void fail(const char* what) {
    std::fprintf(stderr, "warp emulator: %s\n", what);
    std::exit(1);
  }

 private:
  struct Lane {
    jmp_buf place;  // where it goes on
    std::vector<char> stack;
    bool begun = false;
    int primitive = 0;
    unsigned mask = 0;
    uint64_t word = 0;
    uint64_t words[32] = {};
  };

  // State is that of a warp. Lanes are where they are, since stacks refer to them.
  struct State {
    std::unique_ptr<Lane[]> lanes{new Lane[32]};
    unsigned waiting = 0, finished = 0, arrived = 0;  // lanes, the last at the block's barrier
  };

  State& mine() { return warps_[warp_]; }

  // enter is what a lane does on its stack: one body after another.
  [[noreturn]] static void enter();

  // begin enters a lane for the first time. Later turns are jumps: unlike swapcontext, they
  // leave the signal mask alone, and with it the system.
  [[noreturn]] static void begin(Lane& l) {
    l.begun = true;
    l.stack.resize(64 << 10);
    ucontext_t first;
    getcontext(&first);
    first.uc_stack.ss_sp = l.stack.data();
    first.uc_stack.ss_size = l.stack.size();
    first.uc_link = nullptr;
    makecontext(&first, &Warp::enter, 0);
    setcontext(&first);
    fail("no stack for a lane");
  }

  // pause has the current lane wait for its next turn.
  void pause() {
    if (_setjmp(mine().lanes[current_].place) == 0) _longjmp(scheduler_, 1);
  }

  void resume(int lane) {
    current_ = lane;
    threadIdx.x = 32 * warp_ + unsigned(lane);
    if (_setjmp(scheduler_) != 0) return;
    if (!mine().lanes[lane].begun) begin(mine().lanes[lane]);
    _longjmp(mine().lanes[lane].place, 1);
  }

  bool complete(unsigned mask, int primitive) {
    if ((mask & ~mine().waiting) != 0) return false;
    for (int lane = 0; lane < 32; ++lane) {
      if (!(mask >> lane & 1u)) continue;
      const Lane& l = mine().lanes[lane];
      if (l.mask != mask) {
        if (l.mask >> current_ & 1u) fail("lanes disagree about the mask");
        return false;  // it is held up by others, and comes later
      }
      if (l.primitive != primitive) fail("lanes disagree about the primitive");
    }
    return true;
  }

  void release(unsigned mask) {
    uint64_t words[32];
    for (int lane = 0; lane < 32; ++lane) {
      words[lane] = mask >> lane & 1u ? mine().lanes[lane].word : 0xdeadbeefdeadbeefu;
    }
    for (int lane = 0; lane < 32; ++lane) {
      if (!(mask >> lane & 1u)) continue;
      std::memcpy(mine().lanes[lane].words, words, sizeof words);
    }
    mine().waiting &= ~mask;
  }

  std::vector<State> warps_;
  jmp_buf scheduler_;
  const Body* body_ = nullptr;
  const char *first_ = nullptr, *end_ = nullptr;
  unsigned active_ = 0;  // lanes
  unsigned warp_ = 0;
  int current_ = 0;  // lane of the warp
  bool interleaving_ = false;
  std::minstd_rand random_;
};

inline Warp the_warp;

inline void Warp::enter() {
  for (;;) {
    the_warp.body_->call(the_warp.body_->made);
    the_warp.mine().finished |= 1u << the_warp.current_;
    the_warp.pause();
  }
}

enum Primitive {
  shuffle,
  shuffle_up,
  shuffle_down,
  shuffle_xor,
  ballot,
  any,
  match,
  barrier
};

template <typename T>
uint64_t to_word(T v) {
  uint64_t word = 0;
  std::memcpy(&word, &v, sizeof v);
  return word;
}

template <typename T>
T from_word(uint64_t word) {
  T v;
  std::memcpy(&v, &word, sizeof v);
  return v;
}

template <typename T>
T __shfl_sync(unsigned mask, T v, int source) {
  return from_word<T>(the_warp.meet(shuffle, mask, to_word(v))[source & 31]);
}

template <typename T>
T __shfl_up_sync(unsigned mask, T v, unsigned delta) {
  const uint64_t* words = the_warp.meet(shuffle_up, mask, to_word(v));
  const int source = the_warp.current() - int(delta);
  return from_word<T>(words[source < 0 ? the_warp.current() : source]);
}

template <typename T>
T __shfl_down_sync(unsigned mask, T v, unsigned delta) {
  const uint64_t* words = the_warp.meet(shuffle_down, mask, to_word(v));
  const int source = the_warp.current() + int(delta);
  return from_word<T>(words[source > 31 ? the_warp.current() : source]);
}

template <typename T>
T __shfl_xor_sync(unsigned mask, T v, int bits) {
  return from_word<T>(
      the_warp.meet(shuffle_xor, mask, to_word(v))[the_warp.current() ^ bits]);
}

inline void __syncthreads() { the_warp.meet_block(barrier); }
inline int __syncthreads_or(int predicate) {
  static bool any;
  __syncthreads();
  any = false;
  __syncthreads();
  any = any || predicate != 0;
  __syncthreads();
  return any;
}
inline void __syncwarp(unsigned mask) { the_warp.meet(barrier, mask, 0); }
// Threads run one after the other, so that what one wrote is there for the next.
inline void __threadfence() {}

template <typename T>
T __ldg(const T* p) {
  return *p;
}

inline unsigned lanes_with(const uint64_t* words, unsigned mask, uint64_t word) {
  unsigned lanes = 0;
  for (int lane = 0; lane < 32; ++lane) {
    if ((mask >> lane & 1u) && words[lane] == word) lanes |= 1u << lane;
  }
  return lanes;
}

inline unsigned __ballot_sync(unsigned mask, int predicate) {
  return lanes_with(the_warp.meet(ballot, mask, predicate != 0), mask, 1);
}

inline int __any_sync(unsigned mask, int predicate) {
  return lanes_with(the_warp.meet(any, mask, predicate != 0), mask, 1) != 0;
}

template <typename T>
unsigned __match_any_sync(unsigned mask, T key) {
  const uint64_t word = to_word(key);
  return lanes_with(the_warp.meet(match, mask, word), mask, word);
}

inline unsigned __activemask() { return the_warp.active(); }
inline int __popc(unsigned bits) { return __builtin_popcount(bits); }
inline int __ffs(int bits) { return __builtin_ffs(bits); }
inline int __clz(int bits) { return bits == 0 ? 32 : __builtin_clz(unsigned(bits)); }
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  return unsigned((uint64_t(high) << 32 | low) >> (shift & 31));
}

#include "emulated_atomics.h"
