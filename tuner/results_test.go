package tuner

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/datasets/h200"
	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/speedup"
	"github.com/atomtune/atomtune/variant"
)

const resultsFile = "../doc/RESULTS.md"

// TestResults makes doc/RESULTS.md anew and compares it with the committed
// one; ATOMTUNE_UPDATE_GOLDEN=1 writes it. It fails too where a figure that
// the document stands for gets worse than the limits below.
func TestResults(t *testing.T) {
	var doc bytes.Buffer
	doc.WriteString(resultsHead)
	writeModels(t, &doc)
	writeRecorded(t, &doc)
	if os.Getenv("ATOMTUNE_UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(resultsFile, doc.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	committed, err := os.ReadFile(resultsFile)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(committed), "\n"), strings.Split(doc.String(), "\n")); diff != "" {
		t.Errorf("%s (-committed +now):\n%s", resultsFile, diff)
	}
}

const resultsHead = `# Results

Made by the tests of package tuner from the embedded models and the recordings under
datasets/h200. The loss of a choice is the time of the chosen implementation over that
of the best: 1 is the right choice.

`

func writeModels(t *testing.T, doc *bytes.Buffer) {
	doc.WriteString(`## Simulated: the models on points that their trees had not seen

Losses are in simulated time. "Held out" trees were fitted without the point, "family
out" trees without any stream of the point's family. The longest streams are estimated
from simulated samples.

| device | points | held out: mean, p90, max | family out: mean, p90, max | closed forms alone | always naive |
|---|---|---|---|---|---|
`)
	for _, name := range []string{"h200", "gtx680", "c2075"} {
		m, err := EmbeddedModel(name)
		if err != nil {
			t.Fatal(err)
		}
		e := m.Evaluation
		fmt.Fprintf(doc, "| %s | %d | %s | %s | %s | %s |\n", name, e.HeldOut.Points,
			e.HeldOut.cell(), e.FamilyOut.cell(), e.ClosedForm.cell(), e.Naive.cell())
		if e.HeldOut.GeometricMean > 1.15 {
			t.Errorf("%s: mean loss %.3f on held-out points", name, e.HeldOut.GeometricMean)
		}
	}
}

func (l Loss) cell() string {
	return fmt.Sprintf("%.3f, %.2f, %.2f", l.GeometricMean, l.P90, l.Max)
}

// recordedStream is what was measured on one stream for one kind of call.
type recordedStream struct {
	stats collision.Stats
	call  device.Call
	us    map[variant.Variant]float64
}

// recordedStreams returns what was measured on the streams that are wanted, calls
// that return old values apart: few implementations were measured with them.
func recordedStreams(t *testing.T, wanted func(label string, part recordings.Part) bool) []recordedStream {
	t.Helper()
	var calls []recordings.Call
	for _, part := range []recordings.Part{recordings.Fit, recordings.HeldOut} {
		some, err := h200.Calls(part)
		if err != nil {
			t.Fatal(err)
		}
		calls = append(calls, slices.DeleteFunc(some, func(c recordings.Call) bool { return !wanted(c.Label, part) })...)
	}
	stats, err := h200.Streams()
	if err != nil {
		t.Fatal(err)
	}
	type key struct {
		label string
		call  device.Call
	}
	place := map[key]int{}
	var list []recordedStream
	for _, c := range calls {
		if c.Call.Returns {
			continue
		}
		k := key{c.Label, c.Call}
		i, ok := place[k]
		if !ok {
			i = len(list)
			place[k] = i
			list = append(list, recordedStream{stats[c.Label], c.Call, map[variant.Variant]float64{}})
		}
		list[i].us[c.Implementation] = c.MedianUS
	}
	return list
}

// best is the least time of an implementation that a choice ranks.
func (r *recordedStream) best() float64 {
	least := math.Inf(1)
	for _, v := range OnDevice() {
		if us, ok := r.us[v]; ok {
			least = min(least, us)
		}
	}
	return least
}

// shaping reports whether the stream was among earlier recordings, from which
// the closed forms took their shape: the real files, and uniform targets.
func shaping(label string) bool {
	return !strings.Contains(label, ":") || strings.HasPrefix(label, "uniform:n=4194304,") && strings.HasSuffix(label, ",seed=1")
}

// rule picks an implementation for a stream.
type rule struct {
	name string
	pick func(t *testing.T, r *recordedStream) variant.Variant
}

// rules are atomtune's own and those of the rivals that were recorded in full
// on these streams; a rival of which nothing was recorded is left out.
func rules(t *testing.T, list []recordedStream) []rule {
	own := []rule{{"atomtune", chosen}, {"its closed forms alone", priced}}
	for _, rival := range Rivals() {
		pick := func(t *testing.T, r *recordedStream) variant.Variant {
			return rival.Pick(Question{Stats: &r.stats, Device: h200Profile(t), Call: r.call})
		}
		if slices.ContainsFunc(list, func(r recordedStream) bool { return r.us[pick(t, &r)] > 0 }) {
			own = append(own, rule{rival.Name, pick})
		}
	}
	return own
}

func h200Profile(t *testing.T) *device.Profile {
	gpu, err := device.Builtin("h200")
	if err != nil {
		t.Fatal(err)
	}
	return gpu
}

func chosen(t *testing.T, r *recordedStream) variant.Variant {
	d, err := Choose(&r.stats, h200Profile(t), Options{Call: r.call, Only: OnDevice()})
	if err != nil {
		t.Fatal(err)
	}
	return d.Choice.Implementation
}

func priced(t *testing.T, r *recordedStream) variant.Variant {
	gpu := h200Profile(t)
	best, least := variant.Variant{}, math.Inf(1)
	for _, v := range OnDevice() {
		if cost, err := speedup.Predict(v, &r.stats, gpu, r.call); err == nil && cost.US < least {
			best, least = v, cost.US
		}
	}
	return best
}

const measuredHead = `
## Measured: choices on the NVIDIA H200

Losses are in measured time, the median of ten repeats on two starts. The trees never saw a
measurement, and the profile no call: it is fitted to single readings and patterns. Four
rules of that fit (what a held address costs, the rate of memory under atomics, which unit
issues, where slices are counted) were chosen with a look at how the closed forms then meet
the calls, those of the held-out streams among them.

### On held-out streams

Synthetic streams of 2^18 to 2^25 updates, as u32, f32 and f64 sums of loaded values and
u32 counts. Of the held-out part those are left out that earlier recordings had too: the
closed forms took their shape from these.

`

const fitHead = `
### On the other part of the synthetic streams

Nothing is fitted to these calls either, but they are free to be.

`

const shapingHead = `
### On the streams that shaped the closed forms

Real matrices, graphs and images, and uniform targets: this table validates nothing.

`

func writeRecorded(t *testing.T, doc *bytes.Buffer) {
	doc.WriteString(measuredHead)
	heldOut := recordedStreams(t, func(label string, part recordings.Part) bool {
		return part == recordings.HeldOut && !shaping(label)
	})
	checkReadme(t, len(heldOut)/4, writeRules(t, doc, heldOut))
	doc.WriteString(fitHead)
	writeRules(t, doc, recordedStreams(t, func(label string, part recordings.Part) bool {
		return part == recordings.Fit && !shaping(label)
	}))
	doc.WriteString(shapingHead)
	writeRules(t, doc, recordedStreams(t, func(label string, _ recordings.Part) bool { return shaping(label) }))
}

// checkReadme holds the README's figures on plain atomics to the held-out ones,
// each stream recorded for four kinds of call.
func checkReadme(t *testing.T, streams int, naive Loss) {
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(strings.Fields(string(readme)), " ")
	want := fmt.Sprintf("On %d held-out streams recorded on the H200, plain atomics take %.1f times as long as the best form in the geometric mean and %.0f times at worst",
		streams, naive.GeometricMean, naive.Max)
	if !strings.Contains(text, want) {
		t.Errorf("README.md does not say %q", want)
	}
}

func writeRules(t *testing.T, doc *bytes.Buffer, list []recordedStream) (naive Loss) {
	doc.WriteString("| rule | all: mean, p90, max | from 2^18 updates: mean, p90, max |\n|---|---|---|\n")
	if len(list) < 200 {
		t.Fatalf("only %d recorded streams", len(list))
	}
	for i, rule := range rules(t, list) {
		var all, long []float64
		for j := range list {
			r := &list[j]
			us, ok := r.us[rule.pick(t, r)]
			if !ok {
				t.Fatalf("%s picks what was not recorded: %s", rule.name, rule.pick(t, r))
			}
			best := min(us, r.best())
			all = append(all, math.Log(us/best))
			if r.stats.Updates >= 1<<18 {
				long = append(long, math.Log(us/best))
			}
		}
		a, l := summarize(all), summarize(long)
		naive = a // the last rule is always naive
		fmt.Fprintf(doc, "| %s | %s | %s |\n", rule.name, a.cell(), l.cell())
		if i == 0 && (a.GeometricMean > 1.2 || l.GeometricMean > 1.2) {
			t.Errorf("mean loss %.3f, %.3f from 2^18 updates", a.GeometricMean, l.GeometricMean)
		}
	}
	fmt.Fprintf(doc, "\n%d streams and types, %d of them from 2^18 updates on.\n", len(list), countLong(list))
	return naive
}

func countLong(list []recordedStream) int {
	n := 0
	for _, r := range list {
		if r.stats.Updates >= 1<<18 {
			n++
		}
	}
	return n
}
