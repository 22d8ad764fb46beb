package calibration

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/device"
)

func hundredth(cycles float64) float64 { return math.Round(cycles*100) / 100 }

// sharedAtomics makes an entry of each column, named like it, and one for
// adding the constant 1 where that is counted.
func (b *builder) sharedAtomics() {
	for _, key := range slices.Sorted(maps.Keys(b.columns)) {
		r := b.columns[key]
		if r.Params.Loops() && r.Params.Round < 1 {
			b.warn("column %s is left out: a loop whose further turns take %.2f cycles shows no rounds", key,
				r.Params.Round)
			delete(b.columns, key)
			continue
		}
		source := b.source(recordings.ScratchpadFile, columnSource+key)
		a := r.entry(device.SharedAtomic{Instruction: cmp.Or(b.in.Instructions[key],
			b.instruction("shared", "throughput", "op="+key))}, source)
		b.setPorts(key, &a, r.Params)
		b.p.SharedAtomics[key] = a
		b.listConstants(key, r, source)
	}
	b.counting()
}

func (b *builder) listConstants(key string, r *Result, source string) {
	for _, c := range r.Constants {
		place := "shared_atomics." + key + "."
		if !slices.Contains([]string{"base", "round", "bank", "write"}, c.Name) {
			place += "warp."
		}
		b.report.Quantities = append(b.report.Quantities, Estimate{Name: place + c.Name,
			Value: hundredth(c.Cycles), Unit: "cycle", Interval: c.Interval, Residuals: &r.HeldOut,
			Source: source, Rationale: "residuals are of the rows held out"})
	}
	for _, u := range r.Unidentified {
		b.unidentified("shared_atomics."+key+"."+u.Name, u.Reason)
	}
}

const countingKey = "u32_add_one" // the entry for adding the constant 1 with the result unused

// counting makes the entry for adding the constant 1 where equal words are one pass.
func (b *builder) counting() {
	add, ok := b.p.SharedAtomics["u32_add"]
	if !ok || add.Mechanism != device.Native || !b.merges() {
		return
	}
	p := b.columns["u32_add"].Params
	p.Mechanism, p.Bank = device.Merge, p.Round
	l := b.ports("u32_add_one_unused", p)
	a := device.SharedAtomic{Mechanism: device.Merge,
		Instruction: b.instruction("shared", "throughput", "op=u32_add_one_unused")}
	set := b.setter(&a, "shared_atomics."+countingKey+".")
	asAdd := "as u32_add: the counting instruction returns nothing that a chain could wait for"
	set("base", assume(add.Base.Value, "assumed", asAdd))
	set("round", assume(add.Round.Value, "assumed", asAdd))
	set("bank", assume(add.Round.Value, "assumed", asAdd))
	set("port", l.coefficient(1).from("shared", "%s; by position all degrees take as long",
		portText("u32_add_one_unused", "different word of a bank")))
	none := absent("cycle")
	a.Write, a.WritePort, a.Hold, a.Locks = none, none, none, absent("1")
	b.p.SharedAtomics[countingKey] = a
}

// absent is a quantity that a mechanism does not have.
func absent(unit string) device.Quantity {
	return device.Quantity{Unit: unit, Source: "assumed", Rationale: "no part of this mechanism"}
}

// instruction is what the PTX of the readings' kernel does.
func (b *builder) instruction(suite, name, parameters string) string {
	for _, r := range b.rows.rows(suite, name, parameters) {
		if r.Instruction != "" {
			return r.Instruction
		}
	}
	return "not recorded"
}

// column names the entry by which a type does an operation: its own, or that of the unsigned type
// of its size where that does the same.
func column(t device.Type, o device.Operation) string {
	same := o == device.OpExchange || o == device.OpLoad || o == device.OpStore
	switch {
	case t.Float() && !same:
	case t.Bytes() == 8:
		t = device.U64
	default:
		t = device.U32
	}
	return t.String() + "_" + string(o)
}

// types says which entries each type uses, of those that were measured.
func (b *builder) types() {
	for _, t := range device.Types() {
		add := column(t, device.OpAdd)
		if _, ok := b.p.SharedAtomics[add]; !ok {
			b.rows.lack("scratchpad", "column", add+" with rounds that show")
			continue
		}
		own := device.TypeAtomics{Shared: add, SharedOne: add, Global: strings.TrimSuffix(add, "_add"),
			SharedOperations: map[device.Operation]string{}}
		if _, counts := b.p.SharedAtomics[countingKey]; counts && add == "u32_add" {
			own.SharedOne = countingKey
		}
		for _, o := range device.Operations() {
			key := column(t, o)
			if _, ok := b.p.SharedAtomics[key]; ok && o != device.OpAdd {
				own.SharedOperations[o] = key
			}
		}
		b.p.Types[t] = own
	}
}

// contendedAdds sets how many adds to a word come through in an iteration of a loop in
// hardware, where all warps of an SM add to the same words:
//
//	time per warp = max(round, warps·port)·degree·(1 + (warps-1)/adds) / warps
//
// It is the geometric mean over the readings of f32 and f64, to tenths: they differ by more.
func (b *builder) contendedAdds() {
	var each []estimate
	for _, t := range []device.Type{device.F32, device.F64} {
		a := b.p.SharedAtomic(t)
		if a.Mechanism != device.Spin && a.Mechanism != device.Lock {
			continue
		}
		port := (a.Port.Value + a.WritePort.Value) * float64(t.Bytes()) / b.p.Shared.BankBytes.Value
		all := fmt.Sprintf("op=%s_add colliding_lanes=%.0f", t, b.p.Core.WarpLanes.Value)
		for _, r := range b.rows.rows("shared", "contention", all) {
			warps := r.number("warps")
			iterations := r.Value * warps / (max(a.Round.Value, warps*port) * r.number("degree"))
			if warps >= 8 && r.number("colliding_warps") == warps && iterations > 1 {
				adds := exactly((warps-1)/(iterations-1), "")
				adds.once = r.Repeats < 2
				each = append(each, adds)
			}
		}
	}
	if len(each) == 0 {
		return // Assume says what is taken
	}
	e := geometric(each)
	e.value, e.exact = math.Round(10*e.value)/10, true
	b.put("shared.contended_adds", e.from("shared", "contention of f32 and f64, all of 8 warps "+
		"and more on the same words: geometric mean of %d readings, "+
		"each of which says between %.1f and %.1f", len(each), e.interval.Low, e.interval.High))
}

// assumed fills in what recorded calls show and readings do not.
func (b *builder) assumed() {
	for _, place := range b.p.Assume() {
		b.unidentified(place,
			"readings do not show it: as the profile says, from calls recorded elsewhere")
	}
}
