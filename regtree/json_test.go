package regtree_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/internal/allocation"
	"github.com/atomtune/atomtune/regtree"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

const small = `{"format":"regtree","version":1,"features":["a","b"],"split":[1,-1,-1],"threshold":[2.5],` +
	`"value":[1,2],"count":[3,4],"stddev":[0.5,0],"min":[0,2],"max":[3,2]}`

func TestJSONRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tree, err := regtree.Fit(anyTable(t), anyOptions(t))
		if err != nil {
			t.Fatal(err)
		}
		data, err := json.Marshal(tree)
		if err != nil {
			t.Fatal(err)
		}
		var back regtree.Tree
		if err := json.Unmarshal(data, &back); err != nil {
			t.Fatalf("%v: %s", err, data)
		}
		if diff := cmp.Diff(tree.Nodes(), back.Nodes()); diff != "" {
			t.Fatalf("decoded tree differs:\n%s", diff)
		}
		again, err := back.MarshalJSON()
		if err != nil || !bytes.Equal(data, again) {
			t.Fatalf("error %v, bytes differ:\n%s\n%s", err, data, again)
		}
		rebuilt, err := regtree.New(tree.Features(), tree.Nodes())
		if err != nil || !cmp.Equal(tree.Nodes(), rebuilt.Nodes()) {
			t.Fatalf("New(Nodes()): error %v, or another tree", err)
		}
	})
}

func TestParseRefuses(t *testing.T) {
	if _, err := regtree.Parse([]byte(small)); err != nil {
		t.Fatal(err)
	}
	cases := []struct {
		old, new string
		want     error
	}{
		{`"version":1`, `"version":2`, regtree.ErrVersion},
		{`"version":1,`, ``, regtree.ErrVersion},
		{`"regtree"`, `"forest"`, regtree.ErrVersion},
		{`{"format"`, `[{"format"`, regtree.ErrEncoding},
		{`"max":[3,2]}`, `"max":[3,2]} 1`, regtree.ErrEncoding},
		{`"max":[3,2]}`, `"max":[3,2]`, regtree.ErrEncoding},
		{`"max":[3,2]`, `"max":[3,2],"mean":[1]`, regtree.ErrEncoding},
		{`"max":[3,2]`, `"max":[3,2],"max":[3,2]`, regtree.ErrEncoding},
		{`"max"`, `"Max"`, regtree.ErrEncoding},
		{`"max":[3,2]`, `"max":[3,null]`, regtree.ErrEncoding},
		{`"max":[3,2]`, `"max":null`, regtree.ErrShape},
		{`"max":[3,2]`, `"max":["3",2]`, regtree.ErrEncoding},
		{`[2.5]`, `[1e999]`, regtree.ErrEncoding},
		{`[2.5]`, `[NaN]`, regtree.ErrEncoding},
		{`"a"`, "\"\xff\"", regtree.ErrEncoding},
		{`"max":[3,2]`, `"max":[3]`, regtree.ErrShape},
		{`"count":[3,4]`, `"count":[3,4,5]`, regtree.ErrShape},
		{`"count":[3,4]`, `"count":[3,4],"weight":[1,2]`, regtree.ErrEncoding},
		{`2.5`, `2.50`, regtree.ErrEncoding},
		{`"b"`, `"a"`, regtree.ErrFeature},
		{`["a","b"]`, `[]`, regtree.ErrEmpty},
		{`[1,-1,-1]`, `[2,-1,-1]`, regtree.ErrTree},
		{`[1,-1,-1]`, `[1,-2,-1]`, regtree.ErrTree},
		{`[1,-1,-1]`, `[-1,-1,1]`, regtree.ErrTree},
		{`[1,-1,-1]`, `[1,-1]`, regtree.ErrTree},
		{`[1,-1,-1]`, `[1,-1,-1,-1]`, regtree.ErrTree},
		{`[1,-1,-1]`, `[]`, regtree.ErrTree},
		{`[1,-1,-1]`, `[1,1,-1,-1,-1]`, regtree.ErrTree},
		{`[2.5]`, `[2.5,3]`, regtree.ErrTree},
		{`[2.5]`, `[]`, regtree.ErrTree},
		{`"value":[1,2]`, `"value":[5,2]`, regtree.ErrTree},
		{`[0.5,0]`, `[0.5,0.1]`, regtree.ErrTree},
		{`[0.5,0]`, `[-0.5,0]`, regtree.ErrTree},
		{`"count":[3,4]`, `"count":[0,4]`, regtree.ErrRange},
		{`"max":[3,2]`, `"max":[1e+101,2]`, regtree.ErrRange},
	}
	for _, c := range cases {
		bad := strings.Replace(small, c.old, c.new, 1)
		if bad == small {
			t.Fatalf("%s does not occur", c.old)
		}
		if _, err := regtree.Parse([]byte(bad)); !errors.Is(err, c.want) {
			t.Errorf("%s for %s: error %v, want %v", c.new, c.old, err, c.want)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	leaf := regtree.Leaf{Value: 1, Count: 1, Min: 1, Max: 1}
	split, end := regtree.Node{Threshold: 1}, regtree.Node{Feature: -1, Leaf: leaf}
	if _, err := regtree.New([]string{"a"}, []regtree.Node{split, end, end}); err != nil {
		t.Fatal(err)
	}
	nan, nanLeaf := split, end
	nan.Threshold, nanLeaf.Leaf.Value = math.NaN(), math.NaN()
	noRows := end
	noRows.Leaf.Count = 0
	for want, list := range map[error][][]regtree.Node{
		regtree.ErrTree: {nil, {split, end}, {end, split}, {end, end}, {split, end, end, end},
			{{Feature: 1}, end, end}},
		regtree.ErrNotFinite: {{nan, end, end}, {nanLeaf}},
		regtree.ErrRange:     {{noRows}},
	} {
		for _, nodes := range list {
			if _, err := regtree.New([]string{"a"}, nodes); !errors.Is(err, want) {
				t.Errorf("%+v: error %v, want %v", nodes, err, want)
			}
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(small))
	f.Fuzz(func(t *testing.T, data []byte) {
		var tree *regtree.Tree
		var err error
		allocation.Bound(t, len(data), func() { tree, err = regtree.Parse(data) })
		if err != nil {
			if tree != nil || sentinel(err) == nil {
				t.Fatalf("tree %v with undocumented error %v", tree, err)
			}
			return
		}
		if p := tree.Predict(make([]float64, len(tree.Features()))); math.IsNaN(p) || math.IsInf(p, 0) {
			t.Fatalf("predicts %v", p)
		}
		once, err := tree.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		back, err := regtree.Parse(once)
		if err != nil {
			t.Fatalf("%v: %s", err, once)
		}
		twice, err := back.MarshalJSON()
		if err != nil || !bytes.Equal(once, twice) {
			t.Fatalf("error %v, bytes differ:\n%s\n%s", err, once, twice)
		}
		if pruned, err := tree.Prune(1); err != nil || pruned.NumLeaves() > tree.NumLeaves() {
			t.Fatalf("pruned to %v, error %v", pruned, err)
		}
	})
}

// sentinel is the documented error that an error is, nil where it is none.
func sentinel(err error) error {
	for _, of := range []error{
		regtree.ErrEmpty, regtree.ErrShape, regtree.ErrFeature, regtree.ErrNotFinite, regtree.ErrRange,
		regtree.ErrTree, regtree.ErrEncoding, regtree.ErrVersion, regtree.ErrOptions,
	} {
		if errors.Is(err, of) {
			return of
		}
	}
	return nil
}
