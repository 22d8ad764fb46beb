package papers_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/internal/simtimes"
	"github.com/atomtune/atomtune/lab/papers"
	"github.com/atomtune/atomtune/lab/papers/gomezluna13"
	"github.com/atomtune/atomtune/lab/papers/paperstest"
)

// TestOutcomeDoesNotDependOnCores also says that it is a function of the seed.
func TestOutcomeDoesNotDependOnCores(t *testing.T) {
	experiments := gomezluna13.Paper().Experiments
	at := slices.IndexFunc(experiments, func(e papers.Experiment) bool { return e.Name == "figure6" })
	var tables []string
	for _, o := range []papers.Options{{Cores: 1, Seed: 5}, {Cores: 3, Seed: 5}, {Cores: 3, Seed: 6}} {
		o.Patterns = 3500
		out, err := experiments[at].Run(context.Background(), o)
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(out.Tables)
		if err != nil {
			t.Fatal(err)
		}
		tables = append(tables, string(text))
	}
	if tables[0] != tables[1] {
		t.Errorf("cores change the outcome:\n%s\n%s", tables[0], tables[1])
	}
	if tables[1] == tables[2] {
		t.Error("the seed does not matter")
	}
}

// TestProgress: it never goes back, and ends at the total, which counts what is done: of Figure
// 5 batches of 1,000 patterns of eight vote spaces.
func TestProgress(t *testing.T) {
	for _, e := range gomezluna13.Paper().Experiments {
		if e.Name != "figure2" && e.Name != "figure5" {
			continue
		}
		last, calls, parts := 0.0, 0, 0.0
		o := papers.Options{Patterns: 2500, Progress: func(done, total float64) {
			if total <= 0 || done/total < last {
				t.Errorf("%s: %v of %v after %v", e.Name, done, total, last)
			}
			last, parts = done/total, total
			calls++
		}}
		if _, err := e.Run(context.Background(), o); err != nil {
			t.Fatal(err)
		}
		if last != 1 || calls == 0 {
			t.Errorf("%s ends at %v after %d calls", e.Name, last, calls)
		}
		if e.Name == "figure5" && parts != 3*8 {
			t.Errorf("%s ends at %v batches, want 24", e.Name, parts)
		}
	}
}

// TestProgressOfParts: an experiment of several parts tells of them as of one.
func TestProgressOfParts(t *testing.T) {
	if testing.Short() {
		t.Skip("runs in the full tests: hashes photographs")
	}
	times := simtimes.Read(t, "testdata/gomezluna13.csv")
	held := times.Held(func(run string) string { return run[:1] }) // all but one
	image := gomezluna13.NaturalImage(1, 64, 32)
	o, ended := paperstest.WithProgress(t, "figure9", papers.Options{Cores: 2,
		Images: []papers.Image{image, image}, Memo: papers.NewMemo(held)})
	experiments := gomezluna13.Paper().Experiments
	at := slices.IndexFunc(experiments, func(e papers.Experiment) bool { return e.Name == "figure9" })
	if _, err := experiments[at].Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	ended()
}

// TestCancelled: an experiment ends when its context does.
func TestCancelled(t *testing.T) {
	checked := 0
	for _, e := range gomezluna13.Paper().Experiments {
		ctx, cancel := context.WithCancel(context.Background())
		o := papers.Options{Progress: func(float64, float64) { cancel() }}
		switch e.Name {
		case "figure5", "figure8": // in the middle
		default:
			cancel()
		}
		if _, err := e.Run(ctx, o); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", e.Name, err)
		}
		cancel()
		checked++
	}
	if checked != 12 {
		t.Errorf("%d experiments", checked)
	}
}

// TestWrongOptions: they are refused, with the value.
func TestWrongOptions(t *testing.T) {
	for value, o := range map[string]papers.Options{
		"-1 patterns":     {Patterns: -1},
		"-2 objects":      {Objects: -2},
		"-3 repeats":      {Repeats: -3},
		"-4 cores":        {Cores: -4},
		"has 0 pixels":    {Images: []papers.Image{{Name: "empty"}}},
		"pixel 1 is 4096": {Images: []papers.Image{{Name: "bright", Pixels: []uint32{4095, 4096}}}},
		"want less than 256": {Images: []papers.Image{{Name: "8 bits", Pixels: []uint32{256},
			Levels: 256}}},
	} {
		_, err := gomezluna13.Paper().Experiments[0].Run(context.Background(), o)
		if !errors.Is(err, papers.ErrOptions) || !strings.Contains(err.Error(), value) {
			t.Errorf("%q: %v", value, err)
		}
	}
}
