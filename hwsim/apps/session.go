package apps

import (
	"cmp"
	"fmt"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim"
	"github.com/atomtune/atomtune/hwsim/internal/kernel"
	"github.com/atomtune/atomtune/hwsim/internal/machine"
)

// appSession is one application on one machine: the memory, the launches and
// the clock of a session, without a session's own stream and plan. The
// application's output is the first buffer that it places, bufTarget.
type appSession struct {
	*kernel.Session
	lanes uint64 // of a warp
	// freeGather is AppConfig's.
	freeGather bool
	// What passed before the host read results in the middle of the application.
	passedUS float64
	passed   []hwsim.KernelTime
}

// newAppSession returns a machine with empty memory that adds elements of the type.
func newAppSession(cfg AppConfig, t device.Type) *appSession {
	s := kernel.NewSession(cfg.Device, device.Call{Type: t}, cfg.Method, cfg.Seed)
	return &appSession{Session: s, lanes: uint64(s.Machine.Lanes)}
}

// buffer places an array. Once all arrays together exceed the L2 cache, loads
// and stores go to DRAM, so arrays are placed before the first launch.
func (s *appSession) buffer(b *machine.Buffer) int {
	at := s.Session.Buffer(b)
	s.Machine.Stream = s.Top > s.Machine.L2Bytes
	return at
}

// words places an input of 32-bit words, which no kernel may write.
func (s *appSession) words(data []uint32) int {
	return s.buffer(&machine.Buffer{Words: data})
}

// counters places n poisoned words.
func (s *appSession) counters(n uint64) int {
	return s.buffer(machine.Counters(n))
}

// elements places n poisoned elements of the machine's type.
func (s *appSession) elements(n uint64) int { return s.buffer(s.Typed(n)) }

// filled places elements of the machine's type, given as bit patterns.
func (s *appSession) filled(patterns []uint64) int {
	b := s.Typed(uint64(len(patterns)))
	for i, v := range patterns {
		b.Set(uint64(i), v)
	}
	return s.buffer(b)
}

// residentBlocks returns how many blocks an SM holds at once, as its warps,
// its places for blocks and its shared memory allow, or an error that wraps
// device.ErrCannot if it cannot hold one.
func residentBlocks(d *device.Profile, threads int, sharedBytes uint64) (int, error) {
	limits := d.Limits()
	if threads > limits.MaxThreadsPerBlock {
		return 0, fmt.Errorf("%w: blocks of %d threads, %s has at most %d", device.ErrCannot, threads,
			d.Name, limits.MaxThreadsPerBlock)
	}
	if sharedBytes > limits.SharedBytes {
		return 0, fmt.Errorf("%w: a block takes %d bytes of shared memory, %s has %d",
			device.ErrCannot, sharedBytes, d.Name, limits.SharedBytes)
	}
	warps := (threads + limits.WarpLanes - 1) / limits.WarpLanes
	n := min(limits.MaxWarps/warps, limits.MaxBlocks)
	if sharedBytes > 0 {
		n = min(n, int(limits.SharedBytesPerSM/sharedBytes))
	}
	return max(1, n), nil
}

// runBlocks launches so many blocks; Err says whether that went well.
func (s *appSession) runBlocks(p *machine.Program, blocks uint64, threads int, sharedBytes uint64,
	args ...uint64) {
	sharedBytes = (sharedBytes + 7) &^ 7
	perSM, err := residentBlocks(s.Device, threads, sharedBytes)
	if s.Err = cmp.Or(s.Err, err); s.Err != nil {
		return
	}
	s.Err = s.Launch(p, device.Shape{Blocks: blocks, Threads: threads, SharedBytes: sharedBytes,
		BlocksPerSM: perSM}, args...)
}

// blocksFor is the blocks of one thread per element, but no more than are resident at once:
// the kernel loops with the grid's stride.
func (s *appSession) blocksFor(n uint64, threads int, sharedBytes uint64) uint64 {
	perSM, err := residentBlocks(s.Device, threads, (sharedBytes+7)&^7)
	s.Err = cmp.Or(s.Err, err)
	return max(1, min((n+uint64(threads)-1)/uint64(threads), uint64(perSM*s.Machine.SMs)))
}

// read lets the host wait for all launches so far and returns the words of a
// buffer. What the host launches afterwards begins as a call of its own: the
// host cannot enqueue ahead of what it waits for.
func (s *appSession) read(buf int) []uint32 {
	s.passedUS += s.Elapsed()
	s.passed = append(s.passed, s.Times...)
	s.Times = nil
	return s.Machine.Buffers[buf].Words
}

// finish returns the outcome of the launches, or why one failed.
func (s *appSession) finish(correct bool) (AppResult, error) {
	if s.Err != nil {
		return AppResult{}, s.Err
	}
	return AppResult{
		US: s.HostUS + s.Elapsed() + s.passedUS, HostUS: s.HostUS, Correct: correct,
		WarpInstructions: s.Machine.Instrs, Kernels: append(s.passed, s.Times...),
	}, nil
}
