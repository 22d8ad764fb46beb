package machine

import (
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/splitmix"
)

// TestWordPasses: the passes of a load are the most different words that one bank is asked for, and those of
// neighbouring words, or of one, follow without looking at them.
func TestWordPasses(t *testing.T) {
	for _, name := range []string{"c2075", "h200", "hd5870"} {
		m, rng := NewMachine(machineProfile(t, name), device.Call{}), splitmix.New(3)
		for n := range 3000 {
			index := make([]uint64, m.Lanes)
			limit, step := 1+rng.Below(1<<rng.Below(13)), rng.Below(4)
			for l := range index {
				if index[l] = rng.Below(limit); n%3 == 0 {
					index[l] = limit + uint64(l)*step
				}
			}
			lanes, base := rng.Uint64()&m.full, rng.Below(1<<12)
			if n%2 == 0 {
				lanes = m.full
			}
			banks, want := map[uint64]map[uint64]bool{}, int64(1)
			for l := range lanesOf(lanes) {
				word := base + index[l]
				bank := word % uint64(m.banks)
				if banks[bank] == nil {
					banks[bank] = map[uint64]bool{}
				}
				banks[bank][word] = true
				want = max(want, int64(len(banks[bank])))
			}
			if got := m.wordPasses(index, lanes, base); got != want {
				t.Fatalf("%s: %v of lanes %#x from %d on: %d passes, want %d", name, index, lanes, base, got, want)
			}
			if n%3 != 0 {
				continue
			}
			in := Instruction{Op: opLoadShared, a: Operand{kind: isVector}}
			w := newLineCase(m, in, line{limit, step}, line{}).straight
			w.mask, w.block.base = lanes, base
			if got := m.passes(w, &in, index); got != want {
				t.Fatalf("%s: words from %d on by steps of %d: %d passes, want %d", name, limit, step, got, want)
			}
		}
	}
}
