package apps

import (
	"fmt"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim"
	"github.com/atomtune/atomtune/hwsim/internal/arith"
	"github.com/atomtune/atomtune/hwsim/internal/kernel"
	"github.com/atomtune/atomtune/hwsim/internal/machine"
	"github.com/atomtune/atomtune/impl"
)

// MaxVoteBlocks is the largest grid of a voting process: what a grid's first
// dimension holds on every CUDA device, by the compute capability table of the
// CUDA C Programming Guide.
const MaxVoteBlocks = 65535

// Votes is a voting process, [gomezluna13] section 4: each update names one
// place of a vote space and votes there in every space, in shared memory. A
// histogram has one vote space; the centroid update of k-means has a counter
// of the objects in each cluster and one space per component of an object.
//
// A block holds R copies of each space of K words, P words between them. "The
// shared memory allocates all copies of the cluster counter, then all copies
// of the first component, and so on" (section 4.1.1), so that thread t of a
// block of N votes in space s from word s·R·(K+P) + c(t)·(K+P) on, where
//
//	cyclic, offset (1):  c(t) = t mod R
//	block, offset (2):   c(t) = floor(t / floor(N/R)) mod R
//
// At the end each block adds the sums of its copies to global memory.
type Votes struct {
	Device *device.Profile
	// Blocks and Threads shape the launch. The threads of the grid take the
	// updates in turns, as many at a time as there are threads.
	Blocks, Threads int
	// Size is K, the clusters or bins: words of one vote space.
	Size int
	// Spaces are the element types of the vote spaces. The first space is the
	// counter, u32, to which each update adds the constant 1. The others are
	// components of one type of 4 bytes, to which it adds values loaded from
	// memory, where each component is an array of its own.
	Spaces []device.Type
	// Replicas is R, from 1 to Threads; 0 means 1. Pad is P.
	Replicas, Pad int
	Map           impl.Mapping
	// Seed draws the values of the components.
	Seed uint64
}

// VotesResult is the outcome of a simulated voting process.
type VotesResult struct {
	Cycles           uint64 // of the kernel that votes and flushes
	US               float64
	CallUS           float64    // of the call as two events around it see it
	WarpInstructions uint64     // of all kernels
	Correct          bool       // Sums equals the serial reference
	Sums             [][]uint64 // per vote space, bit patterns of its K sums
}

// Run simulates the process over one index per update, all below Size: an
// object's cluster, or a pixel's bin. The sums are checked against a serial
// reference as Run of a Config checks its final array. The indices are not
// modified. Errors are those of Validate, and one that wraps ErrStream says
// that the indices do not fit the process.
func (v Votes) Run(indices []uint32) (VotesResult, error) {
	if err := v.Validate(); err != nil {
		return VotesResult{}, err
	}
	if n := len(indices); n == 0 || n > hwsim.MaxUpdates/len(v.Spaces) {
		return VotesResult{}, fmt.Errorf("%w: %d updates of %d vote spaces, want 1 to %d",
			hwsim.ErrStream, n, len(v.Spaces), hwsim.MaxUpdates/len(v.Spaces))
	}
	for i, x := range indices {
		if uint64(x) >= uint64(v.Size) {
			return VotesResult{}, fmt.Errorf("%w: update %d: index %d is not below %d",
				hwsim.ErrStream, i, x, v.Size)
		}
	}
	s := v.session(indices)
	if err := s.Clear(kernel.BufTarget); err != nil {
		return VotesResult{}, err
	}
	perSM, err := v.blocksPerSM()
	if err != nil {
		return VotesResult{}, err
	}
	if err := s.Launch(votesKernel(v), device.Shape{Blocks: uint64(v.Blocks), Threads: v.Threads, BlocksPerSM: perSM,
		SharedBytes: v.sharedWords() * 4}, s.Updates); err != nil {
		return VotesResult{}, err
	}
	return v.result(s, indices), nil
}

// session lays out the targets, the indices and the components in memory.
func (v Votes) session(indices []uint32) *kernel.Session {
	call := device.Call{Type: v.Spaces[len(v.Spaces)-1]} // of the components, if there are any
	s := kernel.NewSession(v.Device, call, impl.Spec{}, v.Seed)
	s.Updates, s.Bins = uint64(len(indices)), uint64(v.Size*len(v.Spaces))
	s.Buffer(s.Typed(s.Bins))
	s.Buffer(&machine.Buffer{Words: indices})
	for i := 1; i < len(v.Spaces); i++ {
		component := s.Typed(s.Updates)
		for at, bits := range arith.Values(call, v.spaceSeed(i), len(indices)) {
			component.Set(uint64(at), bits)
		}
		s.Buffer(component)
	}
	s.Machine.Stream = s.Top > s.Machine.L2Bytes
	return s
}

func (v Votes) result(s *kernel.Session, indices []uint32) VotesResult {
	final, cycles := s.Output(kernel.BufTarget), s.Times[len(s.Times)-1].Cycles
	r := VotesResult{
		Cycles: cycles, US: float64(cycles) / v.Device.Core.Clock.Value, CallUS: s.Elapsed(),
		WarpInstructions: s.Machine.Instrs,
	}
	for i := range v.Spaces {
		r.Sums = append(r.Sums, final[i*v.Size:(i+1)*v.Size])
	}
	r.Correct = v.correct(r.Sums, indices)
	return r
}

// correct compares the sums of every space with the serial reference.
func (v Votes) correct(sums [][]uint64, indices []uint32) bool {
	for i, t := range v.Spaces {
		call := device.Call{Type: t}
		if i == 0 {
			call.Operand = device.One
		}
		if !arith.Correct(call, v.spaceSeed(i), indices, uint64(v.Size), sums[i]) {
			return false
		}
	}
	return true
}

// spaceSeed returns the seed of a vote space's values: each has its own.
func (v Votes) spaceSeed(i int) uint64 { return v.Seed + uint64(i) }

// copies returns R, step K+P, the distance between copies in words.
func (v Votes) copies() int  { return max(v.Replicas, 1) }
func (v Votes) step() uint64 { return uint64(v.Size + v.Pad) }

// sharedWords returns the shared memory of a block in words.
func (v Votes) sharedWords() uint64 { return uint64(len(v.Spaces)*v.copies()) * v.step() }

// Validate reports arguments that make no voting process, by an error that
// wraps ErrStream, or one that the device cannot run, by an error that wraps
// device.ErrCannot: copies that do not fit into a block's shared memory, blocks
// of too many threads, missing atomics.
func (v Votes) Validate() error {
	switch {
	case v.Device == nil:
		return fmt.Errorf("%w: no device", hwsim.ErrStream)
	case v.Blocks < 1 || v.Blocks > MaxVoteBlocks:
		return fmt.Errorf("%w: %d blocks, want 1 to %d", hwsim.ErrStream, v.Blocks, MaxVoteBlocks)
	case v.Threads < 1:
		return fmt.Errorf("%w: %d threads per block, want at least 1", hwsim.ErrStream, v.Threads)
	case v.Size < 1 || v.Size > hwsim.MaxBins:
		return fmt.Errorf("%w: vote spaces of %d words, want 1 to %d", hwsim.ErrStream, v.Size,
			hwsim.MaxBins)
	case v.Replicas < 0 || v.Replicas > v.Threads:
		return fmt.Errorf("%w: %d copies for %d threads", hwsim.ErrStream, v.Replicas, v.Threads)
	case v.Pad < 0 || v.Pad > hwsim.MaxBins:
		return fmt.Errorf("%w: %d words between copies, want 0 to %d", hwsim.ErrStream, v.Pad,
			hwsim.MaxBins)
	case v.Map > impl.Block:
		return fmt.Errorf("%w: no such mapping: %d", hwsim.ErrStream, v.Map)
	case len(v.Spaces) == 0 || v.Spaces[0] != device.U32:
		return fmt.Errorf("%w: vote spaces %v, want a counter of type u32 first", hwsim.ErrStream,
			v.Spaces)
	}
	for i, t := range v.Spaces {
		switch err := (device.Call{Type: t}).Validate(); {
		case err != nil:
			return fmt.Errorf("%w: vote space %d: %w", hwsim.ErrStream, i, err)
		case t.Bytes() != 4 || i > 0 && t != v.Spaces[1]:
			return fmt.Errorf("%w: vote space %d: vote spaces %v, want components of one type of 4 bytes",
				hwsim.ErrStream, i, v.Spaces)
		}
		private := impl.Spec{Algorithm: impl.Private}
		if err := v.Device.CanRun(private, t, uint64(v.Size)); err != nil {
			return err
		}
	}
	_, err := v.blocksPerSM()
	return err
}

// blocksPerSM returns how many blocks are resident at once.
func (v Votes) blocksPerSM() (int, error) {
	return residentBlocks(v.Device, v.Threads, 4*v.sharedWords())
}
