package dispatch_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/internal/allocation"
	"github.com/atomtune/atomtune/internal/golden"
	"github.com/atomtune/atomtune/tuner/dispatch"
	"github.com/atomtune/atomtune/tuner/internal/tunertest"
	"github.com/atomtune/atomtune/tuner/model"
)

// small is a tree over known and sampled features:
//
//	bins < 100 ? (top < 50 ? naive : private) : (returns < 1 ? hot : (used < 9 ? private : naive))
func small() *dispatch.Tree {
	at := dispatch.PerSM{BlocksPerSM: 1, Threads: 1024, Unroll: 4}
	leaf := func(candidate uint16) dispatch.Node {
		return dispatch.Node{Feature: dispatch.LeafFeature, Right: candidate}
	}
	inner := func(feature uint8, below uint32, right uint16) dispatch.Node {
		return dispatch.Node{Feature: feature, Threshold: below, Right: right}
	}
	return &dispatch.Tree{Device: "toy", Title: "a toy", SMs: 3, ProfileHash: "none",
		Candidates: []dispatch.Candidate{{Launch: at},
			{Implementation: impl.Copies(8, 1, impl.Cyclic), Launch: at},
			{Implementation: impl.Spec{Algorithm: impl.Partition, Width: 4096}}},
		Nodes: []dispatch.Node{inner(dispatch.Bins, 100, 4), inner(dispatch.Top, 50, 3), leaf(0),
			leaf(1), inner(dispatch.Returns, 1, 6), leaf(2), inner(dispatch.Used, 9, 8), leaf(1),
			leaf(0)}}
}

// random returns features of which each is often a threshold of the tree, or next to one.
func random(r *rand.Rand, t *dispatch.Tree) (f dispatch.Features) {
	for i := range f {
		f[i] = r.Uint32() >> r.UintN(32)
		if n := t.Nodes[r.IntN(len(t.Nodes))]; int(n.Feature) == i || r.IntN(4) == 0 {
			f[i] = n.Threshold + uint32(r.IntN(3)) - 1
		}
	}
	return f
}

func embedded(t testing.TB) (list []*dispatch.Tree) {
	t.Helper()
	for _, name := range dispatch.Devices() {
		tree, err := dispatch.Embedded(name)
		tunertest.Must(t, err)
		list = append(list, tree)
	}
	if len(list) < 2 {
		t.Fatalf("%d embedded trees", len(list))
	}
	return list
}

// TestFind: each leaf of a small tree is found where it should be.
func TestFind(t *testing.T) {
	tree := small()
	if err := tree.Check(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		bins, returns, top, used uint32
		leaf                     int
	}{{99, 0, 49, 0, 2}, {99, 0, 50, 0, 3}, {100, 0, 0, 0, 5}, {100, 1, 0, 8, 7}, {100, 1, 0, 9, 8}} {
		var f dispatch.Features
		f[dispatch.Bins], f[dispatch.Returns] = c.bins, c.returns
		f[dispatch.Top], f[dispatch.Used] = c.top, c.used
		path := tree.Path(&f)
		if at := tree.Find(&f); at != c.leaf || path[len(path)-1] != at || path[0] != 0 {
			t.Errorf("%+v: leaf %d, path %v", c, at, path)
		}
		if got := tree.Choose(&f); got != tree.Candidates[tree.Nodes[c.leaf].Right] {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// TestCut: what is left where the known features are known asks for none of them, and chooses the
// same.
func TestCut(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	single := 0
	for _, tree := range append(embedded(t), small()) {
		for range 3000 {
			f := random(r, tree)
			rest := *tree
			rest.Nodes = tree.Cut(&f)
			if err := rest.Check(); err != nil || len(rest.Nodes) > dispatch.MaxCutNodes {
				t.Fatalf("%d nodes: %v", len(rest.Nodes), err)
			}
			for _, n := range rest.Nodes {
				if n.Feature < dispatch.NumKnown {
					t.Fatalf("%s of %v asks for feature %d", tree.Device, f, n.Feature)
				}
			}
			other := random(r, tree) // another stream in the same kind of call
			copy(other[:dispatch.NumKnown], f[:])
			if got, want := rest.Choose(&other), tree.Choose(&other); got != want {
				t.Fatalf("%s of %v: %v after the cut, want %v", tree.Device, other, got, want)
			}
			if len(rest.Nodes) == 1 {
				single++
			}
		}
	}
	if single == 0 {
		t.Error("no cut left a single leaf")
	}
}

// TestEmbedded: the trees are of today's profiles, and every candidate can run on the device.
func TestEmbedded(t *testing.T) {
	for _, tree := range embedded(t) {
		d, err := device.Builtin(tree.Device)
		tunertest.Must(t, err)
		if tree.ProfileHash != model.ProfileHash(d) || tree.SMs != d.Limits().SMs {
			t.Errorf("%s: it was grown on another profile: script/regenerate dispatch grows it anew", tree.Device)
		}
		used := make([]bool, len(tree.Candidates))
		for _, n := range tree.Nodes {
			if n.Leaf() {
				used[n.Right] = true
			}
		}
		for i, a := range tree.Candidates {
			if err := d.CanRun(a.Fitted(d.Limits(), device.F32, 1), device.F32, 1); err != nil {
				t.Error(err)
			}
			if !used[i] {
				t.Errorf("%s: no leaf takes action %d, %s", tree.Device, i, a)
			}
		}
		if e := tree.Evaluation; !(e.Known.GeometricMean < e.OneCandidate.GeometricMean) ||
			!(e.FamilyOut.GeometricMean < e.OneCandidate.GeometricMean) {
			t.Errorf("%s: it gains nothing over one action: %+v", tree.Device, e)
		}
	}
	if _, err := dispatch.Embedded("abacus"); !errors.Is(err, dispatch.ErrNoTree) ||
		!strings.Contains(err.Error(), "h200") {
		t.Errorf("abacus: %v", err)
	}
}

// TestFitted: copies are cut to what a block holds and are an odd number of words apart, and one copy has nothing
// between copies.
func TestFitted(t *testing.T) {
	d, err := device.Builtin("h200")
	tunertest.Must(t, err)
	l := d.Limits()
	a := dispatch.Candidate{Implementation: impl.Copies(32, 1, impl.Cyclic)}
	for bins, want := range map[uint64]string{100: "private:r=32,pad=1", 101: "private:r=32", 10000: "private:r=5,pad=1",
		50000: "private", 1 << 20: "private"} {
		if got := a.Fitted(l, device.U32, bins); got.String() != want {
			t.Errorf("%d targets: %s, want %s", bins, got, want)
		}
	}
	on := dispatch.PerSM{BlocksPerSM: 2, Threads: 512, Unroll: 4}.On(l)
	if on != (device.Launch{Blocks: uint64(2 * l.SMs), Threads: 512, Unroll: 4}) {
		t.Errorf("launch %v", on)
	}
}

// TestEncode: a tree comes back as it was, and nothing else is read.
func TestEncode(t *testing.T) {
	data, err := small().Encode()
	tunertest.Must(t, err)
	back, err := dispatch.Decode(data)
	tunertest.Must(t, err)
	again, err := back.Encode()
	if err != nil || !bytes.Equal(again, data) || !dispatch.Is(data) || dispatch.Is([]byte(`{}`)) {
		t.Errorf("%v: %s", err, again)
	}
	for name, c := range map[string][2]string{
		"version":      {`"version":1`, `"version":2`},
		"format":       {`"format":"atomtune-dispatch"`, `"format":"atomtune-model"`},
		"unknown key":  {`"device":`, `"devise":1,"device":`},
		"feature name": {`"updates","bins"`, `"bins","updates"`},
		"feature":      {`"feature":[1,13,255`, `"feature":[14,9,255`},
		"large":        {`"feature":[1,13,255`, `"feature":[1,13,256`},
		"threshold":    {`"threshold":[100`, `"threshold":[0`},
		"child":        {`"right":[4,3`, `"right":[5,3`},
		"action":       {`"right":[4,3,0,`, `"right":[4,3,3,`},
		"leaf":         {`"threshold":[100,50,0`, `"threshold":[100,50,1`},
		"short":        {`"threshold":[100,`, `"threshold":[`},
		"name":         {`"private:r=8,pad=1"`, `"privat"`},
		"launch":       {`"threads":1024`, `"threads":2048`},
		"half launch":  {`"threads":1024`, `"threads":0`},
		"blanks":       {`"version":1`, `"version": 1`},
	} {
		bad := bytes.Replace(data, []byte(c[0]), []byte(c[1]), 1)
		if bytes.Equal(bad, data) {
			t.Errorf("%s: %s does not occur in %s", name, c[0], data)
		}
		if _, err := dispatch.Decode(bad); !errors.Is(err, dispatch.ErrTree) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// TestCheck: lists of nodes that are not a tree are refused, and so are names that could leave a comment or a
// string of a source; quotes and letters of all scripts are not.
func TestCheck(t *testing.T) {
	leaf := dispatch.Node{Feature: dispatch.LeafFeature}
	inner := dispatch.Node{Feature: dispatch.Top, Threshold: 5, Right: 2}
	bad := map[string]func(t *dispatch.Tree){
		"none":      func(t *dispatch.Tree) { t.Nodes = nil },
		"two roots": func(t *dispatch.Tree) { t.Nodes = []dispatch.Node{leaf, leaf} },
		"one child": func(t *dispatch.Tree) { t.Nodes = []dispatch.Node{inner, leaf} },
		"too many":  func(t *dispatch.Tree) { t.Nodes = make([]dispatch.Node, dispatch.MaxNodes+1) },
		"actions":   func(t *dispatch.Tree) { t.Candidates = make([]dispatch.Candidate, dispatch.MaxCandidates+1) },
	}
	for _, name := range []string{"a\nint x;", "a\r", "a */ int x;", `a\`, "a\u2028b", "a\x00", "a\x1b[2J"} {
		bad["device "+name] = func(t *dispatch.Tree) { t.Device = name }
		bad["title "+name] = func(t *dispatch.Tree) { t.Title = name }
	}
	for name, change := range bad {
		tree := small()
		change(tree)
		if err := tree.Check(); !errors.Is(err, dispatch.ErrTree) {
			t.Errorf("%q passes: %v", name, err)
		}
		if _, err := tree.Encode(); err == nil {
			t.Errorf("%q was encoded", name)
		}
	}
	tree := small()
	tree.Title = `NVIDIA "Größe" 東京 (80 GB)`
	if err := tree.Check(); err != nil {
		t.Error(err)
	}
}

// TestAltered: which trees of which one field is another are refused is what testdata/altered.txt holds.
func TestAltered(t *testing.T) {
	var lines []string
	for _, tree := range embedded(t) {
		text, err := tree.Encode()
		tunertest.Must(t, err)
		lines = append(lines, tree.Device+": "+golden.Altered(text, 300, func(altered []byte) error {
			_, err := dispatch.Decode(altered)
			return tunertest.Refused(err)
		}).String())
	}
	golden.Compare(t, "testdata/altered.txt", lines)
}

func FuzzDecode(f *testing.F) {
	data, err := small().Encode()
	tunertest.Must(f, err)
	f.Add(data)
	f.Add([]byte(`{"format":"atomtune-dispatch","version":1}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var tree *dispatch.Tree
		var err error
		allocation.Bound(t, len(data), func() { tree, err = dispatch.Decode(data) })
		if err != nil {
			if !errors.Is(err, dispatch.ErrTree) {
				t.Fatal(err)
			}
			return
		}
		var features dispatch.Features
		tree.Choose(&features)
		if again, err := tree.Encode(); err != nil || !bytes.Equal(again, data) {
			t.Fatalf("%v: %s", err, again)
		}
	})
}
