package main

import (
	"cmp"
	"fmt"
	"reflect"
	"strings"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/command/report"
	"github.com/atomtune/atomtune/speedup"
)

// printDevice shows the main properties of a device on one screen.
func printDevice(p *report.Page, d *device.Profile) {
	p.Prose("%s: %s (%s, %s)", d.Name, p.Strong(d.Title), d.Vendor, d.Architecture)
	p.WriteByte('\n')
	line := func(label, format string, args ...any) { p.Item(fmt.Sprintf("%-15s", label), format, args...) }
	n := func(q device.Quantity) string { return report.Short(q.Value) }
	core, shared, memory := d.Core, d.Shared, d.Memory
	sr, vr := speedup.Thresholds(d)
	line("processors", "%s at %s MHz, each with %s warps of %s lanes; blocks of up to %s threads",
		n(core.SMs), n(core.Clock), n(core.MaxWarps), n(core.WarpLanes), n(core.MaxThreadsPerBlock))
	line("warps", "%s; thresholds sr:t=%d, vr:t=%d of %s lanes, by inequalities (1) and (2) of [egielski14]",
		exchanges(d.Exchange), sr, vr, n(core.WarpLanes))
	line("shared memory", "%s bytes of a block, %s banks of %s bytes; a load takes %s cycles, a further pass %s",
		report.Count(uint64(shared.BytesPerBlock.Value)), n(shared.Banks), n(shared.BankBytes),
		n(shared.LoadLatency), n(shared.PassLatency))
	line("L2", "%s, %s slices, %s; a load takes %s cycles, a miss %s more",
		report.Bytes(memory.L2Bytes.Value), n(d.Global.Slices), report.BytesPerSecond(memory.L2Rate.Value),
		n(d.Global.LoadLatency), n(d.Global.MissLatency))
	line("memory", "%s, with global atomics %s", report.BytesPerSecond(memory.DRAMRate.Value),
		report.BytesPerSecond(memory.AtomicRate.Value))
	line("launches", "%s us for a call with one kernel, %s us for each further kernel", n(d.Launch.First),
		n(d.Launch.Next))
	p.WriteString("\ncycles of a single atomic add, and of each further one on the same address:\n\n")
	var rows []report.Row
	for _, t := range device.Types() {
		of, known := d.Types[t]
		if !known {
			continue
		}
		row := report.Row{t.String(), "none", "", "", "none", "", ""}
		if g := d.GlobalAtomics[of.Global]; g.Mechanism != device.Absent {
			row[1], row[2], row[3] = string(g.Mechanism), g.Latency.Value, g.SameAddress.Value
		}
		if s := d.SharedAtomics[of.Shared]; s.Mechanism != device.Absent {
			row[4], row[5], row[6] = string(s.Mechanism), s.Base.Value, s.Round.Value
		}
		rows = append(rows, row)
	}
	report.Cells(p, "type|global|>alone|>further|shared|>alone|>further", rows)
	all := len(facts(reflect.ValueOf(*d), ""))
	p.WriteByte('\n')
	p.Prose("--all shows all %s quantities with unit, source and rationale, --json the profile.",
		report.Count(all))
	p.WriteByte('\n')
}

// exchanges lists the instructions by which lanes of a warp exchange values.
func exchanges(x device.Exchange) string {
	list := ""
	for i, has := range []device.Capability{x.HasShuffle, x.HasBallot, x.HasMatch} {
		if has.Value {
			list += ", " + []string{"shuffles", "votes", "matches"}[i]
		}
	}
	return cmp.Or(strings.TrimPrefix(list, ", "), "no exchange of values")
}

func printQuantities(p *report.Page, d *device.Profile) {
	p.Prose("%s: %s (%s, %s)", d.Name, p.Strong(d.Title), d.Vendor, d.Architecture)
	for _, row := range facts(reflect.ValueOf(*d), "") {
		name, value, unit, source, rationale := row[0], row[1], row[2], row[3], row[4]
		p.Prose("%s  %s", p.Strong(name), strings.TrimSpace(value+" "+unit))
		if source != "" {
			p.Item("    ", "%s: %s", source, rationale)
		}
	}
}
