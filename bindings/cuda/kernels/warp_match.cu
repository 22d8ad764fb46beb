// The match instruction, from compute capability 7.0 on.
#include "warp.cuh"

namespace {

struct MatchAny {  // and a logical operation, which keeps the keys as they are
  static __device__ __forceinline__ uint32_t next(uint32_t v, uint32_t zero) {
    return v | (__match_any_sync(full_warp, v) & zero);
  }
};

}  // namespace

WARP_OPERATION(match_any, Word<MatchAny>)
