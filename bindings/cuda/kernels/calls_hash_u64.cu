// Whole calls of peers with masks by a hash, for u64 and, as sums in two's complement have the same bits, i64 targets.
// shared memory is atomtune::PeerPlaces::bytes.
#include "../atomtune_hash.cuh"
#include "calls.cuh"

CALLS_UPDATE_GLOBAL(peers_hash, atomtune::HashPeers, u64, unsigned long long, 1, )
CALLS_UPDATE_OLD(peers_hash, atomtune::HashPeers, u64, unsigned long long)
