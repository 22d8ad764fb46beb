package recordings

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/internal/allocation"
	"github.com/atomtune/atomtune/internal/golden"
	"github.com/atomtune/atomtune/internal/gzipped"
	"github.com/atomtune/atomtune/internal/must"
)

const (
	goodReading = "warp,latency,op=shuffle keys=1,26.5,cycle,26,27,7,1,0.01,warp_shuffle,shfl.sync,1x32+0,64"
	goodCall    = `"uniform:n=9,k=4",9,4,u32,loaded,0,"private:r=2,pad=1",measured,5,4,6,7,1,0,1,8,256,2048,1,0,0,private_u32`
	goodStream  = `{"label":"c","half":"fit","stats":{"updates":9,"bins":4,"unique":3}}`
	goodHead    = "# gpu: NVIDIA H200\n# start: 2026-01-02T03:04:05Z sm_clock_before_mhz=1 sm_clock_after_mhz=2 memory_clock_mhz=3\n# a note\n"
)

// TestBrokenReadings changes a good file and demands one error that names the
// line and the value.
func TestBrokenReadings(t *testing.T) {
	columns := strings.Join(columns[Reading](), ",") + "\n"
	good := goodHead + columns + goodReading + "\n"
	if _, r, err := DecodeReadings("r.csv", []byte(good)); err != nil || len(r) != 1 {
		t.Fatal(err)
	}
	replaced := func(old, with string) string { return strings.Replace(good, old, with, 1) }
	checkBroken(t, []fault{
		{"", "r.csv:1", ""}, {goodHead, "r.csv:4", ""}, {goodHead + columns,
			"r.csv:4", ""},
		{replaced(",unit", ",units"), "r.csv:4", ""}, {good + goodReading + "\n", "r.csv:6",
			"line 5"},
		{replaced("26.5", "x"), "r.csv:5", `"x"`}, {replaced("26.5", "NaN"), "r.csv:5", `"NaN"`},
		{replaced("26.5", "Inf"), "r.csv:5", `"Inf"`}, {replaced("26.5", "-1"), "r.csv:5", `"-1"`},
		{replaced("26.5", "28"), "r.csv:5", "28"}, {replaced("26.5", "25"), "r.csv:5", "25"},
		{replaced(",7,1,", ",0,1,"), "r.csv:5", `repeats "0"`}, {replaced(",7,1,", ",7.5,1,"),
			"r.csv:5", `"7.5"`},
		{replaced(",7,1,", ",7,8,"), "r.csv:5", "8 starts"}, {replaced("0.01", "-0.01"), "r.csv:5",
			`"-0.01"`},
		{replaced("1x32+0", "1x32"), "r.csv:5", `"1x32"`}, {replaced("1x32+0", "0x32+0"), "r.csv:5",
			`"0x32+0"`},
		{replaced(",64", ",-8"), "r.csv:5", `unroll "-8"`}, {replaced(",64", ","), "r.csv:5",
			`unroll ""`},
		{replaced("warp,", ","), "r.csv:5", ""}, {replaced("cycle", ""), "r.csv:5", ""},
		{replaced(",shfl.sync", ""), "r.csv:5", "13 fields"}, {replaced("shfl", `"shfl`), "r.csv:5",
			""},
		{replaced("shfl.sync", "\"shfl\nsync\""), "r.csv:5", ""},
		{replaced("# a note", "# gpu: other"), "r.csv:3", "gpu"}, {replaced("NVIDIA H200", ""),
			"r.csv:1", "gpu"},
		{replaced("2026-01-02T03:04:05Z", "yesterday"), "r.csv:2", `"yesterday"`},
		{replaced("before_mhz=1", "before_mhz=-1"), "r.csv:2",
			"-1"}, {replaced("memory_clock_mhz=3", ""), "r.csv:2", "memory_clock_mhz"},
		{"\x1f\x8bnothing", "r.csv", ""},
	}, func(text string) error {
		_, r, err := DecodeReadings("r.csv", []byte(text))
		if err != nil && r != nil {
			t.Errorf("readings beside %v", err)
		}
		return err
	})
}

type fault struct{ text, place, value string }

func checkBroken(t *testing.T, faults []fault, decode func(string) error) {
	t.Helper()
	for _, f := range faults {
		err := decode(f.text)
		if !errors.Is(err, ErrRecording) || !strings.Contains(err.Error(), f.place) ||
			!strings.Contains(err.Error(), f.value) {
			t.Errorf("error %v, want one that names %s and %s", err, f.place, f.value)
		}
	}
}

func TestBrokenCalls(t *testing.T) {
	good := goodHead + strings.Join(columns[Call](), ",") + "\n" + goodCall + "\n"
	if _, c, err := DecodeCalls("c.csv", []byte(good)); err != nil || len(c) != 1 {
		t.Fatal(err)
	}
	replaced := func(old, with string) string { return strings.Replace(good, old, with, 1) }
	checkBroken(t, []fault{
		{replaced(",9,4,u32", ",0,4,u32"), "c.csv:5", `"0"`}, {replaced("u32,", "u33,"), "c.csv:5",
			`"u33"`},
		{replaced("loaded", "two"), "c.csv:5", `"two"`}, {replaced("loaded,0", "loaded,2"),
			"c.csv:5", `"2"`},
		{replaced("private:r", "privat:r"), "c.csv:5", `"privat`}, {replaced("measured", "guessed"),
			"c.csv:5", `"guessed"`},
		{replaced("5,4,6", "3,4,6"), "c.csv:5", "median 3"}, {replaced("5,4,6", "5,0,6"), "c.csv:5",
			"least 0"},
		{replaced("5,4,6", "7,4,6"), "c.csv:5", "greatest 6"}, {replaced("6,7,1", "6,0,1"),
			"c.csv:5", "0 repeats"},
		{replaced("6,7,1,0,1", "6,7,1,0,"), "c.csv:5", `correct ""`},
		{replaced("measured", "predicted"), "c.csv:5", `correct "1" of a call that was predicted`},
		{replaced("8,256", "8,0"), "c.csv:5", "0 threads"}, {replaced(`"uniform:n=9,k=4"`, ""),
			"c.csv:5", ""},
		{replaced("4,6,7,1,0,1", "4,6,7,1,0,yes"), "c.csv:5", `"yes"`}, {good + goodCall + "\n",
			"c.csv:6", "line 5"},
		{good + "a,b\n", "c.csv:6", "2 fields"},
	}, func(text string) error {
		_, c, err := DecodeCalls("c.csv", []byte(text))
		if err != nil && c != nil {
			t.Errorf("calls beside %v", err)
		}
		return err
	})
	wrong := replaced("5,4,6,7,1,0,1", "0,0,0,7,1,0,0")
	if _, c, err := DecodeCalls("c.csv", []byte(wrong)); err != nil || c[0].Correct {
		t.Errorf("a wrong call without times: %v", err)
	}
	predicted := strings.Replace(replaced("measured", "predicted"), "6,7,1,0,1", "6,0,1,0,", 1)
	if _, c, err := DecodeCalls("c.csv", []byte(predicted)); err != nil || c[0].Correct {
		t.Errorf("a predicted call, which nobody compared: %v", err)
	}
}

func TestBrokenStreams(t *testing.T) {
	if s, err := DecodeStreams("s.jsonl", []byte(goodStream+"\n")); err != nil || len(s) != 1 {
		t.Fatal(err)
	}
	replaced := func(old, with string) string { return strings.Replace(goodStream, old, with, 1) }
	checkBroken(t, []fault{
		{"", "s.jsonl:1", ""}, {goodStream + "\n{", "s.jsonl:2",
			""}, {goodStream + "\n" + goodStream, "s.jsonl:2", "line 1"},
		{replaced("fit", "held-out"), "s.jsonl:1", "held-out"}, {replaced(`"c"`, `""`), "s.jsonl:1",
			""},
		{replaced("stats", "stat"), "s.jsonl:1", "stat"}, {replaced(`"updates":9`, `"updates":0`),
			"s.jsonl:1", "0 updates"},
		{replaced(`"unique":3`, `"unique":5`), "s.jsonl:1", "5 unique"}, {goodStream + "{}",
			"s.jsonl:1", ""},
	}, func(text string) error {
		_, err := DecodeStreams("s.jsonl", []byte(text))
		return err
	})
}

// TestEncodeRefuses: what could not be read again is not written.
func TestEncodeRefuses(t *testing.T) {
	good := Reading{Suite: "warp", Name: "latency", Value: 1, Unit: "cycle", Low: 1, High: 1,
		Repeats: 1}
	twice := []Reading{good, good}
	nameless, low, broken := good, good, good
	nameless.Name, low.Low, broken.Kernel = "", 2, "a\nb"
	for name, list := range map[string][]Reading{"twice": twice, "no name": {nameless},
		"low": {low}, "line break": {broken}} {
		if data, err := EncodeReadings(Provenance{}, list); !errors.Is(err, ErrRecording) ||
			data != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := EncodeReadings(Provenance{GPU: "a\nb"}, []Reading{good}); !errors.Is(err,
		ErrRecording) {
		t.Errorf("a GPU of two lines: %v", err)
	}
	if _, err := EncodeCalls(Provenance{}, []Call{{Label: "a"}}); !errors.Is(err, ErrRecording) {
		t.Errorf("a call of no updates: %v", err)
	}
	compared := Call{Label: "c", Updates: 9, Bins: 4, Origin: Predicted, MinUS: 5, MedianUS: 5,
		MaxUS: 5, Correct: true}
	if _, err := EncodeCalls(Provenance{}, []Call{compared}); !errors.Is(err, ErrRecording) {
		t.Errorf("a call that was predicted and compared: %v", err)
	}
	if _, err := EncodeStreams([]Stream{{Label: "a", Half: Fit}}); !errors.Is(err, ErrRecording) {
		t.Errorf("a stream in the wrong half: %v", err)
	}
}

// unpacked is how many bytes a decoder has read of data: those in gzip, or its own.
func unpacked(data []byte) int {
	plain, _, _ := gzipped.Unpack(data, 1<<20)
	return max(len(data), len(plain))
}

// fuzzTable: what is read at all is written and read as the same.
func fuzzTable[T comparable](f *testing.F, decode func(string, []byte) (Provenance, []T, error),
	encode func(Provenance, []T) ([]byte, error)) {
	f.Fuzz(func(t *testing.T, data []byte) {
		var p Provenance
		var all []T
		var err error
		allocation.Bound(t, unpacked(data), func() { p, all, err = decode("f.csv", data) })
		if err != nil {
			if !errors.Is(err, ErrRecording) {
				t.Errorf("%v", err)
			}
			return
		}
		data, err = encode(p, all)
		if err != nil {
			t.Fatal(err)
		}
		_, again, err := decode("f.csv", data)
		if err != nil || len(again) != len(all) || again[0] != all[0] {
			t.Errorf("%v: %+v is read as %+v", err, all, again)
		}
	})
}

func FuzzDecodeReadings(f *testing.F) {
	f.Add([]byte(goodHead + strings.Join(columns[Reading](), ",") + "\n" + goodReading + "\n"))
	fuzzTable(f, DecodeReadings, EncodeReadings)
}

func FuzzDecodeCalls(f *testing.F) {
	f.Add([]byte(goodHead + strings.Join(columns[Call](), ",") + "\n" + goodCall + "\n"))
	fuzzTable(f, DecodeCalls, EncodeCalls)
}

// TestAltered: which readings, calls and statistics are refused where one field is another, and by which
// numbers, is what testdata/altered.txt holds.
func TestAltered(t *testing.T) {
	var lines []string
	for name, decode := range map[string]func(text []byte) error{
		"readings.csv":     func(text []byte) error { _, _, err := DecodeReadings("f", text); return err },
		"calls.csv.gz":     func(text []byte) error { _, _, err := DecodeCalls("f", text); return err },
		"streams.jsonl.gz": func(text []byte) error { _, err := DecodeStreams("f", text); return err },
	} {
		data := must.Get(os.ReadFile(filepath.Join("..", "h200", name)))(t)
		lines = append(lines, name+": "+golden.Altered(firstLines(t, data, 12), 800, decode).String())
	}
	slices.Sort(lines)
	golden.Compare(t, "testdata/altered.txt", lines)
}

// firstLines is the beginning of a text, packed or not.
func firstLines(t *testing.T, data []byte, n int) []byte {
	t.Helper()
	data, _, err := gzipped.Unpack(data, 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	end := 0
	for range n {
		end += 1 + bytes.IndexByte(data[end:], '\n')
	}
	return data[:end]
}
