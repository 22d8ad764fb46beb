package all

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/internal/golden"
	"github.com/atomtune/atomtune/internal/simtimes"
	"github.com/atomtune/atomtune/lab/papers"
	"github.com/atomtune/atomtune/lab/papers/paperstest"
)

// TestExperiments makes all experiments once, and holds their statuses and the document of them
// to what is committed. Runs whose times are stored are not simulated, but for a sample.
func TestExperiments(t *testing.T) {
	made := outcomes(t)
	t.Run("Statuses", func(t *testing.T) { checkStatuses(t, made) })
	t.Run("OtherSeed", func(t *testing.T) { checkOtherSeed(t, made) })
	t.Run("Document", func(t *testing.T) { checkDocument(t, made) })
	t.Run("Outcomes", func(t *testing.T) { checkOutcomes(t, made) })
}

// checkOutcomes holds what the experiments that were made found to testdata/outcomes.txt.
func checkOutcomes(t *testing.T, made []Result) {
	const file = "testdata/outcomes.txt"
	var lines []string
	for _, r := range made {
		for i, x := range r.Paper.Experiments {
			if leftOut(r.Paper.Key, x.Name) {
				continue
			}
			var sum golden.Digest
			sum.JSON(t, r.Outcomes[i])
			lines = append(lines, fmt.Sprintf("%s %s: %s", r.Paper.Key, x.Name, &sum))
		}
	}
	if full() {
		golden.Compare(t, file, lines)
		return
	}
	stored, err := os.ReadFile(file)
	if err != nil || len(lines) < 15 {
		t.Fatalf("%d experiments, %v", len(lines), err)
	}
	for _, line := range lines {
		if !slices.Contains(strings.Split(string(stored), "\n"), line) {
			t.Errorf("%s is not in %s", line, file)
		}
	}
}

// options are those of each paper's experiments: the default ones, but for fewer patterns, with
// which every statement has the status that it has by default, and the seed of the stored times.
var options = map[string]papers.Options{
	"gomezluna13": {Patterns: 20_000},
	"elteir11":    {},
	"streamhpc":   {},
	"westphal15":  {Seed: 3},
	"egielski14":  {},
}

// sampled are the stored times of papers that are compared here.
var sampled = map[string]string{
	"gomezluna13": "../testdata/gomezluna13.csv",
	"westphal15":  "../testdata/others.csv",
}

// full reports whether all experiments are made.
func full() bool { return golden.Full() || golden.Update() }

// long are the experiments that are made with ATOMTUNE_FULL=1 alone.
var long = map[string][]string{
	"gomezluna13": {"figure7", "figure8", "figure9"},
	"elteir11":    {"figure13"},
	"westphal15":  {"figure1", "excluded", "masks", "hopper"},
}

// leftOut reports whether an experiment is left out.
func leftOut(paper, experiment string) bool {
	return !full() && (paper == "egielski14" || slices.Contains(long[paper], experiment))
}

// outcomes makes all experiments, but for those that are left out.
func outcomes(t *testing.T) []Result {
	t.Helper()
	var made []Result
	for _, p := range Papers() {
		o, ok := options[p.Key]
		if !ok {
			t.Fatalf("no options of %s", p.Key)
		}
		var compare func()
		o.Memo, compare = memo(t, p.Key)
		r := Result{Paper: p, Outcomes: make([]papers.Outcome, len(p.Experiments))}
		for i, x := range p.Experiments {
			if leftOut(p.Key, x.Name) {
				continue
			}
			var err error
			if r.Outcomes[i], err = x.Run(t.Context(), o); err != nil {
				t.Fatal(err)
			}
		}
		if full() {
			compare()
		}
		made = append(made, r)
	}
	return made
}

// memo holds a paper's stored times, but for a sample of the runs. compare holds the times of all
// runs against the stored ones. A test of egielski14 simulates its sample again.
func memo(t *testing.T, paper string) (m *papers.Memo, compare func()) {
	stored := map[string]float64{}
	switch path, ok := sampled[paper]; {
	case ok:
		times := simtimes.Read(t, path)
		m = papers.NewMemo(times.Held(func(run string) string {
			group, _, _ := strings.Cut(run, "|")
			return group
		}))
		return m, func() { times.Compare(t, m.Times()) }
	case paper == "egielski14":
		stored = paperstest.Stored(t, "../egielski14/testdata/times.csv")
	}
	m = papers.NewMemo(stored)
	return m, func() {
		if runs := m.Times(); len(runs) != len(stored) {
			t.Errorf("%s: %d runs, %d of them stored", paper, len(runs), len(stored))
		}
	}
}
