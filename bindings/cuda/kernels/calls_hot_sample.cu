// The sample of a stream's indices that fills a table of hot targets.
#include "../atomtune_hot_tags.cuh"
#include "calls.cuh"

extern "C" __global__ void __launch_bounds__(1024)
    sample_hot(uint32_t* tags, const uint32_t* index, uint64_t updates, uint32_t slots,
               uint32_t samples) {
  atomtune::sample_hot(tags, index, updates, atomtune::HotSample{slots, samples},
                       calls::shared_bytes);
}
