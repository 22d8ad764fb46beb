package patterns

import "testing"

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
