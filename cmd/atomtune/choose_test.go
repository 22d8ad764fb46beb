package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/cmd/atomtune/internal/choice"
	"github.com/atomtune/atomtune/internal/command/input"
	"github.com/atomtune/atomtune/variant"
)

// ranked returns the names in the ranking of a choice.
func ranked(t *testing.T, args ...string) []string {
	t.Helper()
	rows, _ := document(t, append([]string{"choose"}, args...)...)["ranking"].([]any)
	var names []string
	for _, r := range rows {
		name, _ := need(t, "ranking", r,
			rankingFields+" low_us high_us memory_bytes")["implementation"].(string)
		names = append(names, name)
	}
	return names
}

// TestChooseConstraints: each flag takes out what it says and leaves the rest.
func TestChooseConstraints(t *testing.T) {
	inputs(t)
	all := ranked(t, "indices.npy")
	tables := slices.DeleteFunc(slices.Clone(all), func(name string) bool {
		return !strings.HasPrefix(name, "hot:")
	})
	memory := append([]string{"sort", "ss", "sr+ss", "threadprivate"}, tables...)
	for line, gone := range map[string][]string{
		"--no-sort":     {"sort", "ss", "sr+ss"},
		"--memory 0":    memory,
		"--memory 1TiB": {},
		"--memory 20kB": {"sort", "ss", "sr+ss"},
		"--exclude private:*": {"private", "private:r=2,pad=1", "private:r=4,pad=1",
			"private:r=8,pad=1", "private:r=16,pad=1", "private:r=32,pad=1"},
		"--exclude private":       {"private"},
		"--exclude sort":          {"sort"},
		"--no-sort --exclude sr":  {"sort", "ss", "sr+ss", "sr"},
		"--memory 0 --exclude sr": append([]string{"sr"}, memory...),
	} {
		got := ranked(t, append(strings.Fields(line), "indices.npy")...)
		for _, name := range all {
			if slices.Contains(got, name) == slices.Contains(gone, name) {
				t.Errorf("%s: of %s the ranking says %v", line, name, got)
			}
		}
		if len(got)+len(gone) != len(all) {
			t.Errorf("%s: %d are left of %d", line, len(got), len(all))
		}
	}
	for _, name := range ranked(t, "--deterministic", "--type", "f32", "indices.npy") {
		if v, err := variant.Parse(name); err != nil || v.UsesAtomics() {
			t.Errorf("--deterministic: %s is ranked, %v", name, err)
		}
	}
	failed(t, exitFailed, "", []string{"choose", "--memory", "1kB", "--only", "sort", "indices.npy"},
		"1 kB allowed")
}

// TestChooseClear: a call that adds to an array that is there has no clearing in its times,
// predicted and simulated.
func TestChooseClear(t *testing.T) {
	inputs(t)
	us := func(clear, list, field string, args ...string) float64 {
		doc := need(t, args[0], document(t, append(args, "--clear="+clear, "indices.npy")...), "clear")
		if doc["clear"] != (clear == "true") {
			t.Errorf("%v --clear=%s: the document says %v", args, clear, doc["clear"])
		}
		if list != "" {
			doc = need(t, list, doc[list].([]any)[0], field)
		}
		return doc[field].(float64)
	}
	for _, c := range []struct{ list, field, args string }{
		{"ranking", "predicted_us", "choose --only naive --bins 1000000"},
		{"", "us", "simulate --impl naive --bins 1000000"},
	} {
		args := strings.Fields(c.args)
		cleared, kept := us("true", c.list, c.field, args...), us("false", c.list, c.field, args...)
		if kept > cleared-1 {
			t.Errorf("%s: %v us with the clearing of 4 MB, %v without", c.args, cleared, kept)
		}
	}
	text := unfilled(done(t, "choose", "--clear=false", "indices.npy"))
	if !strings.Contains(text, "adding loaded values, to an array that is there") {
		t.Errorf("choose --clear=false:\n%s", text)
	}
	failed(t, exitUsage, "", []string{"choose", "--clear=maybe", "indices.npy"}, "maybe")
}

// TestChooseSimulate: the simulated time stands beside the predicted one, and a warning where
// their intervals do not meet.
func TestChooseSimulate(t *testing.T) {
	inputs(t)
	doc := need(t, "choose", document(t, "choose", "--simulate", "--search-launch=false",
		"indices.npy"), "simulated warnings")
	s := need(t, "simulated", doc["simulated"], "us low_us high_us")
	c := need(t, "choice", doc["choice"], choiceFields)
	us := func(of map[string]any, name string) float64 { return of[name].(float64) }
	if !(us(s, "low_us") < us(s, "us") && us(s, "us") < us(s, "high_us")) ||
		us(s, "low_us") > us(c, "high_us") || us(s, "high_us") < us(c, "low_us") {
		t.Errorf("simulated %v, chosen %v", s, c)
	}
	name, _ := c["implementation"].(string)
	if alone := document(t, "simulate", "--impl", name, "indices.npy"); us(alone, "us") != us(s, "us") {
		t.Errorf("simulate says %v us of the choice, choose %v", us(alone, "us"), us(s, "us"))
	}
	for _, factor := range []float64{0.1, 1, 10} {
		made := choice.Document{Profile: profile(t, "h200"), Call: choice.Call{Clear: true}}
		made.Choice.Implementation = variant.Copies(4, 1, variant.Cyclic)
		stream := input.Loaded{Indices: []uint32{1, 2, 3}, Bins: 4}
		render(t, func(e *env) error { return simulateChoice(e, &made, stream) })
		alone := made.Simulated.US
		made.Choice.LowUS, made.Choice.HighUS = alone*factor*0.9, alone*factor*1.1
		made.Warnings = nil
		render(t, func(e *env) error { return simulateChoice(e, &made, stream) })
		if (len(made.Warnings) > 0) != (factor != 1) {
			t.Errorf("simulated %v us, predicted %v to %v: warnings %q", alone, made.Choice.LowUS,
				made.Choice.HighUS, made.Warnings)
		}
	}
	// Copies of so many targets fit no block, so that nothing is simulated, but much memory is said first.
	var stderr strings.Builder
	made := choice.Document{Profile: profile(t, "h200"), Call: choice.Call{Clear: true}}
	made.Choice.Implementation = variant.Copies(4, 1, variant.Cyclic)
	err := simulateChoice(newEnv(nil, nil, &stderr), &made, input.Loaded{Indices: []uint32{1}, Bins: 1 << 26})
	if err == nil || !strings.Contains(stderr.String(), "targets may take 2.7 GB of memory") {
		t.Errorf("of many targets: %v, %q", err, stderr.String())
	}
}

// TestChooseDecision: the document holds what a decision says beside the ranking.
func TestChooseDecision(t *testing.T) {
	inputs(t)
	doc := need(t, "choose", document(t, "choose", "indices.npy"), "ties settle")
	choice := need(t, "choice", doc["choice"], choiceFields+" loss_bound")
	if bound, _ := choice["loss_bound"].(float64); bound < 1 {
		t.Errorf("loss bound %v", bound)
	}
	if doc["look"] != nil {
		t.Errorf("a sample of the whole stream: %v", doc["look"])
	}
	careful := need(t, "choose --cautious", document(t, "choose", "--cautious", "indices.npy"),
		"choice ranking")
	high := 0.0
	for _, r := range careful["ranking"].([]any) {
		next, _ := need(t, "ranking", r, "high_us")["high_us"].(float64)
		if next < high {
			t.Errorf("choose --cautious: %v us follows %v us", next, high)
		}
		high = next
	}
}

// TestChooseSampling: one launch of few updates is not sampled, very many are, and
// the text says so.
func TestChooseSampling(t *testing.T) {
	inputs(t)
	const fields = "looked launches blocks updates cost_us expected_gain_us left_us blind blind_us"
	// Without private copies, no implementation is best whatever the stream.
	args := []string{"choose", "--only", "naive", "--only", "sr"}
	sampling := func(more ...string) map[string]any {
		return need(t, "look", document(t, append(slices.Clone(args), more...)...)["look"], fields)
	}
	if l := sampling("--launches", "1", "indices.npy"); l["looked"] != false || l["updates"] != 0.0 {
		t.Errorf("one launch: %v", l)
	}
	l := sampling("--launches", "1000000000", "indices.npy")
	if l["looked"] != true || l["updates"] != 2048.0 && l["updates"] != 4096.0 {
		t.Errorf("very many launches: %v", l)
	}
	dear := sampling("--launches", "1000000000", "--sampling-cost", "1e12", "indices.npy")
	if dear["looked"] != false || dear["expected_gain_us"] != l["expected_gain_us"] {
		t.Errorf("a sample for a fortune: %v, and for little %v", dear, l)
	}
	text := done(t, append(slices.Clone(args), "--launches", "1", "indices.npy")...)
	if !strings.Contains(text, "sampling: none") || strings.Contains(text, "counts:") {
		t.Errorf("one launch:\n%s", text)
	}
	text = done(t, append(slices.Clone(args), "--launches", "1000000000", "indices.npy")...)
	if !strings.Contains(text, "sampling: 2,048 updates") || !strings.Contains(text, "counts:") {
		t.Errorf("very many launches:\n%s", text)
	}
	failed(t, exitFailed, "", []string{"choose", "--launches", "5", "--bins", "3", "indices.npy"},
		"3 bins")
}

// TestChooseTables: hot:* ranks tables of hot targets in many sizes, beside what else is named.
func TestChooseTables(t *testing.T) {
	inputs(t)
	got := ranked(t, "--only", "hot:*", "--only", "match", "--type", "f32",
		"synth:hotspot:n=500000,k=1000000,h=1,p=0.5,shuffle=1,seed=3")
	if len(got) != 1+len(variant.Tables()) || got[0] == "match" || !slices.Contains(got, "hot:s=64,r=32") ||
		!slices.Contains(got, "hot:s=16384,r=2") {
		t.Errorf("ranked %v", got)
	}
}

// TestChooseWidths: partition:* ranks what fits the device.
func TestChooseWidths(t *testing.T) {
	inputs(t)
	stream := "synth:uniform:n=500000,k=40000000,seed=3"
	got := ranked(t, "--only", "partition:*", "--only", "naive", "--type", "f64", stream)
	if len(got) != 1+len(variant.Widths())-1 || slices.Contains(got, "partition:w=32768") {
		t.Errorf("ranked %v", got)
	}
	if got = ranked(t, "--only", "partition:*", "--type", "f32", stream); !slices.Contains(got,
		"partition:w=32768") {
		t.Errorf("ranked %v", got)
	}
}

// TestChooseWrongUse: what a different command line would mend is exit code 2.
func TestChooseWrongUse(t *testing.T) {
	inputs(t)
	for line, word := range map[string]string{
		"--memory much indices.npy":                   "much",
		"--memory -4 indices.npy":                     "-4",
		"--launches -1 indices.npy":                   "--launches -1",
		"--launches 5 --sampling-most -5 indices.npy": "--sampling-most -5",
		"--sampling-most 5 indices.npy":               "--launches",
		"--only nothing indices.npy":                  "--only",
		"--exclude sort:* --only sort:4":              "--only",
		"--exclude nothing:* indices.npy":             "--exclude nothing:*",
		"--launches many indices.npy":                 "many",
		"--sampling-cost 5 indices.npy":               "--launches",
		"--launches 5 --sampling-cost -5 indices.npy": "--sampling-cost -5",
		"--launches 5 --sample 8 indices.npy":         "--sample",
		"--launches 5 --only hot:s=64 indices.npy":    "hot:s=64 is priced on whole streams alone",
	} {
		failed(t, exitUsage, "", append([]string{"choose"}, strings.Fields(line)...), word)
	}
}

// TestChooseLeftOut: the text says what constraints took out and which these
// were, the document too; a cautious ranking shows what it goes by.
func TestChooseLeftOut(t *testing.T) {
	inputs(t)
	args := []string{"choose", "--no-sort", "--memory", "64KiB", "--cautious", "indices.npy"}
	text := unfilled(done(t, args...))
	for _, want := range []string{
		"left out: ", "(re-orders the stream)",
		"no sorting, cautious, at most 65,536 bytes of device memory",
		"at most (us)", "It is a cautious choice, by the upper end of the interval",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("choose lacks %q:\n%s", want, text)
		}
	}
	doc := need(t, "choose", document(t, args...), "left_out constraints")
	if list, _ := doc["left_out"].([]any); len(list) != 3 {
		t.Errorf("left out: %v", list)
	}
	set := need(t, "constraints", doc["constraints"],
		"relaid deterministic no_sort cautious memory_bytes")
	if set["no_sort"] != true || set["cautious"] != true || set["relaid"] != false ||
		set["memory_bytes"] != 65536.0 {
		t.Errorf("constraints: %v", set)
	}
	plain := done(t, "choose", "indices.npy")
	if strings.Contains(plain, "left out") || strings.Contains(plain, "cautious") ||
		strings.Contains(plain, "at most (us)") {
		t.Errorf("choose without constraints:\n%s", plain)
	}
	blind := unfilled(done(t, "choose", "--launches", "1", "--only", "naive", "--only", "sr",
		"indices.npy"))
	if !strings.Contains(blind, "over the streams of the prior") ||
		!strings.Contains(blind, "expected gain") ||
		strings.Contains(blind, "90 %") || strings.Contains(blind, "at most") {
		t.Errorf("a blind choice:\n%s", blind)
	}
}

// TestChooseModelFile: what is wrong with a model names its file.
func TestChooseModelFile(t *testing.T) {
	inputs(t)
	failed(t, exitFailed, "", []string{"choose", "--model", "absent.json", "indices.npy"}, "--model",
		"absent.json")
	failed(t, exitFailed, "", []string{"choose", "--model", "indices.npy", "indices.npy"},
		"--model: indices.npy: ")
}
