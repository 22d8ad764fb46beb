package hwsim

import (
	"fmt"
	"slices"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/variant"
)

// appSession is one application on one machine: the memory, the launches and
// the clock of a session, without a session's own stream and plan. The
// application's output is the first buffer that it places, bufTarget.
type appSession struct {
	*session
	lanes uint64 // of a warp
}

// newAppSession returns a machine with empty memory that adds elements of the
// type.
func newAppSession(cfg AppConfig, t device.Type) *appSession {
	s := newSession(cfg.Device, device.Call{Type: t}, cfg.Method, cfg.Seed)
	return &appSession{session: s, lanes: uint64(s.machine.lanes)}
}

// buffer places an array. Once all arrays together exceed the L2 cache, loads
// and stores go to DRAM, so arrays are placed before the first launch.
func (s *appSession) buffer(name string, b *buffer) int {
	at := s.session.buffer(name, b)
	s.machine.stream = s.top > s.machine.l2Bytes
	return at
}

// words places an input of 32-bit words, which no kernel may write.
func (s *appSession) words(name string, data []uint32) int {
	return s.buffer(name, &buffer{words: data})
}

// counters places n poisoned words.
func (s *appSession) counters(name string, n uint64) int { return s.buffer(name, counters(n)) }

// elements places n poisoned elements of the machine's type.
func (s *appSession) elements(name string, n uint64) int { return s.buffer(name, s.typed(n)) }

// filled places elements of the machine's type, given as bit patterns.
func (s *appSession) filled(name string, patterns []uint64) int {
	b := s.typed(uint64(len(patterns)))
	for i, v := range patterns {
		b.set(uint64(i), v)
	}
	return s.buffer(name, b)
}

// residentBlocks returns how many blocks an SM holds at once, as its warps,
// its places for blocks and its shared memory allow, or an error that wraps
// device.ErrCannot if it cannot hold one.
func (s *appSession) residentBlocks(threads int, sharedBytes uint64) (int, error) {
	d := s.device
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

// runBlocks launches so many blocks.
func (s *appSession) runBlocks(p *program, blocks uint64, threads int, sharedBytes uint64, args ...uint64) error {
	sharedBytes = (sharedBytes + 7) &^ 7
	perSM, err := s.residentBlocks(threads, sharedBytes)
	if err != nil {
		return err
	}
	return s.launch(kernel{
		prog: p, blocks: blocks, threads: threads, sharedBytes: sharedBytes, blocksPerSM: perSM, args: args,
	})
}

// runOver launches one thread per element, but no more blocks than are
// resident at once: the kernel loops with the grid's stride.
func (s *appSession) runOver(p *program, n uint64, threads int, sharedBytes uint64, args ...uint64) error {
	perSM, err := s.residentBlocks(threads, (sharedBytes+7)&^7)
	if err != nil {
		return err
	}
	wanted := (n + uint64(threads) - 1) / uint64(threads)
	return s.runBlocks(p, max(1, min(wanted, uint64(perSM*s.machine.sms))), threads, sharedBytes, args...)
}

// finish returns the outcome of the launches so far.
func (s *appSession) finish(correct bool) AppResult {
	return AppResult{
		US: s.hostUS + s.elapsed(), HostUS: s.hostUS, WarpInstructions: s.machine.instrs, Events: s.machine.events,
		Kernels: s.times, Correct: correct,
	}
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
		return fmt.Errorf("%w: %v", ErrStream, err)
	}
	plain := cfg.Method // a method's parameters are free
	plain.Threshold, plain.Samples = 0, 0
	if slices.Contains(known, plain) {
		return nil
	}
	return fmt.Errorf("%w: method %s, want one of %v", ErrStream, cfg.Method, known)
}

// checkLength reports an input of no elements, or of too many.
func (in AppInput) checkLength() error {
	if n := len(in.Keys); n == 0 || n > MaxUpdates {
		return fmt.Errorf("%w: %d keys, want 1 to %d", ErrStream, n, MaxUpdates)
	}
	return nil
}

// checkBelow reports the first number that is not below the limit, which is
// that of so many things.
func checkBelow(name string, numbers []uint32, limit uint64, things string) error {
	for i, x := range numbers {
		if uint64(x) >= limit {
			return fmt.Errorf("%w: %s %d: %d is not below %d %s", ErrStream, name, i, x, limit, things)
		}
	}
	return nil
}
