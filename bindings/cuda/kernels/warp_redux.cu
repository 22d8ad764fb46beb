// arch: compute_80
// The warp's sum in one instruction, from compute capability 8.0 on.
#include "warp.cuh"

namespace {

struct ReduceAdd {
  static __device__ __forceinline__ uint32_t next(uint32_t v, uint32_t) {
    return __reduce_add_sync(full_warp, v);
  }
};

}  // namespace

WARP_OPERATION(reduce_add, Word<ReduceAdd>)
