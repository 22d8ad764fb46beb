package papers_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/internal/golden"
	"github.com/atomtune/atomtune/internal/simtimes"
	"github.com/atomtune/atomtune/lab/papers"
	"github.com/atomtune/atomtune/lab/papers/all"
	"github.com/atomtune/atomtune/lab/papers/gomezluna13"
	"github.com/atomtune/atomtune/lab/papers/paperstest"
	"github.com/atomtune/atomtune/lab/papers/streamhpc"
)

// TestOutcomeDoesNotDependOnCores also says that it is a function of the seed.
func TestOutcomeDoesNotDependOnCores(t *testing.T) {
	var tables []string
	for _, o := range []papers.Options{{Cores: 1, Seed: 5}, {Cores: 3, Seed: 5}, {Cores: 3, Seed: 6}} {
		o.Patterns = 3500
		out, err := experiment("figure6").Run(t.Context(), o)
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

// experiment is one of gomezluna13.
func experiment(name string) papers.Experiment {
	all := gomezluna13.Paper().Experiments
	return all[slices.IndexFunc(all, func(e papers.Experiment) bool { return e.Name == name })]
}

// TestProgress: it goes on task by task and ends at the total, also of an experiment of several parts.
func TestProgress(t *testing.T) {
	times := simtimes.Read(t, "testdata/gomezluna13.csv")
	held := times.Held(func(run string) string { return run[:1] }) // all but one
	image := gomezluna13.NaturalImage(1, 64, 32)
	for name, o := range map[string]papers.Options{"figure5": {Patterns: 2500}, "figure9": {Cores: 2,
		Images: []papers.Image{image, image}, Memo: papers.NewMemo(held)}} {
		if !golden.Full() && name == "figure9" {
			continue // hashes photographs
		}
		o, ended := paperstest.WithProgress(t, name, o)
		if _, err := experiment(name).Run(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		ended()
	}
}

// TestCancelled: an experiment ends in the middle when its context does.
func TestCancelled(t *testing.T) {
	for _, name := range []string{"figure5", "figure8"} {
		ctx, cancel := context.WithCancel(t.Context())
		o := papers.Options{Progress: func(float64, float64) { cancel() }}
		if _, err := experiment(name).Run(ctx, o); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
		cancel()
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

// TestOtherOutcomes: a cancelled experiment does not begin, the same options give
// the same outcome, and the seed decides orders.
func TestOtherOutcomes(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, p := range all.Papers() {
		for _, e := range p.Experiments {
			if _, err := e.Run(ctx, papers.Options{}); err == nil {
				t.Errorf("%s %s runs though cancelled", p.Key, e.Name)
			}
		}
	}
	rows := func(seed uint64) string {
		out, err := streamhpc.Paper().Experiments[2].Run(context.Background(), papers.Options{Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(out.Tables)
	}
	first, again, other := rows(4), rows(4), rows(5)
	if first != again || first == other {
		t.Errorf("%s, again %s, another seed %s", first, again, other)
	}
}
