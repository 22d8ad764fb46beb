package probe

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"
)

var (
	throughputTypes = []string{"u32", "f32", "u64", "f64"}
	footprintTypes  = []string{"u32", "f32", "f64"}
	// spreads are how the lanes of a warp stand to each other: all on one target,
	// each on its own, on neighbouring words from one target on.
	spreads = []string{"warp", "lanes", "line"}
)

// additions is what the device adds to: so many targets, a power of two, so many
// bytes apart, from so many SMs.
type additions struct{ targets, stride, sms uint64 }

func (a additions) bytes() uint64 { return a.targets * a.stride }

func (a additions) String() string {
	return fmt.Sprintf("targets=%d stride=%d sms=%d", a.targets, a.stride, a.sms)
}

const (
	mostTargetBytes = 1 << 30
	sectorBytes     = 32
	smsTargetBytes  = 32 << 20 // of the targets where the number of SMs varies
)

// additionsOf lists what is measured of a type and a spread on a device of so many
// SMs: all SMs over targets and strides, then over the number of SMs.
func additionsOf(typ, spread string, sms uint64, quick bool) []additions {
	strides := []uint64{4, 32, 64, 128, 256, 512, 1024, 2048, 4096}
	targets := append(powers(1, 4096, 2), 1<<16, 1<<20)
	if typ != "u32" {
		strides = []uint64{4, 32, 256, 4096}
	}
	some := []uint64{1, 2, 4, 8, 16, 33, 66}
	if quick {
		some = []uint64{1, 8}
		if typ != "u32" || spread != "warp" { // these tell slices and chunks
			strides = []uint64{4, 32, 4096}
			targets = []uint64{1, 2, 8, 32, 128, 1024, 1 << 16, 1 << 20}
		}
	}
	strides[0] = elementBytes(typ)
	var all []additions
	for _, stride := range strides {
		for _, k := range targets {
			all = append(all, additions{k, stride, sms})
		}
	}
	spreadOut := additions{smsTargetBytes / sectorBytes, sectorBytes, sms}
	if spread == "line" {
		spreadOut = additions{smsTargetBytes / lineBytes, lineBytes, sms}
	}
	if !slices.Contains(all, spreadOut) {
		all = append(all, spreadOut)
	}
	for _, n := range some {
		if n < sms {
			all = append(all, additions{spreadOut.targets, spreadOut.stride, n})
		}
	}
	return slices.DeleteFunc(all, func(a additions) bool { return a.bytes() > mostTargetBytes })
}

// globalThroughput measures additions with unused results: nanoseconds of the device
// for one warp's instruction.
func (b *bench) globalThroughput(typ, spread string) error {
	k, err := b.kernel("global_throughput", "global_throughput_"+typ+"_add_"+spread)
	if err != nil {
		return err
	}
	points := additionsOf(typ, spread, uint64(b.sms()), b.quick)
	base, err := b.room(mostTargetBytes)
	if err != nil {
		return err
	}
	if err := b.warmUp(); err != nil {
		return err
	}
	b.repeats = max(b.repeats, leastPlaces)
	for _, a := range points {
		if a.bytes()+guardBytes > base.Bytes {
			b.skip("op=%s_add spread=%s %v needs more memory than the device spares", typ, spread, a)
			continue
		}
		ns, err := b.additions(k, typ, a, base)
		if err != nil {
			return err
		}
		b.note("throughput", fmt.Sprintf("op=%s_add spread=%s %v", typ, spread, a), ns, unitNS, k)
	}
	return nil
}

// A few targets are looked at from at least so many places.
const leastPlaces = 5

// guardBytes lie behind the last target: a line may begin there.
const guardBytes = 4096

// room returns zeros of so many bytes and guardBytes more, or of a half, a quarter
// and so on, where the device has not as many to spare.
func (b *bench) room(bytes uint64) (Memory, error) {
	const least = 1 << 20
	for ; ; bytes /= 2 {
		if bytes > memoryLimit(b.device) && bytes > least {
			continue
		}
		m, err := b.zeros(bytes + guardBytes)
		if bytes <= least || !errors.Is(err, ErrMemory) {
			return m, err
		}
	}
}

// additions returns the nanoseconds for one warp's instruction. Each repeat goes to
// another place, as far as there is room: which slices of L2 share the work of a
// few targets depends on where they lie.
func (b *bench) additions(k benchKernel, typ string, a additions, base Memory) ([]float64, error) {
	const perTurn = 4 // additions of a kernel's turn
	l := b.blocksAlone(int(a.sms), blockThreads)
	dropped := uint32(32 - (bits.Len64(a.targets) - 1))
	apart := (base.Bytes - guardBytes - a.bytes()) / uint64(b.repeats) &^ (1<<20 - 1)
	us, err := b.difference(k, perTurn, b.launch(k, l, func(repeat int, steps uint32) []any {
		at := Memory{Address: base.Address + uint64(repeat)*apart, Bytes: a.bytes() + guardBytes}
		return []any{at, dropped, uint32(a.stride), operand(typ+"_add", 1), steps}
	}))
	warps := float64(a.sms * blockThreads / warpLanes)
	return scaled(us, 1e3/warps), err
}

// footprint measures additions of lanes to random sectors against the bytes where
// the sectors lie.
func (b *bench) footprint(typ string) error {
	k, err := b.kernel("global_throughput", "global_throughput_"+typ+"_add_lanes")
	if err != nil {
		return err
	}
	base, err := b.room(4 << 30)
	if err != nil {
		return err
	}
	if err := b.warmUp(); err != nil {
		return err
	}
	for _, bytes := range powers(1<<20, base.Bytes-guardBytes, pick[uint64](b, 2, 4)) {
		a := additions{bytes / sectorBytes, sectorBytes, uint64(b.sms())}
		ns, err := b.additions(k, typ, a, base)
		if err != nil {
			return err
		}
		b.note("footprint", fmt.Sprintf("op=%s_add bytes=%d", typ, bytes), ns, unitNS, k)
	}
	return nil
}
