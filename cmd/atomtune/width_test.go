package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const rowsFields = "positions updates rows unique max_frequency cover busiest repeats hot_repeats misses " +
	"far_misses tables"

// TestWidthChoices: the document of rows has the width; where the answer is plain, it is given.
func TestWidthChoices(t *testing.T) {
	const (
		half   = " synth:hotspot:n=100000,k=4096,h=1,p=0.5,seed=1" // of the updates are on one row
		sorted = " synth:sorted:n=100000,k=4096,seed=1"
	)
	for flags, want := range map[string]string{"--width 64" + half: "hot:", "--width 64" + sorted: "runs",
		"--width 8 --type bf16 --device h100" + half: "hot:", "--width 3": ""} {
		doc := need(t, flags, document(t, line("choose", flags)...), "device type value_type width clear stream code")
		need(t, "rows", need(t, "stream", doc["stream"], streamFields+" width rows")["rows"], rowsFields)
		if got, _ := chosen(t, doc)["implementation"].(string); !strings.HasPrefix(got, want) ||
			!strings.HasPrefix(flags, fmt.Sprintf("--width %v", doc["width"])) {
			t.Errorf("%s: %s, want %s, width %v", flags, got, want, doc["width"])
		}
	}
}

// TestAnalyzeWidth: the usual statistics are the same, those of rows stand beside them.
func TestAnalyzeWidth(t *testing.T) {
	inputs(t)
	without := document(t, "analyze", "indices.npy")
	with := need(t, "analyze", document(t, line("analyze --width 12 indices.npy")...), "width rows")
	if with["width"] != 12.0 || need(t, "rows", with["rows"], rowsFields)["rows"] != 64.0 {
		t.Errorf("width %v, rows %v", with["width"], with["rows"])
	}
	delete(with, "width")
	delete(with, "rows")
	if diff := cmp.Diff(without, with); diff != "" {
		t.Errorf("analyze --width changes (-without +with):\n%s", diff)
	}
	plain, wide := done(t, "analyze", "indices.npy"), done(t, line("analyze --width 12 indices.npy")...)
	if !strings.HasPrefix(wide, plain) || len(wide) < len(plain)+500 {
		t.Errorf("analyze --width:\n%s", wide)
	}
	several := document(t, line("analyze --width 12 indices.npy matrix.mtx")...)
	if files, ok := several["files"].([]any); !ok || len(files) != 2 {
		t.Errorf("two files: %v", several)
	}
}

// TestWidthIgnore: padding is not an update; the code leaves it out where it can name it.
func TestWidthIgnore(t *testing.T) {
	inputs(t)
	list, updates := padded(4000, 64)
	write(t, "pad.npy", npy("<i8", len(list), encode(list)))
	doc := document(t, line("choose --width 8 --ignore -1 pad.npy")...)
	s := need(t, "stream", doc["stream"], "updates ignored rows")
	rows := need(t, "rows", s["rows"], rowsFields)
	if s["updates"] != float64(updates) || rows["updates"] != float64(updates) || rows["positions"] != float64(len(list)) {
		t.Errorf("%v updates, rows %v, want %d of %d positions", s["updates"], rows, updates, len(list))
	}
	warnings, _ := doc["warnings"].([]any)
	code := strings.Join(codeOf(doc), "\n")
	if !strings.Contains(code, "options.has_ignore = true, options.ignore = -1;") || len(warnings) == 0 {
		t.Errorf("code %s, warnings %v", code, warnings)
	}
	doc = document(t, line("choose --width 8 --keys --column city --ignore Bonn keys.csv")...)
	if code, ok := doc["code"].([]any); !ok || len(code) > 0 {
		t.Errorf("the padding is the word Bonn, and the code %v", doc["code"])
	}
}

// TestWidthOrder: a warning says which form the stream would get sorted, where that is another.
func TestWidthOrder(t *testing.T) {
	t.Chdir(t.TempDir())
	var edges strings.Builder
	random := rand.New(rand.NewPCG(1, 2))
	for i := range 200000 {
		row := 0
		if random.IntN(2) == 0 {
			row = random.IntN(2048)
		}
		fmt.Fprintf(&edges, "%d %d\n", row, i%100)
	}
	write(t, "edges.txt", []byte(edges.String()))
	warnings := fmt.Sprint(document(t, line("choose --width 64 edges.txt")...)["warnings"])
	if !strings.Contains(warnings, "--order row") || !strings.Contains(warnings, " runs, ") {
		t.Errorf("warnings %s", warnings)
	}
	if got := chosen(t, document(t, line("choose --width 64 --order row edges.txt")...)); got["implementation"] != "runs" {
		t.Errorf("sorted: %v", got)
	}
}
