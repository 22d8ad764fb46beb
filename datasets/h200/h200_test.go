package h200

import (
	"errors"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/variant"
	"github.com/google/go-cmp/cmp"
)

func TestCallsMeetStreams(t *testing.T) {
	calls, err := Calls()
	if err != nil {
		t.Fatal(err)
	}
	streams, err := Streams()
	if err != nil {
		t.Fatal(err)
	}
	used := map[string]int{}
	for _, c := range calls {
		s, ok := streams[c.Label]
		if !ok || s.Updates != c.Updates || s.Bins != c.Bins {
			t.Fatalf("%s: %d updates of %d targets recorded, statistics of %d and %d", c.Label, c.Updates, c.Bins, s.Updates, s.Bins)
		}
		used[c.Label]++
	}
	if len(calls) != 5733 || len(streams) != 108 || len(used) != len(streams) {
		t.Errorf("%d calls on %d of %d streams", len(calls), len(used), len(streams))
	}
}

// TestEveryCandidateIsRecorded counts the calls of what a choice ranks.
func TestEveryCandidateIsRecorded(t *testing.T) {
	calls, err := Calls()
	if err != nil {
		t.Fatal(err)
	}
	recorded := map[variant.Variant]int{}
	kinds := map[device.Call]int{}
	for _, c := range calls {
		recorded[c.Implementation]++
		kinds[c.Call]++
	}
	for _, v := range variant.Candidates() {
		if recorded[v] < 60 {
			t.Errorf("%s: %d calls", v, recorded[v])
		}
	}
	if len(kinds) != 3 || kinds[device.Call{Type: device.U32, Operand: device.One}] == 0 ||
		kinds[device.Call{Type: device.F32}] == 0 || kinds[device.Call{Type: device.F64}] == 0 {
		t.Errorf("kinds of call: %v", kinds)
	}
}

// TestLabelsMakeStreams makes the streams of specs again, the short ones in
// full, and compares their statistics with the recorded ones.
func TestLabelsMakeStreams(t *testing.T) {
	streams, err := Streams()
	if err != nil {
		t.Fatal(err)
	}
	specs, made := 0, 0
	for label, recorded := range streams {
		if !strings.Contains(label, ":") {
			continue
		}
		spec, err := synth.Parse(label)
		if err != nil {
			t.Errorf("%s: %v", label, err)
			continue
		}
		specs++
		if recorded.Updates > 1<<18 {
			continue
		}
		indices, err := synth.Generate(spec)
		if err != nil {
			t.Fatal(err)
		}
		stats, err := collision.Analyze(indices, collision.Options{Bins: recorded.Bins})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(recorded, stats); diff != "" {
			t.Errorf("%s (-recorded +made):\n%s", label, diff)
		}
		made++
	}
	if specs != 60 || made != 12 {
		t.Errorf("%d labels are specs, %d streams made", specs, made)
	}
}

func TestMicro(t *testing.T) {
	readings, err := Micro()
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, r := range readings {
		if r.Name == "call_empty_kernels" && r.Parameter == "launches=1" {
			found++
			if r.Value != 5.408 || r.Unit != "us" {
				t.Errorf("%+v", r)
			}
		}
	}
	if len(readings) != 305 || found != 1 {
		t.Errorf("%d readings, %d of one empty kernel", len(readings), found)
	}
}

func TestBrokenRecordings(t *testing.T) {
	header := strings.Join(callsHeader, ",") + "\n"
	good := "a,1,2,f32,one,naive,2,1,5,1,,,,g,d,t\n"
	if _, err := decodeCalls(strings.NewReader(header+good), "calls.csv.gz"); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"empty": "", "header": good + good, "no rows": header, "twice": header + good + good,
		"label":          header + strings.Replace(good, "a,", ",", 1),
		"count":          header + strings.Replace(good, ",1,2,", ",0,2,", 1),
		"type":           header + strings.Replace(good, "f32", "f33", 1),
		"value":          header + strings.Replace(good, "one", "two", 1),
		"implementation": header + strings.Replace(good, "naive", "native", 1),
		"median":         header + strings.Replace(good, "2,1,5", "NaN,1,5", 1),
		"order":          header + strings.Replace(good, "2,1,5", "1,2,5", 1),
		"correct":        header + strings.Replace(good, "5,1,", "5,0,", 1),
		"launch":         header + strings.Replace(good, ",,,,g", ",,256,,g", 1),
		"fields":         header + "a,b\n",
	} {
		if calls, err := decodeCalls(strings.NewReader(text), "calls.csv.gz"); !errors.Is(err, ErrRecording) || calls != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	line := `{"label":"a","stats":{"updates":1,"bins":1,"unique":1}}`
	if _, err := decodeStreams(strings.NewReader(line), "streams.jsonl.gz"); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"empty": "", "twice": line + line, "json": "{", "field": `{"label":"a","stat":{}}`,
		"no label": strings.Replace(line, "a", "", 1), "no stats": `{"label":"a"}`,
		"no updates": strings.Replace(line, `"updates":1`, `"updates":0`, 1),
	} {
		if s, err := decodeStreams(strings.NewReader(text), "streams.jsonl.gz"); !errors.Is(err, ErrRecording) || s != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, text := range map[string]string{
		"header": "a,b,1,us\n", "value": "name,parameter,value,unit\na,b,-1,us\n", "unit": "name,parameter,value,unit\na,b,1,\n",
	} {
		if r, err := decodeMicro([]byte(text)); !errors.Is(err, ErrRecording) || r != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestHeldOut checks that the held-out calls have their streams and share none
// with those that calibrated.
func TestHeldOut(t *testing.T) {
	calls, err := HeldOutCalls()
	if err != nil {
		t.Fatal(err)
	}
	streams, err := HeldOutStreams()
	if err != nil {
		t.Fatal(err)
	}
	seen, err := Streams()
	if err != nil {
		t.Fatal(err)
	}
	if len(calls) < 3000 || len(streams) != 50 {
		t.Errorf("%d calls on %d streams", len(calls), len(streams))
	}
	for _, c := range calls {
		s, ok := streams[c.Label]
		if _, shared := seen[c.Label]; shared || !ok || s.Updates != c.Updates || s.Bins != c.Bins {
			t.Fatalf("%s: statistics %v of %d updates, among the calibrating ones: %v", c.Label, ok, s.Updates, shared)
		}
	}
}
