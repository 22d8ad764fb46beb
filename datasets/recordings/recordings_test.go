package recordings

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/datasets/patterns"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/internal/gzipped"
	"github.com/atomtune/atomtune/internal/must"
)

func provenance(date string) Provenance {
	return Provenance{GPU: "NVIDIA H200", ComputeCapability: "9.0", Driver: "580.159.04",
		CUDA:    "13.0",
		GPUUUID: "GPU-0123", Plan: "abc", Program: "atomprobe 1", Options: "--full",
		Starts: []Start{{date, 345, 1980, 3201}}}
}

// words draws text as it stands in names, labels and parameters.
func words(least int) *rapid.Generator[string] {
	return rapid.StringMatching(`[a-z0-9:;,="# ._-]{` + string(rune('0'+least)) + `,12}`)
}

func drawReading(t *rapid.T) Reading {
	low := rapid.Float64Range(0, 1e12).Draw(t, "low")
	value := low + rapid.Float64Range(0, 1e12).Draw(t, "more")
	repeats := rapid.IntRange(1, 99).Draw(t, "repeats")
	return Reading{
		Suite: words(1).Draw(t, "suite"), Name: words(1).Draw(t,
			"name"), Parameters: words(0).Draw(t, "parameters"),
		Value: value, Unit: words(1).Draw(t, "unit"), Low: low, High: value + rapid.Float64Range(0,
			9).Draw(t, "above"),
		Repeats: repeats, Starts: rapid.IntRange(0, repeats).Draw(t, "starts"),
		StartSpread: rapid.Float64Range(0, 1).Draw(t, "spread"), Kernel: words(0).Draw(t, "kernel"),
		Instruction: words(0).Draw(t, "instruction"),
		Launch:      rapid.StringMatching(`([1-9][0-9]{0,4}x[1-9][0-9]{0,3}\+(0|[1-9][0-9]{0,5}))?`).Draw(t, "launch"),
		Unroll:      rapid.IntRange(0, 128).Draw(t, "unroll"),
	}
}

func drawCall(t *rapid.T) Call {
	low := rapid.Float64Range(0.1, 1e6).Draw(t, "low")
	c := Call{
		Label: words(1).Draw(t, "label"), Updates: rapid.Uint64Range(1, 1<<40).Draw(t, "updates"),
		Bins: rapid.Uint64Range(1, 1<<30).Draw(t, "bins"),
		Call: device.Call{Type: rapid.SampledFrom(device.Types()).Draw(t, "type"),
			Operand: rapid.SampledFrom([]device.Operand{device.Loaded, device.One}).Draw(t,
				"operand"),
			Returns: rapid.Bool().Draw(t, "returns")},
		Implementation: rapid.SampledFrom(impl.Candidates()).Draw(t,
			"implementation"), Origin: Measured,
		MinUS: low, MedianUS: low + 1, MaxUS: low + 2, Repeats: rapid.IntRange(3, 9).Draw(t,
			"repeats"),
		Starts: rapid.IntRange(0, 3).Draw(t, "starts"), Correct: rapid.Bool().Draw(t, "correct"),
		Shape: device.Shape{SharedBytes: rapid.Uint64Range(0, 1<<18).Draw(t, "shared")}, Kernel: words(0).Draw(t,
			"kernel"),
	}
	if rapid.Bool().Draw(t, "predicted") {
		c.Origin, c.Repeats, c.Correct = Predicted, 0, false
	}
	if rapid.Bool().Draw(t, "launched") {
		c.Blocks, c.Threads = rapid.Uint64Range(1, 1<<20).Draw(t, "blocks"), 256
		c.Unroll = rapid.SampledFrom([]int{1, 2, 4, 8}).Draw(t, "unroll")
		c.Fixed, c.Call.Keeps = rapid.Bool().Draw(t, "fixed"), rapid.Bool().Draw(t, "keeps")
	}
	return c
}

// TestRoundTrip: what is written is read as the same, through gzip too.
func TestRoundTrip(t *testing.T) {
	checked := 0
	rapid.Check(t, func(t *rapid.T) {
		p := provenance("2026-01-02T03:04:05Z")
		readings := rapid.SliceOfNDistinct(rapid.Custom(drawReading), 1, 9, Reading.key).Draw(t,
			"readings")
		calls := rapid.SliceOfNDistinct(rapid.Custom(drawCall), 1, 9, Call.key).Draw(t, "calls")
		data := must.Get(EncodeReadings(p, readings))(t)
		again, got, err := DecodeReadings("readings.csv", data)
		if diff := cmp.Diff(readings, got); err != nil || diff != "" || !cmp.Equal(p, again) {
			t.Fatalf("%v, %+v, readings (-written +read):\n%s", err, again, diff)
		}
		if data, err = EncodeCalls(p, calls); err != nil {
			t.Fatal(err)
		}
		if data, err = gzipped.Pack(data); err != nil {
			t.Fatal(err)
		}
		again, gotCalls, err := DecodeCalls("calls.csv.gz", data)
		if diff := cmp.Diff(calls, gotCalls); err != nil || diff != "" || !cmp.Equal(p, again) {
			t.Fatalf("%v, %+v, calls (-written +read):\n%s", err, again, diff)
		}
		checked++
	})
	if checked < 20 {
		t.Errorf("%d sets checked", checked)
	}
}

func stream(label string) Stream {
	return Stream{label, Half(label), collision.Stats{Updates: 9, Bins: 4, Unique: 3,
		WarpLevel: 0.1}}
}

var somePatterns = patterns.Structured()[:40]

func scratchpad(scale float64) *Scratchpad {
	s := &Scratchpad{Patterns: somePatterns}
	for _, name := range []string{"u32_add", "f32_add"} {
		c := ScratchpadColumn{Name: name, Repeats: 3, Kernel: "scratchpad_" + name,
			Instruction: "atom.shared.add.u32 bar.sync", Launch: "40x32+1024", Unroll: 8}
		for i := range s.Patterns {
			v := scale * (30 + float64(i)/3)
			c.Cycles, c.Low, c.High = append(c.Cycles, v), append(c.Low, v), append(c.High,
				v+float64(i%2))
		}
		s.Columns = append(s.Columns, c)
	}
	return s
}

func TestScratchpadRoundTrip(t *testing.T) {
	want, p := scratchpad(1), provenance("2026-01-02T03:04:05Z")
	cycles, spread, err := EncodeScratchpad(p, want)
	if err != nil {
		t.Fatal(err)
	}
	again, got, err := DecodeScratchpad("scratchpad.csv", cycles, "scratchpad_spread.csv", spread)
	if diff := cmp.Diff(want, got); err != nil || diff != "" || !cmp.Equal(p, again) {
		t.Errorf("%v, %+v, (-written +read):\n%s", err, again, diff)
	}
	m, err := patterns.ReadMeasurements(strings.NewReader(string(cycles)), "scratchpad.csv",
		patterns.Words)
	var columns []patterns.Column
	for _, c := range want.Columns {
		columns = append(columns, patterns.Column{Name: c.Name, Cycles: c.Cycles})
	}
	if err != nil || len(m.Columns) != 2 || !cmp.Equal(m.Columns, columns) {
		t.Errorf("as measurements: %v", err)
	}
	checkDescriptions(t, string(cycles))
	for name, text := range map[string]string{
		"row 41": "41,u32_add,1,2", "row 0": "0,u32_add,1,2", "column": "1,u32_sub,1,2",
		"order":   "1,u32_add,31,30",
		"outside": "1,u32_add,31,32", "twice": "1,u32_add,29,32\n1,u32_add,29,32",
		"number": "1,u32_add,x,2",
	} {
		_, s, err := DecodeScratchpad("scratchpad.csv", cycles, "spread.csv",
			[]byte("row,column,low,high\n"+text+"\n"))
		if !errors.Is(err, ErrRecording) || s != nil ||
			!strings.Contains(err.Error(), "spread.csv:") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// checkDescriptions reads columns of which a file says less, or what there is not.
func checkDescriptions(t *testing.T, cycles string) {
	t.Helper()
	const more = " instruction=atom.shared.add.u32,bar.sync launch=40x32+1024 unroll=8"
	_, s, err := DecodeScratchpad("s.csv", []byte(strings.ReplaceAll(cycles, more, "")), "", nil)
	if err != nil || s.Columns[0].Repeats != 3 || s.Columns[0].Kernel != "scratchpad_u32_add" ||
		s.Columns[0].Unroll != 0 {
		t.Errorf("a file of less: %+v, %v", s, err)
	}
	for old, with := range map[string]string{
		" unroll=8": " unroll=x", " unroll=": " unrolled=", " launch=40x32+1024": " launch=40",
		" repeats=3": " repeats=-3", more: " instruction=a",
	} {
		_, s, err := DecodeScratchpad("s.csv", []byte(strings.ReplaceAll(cycles, old, with)), "",
			nil)
		if !errors.Is(err, ErrRecording) || s != nil || !strings.Contains(err.Error(), "s.csv") {
			t.Errorf("%q for %q: %v", with, old, err)
		}
	}
}

func TestHalf(t *testing.T) {
	held := 0
	for i := range 4000 {
		switch Half(strings.Repeat("x", i%70) + string(rune('a'+i%26)) + strings.Repeat("y",
			i/70)) {
		case HeldOut:
			held++
		case Fit:
		default:
			t.Fatal("a stream in neither part")
		}
	}
	if held < 1800 || held > 2200 {
		t.Errorf("%d of 4000 labels are held out", held)
	}
	// The split of a label must never change.
	for label, want := range map[string]Part{"uniform:n=65536,k=256,seed=1": Fit,
		"zipf:n=1": HeldOut, "a": HeldOut, "c": Fit} {
		if got := Half(label); got != want {
			t.Errorf("%s is in %s, want %s", label, got, want)
		}
	}
}

// TestFixedLaunches: calls of one implementation in several launches are calls of their own.
func TestFixedLaunches(t *testing.T) {
	c := Call{Label: "a", Updates: 9, Bins: 4, Origin: Measured, MedianUS: 5, MinUS: 4, MaxUS: 6,
		Repeats: 3, Correct: true, Shape: device.Shape{Blocks: 8, Threads: 256, Unroll: 1}}
	fixed, other := c, c
	fixed.Fixed, other.Fixed, other.Unroll = true, true, 2
	p := provenance("2026-01-02T03:04:05Z")
	data := must.Get(EncodeCalls(p, []Call{c, fixed, other}))(t)
	if _, got, err := DecodeCalls("calls.csv", data); err != nil || len(got) != 3 || got[0].Fixed ||
		!got[1].Fixed || got[2].Unroll != 2 {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := EncodeCalls(p, []Call{c, fixed, fixed}); err == nil || !strings.Contains(err.Error(), "8x256x1") {
		t.Errorf("twice: %v", err)
	}
	fixed.Blocks, fixed.Threads, fixed.Unroll = 0, 0, 0
	if _, err := EncodeCalls(p, []Call{fixed}); err == nil {
		t.Error("no launch, and yet fixed")
	}
}

// TestCallsOfBefore: files without columns for what is fixed hold the rule's launches.
func TestCallsOfBefore(t *testing.T) {
	const head = "# gpu: NVIDIA H200\n# start: 2026-01-02T03:04:05Z sm_clock_before_mhz=1 " +
		"sm_clock_after_mhz=2 memory_clock_mhz=3\n" +
		"label,updates,bins,type,value,returns,implementation,origin,median_us,min_us,max_us,repeats," +
		"starts,start_spread,correct,blocks,threads,shared_bytes,"
	const naive, sort = "a,9,4,u32,loaded,0,naive,measured,5,4,6,7,1,0,1,8,256,0,",
		"a,9,4,u32,loaded,0,sort,measured,5,4,6,7,1,0,1,0,0,0,"
	old := head + "kernel\n" + naive + "update_u32\n" + sort + "\n"
	today := head + "unroll,fixed,keeps,kernel\n" + naive + "1,0,0,update_u32\n" + sort + "0,0,0,\n"
	_, before, err := DecodeCalls("old.csv", []byte(old))
	if err != nil {
		t.Fatal(err)
	}
	p, now, err := DecodeCalls("new.csv", []byte(today))
	if err != nil || cmp.Diff(before, now) != "" || now[0].Unroll != 1 || now[1].Unroll != 0 {
		t.Errorf("%v, %s", err, cmp.Diff(before, now))
	}
	if again, err := EncodeCalls(p, before); err != nil || !strings.HasSuffix(string(again),
		naive+"1,0,0,update_u32\n"+sort+"0,0,0,\n") {
		t.Errorf("%v, written again:\n%s", err, again)
	}
	if KindOf([]byte(old)) != Calls || KindOf([]byte(today)) != Calls {
		t.Error("calls are not known for calls")
	}
}

// TestColumnInstructions: what comment lines say of instructions is taken from
// files that say it, and missing from others.
func TestColumnInstructions(t *testing.T) {
	m := func(notes ...string) *patterns.Measurements {
		return &patterns.Measurements{Columns: []patterns.Column{{Name: "u32_store"},
			{Name: "u32_add"}}, Notes: notes}
	}
	store := ScratchpadColumn{Name: "u32_store", Repeats: 3, Starts: 1, Kernel: "k",
		Instruction: "ld.volatile.shared.u32 st.volatile.shared.u32",
		Launch:      "9x32+4", Unroll: 8}
	for _, c := range []struct {
		m    *patterns.Measurements
		want map[string]string
	}{
		{m(), map[string]string{}},
		{m("made by hand", "column: u32_add repeats=3 starts=1 kernel=k"), map[string]string{}},
		{m("column: " + store.describe()), map[string]string{"u32_store": store.Instruction}},
	} {
		got, err := ColumnInstructions("a.csv", c.m)
		if diff := cmp.Diff(c.want, got); err != nil || diff != "" {
			t.Errorf("%q: %v\n%s", c.m.Notes, err, diff)
		}
	}
	_, err := ColumnInstructions("a.csv", m("column: f32_add repeats=3 starts=1 kernel=k"))
	if !errors.Is(err, ErrRecording) || !strings.Contains(err.Error(), "a.csv") ||
		!strings.Contains(err.Error(), "f32_add") {
		t.Errorf("a column that is not there: %v", err)
	}
}
