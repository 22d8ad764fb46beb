package calibration

import (
	"fmt"
	"math"

	"github.com/atomtune/atomtune/device"
)

// sectorBytes is the unit in which L2 is addressed, lineBytes that of L1.
const (
	sectorBytes = 32
	lineBytes   = 128
)

// global sets the path from an SM to the L2 cache.
func (b *builder) global() {
	b.put("global.sector_bytes", assume(sectorBytes, guide, "32-byte transactions of L2"))
	pass := b.pass()
	b.put("global.sm_sector", b.smSector())
	alone := pass.value * b.p.Core.WarpLanes.Value
	found := b.chunks(alone)
	b.put("global.slices", b.slices(pass, found))
	b.answers()
	b.hash(alone, found)
}

// pass is how long a slice is busy per pass over a sector, in ns: all lanes of
// all warps add to one word.
func (b *builder) pass() estimate {
	return middle("global.pass", b.oneTarget("u32_add")).times(1 / b.p.Core.WarpLanes.Value)
}

func (b *builder) oneTarget(op string) []reading {
	return b.rows.need("global", "throughput", b.onAll("op="+op+" spread=warp targets=1"))
}

// smSector is what lies between two passes of one SM's requests: one SM alone
// does not keep the slices busy.
func (b *builder) smSector() estimate {
	rows := b.rows.rows("global", "throughput", "op=u32_add spread=lanes sms=1")
	rows = append(rows, b.rows.rows("global", "throughput", "op=u32_add spread=warp sms=1")...)
	if rows = most(rows, "targets"); len(rows) == 0 {
		b.rows.lack("global", "throughput", "op=u32_add spread=lanes sms=1")
		return estimate{}
	}
	return middle("global.sm_sector", rows).times(1/b.p.Core.WarpLanes.Value).by(b.cycles).from(
		"global", "throughput op=u32_add of one SM, each lane on its own sector, or all on one of "+
			"many: cycles a pass")
}

// onAll are the parameters of readings of all SMs at once.
func (b *builder) onAll(parameters string) string {
	return fmt.Sprintf("%s sms=%.0f", parameters, b.p.Core.SMs.Value)
}

func (b *builder) everySM(parameters string) []reading {
	return b.rows.rows("global", "throughput", b.onAll(parameters))
}

// spreadOut returns the fastest reading of all SMs at the stride at which the lanes touch all
// sectors; if there is none, at any. Few targets wait for each other on their slices, and the
// targets of many leave L2: between them every slice has as much to do.
func (b *builder) spreadOut(t device.Type, spread string) (fastest estimate, found bool) {
	stride := map[string]float64{"warp": sectorBytes, "lanes": sectorBytes, "line": lineBytes}[spread]
	all := b.everySM("op=" + t.String() + "_add spread=" + spread)
	some := where(all, func(r reading) bool { return r.number("stride") == stride })
	if len(some) == 0 {
		some = all
	}
	some = least(some, func(r reading) float64 { return r.Value })
	return middle("", some[:min(1, len(some))]), len(some) > 0
}

// sectorPasses is how many passes over a sector a warp's add needs at least: one a lane where each
// has its own sector, or all share a target; one a sector of a line.
func (b *builder) sectorPasses(t device.Type, spread string) float64 {
	lanes := b.p.Core.WarpLanes.Value
	if spread == "line" {
		return lanes * float64(t.Bytes()) / b.p.Global.SectorBytes.Value
	}
	return lanes
}

// slices is how many units of one pass at a time the whole device's throughput
// over many targets needs: the geometric mean of what the spreads say, since
// none of them keeps every slice busy alone.
func (b *builder) slices(pass estimate, found layout) estimate {
	var shown []estimate
	for _, spread := range []string{"warp", "lanes", "line"} {
		if time, ok := b.spreadOut(device.U32, spread); ok {
			shown = append(shown, pass.times(b.sectorPasses(device.U32, spread)).per(time))
		} else {
			b.rows.lack("global", "throughput", "op=u32_add spread="+spread)
		}
	}
	e, group := geometric(shown), float64(found.slices)
	e.value, e.exact = group*max(1, math.Round(e.value/group)), true
	return e.from("global", "throughput op=u32_add of all SMs over many targets: passes a warp "+
		"needs times the time of a pass, over the time taken; geometric mean of spread=warp, lanes "+
		"and line, which say %.1f to %.1f, to whole region_slices", e.interval.Low, e.interval.High)
}

// onOneWord says how adds to one target were read.
const onOneWord = "throughput op=%s spread=warp targets=1: all lanes of all SMs on one word, " +
	"cycles an add"

// globalAtomics makes an entry for each type that has its own throughput.
func (b *builder) globalAtomics() {
	pass := b.pass()
	for _, t := range []device.Type{device.U32, device.F32, device.U64, device.F64} {
		op := t.String() + "_add"
		a := device.GlobalAtomic{Mechanism: device.Native,
			Instruction: b.instruction("global", "chain", "op="+op)}
		set := b.setter(&a, "global_atomics."+t.String()+".")
		one := b.rows.need("global", "chain", "op="+op+" pattern=line degree=1")
		set("latency", middle("global.chain."+op, one).from("global",
			"chain op=%s pattern=line degree=1: one warp, result used", op))
		own := b.passOf(t, pass)
		set("pass", own)
		set("same_address", b.sameAddress(op, own))
		b.sliceTiming(t, &a, pass)
		b.p.GlobalAtomics[t.String()] = a
	}
}

// passOf is the pass of a type, in cycles. Where one address waits for itself
// longer than a pass takes, as floats do, one address does not show the pass:
// it is that of u32, longer by as much as adds to many targets take longer.
func (b *builder) passOf(t device.Type, u32 estimate) estimate {
	if t == device.U32 {
		return u32.by(b.cycles).from("global", onOneWord, "u32_add")
	}
	var longer []estimate
	for _, spread := range []string{"lanes", "line"} {
		own, ok := b.spreadOut(t, spread)
		base, okBase := b.spreadOut(device.U32, spread)
		if ok && okBase {
			passes := b.sectorPasses(device.U32, spread) / b.sectorPasses(t, spread)
			longer = append(longer, own.per(base).times(passes))
		}
	}
	if len(longer) == 0 {
		b.rows.lack("global", "throughput", "op="+t.String()+"_add spread=lanes")
	}
	mean := geometric(longer)
	return u32.by(mean).by(b.cycles).from("global", "pass of u32 times %.3f: op=%s_add against "+
		"op=u32_add a pass, over many targets, geometric mean of spread=lanes and line", mean.value, t)
}

// sameAddress is what lies between two adds to one address, in cycles: a pass at least.
func (b *builder) sameAddress(op string, pass estimate) estimate {
	e := middle("global.same_address."+op, b.oneTarget(op)).times(1/b.p.Core.WarpLanes.Value).
		by(b.cycles).from("global", onOneWord, op)
	if e.value < pass.value {
		e.value, e.interval = pass.value, pass.interval
		e.rationale += fmt.Sprintf(", %.4g, but no less than the pass", e.value)
	}
	return e
}
