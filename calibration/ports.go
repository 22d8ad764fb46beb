package calibration

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/latency"
)

// conflicting is the words of a warp's lanes under a conflict: by position,
// groups of degree lanes share a word and lie in different banks; by bank, the
// lanes of a group have different words of one bank.
func conflicting(conflict string, degree, lanes, banks int) []int32 {
	pattern := make([]int32, lanes)
	for l := range pattern {
		pattern[l] = int32(l / degree)
		if conflict == "bank" {
			pattern[l] += int32(l % degree * banks)
		}
	}
	return pattern
}

// ports fits the cycles that a full SM takes for a warp's operation to the
// serial accesses of its reads and of its writes, as many as package latency
// counts with these parameters, beside what the operation takes anyway.
//
//	cycles = overhead + port·reads + write_port·writes
//
// The coefficients are those of overhead, reads and writes.
func (b *builder) ports(op string, p latency.Params) line {
	passes := func(r reading) []float64 {
		degree := max(1, int(r.number("degree")))
		out, err := latency.Warp(conflicting(r.parameters["conflict"], degree, p.Lanes, p.Banks), p)
		if err != nil {
			b.warn("shared throughput %s: %v", r.Parameters, err)
			return nil
		}
		reads, writes := 0, 0
		for _, iteration := range out.Rounds {
			reads, writes = reads+iteration.ReadPasses, writes+iteration.WritePasses
		}
		return []float64{1, float64(reads), float64(writes)}
	}
	return b.regress(busiest(b.rows.need("shared", "throughput", "op="+op)), passes,
		"shared throughput op="+op+" of two degrees", "shared.throughput."+op)
}

func portText(op, of string) string {
	return fmt.Sprintf("throughput op=%s at most warps over the degrees of conflict, each %s", op, of)
}

// busiest keeps, of the readings that differ in the number of warps alone, the one of most. Where
// that has less than half the warps of another, its SM is not full and says nothing of throughput.
func busiest(rows []reading) []reading {
	most := 0.0
	for _, r := range rows {
		most = max(most, r.number("warps"))
	}
	return where(rows, func(r reading) bool {
		return r.number("warps") >= most/2 && !slices.ContainsFunc(rows, func(o reading) bool {
			return o.parameters["conflict"] == r.parameters["conflict"] &&
				o.parameters["degree"] == r.parameters["degree"] && o.number("warps") > r.number("warps")
		})
	})
}

// substitute is the operation from whose throughput that of a column is taken where
// the column's own was not measured.
func substitute(column string) string {
	switch _, o, _ := ParseColumn(column); o {
	case device.OpCASLoop, device.OpCASFree:
		return "u32_casloop"
	case device.OpLoad:
		return "u32_load"
	case device.OpStore:
		return "u32_store"
	}
	return "u32_add"
}

// setPorts sets how long an operation keeps the port busy and other warps out.
func (b *builder) setPorts(key string, a *device.SharedAtomic, p latency.Params) {
	set := b.setter(a, "shared_atomics."+key+".")
	op := key
	borrowed := len(b.rows.rows("shared", "throughput", "op="+op)) == 0
	if borrowed {
		op = substitute(key)
	}
	q := p
	if r := b.columns[op]; borrowed && r != nil {
		q = r.Params
	}
	l := b.ports(op, q)
	port := l.coefficient(1).from("shared", "%s", portText(op, "pass of a read"))
	write := l.coefficient(2).from("shared", "%s", portText(op, "pass of a write"))
	if load := b.columns["u32_load"]; load != nil &&
		strings.HasSuffix(key, "_"+string(device.OpStore)) {
		load := b.ports("u32_load", load.Params)
		port = port.plus(load.coefficient(1)).from("shared",
			"%s, and of op=u32_load: the operation is a store and a load", portText(op, "pass"))
	}
	if slices.Contains(l.dependent, 1) {
		port = assume(b.p.Shared.PassPort.Value, "assumed",
			"as of a load: the degrees of conflict that were measured do not determine it")
	}
	if borrowed {
		port = assume(significant(port.value), "assumed", "as of "+op)
		write = assume(significant(write.value), "assumed", "as of "+op)
	}
	set("port", port)
	if !p.Loops() {
		a.WritePort, a.Hold = absent("cycle"), absent("cycle")
		return
	}
	set("write_port", write)
	set("hold", b.hold(key, p))
}

// hold is how long an add keeps other warps from a word: one iteration of the loop, or what an add takes
// two warps whose lanes all add to one word, if that is longer. It is shorter where the tries of
// two warps interleave; on an SM full of warps their tries take each other's turns. Of operations
// that were not measured so it is taken as long, in turns of their loop.
func (b *builder) hold(key string, p latency.Params) estimate {
	op := key
	if len(b.contended(op)) == 0 {
		op = map[bool]string{true: "u32_casloop", false: "f64_add"}[p.Mechanism == device.CAS]
		if len(b.contended(op)) == 0 {
			op = "f32_add"
		}
	}
	rows, lent := b.contended(op), b.columns[op]
	if len(rows) == 0 || lent == nil || !lent.Params.Loops() {
		return assume(hundredth(p.Round), "assumed",
			"one turn: warps that share a word were not measured")
	}
	e := middle("shared.contention."+op, rows).times(1 / b.p.Core.WarpLanes.Value)
	text := fmt.Sprintf("contention op=%s: two warps, all lanes of both on one word, cycles an add",
		op)
	hold, why := p.Round, ""
	switch most := 8 * p.Round; {
	case op != key:
		hold = p.Round * math.Max(1, e.value/lent.Params.Round)
		why = fmt.Sprintf("as many turns as %s waits, one at least", op)
	case e.value > most:
		hold = most
		why = fmt.Sprintf("eight turns, the most that a profile takes; %s says %.4g", text, e.value)
	case e.value < p.Round:
		why = fmt.Sprintf("one turn; %s, are %.4g, but their tries interleave", text, e.value)
	default:
		return e.from("shared", "%s", text)
	}
	return assume(hundredth(hold), "assumed", why)
}

// contended returns the readings of two warps whose lanes all add to one word.
func (b *builder) contended(op string) []reading {
	lanes := fmt.Sprint(b.p.Core.WarpLanes.Value)
	return b.rows.rows("shared", "contention",
		"op="+op+" warps=2 colliding_warps=2 colliding_lanes="+lanes+" degree="+lanes)
}

// merges reports whether lanes that add the constant 1 to one word, the result unused, are one
// pass: each further lane costs less than a quarter of what a lane costs that adds a value.
func (b *builder) merges() bool {
	perLane := func(op string) float64 {
		rows := busiest(b.rows.need("shared", "throughput", "op="+op+" conflict=position"))
		return b.regress(rows, over("degree"),
			"shared throughput op="+op+" conflict=position of two degrees", "merges "+op).b[1]
	}
	return perLane("u32_add_one_unused") < perLane("u32_add")/4
}
