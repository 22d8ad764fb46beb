package apps

import (
	"fmt"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim"
	"github.com/atomtune/atomtune/variant"
)

// Validate reports arguments that make no voting process, by an error that
// wraps ErrStream, or one that the device cannot run, by an error that wraps
// device.ErrCannot: copies that do not fit into a block's shared memory, blocks
// of too many threads, missing atomics.
func (v Votes) Validate() error {
	if err := v.checkArguments(); err != nil {
		return err
	}
	if err := v.checkSpaces(); err != nil {
		return err
	}
	return v.checkDevice()
}

func (v Votes) checkArguments() error {
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
	case v.Map > variant.Block:
		return fmt.Errorf("%w: no such mapping: %d", hwsim.ErrStream, v.Map)
	}
	return nil
}

func (v Votes) checkSpaces() error {
	if len(v.Spaces) == 0 || v.Spaces[0] != device.U32 {
		return fmt.Errorf("%w: vote spaces %v, want a counter of type u32 first", hwsim.ErrStream,
			v.Spaces)
	}
	for i, t := range v.Spaces {
		call := device.Call{Type: t}
		switch {
		case call.Validate() != nil:
			return fmt.Errorf("%w: vote space %d: %w", hwsim.ErrStream, i, call.Validate())
		case t.Bytes() != 4:
			return fmt.Errorf("%w: vote space %d: %s has %d bytes, want 4", hwsim.ErrStream, i, t, t.Bytes())
		case i > 0 && t != v.Spaces[1]:
			return fmt.Errorf("%w: vote space %d: components of %s and %s", hwsim.ErrStream, i, v.Spaces[1],
				t)
		}
	}
	return nil
}

func (v Votes) checkDevice() error {
	d := v.Device
	if most := int(d.Core.MaxThreadsPerBlock.Value); v.Threads > most {
		return fmt.Errorf("%w: blocks of %d threads, %s has at most %d", device.ErrCannot, v.Threads,
			d.Name, most)
	}
	// The quotient does not overflow, whatever the arguments.
	words := uint64(d.Shared.BytesPerBlock.Value) / 4
	if copies := uint64(len(v.Spaces) * v.copies()); v.step() > words/copies {
		return fmt.Errorf("%w: %d copies of %d words each do not fit into the %d words of a block's "+
			"shared memory on %s",
			device.ErrCannot, copies, v.step(), words, d.Name)
	}
	for _, t := range v.Spaces {
		if err := d.CanRun(variant.Variant{Base: variant.Private}, t, uint64(v.Size)); err != nil {
			return err
		}
	}
	return nil
}

func (v Votes) checkIndices(indices []uint32) error {
	if n := len(indices); n == 0 || n > hwsim.MaxUpdates/len(v.Spaces) {
		return fmt.Errorf("%w: %d updates of %d vote spaces, want 1 to %d", hwsim.ErrStream, n,
			len(v.Spaces), hwsim.MaxUpdates/len(v.Spaces))
	}
	for i, x := range indices {
		if uint64(x) >= uint64(v.Size) {
			return fmt.Errorf("%w: update %d: index %d is not below %d", hwsim.ErrStream, i, x, v.Size)
		}
	}
	return nil
}

// blocksPerSM returns how many blocks are resident at once: what the warps,
// the blocks and the shared memory of an SM allow, and at least one.
func (v Votes) blocksPerSM() int {
	core := v.Device.Core
	lanes := int(core.WarpLanes.Value)
	byWarps := int(core.MaxWarps.Value) / ((v.Threads + lanes - 1) / lanes)
	byMemory := int(uint64(v.Device.Shared.BytesPerSM.Value) / (v.sharedWords() * 4))
	return max(1, min(byWarps, byMemory, int(core.MaxBlocks.Value)))
}
