package archivetest

import (
	"fmt"
	"testing"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/datasets/patterns"
	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
)

// Tiny returns a made-up run with a reading and two implementations on each of some short
// streams, whose statistics are right. Runs of other dates are of other starts.
func Tiny(t testing.TB, date string, seeds ...int) recordings.Run {
	t.Helper()
	r := recordings.Run{Name: "tiny", Provenance: recordings.Provenance{GPU: "NVIDIA Tiny",
		ComputeCapability: "9.0", Options: "--tiny", Starts: []recordings.Start{{Date: date}}}}
	r.Readings = []recordings.Reading{{Suite: "warp", Name: "latency", Parameters: "op=add",
		Value: 4, Low: 4, High: 5, Unit: "cycle", Repeats: 3, Kernel: "chain", Instruction: "add.u32",
		Launch: "1x32+0", Unroll: 8}}
	match, err := impl.Parse("match")
	if err != nil {
		t.Fatal(err)
	}
	for _, seed := range seeds {
		spec, err := synth.Parse(fmt.Sprintf("uniform:n=4096,k=64,seed=%d", seed))
		if err != nil {
			t.Fatal(err)
		}
		indices, err := synth.Generate(spec)
		if err != nil {
			t.Fatal(err)
		}
		stats, err := collision.Analyze(indices, collision.Options{Bins: uint64(spec.K)})
		if err != nil {
			t.Fatal(err)
		}
		label := spec.String()
		r.Streams = append(r.Streams,
			recordings.Stream{Label: label, Half: recordings.Half(label), Stats: stats})
		for i, v := range []impl.Spec{{}, match} {
			us := float64(10 + i)
			r.Calls = append(r.Calls, recordings.Call{Label: label, Updates: stats.Updates,
				Bins: stats.Bins, Call: device.Call{Type: device.F32}, Implementation: v,
				Origin: recordings.Measured, MedianUS: us, MinUS: us, MaxUS: us + 1, Repeats: 3,
				Correct: true, Shape: device.Shape{Blocks: 1, Threads: 256, Unroll: 1}})
		}
	}
	return r
}

// TinyScratchpad returns a made-up column of patterns, such as a run may have.
func TinyScratchpad() *recordings.Scratchpad {
	s := &recordings.Scratchpad{Patterns: append(patterns.Structured(), patterns.Random(1, 27)...)}
	cycles := make([]float64, len(s.Patterns))
	for i := range cycles {
		cycles[i] = float64(30 + i%7)
	}
	s.Columns = []recordings.ScratchpadColumn{{Name: "u32_add", Cycles: cycles, Low: cycles,
		High: cycles, Repeats: 3, Kernel: "scratchpad_u32_add", Instruction: "atom.shared.add.u32",
		Launch: "1x32+0", Unroll: 8}}
	return s
}
