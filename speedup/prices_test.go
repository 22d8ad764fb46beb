package speedup

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/internal/golden"
)

// TestPrices: every phase and bound of every implementation is what testdata/prices.txt holds, on
// each device, for calls and streams of all kinds. The file says what the formulas gave, not that they
// are right: a change of it is meant, or a fault.
func TestPrices(t *testing.T) {
	streams := map[int][]collision.Stats{}
	var lines []string
	for at, name := range golden.Devices {
		d := builtin(t, name)
		lanes := int(d.Core.WarpLanes.Value)
		if streams[lanes] == nil {
			streams[lanes] = drawnStreams(t, lanes, 30)
		}
		for k := range 5 {
			c := everyCall(5*at + 7*k)
			for _, v := range candidates() {
				if line := priceLine(t, v, d, c, streams[lanes]); line != "" {
					lines = append(lines, line)
				}
			}
		}
	}
	if len(lines) < 500 {
		t.Errorf("%d lines", len(lines))
	}
	golden.Compare(t, "testdata/prices.txt", lines)
}

// priceLine is a digest of all prices of an implementation, empty where the device cannot run it.
func priceLine(t *testing.T, v impl.Spec, d *device.Profile, c device.Call, list []collision.Stats) string {
	b, err := CompileAll([]impl.Spec{v}, d, c)
	if err != nil {
		return ""
	}
	launches := []device.Launch{{}, {Threads: 4 * d.Limits().WarpLanes}, {Blocks: 100, Threads: 256, Unroll: 4}}
	under, err := b.Under(launches)
	if err != nil {
		t.Fatal(err)
	}
	var sum golden.Digest
	us, best := []float64{0}, []device.Launch{{}}
	for i := range list {
		s := &list[i]
		if !v.NeedsGrouped() || s.Runs == s.Unique {
			under.US(s, us, best)
			sum.Add(us[0])
			if !math.IsInf(us[0], 1) {
				sum.Text(fmt.Sprint(best[0]))
			}
		}
		for _, l := range launches {
			if cost, err := under.Explain(s, 0, l); err == nil {
				addCost(&sum, &cost)
			}
		}
		f := b.Floor(s)
		sum.Add(f.US)
	}
	return fmt.Sprintf("%s {%v %v %v %v %v} %s: %s", d.Name, c.Type, c.Operand, c.Returns, c.Op, c.Keeps, v, &sum)
}

func addCost(sum *golden.Digest, cost *Cost) {
	sum.Add(cost.US)
	sum.Text(cost.Bottleneck)
	for _, p := range cost.Phases {
		sum.Text(p.Name)
		for _, b := range p.Bounds {
			sum.Text(b.Bound)
			sum.Add(b.US)
		}
	}
}

// everyCall is the n-th kind of call, round and round.
func everyCall(n int) device.Call {
	types, ops, all := device.Types(), device.Ops(), calls()
	c := all[n%len(all)]
	c.Type, c.Op = types[n%len(types)], ops[n/2%len(ops)]
	if c.Validate() != nil {
		c.Op = device.Add
	}
	return c
}

// drawnStreams measures streams of all families, each second one stretched.
func drawnStreams(t *testing.T, lanes, n int) (list []collision.Stats) {
	rng := synth.NewRand(20)
	for i := range n {
		spec, err := synth.Sample(rng, synth.Ranges{NMin: 1, NMax: 1 << 14, KMax: 1 << 22})
		if err != nil {
			t.Fatal(err)
		}
		indices, err := synth.Generate(spec)
		if err != nil {
			t.Fatal(err)
		}
		if i%5 == 4 {
			slices.Sort(indices)
		}
		s := tabled(indices, uint64(spec.K), lanes)
		if i%2 == 1 {
			s = scale(s, 1<<(i/2))
		}
		list = append(list, s)
	}
	return list
}
