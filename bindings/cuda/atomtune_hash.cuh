// peers with masks by a hash in shared memory: one atomic per distinct index, as Peers and Match.
// The loop of Peers takes a turn for each distinct index of the warp, this one as many as distinct
// indices meet on one place, mostly one or two. It is for GPUs without the match instruction.
#pragma once

#include "atomtune_stream.cuh"

namespace atomtune {

// PeerPlaces are a warp's places in shared memory, twice its lanes: an index, and the lanes that
// have it.
struct PeerPlaces {
  static constexpr unsigned number = 64;

  uint32_t index[number];
  unsigned peers[number];

  // place_of takes the highest bits of a product with 2^32 over the golden ratio.
  __host__ __device__ static constexpr unsigned place_of(uint32_t i) {
    return (i * 0x9e3779b1u) >> 26;
  }

  // bytes is the shared memory of a block of so many threads.
  __host__ __device__ static constexpr size_t bytes(unsigned threads) {
    return (threads + 31) / 32 * sizeof(PeerPlaces);
  }
};

// find_peers returns the lanes of mask whose index equals the caller's. Each lane writes its index
// to the place of its hash. One of those that write to a place prevails; the lanes that have its
// index make their mask beside it, and the others try again.
__device__ __forceinline__ unsigned find_peers(unsigned mask, uint32_t i, PeerPlaces& places) {
  const unsigned place = PeerPlaces::place_of(i);
  unsigned peers = 0;
  do {
    if (peers == 0) places.index[place] = i;
    __syncwarp(mask);
    const bool mine = peers == 0 && places.index[place] == i;
    if (mine) places.peers[place] = 0;
    __syncwarp(mask);
    if (mine) atomicAdd(&places.peers[place], 1u << lane_id());
    __syncwarp(mask);
    if (mine) peers = places.peers[place];
  } while (__any_sync(mask, peers == 0));
  __syncwarp(mask);  // a lane that reads here may be absent when others write again
  return peers;
}

extern __shared__ PeerPlaces peer_places[];

// HashPeers is a form for updates of global memory. A launch gives PeerPlaces::bytes(threads) bytes
// of shared memory.
struct HashPeers {
  static __device__ __forceinline__ unsigned peers_of(unsigned mask, uint32_t i) {
    return find_peers(mask, i, peer_places[thread_rank() / 32]);
  }
  template <typename Target, typename V>
  static __device__ __forceinline__ void add_to(Target target, uint32_t i, V v, unsigned mask,
                                                unsigned) {
    add_groups_to(target, i, v, mask, peers_of(mask, i));
  }
  template <typename T, typename V>
  static __device__ __forceinline__ T fetch_add(T* A, uint32_t i, V v, unsigned mask, unsigned) {
    return fetch_add_groups(A, i, v, mask, peers_of(mask, i));
  }
};

}  // namespace atomtune
