package main

import (
	"strings"
	"testing"

	"github.com/atomtune/atomtune/cmd/atomtune/internal/simulation"
)

const rowStream = "synth:hotspot:n=30000,k=2000,h=1,p=0.5,seed=3"

// TestSimulateRows: all forms make the updates, half of them on one row, which a table is for.
func TestSimulateRows(t *testing.T) {
	us := map[string]float64{}
	for _, name := range []string{"naive", "runs", "hot", "hot:s=2", "sort"} {
		var doc simulation.Rows
		decode(t, done(t, "simulate", "--json", "--width", "32", "--impl", name, rowStream), &doc)
		if !doc.Correct || doc.Sampled || doc.Updates != 30000 || doc.Bins != 2000 || doc.Width != 32 ||
			doc.Implementation != name || doc.Events == nil || *doc.Events == 0 || !doc.Clear {
			t.Errorf("%s: %+v", name, doc)
		}
		us[name] = doc.US
	}
	if us["hot:s=2"] > us["runs"]/2 || us["runs"] > us["naive"] {
		t.Errorf("times %v", us)
	}
	text := done(t, "simulate", "--width", "8", "--type", "bf16", "--impl", "runs", "--clear=false", rowStream)
	for _, words := range []string{"rows of 8 bf16 targets, adding bf16 values, to an array that is there",
		"30,000 updates of 2,000 rows", "rows.runs"} {
		if !strings.Contains(strings.Join(strings.Fields(text), " "), words) {
			t.Errorf("%q is missing:\n%s", words, text)
		}
	}
}

// TestSampledRows: of many elements the time is estimated, and no events are counted.
func TestSampledRows(t *testing.T) {
	var doc simulation.Rows
	decode(t, done(t, "simulate", "--json", "--width", "128", "--impl", "runs",
		"synth:sorted:n=140000,k=10000,seed=1"), &doc)
	if !doc.Sampled || doc.Events != nil || len(doc.Kernels) != 0 || !(doc.US > 10) {
		t.Errorf("%+v", doc)
	}
}

func TestSimulateRowsRefuses(t *testing.T) {
	for line, want := range map[string]string{
		"--impl hot:s=3 --width 4":              "hot takes s=S, a power of two",
		"--impl private --width 4":              "there are naive, runs, hot, sort",
		"--impl runs --width 4 --type u32":      `type "u32"`,
		"--impl sort --width 8 --launch 4x64":   "--launch does not go with --width",
		"--impl sort --width 8 --relaid":        "--relaid does not go with --width",
		"--impl runs --value-type bf16":         "--value-type goes with --width",
		"--impl runs --width 0":                 "--width 0",
		"--impl runs --width 4 --device gtx580": "no kernel on",
	} {
		got := atomtune("", append(strings.Fields("simulate "+line), rowStream)...)
		if got.code == exitDone || !strings.Contains(got.stderr, want) || got.stdout != "" {
			t.Errorf("%s: %+v", line, got)
		}
	}
}
