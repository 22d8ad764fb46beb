package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/atomtune/atomtune/cmd/atomtune/internal/choice"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/internal/command/input"
	"github.com/atomtune/atomtune/internal/must"
	"github.com/atomtune/atomtune/tuner"
)

const (
	streamFields = "updates bins unique warp_level block_level all_level distinct_per_warp clustered_fraction " +
		"max_frequency elapsed_s bytes_per_second"
	choiceFields  = "implementation class predicted_us low_us high_us speedup_over_naive"
	rankingFields = "implementation class predicted_us low_us high_us binding launch"
)

func profile(t *testing.T, name string) *device.Profile {
	t.Helper()
	d, err := device.Builtin(name)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// chosen returns the choice of a document.
func chosen(t *testing.T, doc map[string]any) map[string]any {
	t.Helper()
	return need(t, "choice", doc["choice"], "implementation")
}

// ranked returns the names in the ranking of a choice.
func ranked(t *testing.T, args ...string) (names []string) {
	t.Helper()
	rows, _ := document(t, append([]string{"choose"}, args...)...)["ranking"].([]any)
	for _, r := range rows {
		name, _ := need(t, "ranking", r, rankingFields)["implementation"].(string)
		names = append(names, name)
	}
	return names
}

// TestChoose: the choice is the first of a ranking by predicted time, or for the cautious by its upper end; without
// a file it is for the default stream; names of devices may have capitals.
func TestChoose(t *testing.T) {
	inputs(t)
	for _, c := range []struct{ line, by string }{{"", "predicted_us"}, {"indices.npy", "predicted_us"},
		{"--cautious indices.npy", "high_us"}, {"--width 16 --value-type bf16 indices.npy", "predicted_us"}} {
		doc := need(t, "choose", document(t, line("choose", c.line)...), "device type stream choice floor ranking ties reason warnings")
		need(t, "stream", doc["stream"], streamFields)
		first := need(t, "choice", doc["choice"], choiceFields)
		ranking, last := doc["ranking"].([]any), 0.0
		for i, r := range ranking {
			row := need(t, "ranking", r, rankingFields)
			need(t, "launch", row["launch"], "blocks threads shared_bytes unroll")
			us := row[c.by].(float64)
			switch { // the first may be as priced, and is then as good as the second
			case i == 0 && row["implementation"] != first["implementation"], i == 1 && us*(1+tuner.TieBand) < last,
				i > 1 && us < last:
				t.Errorf("%s: %v with %v us follows %v us", c.line, row["implementation"], us, last)
			}
			last = us
		}
		if bound, found := first["loss_bound"].(float64); len(ranking) < 8 || doc["legend"] != nil || doc["sampling"] != nil ||
			found == (doc["width"] != nil) || found && bound < 1 {
			t.Errorf("%s: %d ranked, %v", c.line, len(ranking), doc)
		}
		several := document(t, line("choose indices.npy matrix.mtx", strings.TrimSuffix(c.line, "indices.npy"))...)
		if files, _ := several["files"].([]any); len(files) != 2 {
			t.Errorf("choose of two files: %v", several)
		}
	}
	if done(t, "choose") != done(t, "choose", input.DefaultStream) {
		t.Errorf("choose prints another answer than choose %s", input.DefaultStream)
	}
	if done(t, line("choose --device GTX680")...) != done(t, line("choose --device gtx680")...) {
		t.Error("another answer for GTX680 than for gtx680")
	}
}

// TestChooseConstraints: each flag takes out what it says and leaves the rest, and the document says both.
func TestChooseConstraints(t *testing.T) {
	inputs(t)
	all := ranked(t, "indices.npy")
	tables := slices.DeleteFunc(slices.Clone(all), func(name string) bool { return !strings.HasPrefix(name, "hot:") })
	memory := append([]string{"sort", "ss", "sr+ss", "threadprivate"}, tables...)
	for text, gone := range map[string][]string{
		"--no-sort":     {"sort", "ss", "sr+ss"},
		"--memory 0":    memory,
		"--memory 1TiB": {},
		"--memory 20kB": {"sort", "ss", "sr+ss"},
		"--exclude private:*": {"private", "private:r=2,pad=1", "private:r=4,pad=1", "private:r=8,pad=1",
			"private:r=16,pad=1", "private:r=32,pad=1"},
		"--exclude private":       {"private"},
		"--no-sort --exclude sr":  {"sort", "ss", "sr+ss", "sr"},
		"--memory 0 --exclude sr": append([]string{"sr"}, memory...),
	} {
		got := ranked(t, line(text, "indices.npy")...)
		for _, name := range all {
			if slices.Contains(got, name) == slices.Contains(gone, name) {
				t.Errorf("%s: of %s the ranking says %v", text, name, got)
			}
		}
		if len(got)+len(gone) != len(all) {
			t.Errorf("%s: %d are left of %d", text, len(got), len(all))
		}
	}
	for _, name := range ranked(t, line("--deterministic --type f32 indices.npy")...) {
		if v, err := impl.Parse(name); err != nil || v.UsesAtomics() {
			t.Errorf("--deterministic: %s is ranked, %v", name, err)
		}
	}
	doc := document(t, line("choose --no-sort --memory 64KiB --cautious indices.npy")...)
	set := need(t, "constraints", doc["constraints"], "relaid deterministic no_sort cautious memory_bytes")
	if list, _ := doc["left_out"].([]any); len(list) != 3 || set["no_sort"] != true || set["cautious"] != true ||
		set["relaid"] != false || set["memory_bytes"] != 65536.0 {
		t.Errorf("left out %v, constraints %v", list, set)
	}
}

// TestChooseSizes: hot:* ranks tables of hot targets in many sizes, and partition:* what fits the device.
func TestChooseSizes(t *testing.T) {
	const stream = "synth:uniform:n=500000,k=40000000,seed=3"
	for _, c := range []struct {
		line   string
		ranked int // beside others
		has    string
		hasNot string
	}{
		{"--calls 1000 --only hot:* --only match --type f32 synth:hotspot:n=500000,k=1000000,h=1,p=0.5,shuffle=1,seed=3",
			1 + len(impl.Tables()), "hot:s=64,r=32", ""},
		{"--only partition:* --only naive --type f64 " + stream, len(impl.Widths()), "naive", "partition:w=32768"},
		{"--only partition:* --type f32 " + stream, len(impl.Widths()), "partition:w=32768", ""},
	} {
		got := ranked(t, line(c.line)...)
		if len(got) != c.ranked || got[0] == "match" || !slices.Contains(got, c.has) || slices.Contains(got, c.hasNot) {
			t.Errorf("%s: %v", c.line, got)
		}
	}
}

// TestTimesOfOnly: --only and --exclude change which implementations are ranked, and the time of none.
func TestTimesOfOnly(t *testing.T) {
	times := func(flags string) map[any]any {
		of := map[any]any{}
		for _, r := range document(t, line("choose "+flags)...)["ranking"].([]any) {
			form := r.(map[string]any)
			of[form["implementation"]] = form["predicted_us"]
		}
		return of
	}
	all, compared := times(""), 0
	for _, flags := range []string{"--only threadprivate", "--only hot:s=64,r=32", "--only private:*,sr",
		"--exclude naive --exclude sort"} {
		for name, us := range times(flags) {
			if of, ranked := all[name]; ranked && of != us {
				t.Errorf("%s: %v takes %v us, %v among all", flags, name, us, of)
			}
			compared++
		}
	}
	if compared < 10 {
		t.Errorf("%d times were compared", compared)
	}
}

// TestChooseClear: a call that adds to existing values has no clearing in its times, predicted and
// simulated, nor in the lines to paste.
func TestChooseClear(t *testing.T) {
	inputs(t)
	for _, args := range []string{"choose --only naive --bins 1000000", "simulate --impl naive --bins 1000000",
		"choose --width 64 --bins 1000000"} {
		var us [2]float64
		for i, clear := range []string{"true", "false"} {
			doc := need(t, args, document(t, line(args, "--clear="+clear, "indices.npy")...), "clear")
			if doc["clear"] != (clear == "true") {
				t.Errorf("%s --clear=%s: the document says %v", args, clear, doc["clear"])
			}
			if list, found := doc["ranking"].([]any); found {
				doc = list[0].(map[string]any)
				doc["us"] = doc["predicted_us"]
			}
			us[i] = doc["us"].(float64)
		}
		if us[1] > us[0]-1 {
			t.Errorf("%s: %v us with the clearing of 4 MB, %v without", args, us[0], us[1])
		}
	}
	for flags, want := range map[string]bool{"": true, "--clear=false": false, "--type f64": true} {
		code := strings.Join(codeOf(document(t, line("choose "+flags)...)), "\n")
		if strings.Contains(code, "cudaMemsetAsync(A, 0, 256 * sizeof(") != want {
			t.Errorf("choose %s: %s", flags, code)
		}
	}
}

// codeOf are the lines to paste of a document.
func codeOf(doc map[string]any) (code []string) {
	list, _ := doc["code"].([]any)
	for _, l := range list {
		code = append(code, l.(string))
	}
	return code
}

// TestChooseSimulate: the simulated time stands beside the predicted one, and a warning where it is outside
// the interval, if there is one.
func TestChooseSimulate(t *testing.T) {
	inputs(t)
	doc := document(t, line("choose --simulate --search-launch=false indices.npy")...)
	s := need(t, "simulated", doc["simulated"], "us")
	us := func(of map[string]any, name string) float64 { return of[name].(float64) }
	name, _ := chosen(t, doc)["implementation"].(string)
	if alone := document(t, "simulate", "--impl", name, "indices.npy"); us(alone, "us") != us(s, "us") {
		t.Errorf("simulate says %v us of the choice, choose %v", us(alone, "us"), us(s, "us"))
	}
	simulated := func(low, high *float64, stream *input.Source) (choice.Document, string, error) {
		made := choice.Document{Profile: profile(t, "h200")}
		made.Choice.Implementation = impl.Copies(4, 1, impl.Cyclic)
		made.Choice.LowUS, made.Choice.HighUS = low, high
		var stderr strings.Builder
		err := simulateChoice(newEnv(nil, nil, &stderr), &made, stream)
		return made, stderr.String(), err
	}
	made := func(spec string) *input.Source {
		return must.Get(input.Load(newEnv(nil, nil, io.Discard), spec, input.StreamFlags{}))(t)
	}
	stream := made("synth:sequential:n=3,k=4")
	first, _, err := simulated(nil, nil, stream)
	if err != nil || len(first.Doubts(stream)) > 0 {
		t.Fatalf("%v, warnings %q", err, first.Doubts(stream))
	}
	for _, factor := range []float64{0.1, 1, 10} {
		alone := first.Simulated.US
		made, _, err := simulated(new(alone*factor*0.9), new(alone*factor*1.1), stream)
		if err != nil || (len(made.Doubts(stream)) > 0) != (factor != 1) {
			t.Errorf("simulated %v us, predicted %v to %v: %v, warnings %q", alone, *made.Choice.LowUS,
				*made.Choice.HighUS, err, made.Doubts(stream))
		}
	}
	// Copies of so many targets fit no block, so that nothing is simulated, but much memory is said first.
	_, said, err := simulated(nil, nil, made("synth:uniform:n=1,k=67108864"))
	if err == nil || !strings.Contains(said, "2.7 GB") {
		t.Errorf("of many targets: %v, %q", err, said)
	}
}

// TestChooseSampling: one call of few updates is not sampled, very many are.
func TestChooseSampling(t *testing.T) {
	inputs(t)
	const fields = "sampled calls blocks updates cost_us expected_gain_us left_us prior prior_us"
	// Without private copies, no implementation is best whatever the stream.
	sampling := func(more string) map[string]any {
		doc := document(t, line("choose --only naive --only sr indices.npy", more)...)
		return need(t, "sampling", doc["sampling"], fields)
	}
	if l := sampling("--calls 1 --sampling-cost 0"); l["sampled"] != false || l["updates"] != 0.0 {
		t.Errorf("one call: %v", l)
	}
	l := sampling("--calls 1000000000 --sampling-cost 0")
	if l["sampled"] != true || l["updates"] != 2048.0 && l["updates"] != 4096.0 {
		t.Errorf("very many calls: %v", l)
	}
	dear := sampling("--launches 1000000000 --sampling-cost 1e12")
	if dear["sampled"] != false || dear["expected_gain_us"] != l["expected_gain_us"] {
		t.Errorf("a sample for a fortune: %v, and for little %v", dear, l)
	}
}

// TestSampledCounts: counts that a sample estimates are marked, and those of the whole stream are not.
func TestSampledCounts(t *testing.T) {
	for flags, updates := range map[string]string{"--calls 1000000 --sampling-cost 0": "2,048", "--sample 16": "4,096", "": ""} {
		text := done(t, line("choose --all "+flags+" synth:zipf:n=1048576,k=4096,seed=1")...)
		_, counts, _ := strings.Cut(text, "\ncounts:")
		counts, _, _ = strings.Cut(counts, "\ndevice:")
		if strings.Contains(counts, "estimates") != (flags != "") || !strings.Contains(counts, updates) || counts == "" {
			t.Errorf("%q: %q", flags, counts)
		}
	}
}

// TestFixedPointIsNamed: where floats go without atomics to be the same on every run, choose and report
// name the call of the headers that adds in fixed point.
func TestFixedPointIsNamed(t *testing.T) {
	const stream = " synth:zipf:n=4096,k=512,seed=1"
	for flags, want := range map[string]bool{"--deterministic --type f32": true, "--deterministic": false,
		"--type f32 --only sort": false, "--deterministic --type f32 --device hd5870": false} {
		for _, command := range []string{"choose ", "report --json "} {
			text := done(t, line(command+flags+stream+" --json")...)
			if strings.Contains(text, "atomtune::deterministic(options)") != want {
				t.Errorf("%s%s: %s", command, flags, text)
			}
		}
	}
	for flags, want := range map[string]bool{"--deterministic --width 4": true, "--deterministic --width 4 --type bf16": false,
		"--width 4 --only naive --exclude naive": false} {
		for _, command := range []string{"choose ", "report "} {
			out := atomtune("", line(command+flags+stream)...)
			if out.Code != 1 || strings.Contains(out.Stderr, "atomtune::deterministic(options)") != want {
				t.Errorf("%s%s: %+v", command, flags, out)
			}
		}
	}
}

// TestCalls: a table that must be told its targets is the choice for many calls and not for one, and --launches is
// another name of --calls.
func TestCalls(t *testing.T) {
	const stream = "synth:hotspot:n=1000000,k=1000000,seed=1"
	for flags, calls := range map[string]float64{"": 1, "--calls 1": 1, "--calls 1000": 1000} {
		doc := document(t, line("choose "+flags+" "+stream)...)
		name, _ := chosen(t, doc)["implementation"].(string)
		if told := must.Get(impl.Parse(name))(t).NeedsTargets(); told != (calls > 1) ||
			need(t, "constraints", doc["constraints"], "calls")["calls"] != calls {
			t.Errorf("%q: %s of %v", flags, name, doc["constraints"])
		}
		if other := document(t, line("choose "+strings.Replace(flags, "calls", "launches", 1)+" "+stream)...); !cmp.Equal(doc, other) {
			t.Errorf("%q: --launches gives another answer: %s", flags, cmp.Diff(doc, other))
		}
	}
}

// TestKnownTargets: where hot targets must be known before, a warning names the fastest that needs none.
func TestKnownTargets(t *testing.T) {
	const stream = "synth:hotspot:n=1000000,k=1000000,seed=1"
	needs := func(name string) bool { return must.Get(impl.Parse(name))(t).NeedsTargets() }
	names := ranked(t, "--calls", "1000", stream)
	needless := slices.IndexFunc(names, func(name string) bool { return !needs(name) })
	if needless < 1 {
		t.Fatalf("ranked are %v", names)
	}
	warnings, _ := document(t, "choose", "--calls", "1000", stream)["warnings"].([]any)
	for _, want := range []string{names[0] + " ", names[needless] + ", "} {
		if len(warnings) == 0 || !strings.Contains(warnings[0].(string), want) {
			t.Errorf("the warnings are %q, of the ranking %v", warnings, names)
		}
	}
}

// shape is the launch of an object, as --launch has it.
func shape(of any) string {
	l := of.(map[string]any)["launch"].(map[string]any)
	return fmt.Sprintf("%vx%vx%v", l["blocks"], l["threads"], l["unroll"])
}

// TestLaunches: a fixed launch is in the constraints and in every row, and what cannot be launched so is left
// out; of a range the best is searched, and by the rule another is taken than by a search.
func TestLaunches(t *testing.T) {
	inputs(t)
	doc := document(t, line("choose indices.npy --launch 33x96x4")...)
	if c := need(t, "constraints", doc["constraints"], "launch"); c["launch"] != "33x96x4" {
		t.Errorf("launch %v", c["launch"])
	}
	launches := func(doc map[string]any) (list []string) {
		for _, r := range doc["ranking"].([]any) {
			list = append(list, shape(r))
		}
		return list
	}
	for _, l := range launches(doc) {
		if l != "33x96x4" {
			t.Errorf("launch %s", l)
		}
	}
	out, _ := doc["left_out"].([]any)
	if len(launches(doc)) < 12 || len(out) != 3 { // sort, and threadprivate and sr:scope=block, which take one iteration at a time
		t.Errorf("%d ranked, left out %v", len(launches(doc)), out)
	}
	doc = document(t, line("simulate --impl private --launch 3x64x2 indices.npy")...)
	if shape(doc) != "3x64x2" || doc["correct"] != true {
		t.Errorf("simulated in launch %v, correct %v", shape(doc), doc["correct"])
	}
	ranged := launches(document(t, line("choose indices.npy --launch 3x512-2048")...))
	searched := launches(document(t, line("choose indices.npy")...))
	ruled := launches(document(t, line("choose indices.npy --search-launch=false")...))
	if !slices.Contains(ranged, "3x1024x1") || strings.Contains(strings.Join(ranged, " "), "2048") ||
		!slices.Contains(searched, "132x1024x4") || slices.Contains(ruled, "132x1024x4") {
		t.Errorf("a range: %v, searched %v, by the rule %v", ranged, searched, ruled)
	}
}
