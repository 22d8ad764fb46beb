package calls

import (
	"fmt"
	"testing"

	"github.com/atomtune/atomtune/bindings/gpu/driver"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/internal/golden"
	"github.com/atomtune/atomtune/internal/must"
)

// smallDescription is of a GPU without the match instruction and with less shared memory than an H200.
func smallDescription() driver.Description {
	d := h200Description()
	d.Major = 6
	for i, a := range d.Attributes {
		switch a.Name {
		case "shared_bytes_per_sm":
			d.Attributes[i].Value = 64 << 10
		case "shared_bytes_per_block":
			d.Attributes[i].Value = 48 << 10
		}
	}
	return d
}

// TestMeasured: the calls that are measured on a stand-in and the launches that they are made of are what
// testdata/measured.txt holds, for options and devices of several kinds; and so are the streams that suites and
// draws name.
func TestMeasured(t *testing.T) {
	var lines []string
	for i, o := range []Options{{}, {Quick: true, Launches: true}, {Keeps: true, Repeats: 1},
		{Types: []device.Type{device.I64, device.I32, device.I64}, Repeats: 1},
		{Quick: true, Implementations: []impl.Spec{{Reduction: impl.VR, Threshold: 8}}}} {
		runs := runAllTypes(t)
		if i > 0 {
			g := newCallsGPU()
			if i == 3 {
				g.description = smallDescription()
			}
			runs = runJobs(t, newSuite(g.description, o), g)
		}
		for _, r := range runs {
			r.Warnings = nil
			var sum golden.Digest
			sum.JSON(t, r.Result)
			for _, l := range r.launches {
				sum.Text(fmt.Sprint(l.module, l.kernel, l.shape.Recorded()))
			}
			lines = append(lines, fmt.Sprintf("options %d, %s: %d launches, %s", i, r.key, len(r.launches), &sum))
		}
	}
	for _, quick := range []bool{false, true} {
		var sum golden.Digest
		for _, s := range Streams(quick) {
			sum.Text(s.String())
		}
		lines = append(lines, fmt.Sprintf("streams, quick %t: %s", quick, &sum))
	}
	jobs := must.Get(Jobs(h200Description(), Options{Drawn: 30, Seed: 3}))(t)
	var sum golden.Digest
	for _, j := range jobs {
		sum.Text(fmt.Sprint(j.Name(), j.Updates))
	}
	golden.Compare(t, "testdata/measured.txt", append(lines, fmt.Sprintf("%d drawn: %s", len(jobs), &sum)))
}
