package coordinator

// Fence is a set of the points at which the protocol orders its accesses. A
// fence on local memory waits for the wavefront's own operations; a fence on
// global memory orders the wavefront's accesses before and after it, and shows
// its writes to the workgroup; a barrier lets the wavefronts of the
// coordinator's workgroup wait for each other, too.
type Fence uint16

// The points, in the order in which a request passes them.
const (
	// FenceChoose stands between the lanes' votes for whose address is served
	// next and the reading of that vote. Only kernels whose wavefronts update
	// several addresses at once have it.
	FenceChoose Fence = 1 << iota
	// FenceClear stands between the clearing of the local sum and the
	// additions to it: Figure 6, line 15 (mem_fence, local).
	FenceClear
	// FenceSum stands between the additions to the local sum and its reading
	// by the dominant thread: Figure 6, line 18 (mem_fence, local).
	FenceSum
	// FencePublish stands between the writing of the sum and that of the
	// address. Figure 6 has no fence there.
	FencePublish
	// FencePoll stands before each reading of the address while the
	// wavefront waits: Figure 6, line 30 (mem_fence, global).
	FencePoll
	// FenceRead stands between the coordinator's reading of the addresses and
	// of the sums. Figure 7 has no fence there.
	FenceRead
	// BarrierLoad ends the first step of Figure 7 (barrier, local).
	BarrierLoad
	// BarrierCombine ends the second step of Figure 7 (barrier, local).
	BarrierCombine
	// FenceRelease is a barrier and a fence on global memory between the
	// writing of old values and variables and the releasing of the
	// wavefronts. Figure 7 has neither.
	FenceRelease
	// FenceUpdate ends the third step of Figure 7 (mem_fence, global). With
	// FenceRead and FenceRelease it has nothing left to do.
	FenceUpdate
)

// Mended are the fences that the protocol needs, each of them.
const Mended = FenceChoose | FenceClear | FenceSum | FencePublish | FencePoll |
	FenceRead | BarrierLoad | BarrierCombine | FenceRelease
