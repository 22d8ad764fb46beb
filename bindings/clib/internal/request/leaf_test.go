package request

import (
	"errors"
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/internal/must"
	"github.com/atomtune/atomtune/tuner"
	"github.com/atomtune/atomtune/tuner/dispatch"
)

// TestLeaf: any type of index gives the features of the targets, and these the tree's candidate.
func TestLeaf(t *testing.T) {
	call := device.Call{Type: device.F32, Operand: device.One}
	r := Request{Device: "h100", Bins: bins, Options: tuner.Options{Call: call}}
	words, ignored := targets[uint32](100000), int64(-1)
	for i := range words {
		if i%3 == 0 {
			words[i] = impl.NoTarget
		}
	}
	want := dispatch.Sample(words, call, bins)
	wide := targets[int64](100000)
	for i := range wide {
		if i%3 == 0 {
			wide[i] = []int64{ignored, bins, 1 << 40}[i%9/3]
		}
	}
	got := r.Features(&Of[int64]{Indices: wide, Ignored: &ignored})
	if got != want {
		t.Errorf("features %v, want %v", got, want)
	}
	tree := must.Get(dispatch.Embedded("h100"))(t)
	for range 2 { // the second time from what is kept
		candidate, a, err := r.Leaf(got)
		if err != nil || tree.Candidates[candidate] != tree.Choose(&want) || a.Source != Leaf {
			t.Errorf("action %d: %+v, %v, want %s", candidate, a, err, tree.Choose(&want))
		}
	}
	got[dispatch.Type] = dispatch.ClassOf(device.F64)
	if _, _, err := r.Leaf(got); !errors.Is(err, ErrArgument) {
		t.Errorf("features of another type: %v", err)
	}
	r.Device = "c2075"
	if _, _, err := r.Leaf(want); !errors.Is(err, dispatch.ErrNoTree) {
		t.Errorf("a device without a tree: %v", err)
	}
}

// TestFitted: a candidate has as many copies as fit into a block, in the device's grid.
func TestFitted(t *testing.T) {
	d := must.Get(device.Builtin("h200"))(t)
	candidate := dispatch.Candidate{Launch: dispatch.PerSM{BlocksPerSM: 1, Threads: 1024, Unroll: 4}}
	must.Do(t, candidate.Implementation.UnmarshalText([]byte("private:r=8,pad=1")))
	for targets, copies := range map[uint32]int{1000: 8, 10000: 5, 20000: 2} {
		f := dispatch.Features{dispatch.Updates: 1 << 24, dispatch.Bins: targets}
		a := fitted(candidate, d, device.F32, &f)
		if a.Implementation.R() != copies || a.Launch.Blocks != 132 || a.Launch.Threads != 1024 ||
			a.Launch.Unroll != 4 || a.Launch.SharedBytes != uint64(copies)*uint64(targets+1)*4 {
			t.Errorf("%d targets: %s %+v, want %d copies", targets, a.Implementation, a.Launch, copies)
		}
	}
}
