package rowchoice

import (
	"bytes"
	"cmp"
	"errors"
	"io/fs"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/cmd/atomtune/internal/choice"
	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/collision/reuse"
	"github.com/atomtune/atomtune/cuda"
	"github.com/atomtune/atomtune/datasets"
	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/command"
	"github.com/atomtune/atomtune/internal/command/commandtest"
	"github.com/atomtune/atomtune/internal/command/input"
	"github.com/atomtune/atomtune/internal/command/report"
	"github.com/atomtune/atomtune/rows"
	"github.com/atomtune/atomtune/rows/price"
	"github.com/atomtune/atomtune/tuner"
)

// choose returns the document of a choice for a stream that is made.
func choose(t *testing.T, spec, on string, c rows.Call) Document {
	t.Helper()
	d, err := device.Builtin(on)
	if err != nil {
		t.Fatal(err)
	}
	s, err := synth.Parse(spec)
	if err != nil {
		t.Fatal(err)
	}
	indices, err := synth.Generate(s)
	if err != nil {
		t.Fatal(err)
	}
	stream := input.StreamDocument{Width: c.Width}
	stream.File, stream.Format = "synth:"+spec, "synth"
	if stream.Stats, err = collision.Analyze(indices, collision.Options{Bins: uint64(s.K)}); err != nil {
		t.Fatal(err)
	}
	if stream.Rows, err = reuse.Analyze(indices, uint64(s.K)); err != nil {
		t.Fatal(err)
	}
	doc, err := New(d, c, choice.RowOptions{}, stream)
	if err != nil {
		t.Fatal(err)
	}
	doc.Paste(datasets.Options{})
	return doc
}

// printed is the document on a page of so many columns.
func printed(doc Document, columns int, bold bool) string {
	p := &report.Page{Buffer: &bytes.Buffer{}, Width: columns, Bold: bold}
	Print(p, doc)
	return p.String()
}

const (
	half   = "hotspot:n=200000,k=16384,h=1,p=0.5,seed=1" // of the updates are on one row
	sorted = "sorted:n=200000,k=16384,seed=1"
	few    = "uniform:n=1,k=1"
)

// TestPlainChoices: half of the updates on one row ask for a table, sorted ones for runs.
func TestPlainChoices(t *testing.T) {
	for _, on := range []string{"h100", "h200"} {
		for _, k := range rows.Kinds() {
			c := rows.Call{Kind: k, Width: 64}
			hot, runs := choose(t, half, on, c), choose(t, sorted, on, c)
			if hot.Best().Form != rows.Hot || runs.Best().Form != rows.Runs {
				t.Errorf("%s, %s: %s and %s", on, k, hot.Choice.Implementation, runs.Choice.Implementation)
			}
			for _, doc := range []Document{hot, runs} {
				check(t, &doc)
			}
		}
	}
}

// check holds the parts of a document against each other.
func check(t *testing.T, doc *Document) {
	t.Helper()
	c, best := doc.Choice, doc.Ranking[0]
	naive := doc.of(rows.Naive)
	if c.Implementation != best.Implementation || c.PredictedUS != best.PredictedUS ||
		math.Abs(c.SpeedupOverNaive*c.PredictedUS/naive.US-1) > 1e-12 ||
		math.Abs(doc.Floor.Share*c.PredictedUS/doc.Floor.US-1) > 1e-12 {
		t.Errorf("choice %+v, first %+v, floor %+v, naive %v us", c, best, doc.Floor, naive.US)
	}
	for i, r := range doc.Ranking {
		tie := i > 0 && r.PredictedUS <= c.PredictedUS*(1+tuner.TieBand)
		if tie != (i > 0 && i <= len(doc.Ties) && doc.Ties[i-1] == r.Implementation) {
			t.Errorf("%s takes %v us, the choice %v: ties %v", r.Implementation, r.PredictedUS, c.PredictedUS, doc.Ties)
		}
		if i > 0 && r.PredictedUS < doc.Ranking[i-1].PredictedUS || r.Launch.Blocks == 0 || r.Launch.Threads == 0 {
			t.Errorf("place %d: %+v", i, r)
		}
	}
	if len(doc.Ties) > 0 && !strings.Contains(doc.Reason, doc.Ties[0].String()) {
		t.Errorf("the tie with %s is not in the reason: %s", doc.Ties[0], doc.Reason)
	}
	for _, word := range []string{c.Implementation.String(), string(best.Binding) + " (" + price.Meaning(best.Binding), "naive"} {
		if !strings.Contains(doc.Reason, word) {
			t.Errorf("%q is not in the reason: %s", word, doc.Reason)
		}
	}
}

// TestBehind: a form that waits for its busiest row says so, with the statistic, and each bound is
// explained once.
func TestBehind(t *testing.T) {
	doc := choose(t, half, "h200", rows.Call{Width: 64})
	for _, word := range []string{"row (" + price.Meaning(price.Row), " 99,862 of 200,000 ", doc.Choice.Implementation.String()} {
		if !strings.Contains(doc.Reason, word) {
			t.Errorf("%q is not in the reason: %s", word, doc.Reason)
		}
	}
	for _, b := range []price.Bound{price.Row, price.Issue, price.Sorting} {
		if n := strings.Count(doc.Reason, "("+price.Meaning(b)); n > 1 {
			t.Errorf("%s is explained %d times: %s", b, n, doc.Reason)
		}
	}
	beyond := choose(t, "uniform:n=600000,k=4000000,seed=1", "h200", rows.Call{Width: 32, Keeps: true})
	if !strings.Contains(beyond.Reason, "misses (") || !strings.Contains(beyond.Reason, " 71.") {
		t.Errorf("rows beyond L2: %s", beyond.Reason)
	}
}

// TestWidths: whatever the stream and the call, each line fits terminals of 80 columns and more.
func TestWidths(t *testing.T) {
	for _, c := range []struct {
		spec, device string
		call         rows.Call
	}{
		{half, "h200", rows.Call{Width: 128}},
		{sorted, "h100", rows.Call{Kind: rows.Widened, Width: 3, Keeps: true}},
		{few, "b200", rows.Call{Kind: rows.BF16, Width: rows.MostWidth}},
		{"uniform:n=50000,k=4000000", "a100", rows.Call{Width: 1}},
	} {
		doc := choose(t, c.spec, c.device, c.call)
		for _, explained := range []bool{false, true} {
			if explained {
				doc.Explain()
			}
			for _, columns := range []int{80, 100, 200} {
				commandtest.Fits(t, printed(doc, columns, false), columns)
			}
		}
	}
}

// TestBold: where the page shows it, the choice is bold, twice, and nothing else.
func TestBold(t *testing.T) {
	doc := choose(t, half, "h200", rows.Call{Width: 16})
	commandtest.Bold(t, printed(doc, 80, true), printed(doc, 80, false), command.Strong(doc.Choice.Implementation.String(), true))
}

// TestLegend: each bound that the ranking or the reason names is explained, no other.
func TestLegend(t *testing.T) {
	doc := choose(t, half, "h200", rows.Call{Width: 64})
	doc.Explain()
	named := map[string]bool{}
	for _, b := range doc.bounds {
		named[string(b)] = true
	}
	for _, r := range doc.Ranking {
		named[string(r.Binding)] = true
	}
	for name, meaning := range doc.Legend {
		if !named[name] || meaning != price.Meaning(price.Bound(name)) {
			t.Errorf("%s: %s", name, meaning)
		}
	}
	if len(doc.Legend) != len(named) || len(named) < 2 {
		t.Errorf("the legend is %v, named are %v", doc.Legend, named)
	}
}

// TestSorted: the same stream sorted has runs first, and a table of another size is no other choice.
func TestSorted(t *testing.T) {
	doc := choose(t, half, "h200", rows.Call{Width: 64})
	up := make([]uint32, 200000)
	for i := range up {
		up[i] = uint32(i * 16384 / len(up))
	}
	if form, us, err := doc.Sorted(up); err != nil || form != "runs" || us <= 0 {
		t.Errorf("%s, %v us, %v", form, us, err)
	}
	for i := range up { // three rows get half of the updates
		if up[i] = uint32(i * 7919 % 16384); i%2 == 0 {
			up[i] = uint32(i / 2 % 3)
		}
	}
	if form, _, err := doc.Sorted(up); err != nil || form != doc.Choice.Implementation.String() {
		t.Errorf("%s, %v, want %s", form, err, doc.Choice.Implementation)
	}
	if _, _, err := doc.Sorted([]uint32{16384}); err == nil {
		t.Error("a row that there is not has a choice")
	}
}

// TestPaste: what the lines name, the header has.
func TestPaste(t *testing.T) {
	header, options := read(t, "atomtune_rows_update.cuh"), read(t, "atomtune_choice.cuh")
	for _, spec := range []string{half, sorted, few} {
		for _, keeps := range []bool{false, true} {
			doc := choose(t, spec, "h200", rows.Call{Width: 64, Keeps: keeps})
			doc.Code, doc.Stream.Ignored = nil, 1
			doc.Paste(datasets.Options{Ignore: "-1"})
			code := strings.Join(doc.Code, "\n")
			best := doc.Best()
			if !strings.Contains(header, "\n  "+best.Form.String()+",") ||
				!strings.Contains(code, "RowForm::"+best.Form.String()+";") {
				t.Errorf("the form %s:\n%s", best.Form, code)
			}
			if strings.Contains(code, "options.slots = ") != (best.Form == rows.Hot) ||
				strings.Contains(code, "options.clear = true;") == keeps ||
				!strings.Contains(code, "options.has_ignore = true, options.ignore = -1;") ||
				strings.Count(code, "scatter_add_rows(") != 2 || strings.Count(code, "values, n, 64, stream, options);") != 2 {
				t.Errorf("%s, keeps %v:\n%s", spec, keeps, code)
			}
			for _, part := range strings.Split(code, "options.")[1:] {
				name, _, member := strings.Cut(part, " = ")
				if member && !strings.Contains(header+options, " "+name+" = ") {
					t.Errorf("options have no %s", name)
				}
			}
		}
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	data, err := fs.ReadFile(cuda.Headers, name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestConstraints: what the options do not admit is left out, and a cautious choice goes by the intervals.
func TestConstraints(t *testing.T) {
	all := choose(t, half, "h200", rows.Call{Width: 64})
	of := func(o choice.RowOptions) (Document, error) {
		return New(all.profile, all.call, o, all.Stream)
	}
	sort, hot := []rows.Implementation{{Form: rows.Sort}}, []rows.Implementation{{Form: rows.Hot}}
	var none, only, cautious choice.RowOptions
	none.Only, none.NoSort = sort, true
	only.Only, only.Exclude = hot, []rows.Implementation{{Form: rows.Hot, Slots: 2}}
	cautious.Cautious, cautious.MemoryBytes = true, 1
	if _, err := of(none); !errors.Is(err, tuner.ErrNone) {
		t.Errorf("sort without sorting: %v", err)
	}
	if _, err := of(choice.RowOptions{Options: tuner.Options{Deterministic: true}}); !errors.Is(err, tuner.ErrNone) {
		t.Errorf("deterministic: %v", err)
	}
	doc, err := of(only)
	if err != nil || len(doc.LeftOut) != 1 || slices.ContainsFunc(doc.Ranking, func(r Ranked) bool {
		return r.Implementation.Form != rows.Hot
	}) ||
		!strings.Contains(doc.Reason, "naive would take") {
		t.Errorf("hot alone: %v, left out %v, %d ranked: %s", err, doc.LeftOut, len(doc.Ranking), doc.Reason)
	}
	doc, err = of(cautious)
	if err != nil || len(doc.LeftOut) != 1 || !slices.IsSortedFunc(doc.Ranking, func(a, b Ranked) int {
		return cmp.Compare(a.HighUS, b.HighUS)
	}) {
		t.Errorf("cautious: %v, left out %v", err, doc.LeftOut)
	}
}

// TestDoubts: what nothing measured says so.
func TestDoubts(t *testing.T) {
	for on, want := range map[string]int{"h100": 0, "h200": 0, "a100": 2, "b200": 2} {
		if doc := choose(t, few, on, rows.Call{Width: 4}); len(doc.Warnings) != want || doc.Warnings == nil {
			t.Errorf("%s: %q", on, doc.Warnings)
		}
	}
}
