package micro

import (
	"fmt"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/bindings/gpu/driver"
)

// TestConflicts counts how the lanes of a warp meet, from their words alone.
func TestConflicts(t *testing.T) {
	checked := 0
	for _, c := range sharedConflicts([]int{2, 4, 8, 16, 32}) {
		word, bank := map[int]int{}, map[int]map[int]bool{}
		for lane := range warpLanes {
			w := c.word(lane)
			if w >= c.words() {
				t.Errorf("%v: lane %d goes to word %d of %d", c, lane, w, c.words())
			}
			word[w]++
			if bank[w%32] == nil {
				bank[w%32] = map[int]bool{}
			}
			bank[w%32][w] = true
		}
		shared, rows := 0, 0
		for w := range word {
			shared, rows = max(shared, word[w]), max(rows, len(bank[w%32]))
		}
		want := map[string][2]int{"none": {1, 1}, "position": {c.degree, 1},
			"bank": {1, c.degree}}[c.kind]
		if got := [2]int{shared, rows}; got != want {
			t.Errorf("%v: %d lanes on a word, %d words in a bank, want %v", c, shared, rows, want)
		}
		checked++
	}
	if checked != 11 {
		t.Errorf("%d conflicts, want 11", checked)
	}
}

// TestGlobalConflicts does the same in global memory.
func TestGlobalConflicts(t *testing.T) {
	for _, p := range globalConflicts([]int{1, 2, 4, 8, 16, 32}) {
		for _, bytes := range []uint64{4, 8} {
			places, lines := map[uint64]int{}, map[uint64]bool{}
			for lane := range warpLanes {
				at := p.offset(lane, bytes)
				if at%bytes != 0 || at+bytes > placeBytes {
					t.Errorf("%v: lane %d goes to byte %d", p, lane, at)
				}
				places[at]++
				lines[at/lineBytes] = true
			}
			most := 0
			for _, n := range places {
				most = max(most, n)
			}
			wantMost, wantLines := 1, int(bytes)/4 // a warp's words fill one line, or two
			switch p.kind {
			case "position":
				wantMost = p.degree
				if p.degree > 16 {
					wantLines = 1
				}
			case "lines":
				wantLines = max(p.degree, wantLines)
			}
			if most != wantMost || len(lines) != wantLines {
				t.Errorf("%v of %d bytes: %d lanes together, %d lines, want %d and %d", p, bytes, most,
					len(lines), wantMost, wantLines)
			}
		}
	}
}

// TestAnswers: a warp's lanes lie in as many sectors as the reading says, spread over them alike,
// on different words as far as a sector has them.
func TestAnswers(t *testing.T) {
	checked := 0
	for _, typ := range []string{"u32", "f64"} {
		for _, a := range answersOf(typ, false) {
			stride, wordMask, groupBits := a.place(typ)
			sectors, words := map[uint32]int{}, map[uint32]bool{}
			for lane := range uint32(warpLanes) {
				at := lane>>groupBits*stride + lane&wordMask*uint32(elementBytes(typ))
				sectors[at/sectorBytes]++
				words[at] = true
			}
			most := min(warpLanes, a.sectors*sectorBytes/int(elementBytes(typ)))
			if a.spread == "word" {
				most = 1
			}
			if len(sectors) != a.sectors || len(words) != most {
				t.Errorf("%s %+v: %d sectors, %d words, want %d words", typ, a, len(sectors), len(words), most)
			}
			for s, lanes := range sectors {
				if lanes != warpLanes/a.sectors {
					t.Errorf("%s %+v: %d lanes in sector %d", typ, a, lanes, s)
				}
			}
			checked++
		}
	}
	if checked != 12 {
		t.Errorf("%d shapes, want 12", checked)
	}
}

// TestScratchpad: every column has all rows, in cycles of one operation.
func TestScratchpad(t *testing.T) {
	for _, c := range []struct {
		device  driver.Description
		columns int
	}{{hopper(), 17}, {turing(), 17}, {pascal(), 15}} {
		g := newBenchGPU(c.device)
		o := Options{Quick: true}
		columns, skipped := 0, 0
		for _, r := range runAll(t, g, Jobs("scratchpad", c.device, o)) {
			skipped += len(r.Warnings)
			for _, column := range r.Patterns {
				columns++
				rows := len(Patterns(c.device, o))
				if len(column.Cycles) != rows || len(column.Low) != rows || len(column.High) != rows ||
					column.Repeats != 3 {
					t.Errorf("%s: %d rows of %d, %d repeats", column.Name, len(column.Cycles), rows,
						column.Repeats)
				}
				if column.Cycles[0] != stepCycles || column.Kernel != "scratchpad_"+column.Name ||
					!strings.HasPrefix(column.Launch, fmt.Sprint(rows, "x32+")) || column.Unroll != 8 || column.Instruction == "" {
					t.Errorf("%+v, want %d cycles", column, stepCycles)
				}
			}
		}
		if columns != c.columns || columns+skipped != 17 {
			t.Errorf("compute capability %d.%d: %d columns, %d skipped", c.device.Major, c.device.Minor,
				columns, skipped)
		}
	}
}
