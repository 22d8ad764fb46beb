package recorded

import (
	"testing"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/datasets/h200"
	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
)

// TestQuestions: a question holds what was measured, was right and returns nothing, of one stream
// in the half that its label says, and each question stands once.
func TestQuestions(t *testing.T) {
	questions, err := Questions(h200.Archive)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[CallKey]bool{}
	for _, q := range questions {
		key := CallKey{Label: q.Label, Call: q.Call}
		if seen[key] || q.Call.Returns || q.Part != recordings.Half(q.Label) || len(q.US) != len(q.Calls) {
			t.Errorf("%s, %s: returns %t, part %s, %d times of %d calls", q.Label, q.Kind(),
				q.Call.Returns, q.Part, len(q.US), len(q.Calls))
		}
		seen[key] = true
		for _, c := range q.Calls {
			if c.Origin != recordings.Measured || !c.Correct || c.Label != q.Label || c.Call != q.Call ||
				q.US[c.Implementation] != c.MedianUS {
				t.Errorf("%s, %s: %+v", q.Label, q.Kind(), c)
			}
		}
	}
	if len(questions) < 1000 {
		t.Errorf("%d questions", len(questions))
	}
}

// TestArchives: each archive is found by its GPU's name, has a profile, and validation sets
// whose questions are in a part of their own; a GPU without recordings has no model either.
func TestArchives(t *testing.T) {
	for _, a := range Archives {
		gpu, err := a.Profile()
		if err != nil || gpu.Name != a.Name() || Archive(a.Name()) != a {
			t.Errorf("%s: %v", a.Name(), err)
		}
		for _, s := range a.Judging() {
			questions, err := SetQuestions(s)
			if err != nil || len(questions) == 0 {
				t.Errorf("%s %s: %d questions, %v", a.Name(), s.Name(), len(questions), err)
			}
			for _, q := range questions {
				if q.Part != SetPart(s) || q.Device.Name != a.Name() {
					t.Errorf("%s: of part %s, on %s", q.Label, q.Part, q.Device.Name)
				}
			}
		}
	}
	if m, err := Model(h200.Archive.Name()); m == nil || err != nil {
		t.Errorf("model %v, %v", m, err)
	}
	if m, err := Model("abacus"); m != nil || err != nil || Archive("abacus") != nil {
		t.Errorf("model %v, %v", m, err)
	}
}

// TestLadder: the ladder takes the most copies that fit into a block's 227 KiB, of each
// target 4 bytes and one of padding a copy, and below four copies one with a reduction.
func TestLadder(t *testing.T) {
	d, err := device.Builtin("h200")
	if err != nil {
		t.Fatal(err)
	}
	const words = 227 * 256
	for bins, want := range map[uint64]impl.Spec{
		1:            {Algorithm: impl.Private, Replicas: 32, Pad: 1},
		words/32 - 1: {Algorithm: impl.Private, Replicas: 32, Pad: 1},
		words / 32:   {Algorithm: impl.Private, Replicas: 16, Pad: 1},
		words/16 - 1: {Algorithm: impl.Private, Replicas: 16, Pad: 1},
		words / 16:   {Algorithm: impl.Private, Replicas: 4, Pad: 1},
		words / 4:    {Algorithm: impl.Private, Reduction: impl.SR},
		words + 1:    {Reduction: impl.Match},
	} {
		got := Rivals()[0].Pick(Asked{Stats: &collision.Stats{Bins: bins}, Device: d,
			Call: device.Call{Type: device.U32}})
		if got != want {
			t.Errorf("%d targets: %s, want %s", bins, got, want)
		}
	}
}
