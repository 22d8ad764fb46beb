// The columns of scratchpad.csv whose lanes may run apart, from compute capability
// 7.0 on.
#include "scratchpad.cuh"

namespace {

// The relaxed load asks for a target of that capability: for older ones a compiler
// keeps the lanes of a warp together, which makes another loop.
__device__ __forceinline__ uint32_t load_relaxed(uint32_t* p) {
  uint32_t v;
  asm volatile("ld.relaxed.cta.shared.u32 %0, [%1];"
               : "=r"(v) : "r"(uint32_t(__cvta_generic_to_shared(p))) : "memory");
  return v;
}

// CasFree adds by the loop that a programmer writes first: it uses what the exchange
// returned in place of reading again. The warp comes together after the loop. Lanes
// that take no part read the word.
struct CasFree {
  static constexpr bool whole_warp = true;
  template <typename T>
  static __device__ __forceinline__ T apply(T* p, T v, bool active) {
    uint32_t* const word = reinterpret_cast<uint32_t*>(p);
    uint32_t old = load_relaxed(word), assumed = 0;
    if (active) {
      do {
        assumed = old;
        old = atomicCAS(word, assumed, add_bits(assumed, v));
      } while (old != assumed);
    }
    __syncwarp();
    T result;
    from_bits(old, &result);
    return result;
  }
};

}  // namespace

SCRATCHPAD(u32_casfree, CasFree, uint32_t)
SCRATCHPAD(f32_casfree, CasFree, float)
