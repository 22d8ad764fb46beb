package price

import (
	"math"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/collision/reuse"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/rows"
)

// TestFloor: by hand, on a device that moves 2,000 bytes a microsecond out of L2, which holds 1,000,
// and 1,000 out of DRAM.
func TestFloor(t *testing.T) {
	var d device.Profile
	d.Memory.L2Rate.Value, d.Memory.DRAMRate.Value, d.Memory.L2Bytes.Value = 2e9, 1e9, 1000
	s := &reuse.Stats{Positions: 110, Updates: 100, Rows: 50, Unique: 10}
	for _, c := range []struct {
		call  rows.Call
		bytes float64
		us    float64
	}{
		// 110·8 + 100·8·2 bytes are beyond L2, 2·10·8·2 are not.
		{rows.Call{Kind: rows.BF16, Width: 8, IndexBytes: 8, Keeps: true}, 2480 + 320, 2.48 + 0.16},
		{rows.Call{Kind: rows.Widened, Width: 8}, 2040 + 1600, 2.04 + 1.6},
		{rows.Call{Kind: rows.F32, Width: 1}, 840 + 200, 0.42 + 0.1},
	} {
		got := FloorOf(&d, s, c.call)
		if got.Bytes != c.bytes || math.Abs(got.US-c.us) > 1e-12 {
			t.Errorf("%+v: %+v, want %v bytes, %v us", c.call, got, c.bytes, c.us)
		}
	}
}

// TestBelow: no price lies below the floor, but for what the rates of the profile differ by.
func TestBelow(t *testing.T) {
	d := profile(t, "h200")
	for _, hot := range []float64{0, 0.5} {
		s := stats(t, 1<<18, 1<<14, hot)
		for _, k := range rows.Kinds() {
			c := rows.Call{Kind: k, Width: 128}
			list, err := Rank(d, s, c)
			if err != nil {
				t.Fatal(err)
			}
			if floor := FloorOf(d, s, c).US; list[0].US < 0.9*floor {
				t.Errorf("%s, %v hot: %s takes %v us, the floor is %v", k, hot, list[0].Name(), list[0].US, floor)
			}
		}
	}
}

// TestNotes: the GPUs that recordings judge have no note, others name them.
func TestNotes(t *testing.T) {
	for name, want := range map[string]bool{"h100": false, "h200": false, "a100": true, "b200": true} {
		notes := Notes(profile(t, name))
		if got := len(notes) == 1 && strings.Contains(notes[0], "H200") && strings.Contains(notes[0],
			profile(t, name).Title); got != want || !want && len(notes) > 0 {
			t.Errorf("%s: %q", name, notes)
		}
		if want && strings.Count(notes[0], profile(t, "h100").Title) != 1 {
			t.Errorf("%s: a GPU stands twice: %q", name, notes)
		}
	}
	if len(JudgedOn()) < 2 {
		t.Errorf("judged on %v", JudgedOn())
	}
}

// TestPadding: positions without an update cost what reading them costs, no more than updates would.
func TestPadding(t *testing.T) {
	d, c := profile(t, "h200"), rows.Call{Kind: rows.F32, Width: 64}
	const n, count = 1 << 18, 1 << 12
	padded, all := make([]uint32, n), make([]uint32, n)
	var active []uint32
	for i := range all {
		all[i], padded[i] = uint32(i*7919%count), reuse.Inactive
		if i%3 > 0 {
			padded[i] = all[i]
			active = append(active, all[i])
		}
	}
	priced := func(indices []uint32, f rows.Form) (us, stream float64) {
		s, err := reuse.Analyze(indices, count)
		if err != nil {
			t.Fatal(err)
		}
		p := of(t, d, s, c, f)
		return p.US, p.Part(Stream)
	}
	for _, f := range rows.Forms() {
		least, _ := priced(active, f)
		most, read := priced(all, f)
		got, stream := priced(padded, f)
		if got <= least || got > most || (stream == read) != (f != rows.Naive) {
			t.Errorf("%s: %v us, %v without the padding, %v if it were updates; reads for %v us, these for %v", f,
				got, least, most, stream, read)
		}
	}
}
