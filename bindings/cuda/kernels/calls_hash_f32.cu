// Whole calls of peers with masks by a hash, for f32 targets.
// shared memory is atomtune::PeerPlaces::bytes.
#include "../atomtune_hash.cuh"
#include "calls.cuh"

CALLS_UPDATE_GLOBAL(peers_hash, atomtune::HashPeers, f32, float, 1, )
CALLS_UPDATE_OLD(peers_hash, atomtune::HashPeers, f32, float)
