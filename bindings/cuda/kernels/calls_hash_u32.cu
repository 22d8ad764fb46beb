// Whole calls of peers with masks by a hash, for u32 and, as sums in two's complement have the same bits, i32 targets.
// shared memory is atomtune::PeerPlaces::bytes.
#include "../atomtune_hash.cuh"
#include "calls.cuh"

CALLS_UPDATE_GLOBAL(peers_hash, atomtune::HashPeers, u32, uint32_t, 1, )
CALLS_UPDATE_OLD(peers_hash, atomtune::HashPeers, u32, uint32_t)
