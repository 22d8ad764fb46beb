package patterns

import (
	"fmt"
	"slices"
	"testing"

	"github.com/atomtune/atomtune/internal/golden"
)

func TestSets(t *testing.T) {
	structured, random := Structured(), Random(1, 27)
	seen := map[string]bool{}
	for _, p := range slices.Concat(structured, random) {
		if len(p) != Lanes {
			t.Fatalf("%v has %d lanes", p, len(p))
		}
		active := 0
		for _, a := range p {
			if a < Inactive || a >= Words {
				t.Fatalf("%v: address %d", p, a)
			}
			if a >= 0 {
				active++
			}
		}
		if active == 0 {
			t.Fatalf("%v has no active lane", p)
		}
	}
	for _, p := range structured {
		seen[fmt.Sprint(p)] = true
	}
	if len(seen) != len(structured) {
		t.Errorf("%d of %d structured patterns differ", len(seen), len(structured))
	}
	var lines []string
	for name, all := range map[string][]Pattern{"structured": structured, "random": random} {
		var sum golden.Digest
		for _, p := range all {
			for _, a := range p {
				sum.Add(float64(a))
			}
		}
		lines = append(lines, name+": "+sum.String())
	}
	slices.Sort(lines)
	golden.Compare(t, "testdata/sets.txt", lines)
}

func TestFromStream(t *testing.T) {
	indices := make([]uint32, 1000)
	for i := range indices {
		indices[i] = uint32(i)
	}
	all := FromStream(indices, 32, 4, 1<<20)
	if len(all) != 32 {
		t.Fatalf("%d warps, want 32", len(all))
	}
	for w, p := range all {
		for l, a := range p {
			want := int32(32*w + l)
			if want >= 1000 {
				want = Inactive
			}
			if a != want {
				t.Fatalf("warp %d, lane %d: %d, want %d", w, l, a, want)
			}
		}
	}
	few := FromStream(indices, 32, 4, 8)
	if len(few) != 8 || few[0][0] != 0 || few[4][0] != 4*128 {
		t.Errorf("two blocks of eight: %d warps, %v", len(few), few)
	}
	if got := FromStream(indices[:5], 32, 4, 8); len(got) != 1 || got[0][5] != Inactive {
		t.Errorf("five updates: %v", got)
	}
}
