package probe

import (
	"fmt"

	"github.com/atomtune/atomtune/device"
)

// globalJobs plans suite global: one warp's chains of operations, and what the whole
// device adds.
func globalJobs(d Description, o Options) []Job {
	var jobs []Job
	for _, op := range chainOperations() {
		jobs = append(jobs, benchJob(d, o, "global", "chain "+op, func(b *bench) error { return b.globalChain(op) }))
	}
	for _, typ := range throughputTypes {
		for _, spread := range spreads {
			jobs = append(jobs, benchJob(d, o, "global", "throughput "+typ+" "+spread, func(b *bench) error {
				return b.globalThroughput(typ, spread)
			}))
		}
	}
	for _, typ := range footprintTypes {
		jobs = append(jobs, benchJob(d, o, "global", "footprint "+typ, func(b *bench) error { return b.footprint(typ) }))
	}
	return jobs
}

func chainOperations() []string {
	var all []string
	for _, t := range device.Types() {
		all = append(all, t.String()+"_add")
	}
	return append(all, "u32_min", "u32_exch", "u64_exch", "u32_cas", "u32_casloop", "f32_casloop", "f64_casloop", "u32_load", "u64_load")
}

// warpPattern is where the lanes of a warp go in global memory.
type warpPattern struct {
	kind   string // line, position or lines
	degree int
}

func (p warpPattern) String() string { return fmt.Sprintf("pattern=%s degree=%d", p.kind, p.degree) }

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
// repeat: the way from an SM to a slice of L2 is not the same for all of them.
const (
	placeBytes     = 33 * lineBytes
	chainLaunches  = 8
	placesOfLaunch = chainLength * placeBytes
)

// globalChain measures an operation on global memory with its result used.
func (b *bench) globalChain(op string) error {
	k, err := b.kernel("global_chain", "global_chain_"+op)
	if err != nil {
		return err
	}
	base, err := b.zeros(chainLaunches*placesOfLaunch + placeBytes)
	if err != nil {
		return err
	}
	lanes, err := b.alloc(4 * warpLanes)
	if err != nil {
		return err
	}
	sink, err := b.alloc(8 * warpLanes)
	if err != nil {
		return err
	}
	for _, p := range warpPatterns(b.quick) {
		offsets := make([]uint32, warpLanes)
		for lane := range offsets {
			offsets[lane] = uint32(p.offset(lane, elementBytes(op)))
		}
		if err := b.g.Upload(lanes, bytesOf(offsets)); err != nil {
			return err
		}
		cycles, err := b.chainAtPlaces(k, func(launch int, slot Memory) []any {
			at := Memory{Address: base.Address + uint64(launch)*placesOfLaunch, Bytes: placesOfLaunch}
			return []any{at, uint32(placeBytes), lanes, operand(op, operandOf(op)), sink, slot}
		})
		if err != nil {
			return err
		}
		b.note("chain", fmt.Sprintf("op=%s %v", op, p), cycles, unitCycle, k)
	}
	return nil
}

// operandOf is what an operation gets: a compare-and-swap puts 0 for 0, so that it
// succeeds each time, as an addition does.
func operandOf(op string) uint32 {
	if op == "u32_cas" {
		return 0
	}
	return 1
}

// chainAtPlaces returns for each repeat the mean over the places.
func (b *bench) chainAtPlaces(k benchKernel, args func(launch int, slot Memory) []any) ([]float64, error) {
	v, err := b.intervals(b.repeats*chainLaunches, 1)
	if err != nil {
		return nil, err
	}
	defer b.release(v.memory)
	for slot := range b.repeats * chainLaunches {
		if err := b.g.Launch(k.Kernel, smallest, args(slot%chainLaunches, v.slot(slot))...); err != nil {
			return nil, err
		}
	}
	read, err := v.read(b.g, 1)
	if err != nil {
		return nil, err
	}
	return b.repeat(func(r int) (float64, error) {
		cycles := 0.0
		for _, warps := range read[r*chainLaunches : (r+1)*chainLaunches] {
			cycles += span(warps)
		}
		return cycles / (chainLaunches * chainLength), nil
	})
}
