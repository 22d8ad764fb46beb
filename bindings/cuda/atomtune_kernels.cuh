// Whole kernels, to be launched with <<<blocks, threads, shared bytes>>>. An index is a pointer to targets, or
// below(index, K), which leaves out updates of others:
//
//   update_global<Form>         updates A directly; with HashPeers PeerPlaces::bytes(threads) bytes
//   update_sr_block             the same by sr of whole blocks, RunRecords<T>::bytes(threads) bytes
//   update_private<Form>        copies in shared memory, copies.words() * sizeof(T) bytes,
//                               of all targets (Copies) or of a range (RangedCopies)
//   update_hot<Form>            hot targets in shared memory, table.bytes<T>() bytes
//   fetch_update_global<Form>, fetch_update_private, fetch_update_hot
//                               the same with the old value of each update, the last two
//                               without a form, and copies of all targets
//   fill_hot                    its table from a sample: <<<sample.blocks(), 1024,
//                               sample.bytes(sample.blocks())>>>
//   offer_hot, then take_hot    its table from counts of all targets; find_hot_tags launches both
//   update_threadprivate, then sum_threadprivate
//                               counters per thread, bins * threads * sizeof(T) bytes
//
// Form is Naive, ScanReduce, VoteReduce, Peers or Match, where A is updated directly HashPeers
// too; values is Loaded<T>{pointer} or Ones{}. All of them add to A. update_private<Form, 4>
// and so on have 4 updates in flight per thread, where 1, 2, 4 or 8 may stand. atomtune.cuh says
// which grids suit. More than 48 KiB of shared memory must be allowed with cudaFuncSetAttribute
// first.
#pragma once

#include "atomtune.cuh"
#include "atomtune_hash.cuh"
#include "atomtune_hot_tags.cuh"
#include "atomtune_index.cuh"
#include "atomtune_private_fetch.cuh"

namespace atomtune {

extern __shared__ __align__(16) unsigned char dynamic_shared[];

template <typename Form, int Unroll = 1, typename T, typename Values,
          typename Index = const uint32_t*>
__global__ void update_global(T* A, Index index, Values values, size_t updates) {
  global_update<Form, Unroll>(A, index, values, updates);
}

// fetch_update_global writes what update u found to old[u].
template <typename Form, int Unroll = 1, typename T, typename Values,
          typename Index = const uint32_t*>
__global__ void fetch_update_global(T* A, Index index, Values values, T* old, size_t updates) {
  global_fetch_update<Form, Unroll>(A, index, values, old, updates);
}

template <typename T, typename Values, typename Index = const uint32_t*>
__global__ void __launch_bounds__(1024)
    update_sr_block(T* A, Index index, Values values, size_t updates) {
  sr_block_update(A, index, values, updates, dynamic_shared);
}

// Layout is Copies or RangedCopies.
template <typename Form, int Unroll = 1, typename T, typename Values, typename Layout,
          typename Index = const uint32_t*>
__global__ void __launch_bounds__(1024)
    update_private(T* A, Index index, Values values, size_t updates,
                   Layout copies) {
  private_update<Form, Unroll>(A, index, values, updates, copies,
                               reinterpret_cast<T*>(dynamic_shared));
}

template <typename Form, int Unroll = 1, typename T, typename Values,
          typename Index = const uint32_t*>
__global__ void __launch_bounds__(1024)
    update_hot(T* A, Index index, Values values, size_t updates,
               HotTable table) {
  hot_update<Form, Unroll>(A, index, values, updates, table, dynamic_shared);
}

// fetch_update_private writes what update u found to old[u].
template <int Unroll = 1, typename T, typename Values, typename Index = const uint32_t*>
__global__ void __launch_bounds__(1024)
    fetch_update_private(T* A, Index index, Values values, T* old,
                         size_t updates, Copies copies) {
  private_fetch_update<Unroll>(A, index, values, old, updates, copies,
                               reinterpret_cast<T*>(dynamic_shared));
}

// fetch_update_hot writes what update u found to old[u].
template <int Unroll = 1, typename T, typename Values, typename Index = const uint32_t*>
__global__ void __launch_bounds__(1024)
    fetch_update_hot(T* A, Index index, Values values, T* old,
                     size_t updates, HotTable table) {
  hot_fetch_update<Unroll>(A, index, values, old, updates, table, dynamic_shared);
}

// fill_hot writes the tags of a HotTable, sample.slots of them.
template <int threads = 1024, typename Index>
__global__ void __launch_bounds__(threads)
    fill_hot(uint32_t* tags, Index index, size_t updates,
             HotSample sample) {
  sample_hot(tags, index, updates, sample, dynamic_shared);
}

template <int threads = 256>
__global__ void __launch_bounds__(threads)
    offer_hot(unsigned long long* best, uint32_t slots, const uint32_t* __restrict__ counts,
              uint32_t bins) {
  offer_tags(best, slots, counts, bins);
}

template <int threads = 256>
__global__ void __launch_bounds__(threads)
    take_hot(uint32_t* tags, const unsigned long long* __restrict__ best, uint32_t slots) {
  take_tags(tags, best, slots);
}

// find_hot_tags writes the tags of a table of so many slots, where counts says how many updates
// each of the bins targets receives. All is on the device; best has slots numbers that are 0.
inline cudaError_t find_hot_tags(uint32_t* tags, unsigned long long* best, uint32_t slots,
                                 const uint32_t* counts, uint32_t bins,
                                 cudaStream_t stream = nullptr) {
  const unsigned blocks = bins / 256 < 2048 ? bins / 256 + 1 : 2048;
  offer_hot<><<<blocks, 256, 0, stream>>>(best, slots, counts, bins);
  take_hot<><<<slots / 256 + 1, 256, 0, stream>>>(tags, best, slots);
  return cudaGetLastError();
}

// update_threadprivate writes partial[target][block], bins * gridDim.x sums.
template <int Unroll = 1, typename T, typename Values, typename Index = const uint32_t*>
__global__ void update_threadprivate(T* partial, Index index,
                                     Values values, size_t updates, uint32_t bins) {
  threadprivate_update<Unroll>(partial, index, values, updates, bins,
                               reinterpret_cast<T*>(dynamic_shared));
}

// sum_threadprivate adds the partial sums of blocks blocks, with a warp per target.
template <typename T>
__global__ void sum_threadprivate(T* A, const T* __restrict__ partial, uint32_t bins,
                                  uint32_t blocks) {
  sum_partials(A, partial, bins, blocks);
}

}  // namespace atomtune
