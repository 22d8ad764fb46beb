package micro

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"github.com/atomtune/atomtune/probe/gpu"
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
func (b *bench) globalThroughput(typ, spread string) {
	k := b.Kernel("global_throughput", "global_throughput_"+typ+"_add_"+spread)
	base := b.room(mostTargetBytes)
	b.warmUp()
	b.repeats = max(b.repeats, leastPlaces)
	for _, a := range additionsOf(typ, spread, uint64(b.sms()), b.quick) {
		parameters := fmt.Sprintf("op=%s_add spread=%s %v", typ, spread, a)
		if b.OK() && a.bytes()+guardBytes > base.Bytes {
			b.skip("%s needs more memory than the device spares", parameters)
			continue
		}
		b.note("throughput", parameters, b.additions(k, typ, a, base), unitNS, k)
	}
}

// A few targets are looked at from at least so many places.
const leastPlaces = 5

// guardBytes lie behind the last target: a line may begin there.
const guardBytes = 4096

// room returns zeros of so many bytes and guardBytes more, or of a half, a quarter
// and so on, where the device has not as many to spare.
func (b *bench) room(bytes uint64) gpu.Memory {
	const least = 1 << 20
	for ; ; bytes /= 2 {
		if bytes > b.memoryLimit() && bytes > least {
			continue
		}
		m, err := b.TryAlloc(bytes + guardBytes)
		if bytes <= least || !errors.Is(err, gpu.ErrMemory) {
			b.Fail(err)
			b.Clear(m, m.Bytes)
			return m
		}
	}
}

// additions returns the nanoseconds for one warp's instruction. Each repeat goes to
// another place, as far as there is room: which slices of L2 share the work of a
// few targets depends on where they lie.
func (b *bench) additions(k gpu.Kernel, typ string, a additions, base gpu.Memory) []float64 {
	const perTurn = 4 // additions of a kernel's turn
	dropped := uint32(32 - (bits.Len64(a.targets) - 1))
	apart := (base.Bytes - guardBytes - a.bytes()) / uint64(b.repeats) &^ (1<<20 - 1)
	l := b.blocksAlone(int(a.sms), blockThreads)
	us := b.difference(k, l, perTurn, func(repeat int, steps uint32) []any {
		at := gpu.Memory{Address: base.Address + uint64(repeat)*apart, Bytes: a.bytes() + guardBytes}
		return []any{at, dropped, uint32(a.stride), operand(typ+"_add", 1), steps}
	})
	warps := float64(a.sms * blockThreads / warpLanes)
	return scaled(us, 1e3/warps)
}

// footprint measures additions of lanes to random sectors against the bytes where
// the sectors lie.
func (b *bench) footprint(typ string) {
	k := b.Kernel("global_throughput", "global_throughput_"+typ+"_add_lanes")
	base := b.room(4 << 30)
	b.warmUp()
	factor := pick[uint64](b, 2, 4)
	for bytes := uint64(1 << 20); b.OK() && bytes <= base.Bytes-guardBytes; bytes *= factor {
		a := additions{bytes / sectorBytes, sectorBytes, uint64(b.sms())}
		parameters := fmt.Sprintf("op=%s_add bytes=%d", typ, bytes)
		b.note("footprint", parameters, b.additions(k, typ, a, base), unitNS, k)
	}
}
