package recordings

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/internal/allocation"
	"github.com/atomtune/atomtune/internal/must"
)

// FuzzDecodeStreams: what is read is written, and read as the same.
func FuzzDecodeStreams(f *testing.F) {
	text, err := EncodeStreams([]Stream{{Label: "a", Half: Half("a"),
		Stats: collision.Stats{Updates: 3, Bins: 2, Unique: 2, WarpSize: 32, BlockSize: 256}}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add([]byte(`{"label":"a"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var all []Stream
		var err error
		allocation.Bound(t, unpacked(data), func() { all, err = DecodeStreams("s.jsonl", data) })
		if err != nil {
			if !errors.Is(err, ErrRecording) || !strings.Contains(err.Error(), "s.jsonl") {
				t.Error(err)
			}
			return
		}
		once := must.Get(EncodeStreams(all))(t)
		again := must.Get(DecodeStreams("s.jsonl", once))(t)
		if twice, err := EncodeStreams(again); err != nil || !bytes.Equal(once, twice) {
			t.Errorf("%v:\n%s\n%s", err, once, twice)
		}
	})
}

// FuzzDecodeScratchpad: what is read has as many cycles as patterns in each column, all of them
// numbers, and is written and read as the same.
func FuzzDecodeScratchpad(f *testing.F) {
	row := strings.Repeat("0,", 32)
	good := "# gpu: NVIDIA H200\n" + row[:len(row)-1] + ",33.5\n"
	f.Add([]byte(good), []byte("row,column,low,high\n"))
	f.Add([]byte(good), []byte("row,column,low,high\n1,u32_add_cycles,33,34\n"))
	f.Add([]byte("lane0,u32_add_cycles\n1,5\n"), []byte{})
	f.Fuzz(func(t *testing.T, cycles, spreads []byte) {
		if len(spreads) == 0 {
			spreads = nil
		}
		var p Provenance
		var s *Scratchpad
		var err error
		allocation.Bound(t, unpacked(cycles)+unpacked(spreads), func() {
			p, s, err = DecodeScratchpad("c.csv", cycles, "s.csv", spreads)
		})
		if err != nil {
			if !errors.Is(err, ErrRecording) || !strings.Contains(err.Error(), ".csv") {
				t.Error(err)
			}
			return
		}
		for _, c := range s.Columns {
			for _, list := range [][]float64{c.Cycles, c.Low, c.High} {
				if len(list) != len(s.Patterns) {
					t.Fatalf("%s: %d values of %d patterns", c.Name, len(list), len(s.Patterns))
				}
			}
			for i, v := range c.Cycles {
				if !(c.Low[i] <= v && v <= c.High[i]) || math.IsInf(v, 0) {
					t.Fatalf("%s: %v in %v to %v", c.Name, v, c.Low[i], c.High[i])
				}
			}
		}
		first, second, err := EncodeScratchpad(p, s)
		if err != nil {
			t.Fatal(err)
		}
		q, again, err := DecodeScratchpad("c.csv", first, "s.csv", second)
		if err != nil {
			t.Fatalf("%v\n%s\n%s", err, first, second)
		}
		a, b, err := EncodeScratchpad(q, again)
		if err != nil || !bytes.Equal(a, first) || !bytes.Equal(b, second) {
			t.Errorf("%v:\n%s\n%s\n%s\n%s", err, first, second, a, b)
		}
	})
}

// FuzzDecodeRows: any text is a table of times above 0 of known implementations, or an error that names it.
func FuzzDecodeRows(f *testing.F) {
	f.Add([]byte(goodRows))
	f.Fuzz(func(t *testing.T, data []byte) {
		var all []RowScatter
		var err error
		allocation.Bound(t, unpacked(data), func() { _, all, err = DecodeRows("r.csv", data) })
		if err != nil {
			if !errors.Is(err, ErrRecording) || !strings.Contains(err.Error(), "r.csv") {
				t.Error(err)
			}
			return
		}
		for _, s := range all {
			if _, err := s.Form.Implementation(); err != nil && s.Form.IsImplementation() || !(s.MedianUS > 0) {
				t.Errorf("%+v: %v", s, err)
			}
		}
	})
}
