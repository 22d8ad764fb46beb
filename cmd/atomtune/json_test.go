package main

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/internal/command/input"
)

// need fails unless the object has all the fields, none of them null.
func need(t *testing.T, what string, object any, fields string) map[string]any {
	t.Helper()
	m, ok := object.(map[string]any)
	if !ok {
		t.Fatalf("%s is %T, want an object", what, object)
	}
	for _, f := range strings.Fields(fields) {
		if m[f] == nil {
			t.Errorf("%s lacks %s; it has %v", what, f, slices.Sorted(maps.Keys(m)))
		}
	}
	return m
}

const (
	streamFields = "updates bins unique warp_level block_level all_level distinct_per_warp clustered_fraction " +
		"max_frequency elapsed_s bytes_per_second"
	choiceFields   = "implementation class predicted_us low_us high_us speedup_over_naive"
	rankingFields  = "implementation class predicted_us binding launch"
	launchFields   = "blocks threads shared_bytes unroll"
	simulateFields = "implementation launch cycles us updates warp_instructions events wall_s correct " +
		"device type warnings"
)

func TestAnalyzeDocument(t *testing.T) {
	inputs(t)
	doc := need(t, "analyze", document(t, "analyze", "indices.npy"), streamFields)
	if doc["updates"] != 4096.0 || doc["bins"] != 64.0 || doc["file"] != "indices.npy" {
		t.Errorf("analyze: %v updates of %v targets in %v", doc["updates"], doc["bins"], doc["file"])
	}
	several := need(t, "analyze", document(t, "analyze", "indices.npy", "matrix.mtx"), "files")
	files, ok := several["files"].([]any)
	if !ok || len(files) != 2 {
		t.Fatalf("analyze of two files: %v", several)
	}
	for _, f := range files {
		need(t, "files", f, streamFields)
	}
}

// TestAnalyzeLanes: warps have the lanes of the device.
func TestAnalyzeLanes(t *testing.T) {
	inputs(t)
	for device, want := range map[string]float64{"gtx680": 32, "hd5870": 64} {
		doc := document(t, "analyze", "indices.npy", "--device", device)
		if doc["warp_size"] != want {
			t.Errorf("%s: warps of %v lanes, want %v", device, doc["warp_size"], want)
		}
	}
}

func TestChooseDocument(t *testing.T) {
	inputs(t)
	doc := need(t, "choose", document(t, "choose", "indices.npy"),
		"device type stream choice ranking reason warnings")
	need(t, "stream", doc["stream"], streamFields)
	choice := need(t, "choice", doc["choice"], choiceFields)
	ranking, ok := doc["ranking"].([]any)
	if !ok || len(ranking) < 12 {
		t.Fatalf("ranking of %d implementations, want at least 12", len(ranking))
	}
	last := 0.0
	for i, r := range ranking {
		row := need(t, "ranking", r, rankingFields)
		need(t, "launch", row["launch"], launchFields)
		us, _ := row["predicted_us"].(float64)
		if us < last {
			t.Errorf("ranking: %v us follows %v us", us, last)
		}
		last = us
		if i == 0 && row["implementation"] != choice["implementation"] {
			t.Errorf("the choice is %v, the first of the ranking %v", choice["implementation"],
				row["implementation"])
		}
	}
	several := document(t, "choose", "indices.npy", "matrix.mtx")
	if files, ok := several["files"].([]any); !ok || len(files) != 2 {
		t.Errorf("choose of two files: %v", several)
	}
}

// TestChooseWithoutFile: the default stream is chosen for, and its name works
// as a FILE.
func TestChooseWithoutFile(t *testing.T) {
	t.Chdir(t.TempDir())
	text := done(t, "choose")
	if again := done(t, "choose", input.DefaultStream); again != text {
		t.Errorf("choose prints\n%s\nand choose %s\n%s", text, input.DefaultStream, again)
	}
	for _, word := range []string{input.DefaultStream, "choice: ", "reason: ", "naive",
		"time (us)"} {
		if !strings.Contains(text, word) {
			t.Errorf("choose lacks %q:\n%s", word, text)
		}
	}
}

func TestSimulateDocument(t *testing.T) {
	inputs(t)
	doc := need(t, "simulate", document(t, "simulate", "--impl", "private:r=2,pad=1", "indices.npy"),
		simulateFields)
	if doc["correct"] != true || doc["updates"] != 4096.0 ||
		doc["implementation"] != "private:r=2,pad=1" {
		t.Errorf("simulate: %v", doc)
	}
	got := atomtune("", "simulate", "--json", "--max-updates", "100", "--impl", "naive", "indices.npy")
	if got.code != exitDone || !strings.Contains(got.stdout, `"updates": 100,`) {
		t.Errorf("simulate --max-updates 100: exit code %d, %s", got.code, got.stdout)
	}
	if want := "atomtune: warning: indices.npy: only the first 100 updates are taken\n"; got.stderr != want {
		t.Errorf("simulate --max-updates 100: standard error %q, want %q", got.stderr, want)
	}
}

func TestOtherDocuments(t *testing.T) {
	need(t, "version", document(t, "version"), "version go platform")
	need(t, "completion", document(t, "completion", "bash"), "shell script")
	if list, ok := document(t, "devices")["devices"].([]any); !ok || len(list) < 5 {
		t.Errorf("devices: %v", list)
	}
}

// TestLaunchDocument: a fixed launch stands in the constraints and in every row, and what cannot
// be launched so is left out.
func TestLaunchDocument(t *testing.T) {
	inputs(t)
	doc := document(t, "choose", "indices.npy", "--launch", "33x96x4")
	if c := need(t, "constraints", doc["constraints"], "launch"); c["launch"] != "33x96x4" {
		t.Errorf("launch %v", c["launch"])
	}
	ranking, _ := doc["ranking"].([]any)
	for _, r := range ranking {
		row := need(t, "ranking", r, "launch")
		l := need(t, "launch", row["launch"], launchFields)
		if l["blocks"] != 33.0 || l["threads"] != 96.0 || l["unroll"] != 4.0 {
			t.Errorf("%v in launch %v", row["implementation"], l)
		}
	}
	out, _ := doc["left_out"].([]any)
	if len(ranking) < 12 || len(out) != 2 { // sort, and threadprivate, which takes one turn at a time
		t.Errorf("%d ranked, left out %v", len(ranking), out)
	}
	doc = document(t, "simulate", "--impl", "private", "--launch", "3x64x2", "indices.npy")
	if l := need(t, "launch", doc["launch"], launchFields); doc["correct"] != true ||
		l["blocks"] != 3.0 || l["threads"] != 64.0 || l["unroll"] != 2.0 {
		t.Errorf("simulated in launch %v, correct %v", l, doc["correct"])
	}
}

// TestLaunchUse: launches that are none are wrong use, and a search says that it is one.
func TestLaunchUse(t *testing.T) {
	inputs(t)
	for _, args := range [][]string{
		{"--launch", "0x256"}, {"--launch", "256"}, {"--launch", "1x32x3"},
		{"--launch", "2-1x32"}, {"--launch", "1-2x97"}, {"--launch", "1-2x32", "--launches", "2"},
		{"--launch", "1x32", "--search-launch"}, {"--search-launch", "--launches", "2"},
	} {
		got := atomtune("", append([]string{"choose", "indices.npy"}, args...)...)
		if got.code != exitUsage {
			t.Errorf("%v: exit code %d, %s", args, got.code, got.stderr)
		}
	}
	got := atomtune("", "choose", "indices.npy", "--launch", "1x97")
	if got.code != exitUsage || !strings.Contains(got.stderr, "97 threads are no whole warps of 32") {
		t.Errorf("exit code %d, %s", got.code, got.stderr)
	}
	got = atomtune("", "simulate", "--impl", "naive", "--launch", "1x97", "indices.npy")
	if got.code != exitUsage || !strings.Contains(got.stderr, "97 threads") {
		t.Errorf("simulate: exit code %d, %s", got.code, got.stderr)
	}
	failed(t, exitFailed, "", []string{"simulate", "--impl", "naive", "--launch", "200000x32",
		"indices.npy"}, "200000 blocks")
	if text := done(t, "choose", "indices.npy", "--launch", "3x512-2048"); !strings.Contains(text,
		"3x1024") || strings.Contains(text, "3x2048") {
		t.Errorf("a range beyond the device:\n%s", text)
	}
	text := done(t, "choose", "indices.npy", "--launch", "3-5x64-128")
	if !strings.Contains(unfilled(text), "; launches searched among 3-5x64-128 left out: ") ||
		!strings.Contains(text, "5x128") || strings.Contains(text, "132x") {
		t.Errorf("a range of launches:\n%s", text)
	}
	searched, ruled := done(t, "choose", "indices.npy"), done(t, "choose", "indices.npy", "--search-launch=false")
	if strings.Contains(searched, "launches by the rule") || !strings.Contains(searched, "132x1024x4") ||
		!strings.Contains(ruled, "; launches by the rule\n") || strings.Contains(ruled, "x4\n") {
		t.Errorf("searched:\n%s\nby the rule:\n%s", searched, ruled)
	}
}
