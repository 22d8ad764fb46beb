package apps

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim"
	"github.com/atomtune/atomtune/hwsim/internal/kernel"
	"github.com/atomtune/atomtune/hwsim/internal/machine"
	"github.com/atomtune/atomtune/variant"
)

// appSession is one application on one machine: the memory, the launches and
// the clock of a session, without a session's own stream and plan. The
// application's output is the first buffer that it places, bufTarget.
type appSession struct {
	*kernel.Session
	lanes uint64 // of a warp
}

// newAppSession returns a machine with empty memory that adds elements of the
// type.
func newAppSession(cfg AppConfig, t device.Type) *appSession {
	s := kernel.NewSession(cfg.Device, device.Call{Type: t}, cfg.Method, cfg.Seed)
	return &appSession{Session: s, lanes: uint64(s.Machine.Lanes)}
}

// buffer places an array. Once all arrays together exceed the L2 cache, loads
// and stores go to DRAM, so arrays are placed before the first launch.
func (s *appSession) buffer(name string, b *machine.Buffer) int {
	at := s.Session.Buffer(name, b)
	s.Machine.Stream = s.Top > s.Machine.L2Bytes
	return at
}

// words places an input of 32-bit words, which no kernel may write.
func (s *appSession) words(name string, data []uint32) int {
	return s.buffer(name, &machine.Buffer{Words: data})
}

// counters places n poisoned words.
func (s *appSession) counters(name string, n uint64) int {
	return s.buffer(name, machine.Counters(n))
}

// elements places n poisoned elements of the machine's type.
func (s *appSession) elements(name string, n uint64) int { return s.buffer(name, s.Typed(n)) }

// filled places elements of the machine's type, given as bit patterns.
func (s *appSession) filled(name string, patterns []uint64) int {
	b := s.Typed(uint64(len(patterns)))
	for i, v := range patterns {
		b.Set(uint64(i), v)
	}
	return s.buffer(name, b)
}

// residentBlocks returns how many blocks an SM holds at once, as its warps,
// its places for blocks and its shared memory allow, or an error that wraps
// device.ErrCannot if it cannot hold one.
func (s *appSession) residentBlocks(threads int, sharedBytes uint64) (int, error) {
	d := s.Device
	limits := d.Limits()
	if threads > limits.MaxThreadsPerBlock {
		return 0, fmt.Errorf("%w: blocks of %d threads, %s has at most %d",
			device.ErrCannot, threads, d.Name, limits.MaxThreadsPerBlock)
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
	perSM, err := s.residentBlocks(threads, sharedBytes)
	if s.Err = cmp.Or(s.Err, err); s.Err != nil {
		return
	}
	s.Err = s.Launch(machine.Kernel{
		Prog: p, Blocks: blocks, Threads: threads, SharedBytes: sharedBytes, BlocksPerSM: perSM,
		Args: args,
	})
}

// runOver launches one thread per element, but no more blocks than are
// resident at once: the kernel loops with the grid's stride.
func (s *appSession) runOver(p *machine.Program, n uint64, threads int, sharedBytes uint64,
	args ...uint64) {
	perSM, err := s.residentBlocks(threads, (sharedBytes+7)&^7)
	s.Err = cmp.Or(s.Err, err)
	wanted := (n + uint64(threads) - 1) / uint64(threads)
	s.runBlocks(p, max(1, min(wanted, uint64(perSM*s.Machine.SMs))), threads, sharedBytes, args...)
}

// finish returns the outcome of the launches, or why one failed.
func (s *appSession) finish(correct bool) (AppResult, error) {
	if s.Err != nil {
		return AppResult{}, s.Err
	}
	return AppResult{
		US: s.HostUS + s.Elapsed(), HostUS: s.HostUS, WarpInstructions: s.Machine.Instrs,
		Events:  s.Machine.Events,
		Kernels: s.Times, Correct: correct,
	}, nil
}

// The methods of updating that applications know.
var (
	methodNaive = variant.Variant{}
	methodSR    = variant.Variant{Reduction: variant.SR}
	methodVR    = variant.Variant{Reduction: variant.VR}
	methodSS    = variant.Variant{Scatter: true}
	methodSRSS  = variant.Variant{Reduction: variant.SR, Scatter: true}
)

// checkMethod reports a method that the application does not know.
func (cfg AppConfig) checkMethod(known ...variant.Variant) error {
	if cfg.Original {
		return nil
	}
	if err := cfg.Method.Validate(); err != nil {
		return fmt.Errorf("%w: %v", hwsim.ErrStream, err)
	}
	plain := cfg.Method // a method's parameters are free
	plain.Threshold, plain.Samples = 0, 0
	if slices.Contains(known, plain) {
		return nil
	}
	return fmt.Errorf("%w: method %s, want one of %v", hwsim.ErrStream, cfg.Method, known)
}

// checkLength reports an input of no elements, or of too many.
func (in AppInput) checkLength() error {
	if n := len(in.Keys); n == 0 || n > hwsim.MaxUpdates {
		return fmt.Errorf("%w: %d keys, want 1 to %d", hwsim.ErrStream, n, hwsim.MaxUpdates)
	}
	return nil
}

// checkBelow reports the first number that is not below the limit, which is
// that of so many things.
func checkBelow(name string, numbers []uint32, limit uint64, things string) error {
	for i, x := range numbers {
		if uint64(x) >= limit {
			return fmt.Errorf("%w: %s %d: %d is not below %d %s", hwsim.ErrStream, name, i, x, limit, things)
		}
	}
	return nil
}

// readBack is what passed before the host read results in the middle of an
// application.
type readBack struct {
	us    float64
	times []hwsim.KernelTime
}

// read lets the host wait for all launches so far and returns the words of a
// buffer. What the host launches afterwards begins as a call of its own: the
// host cannot enqueue ahead of what it waits for.
func (r *readBack) read(s *appSession, buf int) []uint32 {
	r.us += s.Elapsed()
	r.times = append(r.times, s.Times...)
	s.Times = nil
	return s.Machine.Buffers[buf].Words
}

// finish returns the outcome of all launches.
func (r *readBack) finish(s *appSession, correct bool) (AppResult, error) {
	out, err := s.finish(correct)
	if err != nil {
		return out, err
	}
	out.US += r.us
	out.Kernels = append(r.times, out.Kernels...)
	return out, nil
}
