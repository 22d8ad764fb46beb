// Where the tags of a HotTable come from: known frequencies, on the host or on the device,
// or a sample of the stream's indices, on the device.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "atomtune_hot.cuh"

namespace atomtune {

// TargetCount is a target and how many updates it receives.
using TargetCount = std::pair<uint32_t, size_t>;

// slots_shift is hash_shift on the host, of a number of slots that a table may have;
// else it throws std::invalid_argument.
inline unsigned slots_shift(uint32_t slots) {
  for (unsigned bits = 4; bits <= 16; ++bits) {
    if (slots == 1u << bits) return 32 - bits;
  }
  throw std::invalid_argument(std::to_string(slots) +
                              " slots are not a power of two from 16 to 65536");
}

// fill_hot_tags gives each slot the most frequent of the targets that hash there, of
// equally frequent ones that with the lowest number. Each target stands once in counts;
// one without an update is left out. A target of 2^32 - 1 throws std::invalid_argument.
inline std::vector<uint32_t> fill_hot_tags(const std::vector<TargetCount>& counts,
                                           uint32_t slots) {
  const unsigned shift = slots_shift(slots);
  std::vector<TargetCount> best(slots, {no_target, 0});
  for (const TargetCount& offer : counts) {
    if (offer.first == no_target) {
      throw std::invalid_argument("target " + std::to_string(no_target) +
                                  " is the tag of an empty slot");
    }
    TargetCount& now = best[hot_slot(offer.first, shift)];
    const bool lower = offer.second == now.second && offer.first < now.first;
    if (offer.second > 0 && (offer.second > now.second || lower)) now = offer;
  }
  std::vector<uint32_t> tags;
  for (const TargetCount& winner : best) tags.push_back(winner.first);
  return tags;
}

// fill_hot_tags of frequencies, of which frequency[target] is that of target, as
// target_counts of atomtune_scatter.cuh makes them.
inline std::vector<uint32_t> fill_hot_tags(const std::vector<size_t>& frequency,
                                           uint32_t slots) {
  std::vector<TargetCount> counts;
  for (size_t target = 0; target < frequency.size(); ++target) {
    if (frequency[target] > 0) {
      counts.emplace_back(static_cast<uint32_t>(target), frequency[target]);
    }
  }
  return fill_hot_tags(counts, slots);
}

// offer_tags and take_tags make the tags of fill_hot_tags on the device: each target that has
// updates, as counts of bins targets say, offers its count and its number to its slot. Of the
// slots numbers of best, 0 before, each keeps the highest count and of equal ones the lowest
// target; an offer that is lower than what stands there is not made.
__device__ __forceinline__ void offer_tags(unsigned long long* best, uint32_t slots,
                                           const uint32_t* counts, uint32_t bins) {
  using Offer = unsigned long long;
  const unsigned shift = hash_shift(slots);
  const size_t first = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  for (size_t k = first; k < bins; k += size_t(gridDim.x) * blockDim.x) {
    const uint32_t count = counts[k], target = static_cast<uint32_t>(k);
    if (count == 0) continue;
    const Offer made = Offer(count) << 32 | Offer(~target);
    Offer* const place = best + hot_slot(target, shift);
    if (made > *static_cast<volatile Offer*>(place)) atomicMax(place, made);
  }
}

__device__ __forceinline__ void take_tags(uint32_t* tags, const unsigned long long* best,
                                          uint32_t slots) {
  const uint32_t first = blockIdx.x * blockDim.x + threadIdx.x;
  for (uint32_t k = first; k < slots; k += gridDim.x * blockDim.x) {
    tags[k] = best[k] == 0 ? no_target : ~static_cast<uint32_t>(best[k]);
  }
}

// HotSample says how a table is filled from a sample: one index of each of samples equal
// stretches, at a place in its stretch that differs from stretch to stretch, so that no
// period of the stream meets that of the sample; each index once where there are no more
// updates than that. Every block of the launch
// owns an equal share of the slots and reads the whole sample.
struct HotSample {
  uint32_t slots;    // those of the table
  uint32_t samples;  // a power of two, 1024 to 1048576
  uint32_t least = 2;  // samples of a target in the table: one says nothing

  // counters is the number of counters of a block with so many slots, each of which may
  // count several targets: 8 a slot, and 4,096 at least.
  __host__ __device__ static uint32_t counters(uint32_t slots) {
    return slots > 512 ? 8 * slots : 4096;
  }

  // blocks is the number of blocks to launch, of 1,024 threads each.
  __host__ __device__ uint32_t blocks() const { return slots > 1024 ? slots / 1024 : 1; }

  // bytes is the shared memory of one of blocks blocks, aligned to 8.
  __host__ __device__ size_t bytes(uint32_t blocks) const {
    const uint32_t own = slots / blocks;
    return own * sizeof(unsigned long long) + counters(own) * sizeof(uint32_t);
  }

  // taken is how many of updates indices are read.
  __device__ __forceinline__ size_t taken(size_t updates) const {
    return updates < samples ? updates : samples;
  }

  // position is where index j of the sample stands: floor((j + f) updates / samples), with
  // the fraction f of j times the golden ratio.
  __device__ __forceinline__ size_t position(size_t j, size_t updates) const {
    if (updates <= samples) return j;
    const size_t within = (size_t(uint32_t(j) * 2654435769u) * updates) >> 32;
    return (j * updates + within) >> (32 - hash_shift(samples));
  }
};

// OwnSlots are the slots of a table that a block fills, and its counters of targets.
struct OwnSlots {
  uint32_t first, number;
  unsigned slot_shift, counter_shift;

  __device__ __forceinline__ uint32_t counter_of(uint32_t target) const {
    return (target * 2246822519u) >> counter_shift;
  }

  // for_each_sample calls body(j, target, slot - first) for each index j of the sample
  // whose target hashes to a slot of the block. Four indices of a thread are loaded
  // before the first is used.
  template <typename Index, typename Body>
  __device__ __forceinline__ void for_each_sample(const HotSample& sample, Index index,
                                                  size_t updates, Body body) const {
    constexpr unsigned together = 4;
    const size_t taken = sample.taken(updates), step = blockDim.x;
    for (size_t base = threadIdx.x; base < taken; base += together * step) {
      uint32_t target[together];
#pragma unroll
      for (unsigned i = 0; i < together; ++i) {
        const size_t j = base + i * step;
        if (j < taken) target[i] = target_at(index, sample.position(j, updates));
      }
#pragma unroll
      for (unsigned i = 0; i < together; ++i) {
        const size_t j = base + i * step;
        if (j >= taken) break;
        const uint32_t slot = hot_slot(target[i], slot_shift) - first;
        if (slot < number) body(static_cast<uint32_t>(j), target[i], slot);
      }
    }
  }
};

// sample_hot writes the tags of a table. A block counts the samples of its slots; then
// each sample offers its target's count and its own number to its slot, which keeps the
// highest count and of equal ones the earliest sample; an offer that is lower than what
// stands there, or of less than sample.least samples, is not made. Targets that share a counter and a
// slot have equal counts: the earliest sample is one of the frequent target's as a rule,
// where the lowest target would be a rare one as often as not.
//
// The blocks of share, of one dimension, are sample.blocks() or any number that divides the
// slots. shared has sample.bytes(blocks) bytes.
template <typename Index>
__device__ __forceinline__ void sample_hot(uint32_t* tags, Index index, size_t updates,
                                           HotSample sample, void* shared,
                                           Share share = whole_grid()) {
  using Offer = unsigned long long;
  const uint32_t number = sample.slots / share.blocks;
  const uint32_t counters = HotSample::counters(number);
  const Offer least = Offer(sample.least) << 32;
  const OwnSlots own{share.block * number, number, hash_shift(sample.slots),
                     hash_shift(counters)};
  Offer* const best = static_cast<Offer*>(shared);
  uint32_t* const count = reinterpret_cast<uint32_t*>(best + number);
  for (uint32_t k = threadIdx.x; k < number; k += blockDim.x) best[k] = least - 1;
  for (uint32_t k = threadIdx.x; k < counters; k += blockDim.x) count[k] = 0;
  __syncthreads();
  own.for_each_sample(sample, index, updates, [&](uint32_t, uint32_t target, uint32_t) {
    atomic_add(count + own.counter_of(target), 1u);
  });
  __syncthreads();
  const auto offer = [&](uint32_t j, uint32_t target, uint32_t slot) {
    const Offer made = Offer(count[own.counter_of(target)]) << 32 | Offer(~j);
    if (made > *static_cast<volatile Offer*>(best + slot)) atomicMax(best + slot, made);
  };
  own.for_each_sample(sample, index, updates, offer);
  __syncthreads();
  for (uint32_t k = threadIdx.x; k < number; k += blockDim.x) {
    const uint32_t j = ~static_cast<uint32_t>(best[k]);
    tags[own.first + k] =
        best[k] >= least ? target_at(index, sample.position(j, updates)) : no_target;
  }
}

}  // namespace atomtune
