package micro

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/atomtune/atomtune/bindings/gpu/driver"
)

var chainOperations = []string{
	"u32_add", "i32_add", "f32_add", "u64_add", "i64_add", "f64_add", "u32_min", "u32_exch",
	"u64_exch", "u32_cas", "u32_casloop", "f32_casloop", "f64_casloop", "u32_load", "u64_load",
}

// offset is the place of a lane in bytes. line: neighbouring words of one aligned
// region. position: degree lanes share the region's first word. lines: the lanes
// lie in degree different lines, neighbours together as far as they have room.
func (c conflict) offset(lane int, elementBytes uint64) uint64 {
	switch {
	case c.kind == "position" && lane < c.degree:
		return 0
	case c.kind == "lines":
		group := warpLanes / c.degree
		apart := max(lineBytes, uint64(group)*elementBytes)
		return uint64(lane/group)*apart + uint64(lane%group)*elementBytes
	}
	return uint64(lane) * elementBytes
}

func globalConflicts(degrees []int) []conflict {
	return conflicts(degrees, "line", "position", "lines")
}

// Each operation of a chain goes to a place of its own, and so does each launch of a
// repeat: the path from an SM to a slice of L2 is not the same for all of them.
const (
	placeBytes     = 33 * lineBytes
	chainLaunches  = 8
	placesOfLaunch = chainLength * placeBytes
)

// globalChain measures an operation on global memory with its result used: for each
// repeat the mean over the places.
func (b *bench) globalChain(op string) {
	k := b.Kernel("global_chain", "global_chain_"+op)
	base := b.Zeros(chainLaunches*placesOfLaunch + placeBytes)
	lanes, sink := b.Alloc(4*warpLanes), b.Alloc(8*warpLanes)
	added := uint32(1)
	if op == "u32_cas" { // puts 0 for 0, so that it succeeds each time
		added = 0
	}
	for _, c := range globalConflicts(pick(b, []int{1, 2, 4, 8, 16, 32}, []int{1, 2, 8, 32})) {
		b.Write(lanes, laneWords(func(lane int) int { return int(c.offset(lane, elementBytes(op))) }))
		b.chain(fmt.Sprintf("chain op=%s pattern=%s degree=%d", op, c.kind, c.degree), k, smallest, chainLaunches,
			func(number int, _ uint32, slot driver.Memory) []any {
				return []any{part(base, number, placesOfLaunch), uint32(placeBytes), lanes, operand(op, added), sink,
					slot}
			})
	}
}

// spreads are types, and how the lanes of a warp stand to each other: all on one target,
// each on its own, on neighbouring words from one target on.
var spreads = []string{
	"u32 warp", "u32 lanes", "u32 line", "f32 warp", "f32 lanes", "f32 line",
	"u64 warp", "u64 lanes", "u64 line", "f64 warp", "f64 lanes", "f64 line",
}

// additions is what the device adds to: so many targets, a power of two, so many
// bytes apart, from so many SMs.
type additions struct{ targets, stride, sms uint64 }

func (a additions) bytes() uint64 { return a.targets * a.stride }

const (
	mostTargetBytes = 1 << 30
	sectorBytes     = 32
	smsTargetBytes  = 32 << 20 // of the targets where the number of SMs varies
	guardBytes      = 4096     // behind the last target: a line may begin there
	leastPlaces     = 5        // from which a few targets are measured
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
	stride := uint64(sectorBytes)
	if spread == "line" {
		stride = lineBytes
	}
	for _, n := range append([]uint64{sms}, some...) {
		one := additions{smsTargetBytes / stride, stride, n}
		if n == sms && !slices.Contains(all, one) || n < sms {
			all = append(all, one)
		}
	}
	return slices.DeleteFunc(all, func(a additions) bool { return a.bytes() > mostTargetBytes })
}

// globalThroughput measures additions with unused results: nanoseconds of the device
// for one warp's instruction.
func (b *bench) globalThroughput(typeAndSpread string) {
	typ, spread, _ := strings.Cut(typeAndSpread, " ")
	k := b.Kernel("global_throughput", "global_throughput_"+typ+"_add_"+spread)
	base := b.room(mostTargetBytes)
	b.warmUp()
	b.repeats = max(b.repeats, leastPlaces)
	for _, a := range additionsOf(typ, spread, uint64(b.sms()), b.quick) {
		parameters := fmt.Sprintf("op=%s_add spread=%s targets=%d stride=%d sms=%d",
			typ, spread, a.targets, a.stride, a.sms)
		if b.OK() && a.bytes()+guardBytes > base.Bytes {
			b.skip("%s needs more memory than the device spares", parameters)
			continue
		}
		b.additions("throughput "+parameters, k, typ, a, base)
	}
}

// room returns zeros of so many bytes and guardBytes more, or of a half, a quarter
// and so on, where the device has not as many free.
func (b *bench) room(bytes uint64) driver.Memory {
	const least = 1 << 20
	for bytes > b.memoryLimit() && bytes > least {
		bytes /= 2
	}
	m, err := b.TryAlloc(bytes + guardBytes)
	for ; bytes > least && errors.Is(err, driver.ErrMemory); m, err = b.TryAlloc(bytes + guardBytes) {
		bytes /= 2
	}
	b.Fail(err)
	b.Clear(m, m.Bytes)
	return m
}

// additions measures them. Each repeat goes to another place, as far as there is room: which slices
// of L2 share the work of a few targets depends on where they lie.
func (b *bench) additions(reading string, k driver.Kernel, typ string, a additions, base driver.Memory) {
	const perTurn = 4 // additions of a kernel's turn
	dropped := uint32(32 - bits.TrailingZeros64(a.targets))
	apart := (base.Bytes - guardBytes - a.bytes()) / uint64(b.repeats) &^ (1<<20 - 1)
	l := b.blocksAlone(int(a.sms), blockThreads)
	b.nanoseconds(reading, k, l, perTurn, func(repeat int, steps uint32, _ driver.Memory) []any {
		at := driver.Memory{Address: base.Address + uint64(repeat)*apart, Bytes: a.bytes() + guardBytes}
		return []any{at, dropped, uint32(a.stride), operand(typ, 1), steps}
	})
}

// footprint measures additions of lanes to random sectors against the bytes where the sectors lie.
func (b *bench) footprint(typ string) {
	k := b.Kernel("global_throughput", "global_throughput_"+typ+"_add_lanes")
	base := b.room(4 << 30)
	b.warmUp()
	factor := pick[uint64](b, 2, 4)
	for bytes := uint64(1 << 20); b.OK() && bytes <= base.Bytes-guardBytes; bytes *= factor {
		a := additions{bytes / sectorBytes, sectorBytes, uint64(b.sms())}
		b.additions(fmt.Sprintf("footprint op=%s_add bytes=%d", typ, bytes), k, typ, a, base)
	}
}
