package kernel

import "testing"

func TestRestore(t *testing.T) {
	order := []uint32{4, 1, 0, 5, 2, 3}
	there := Permute([]uint64{0, 10, 20, 30, 40, 50}, order)
	back := Restore(there, order)
	for i := range back {
		if there[i] != uint64(10*order[i]) || back[i] != uint64(10*i) {
			t.Fatalf("there %v, restored %v", there, back)
		}
	}
}
