package micro

import (
	"fmt"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/probe/gpu"
)

// globalSuite measures one warp's chains of operations on global memory, and what
// the whole device adds.
func globalSuite() []measurement {
	all := each("chain ", chainOperations(), (*bench).globalChain)
	for _, typ := range throughputTypes {
		all = append(all, each("throughput "+typ+" ", spreads, func(b *bench, spread string) {
			b.globalThroughput(typ, spread)
		})...)
	}
	return append(all, each("footprint ", footprintTypes, (*bench).footprint)...)
}

func chainOperations() []string {
	var all []string
	for _, t := range device.Types() {
		all = append(all, t.String()+"_add")
	}
	return append(all, "u32_min", "u32_exch", "u64_exch", "u32_cas", "u32_casloop", "f32_casloop",
		"f64_casloop", "u32_load", "u64_load")
}

// warpPattern is where the lanes of a warp go in global memory.
type warpPattern struct {
	kind   string // line, position or lines
	degree int
}

func (p warpPattern) String() string {
	return fmt.Sprintf("pattern=%s degree=%d", p.kind, p.degree)
}

// offset is the place of a lane in bytes. line: neighbouring words of one aligned
// region. position: degree lanes share the region's first word. lines: the lanes
// lie in degree different lines, neighbours together as far as they have room.
func (p warpPattern) offset(lane int, elementBytes uint64) uint64 {
	switch {
	case p.kind == "position" && lane < p.degree:
		return 0
	case p.kind == "lines":
		group := warpLanes / p.degree
		apart := max(lineBytes, uint64(group)*elementBytes)
		return uint64(lane/group)*apart + uint64(lane%group)*elementBytes
	}
	return uint64(lane) * elementBytes
}

func warpPatterns(quick bool) []warpPattern {
	degrees := []int{1, 2, 4, 8, 16, 32}
	if quick {
		degrees = []int{1, 2, 8, 32}
	}
	all := []warpPattern{{"line", 1}}
	for _, kind := range []string{"position", "lines"} {
		for _, degree := range degrees {
			all = append(all, warpPattern{kind, degree})
		}
	}
	return all
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
	if op == "u32_cas" { // puts 0 for 0, so that it succeeds each time, as an addition does
		added = 0
	}
	for _, p := range warpPatterns(b.quick) {
		end := b.Scope()
		v := b.intervals(b.repeats*chainLaunches, 1)
		b.Write(lanes, laneWords(func(lane int) int { return int(p.offset(lane, elementBytes(op))) }))
		for slot := range v.slots {
			offset := uint64(slot%chainLaunches) * placesOfLaunch
			at := gpu.Memory{Address: base.Address + offset, Bytes: placesOfLaunch}
			b.Launch(k, smallest, at, uint32(placeBytes), lanes, operand(op, added), sink, v.slot(slot))
		}
		all := b.read(v)
		cycles := b.repeat(func(r int) float64 {
			sum := 0.0
			for _, warps := range all[r*chainLaunches : (r+1)*chainLaunches] {
				sum += span(warps)
			}
			return sum / (chainLaunches * chainLength)
		})
		b.note("chain", fmt.Sprintf("op=%s %v", op, p), cycles, unitCycle, k)
		end()
	}
}
