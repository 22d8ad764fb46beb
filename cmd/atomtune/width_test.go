package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	halfOnOneRow = "synth:hotspot:n=100000,k=4096,h=1,p=0.5,seed=1"
	sortedRows   = "synth:sorted:n=100000,k=4096,seed=1"
)

// TestWidthDocument: the document of rows has the fields of any choice, and the width.
func TestWidthDocument(t *testing.T) {
	inputs(t)
	doc := need(t, "choose", document(t, "choose", "--width", "16", "--value-type", "bf16", halfOnOneRow),
		"device type value_type width clear stream choice floor ranking ties reason warnings code")
	if doc["width"] != 16.0 || doc["type"] != "f32" || doc["value_type"] != "bf16" || doc["clear"] != true {
		t.Errorf("width %v, %v to %v, clear %v", doc["width"], doc["value_type"], doc["type"], doc["clear"])
	}
	stream := need(t, "stream", doc["stream"], streamFields+" width rows")
	need(t, "rows", stream["rows"], rowsFields)
	choice := need(t, "choice", doc["choice"], choiceFields)
	need(t, "floor", doc["floor"], "us bytes share")
	ranking, _ := doc["ranking"].([]any)
	for i, r := range ranking {
		row := need(t, "ranking", r, rankingFields+" low_us high_us parts")
		need(t, "launch", row["launch"], launchFields)
		if i == 0 && row["implementation"] != choice["implementation"] {
			t.Errorf("the choice is %v, the first of the ranking %v", choice["implementation"], row["implementation"])
		}
	}
	if len(ranking) < 8 || doc["legend"] != nil {
		t.Errorf("%d forms, legend %v", len(ranking), doc["legend"])
	}
	need(t, "--explain", document(t, "choose", "--width", "16", "--explain", "indices.npy"), "legend")
	several := document(t, "choose", "--width", "16", "indices.npy", "matrix.mtx")
	if files, ok := several["files"].([]any); !ok || len(files) != 2 {
		t.Errorf("two files: %v", several)
	}
	if doc := document(t, "choose", "--width", "3"); doc["width"] != 3.0 {
		t.Errorf("without a file: %v", doc["width"])
	}
}

const rowsFields = "positions updates rows unique max_frequency cover busiest repeats hot_repeats misses " +
	"far_misses tables"

// chosen returns the name of the choice and its time.
func chosen(t *testing.T, line string) (string, float64) {
	t.Helper()
	c := need(t, line, document(t, strings.Fields("choose "+line)...)["choice"], choiceFields)
	name, _ := c["implementation"].(string)
	us, _ := c["predicted_us"].(float64)
	return name, us
}

// TestWidthChoices: where the answer is plain, it is given; a cleared array takes longer.
func TestWidthChoices(t *testing.T) {
	for line, want := range map[string]string{"--width 64 " + halfOnOneRow: "hot:", "--width 64 " + sortedRows: "runs",
		"--width 8 --type bf16 --device h100 " + halfOnOneRow: "hot:"} {
		if got, _ := chosen(t, line); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
	}
	_, cleared := chosen(t, "--width 64 --bins 1000000 "+sortedRows)
	_, kept := chosen(t, "--width 64 --bins 1000000 --clear=false "+sortedRows)
	if kept > cleared-20 {
		t.Errorf("%v us with the clearing of 256 MB, %v without", cleared, kept)
	}
}

// TestAnalyzeWidth: the usual statistics are the same, those of rows stand beside them.
func TestAnalyzeWidth(t *testing.T) {
	inputs(t)
	without := document(t, "analyze", "indices.npy")
	with := need(t, "analyze", document(t, "analyze", "--width", "12", "indices.npy"), "width rows")
	if with["width"] != 12.0 || need(t, "rows", with["rows"], rowsFields)["rows"] != 64.0 {
		t.Errorf("width %v, rows %v", with["width"], with["rows"])
	}
	delete(with, "width")
	delete(with, "rows")
	if diff := cmp.Diff(without, with); diff != "" {
		t.Errorf("analyze --width changes (-without +with):\n%s", diff)
	}
	plain, wide := done(t, "analyze", "indices.npy"), done(t, "analyze", "--width", "12", "indices.npy")
	if !strings.HasPrefix(wide, plain) || len(wide) < len(plain)+500 {
		t.Errorf("analyze --width:\n%s", wide)
	}
	several := document(t, "analyze", "--width", "12", "indices.npy", "matrix.mtx")
	if files, ok := several["files"].([]any); !ok || len(files) != 2 {
		t.Errorf("two files: %v", several)
	}
}

// TestWidthRefuses: what means nothing of rows says why, what is the only value there is goes.
func TestWidthRefuses(t *testing.T) {
	inputs(t)
	checked := 0
	for flags, why := range map[string]string{
		"--op max": "rows add", "--value one": "loaded values", "--returns": "no old values",
		"--deterministic": "in an order that varies", "--launch 132x256": "its own kernels",
		"--search-launch=false": "its own kernels", "--model tree.json": "closed form", "--model none.json": "closed form",
		"--relaid": "anew", "--memory 64MiB": "device memory", "--no-sort": "all forms", "--only sort": "all forms",
		"--exclude naive": "all forms", "--cautious": "predicted time", "--launches 5": "whole stream",
		"--launches 5 --sampling-cost 3": "whole stream", "--sampling-most 3": "whole stream",
		"--simulate": "the command simulate", "--save-plan plans.txt": "plans", "--index i64": "plans",
	} {
		flag, _, _ := strings.Cut(strings.Fields(flags)[0], "=")
		failed(t, exitUsage, "", line("choose --width 4 "+flags+" indices.npy"), flag+" does not go with --width: ", why)
		checked++
	}
	if checked < 20 {
		t.Errorf("%d flags", checked)
	}
	done(t, line("choose --width 4 --op add --value loaded --type f32 --value-type f32 --returns=false indices.npy")...)
}

// TestWidthCannot: a device without the kernels says so before the file is read.
func TestWidthCannot(t *testing.T) {
	for _, device := range []string{"hd5870", "mi300x", "gtx680"} {
		failed(t, exitFailed, "", line("choose --width 4 --device "+device+" missing.npy"), "cannot run it", "no kernel")
	}
	failed(t, exitFailed, "", line("choose --width 4 --type bf16 --device a100 missing.npy"), "bfloat16")
}

// TestWidthIgnore: padding is no update; the code leaves it out where it can name it.
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
	if code := fmt.Sprint(doc["code"]); !strings.Contains(code, "options.has_ignore = true, options.ignore = -1;") ||
		!strings.Contains(fmt.Sprint(doc["warnings"]), "without an update") {
		t.Errorf("code %s, warnings %v", code, doc["warnings"])
	}
	doc = document(t, line("choose --width 8 --keys --column city --ignore Bonn keys.csv")...)
	if code, ok := doc["code"].([]any); !ok || len(code) > 0 {
		t.Errorf("the padding is the word Bonn, and the code %v", doc["code"])
	}
	text := done(t, line("analyze --width 8 --ignore -1 pad.npy")...)
	if !strings.Contains(text, "ignored positions") || !strings.Contains(text, "Each index is a row of 8 elements") {
		t.Errorf("analyze:\n%s", text)
	}
	write(t, "all.txt", []byte("-1\n-1\n"))
	failed(t, exitFailed, "", line("choose --width 8 --ignore -1 all.txt"), "all.txt", "no update")
	write(t, "bits.u32", []byte("\x01\x00\x00\x00\xff\xff\xff\xff"))
	failed(t, exitFailed, "", line("choose --width 8 bits.u32"), "bits.u32", "all bits set", "--ignore -1")
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
	if !strings.Contains(warnings, "sorted by row (--order row) the choice would be runs, ") {
		t.Errorf("warnings %s", warnings)
	}
	if got, _ := chosen(t, "--width 64 --order row edges.txt"); got != "runs" {
		t.Errorf("sorted: %s", got)
	}
}
