package learners

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/allocation"
	"github.com/atomtune/atomtune/internal/golden"
	"github.com/atomtune/atomtune/tuner/model"
	"github.com/atomtune/atomtune/tuner/training"
)

// TestLearnersTable: the committed table is of the committed sweeps, holds every
// learner before every judge, and its cheap rows are as they come out now.
func TestLearnersTable(t *testing.T) {
	golden.OnlyFull(t)
	fingerprint, table, err := DecodeLearners(learnersFile, learnersText)
	if err != nil {
		t.Fatal(err)
	}
	sweeps := []string{"../../../tuner/sweeps/h200.jsonl.gz", "../../../tuner/sweeps/gtx680.jsonl.gz",
		"../../../tuner/sweeps/c2075.jsonl.gz"}
	const remake = "atomlab validate tuner --learners lab/validate/learners/learners.csv --journal tuner/sweeps/h200.jsonl.gz --journal tuner/sweeps/gtx680.jsonl.gz --journal tuner/sweeps/c2075.jsonl.gz"
	if want, err := LearnersFingerprint(sweeps...); err != nil || fingerprint != want {
		t.Fatalf("%s is of other sweeps (%v): %s makes it again", learnersFile, err, remake)
	}
	judges := map[string]int{}
	for _, r := range table {
		judges[r.Device+", "+r.Judge]++
	}
	for _, judge := range []string{
		"h200, " + JudgeFamilies, "h200, " + JudgeWhole, "h200, " + JudgeFit, "h200, " + JudgeHeldOut,
		"gtx680, " + JudgeFamilies, "gtx680, " + JudgeWhole, "c2075, " + JudgeFamilies, "c2075, " +
			JudgeWhole,
	} {
		if judges[judge] != len(Learners()) {
			t.Errorf("%s: %d learners of %d", judge, judges[judge], len(Learners()))
		}
	}
	for _, path := range sweeps {
		gpu, j, err := ReadSweep(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := checkLearners(t.Context(), gpu, j.Header.Sweep, j.Rows, table, closedFormsName,
			"linear: all features, ratio"); err != nil {
			t.Errorf("%s: %v: %s makes it again", learnersFile, err, remake)
		}
	}
}

// TestWholeLines: what is compared on are whole lines, those first of which all
// was simulated, the same for the same seed.
func TestWholeLines(t *testing.T) {
	samples := make([]training.Sample, 40) // lines of 4, of which 3 and 7 are complete
	for i := range samples {
		samples[i].Line, samples[i].Complete = i/4, i/4%4 == 3
	}
	o := comparison{samples: 18, seed: 2}
	got := o.wholeLines(samples)
	lines := map[int]int{}
	for _, i := range got {
		lines[samples[i].Line]++
	}
	if len(got) != 16 || len(lines) != 4 || lines[3] != 4 || lines[7] != 4 || !slices.IsSorted(got) {
		t.Errorf("%v", got)
	}
	other := comparison{samples: 18, seed: 3}
	if !slices.Equal(got, o.wholeLines(samples)) || slices.Equal(got, other.wholeLines(samples)) {
		t.Error("lines do not depend on the seed alone")
	}
	o.samples = 40
	if got := o.wholeLines(samples); len(got) != 40 {
		t.Errorf("%d of 40", len(got))
	}
}

func comparisonOf(d *device.Profile, names ...string) comparison {
	o := usual(d)
	o.learners = learnersNamed(names...)
	return o
}

// checkLearners compares a table with what the named learners give now, as
// MakeLearners has it. The error names the first row that differs or is missing.
func checkLearners(ctx context.Context, d *device.Profile, s model.Sweep, rows []training.Row,
	table []LearnerRow, names ...string) error {
	o := comparisonOf(d, names...)
	if len(names) == 0 || len(o.learners) != len(names) {
		return fmt.Errorf("%d learners of the names %q", len(o.learners), names)
	}
	now, err := o.compare(ctx, d, s, rows)
	if err != nil {
		return err
	}
	return compareLearners(now, table)
}

// compareLearners looks for each row of a comparison made now in the table.
func compareLearners(now, table []LearnerRow) error {
	for i := range now {
		want := now[i].record()
		at := slices.IndexFunc(table, func(r LearnerRow) bool {
			return r.Device == now[i].Device && r.Judge == now[i].Judge && r.Learner == now[i].Learner
		})
		if at < 0 {
			return fmt.Errorf("no row of %q on %s, %s", now[i].Learner, now[i].Device, now[i].Judge)
		}
		if got := table[at].record(); !slices.Equal(got, want) {
			return fmt.Errorf("row %d is %q, now %q", at+1, got, want)
		}
	}
	return nil
}

func TestLearnersFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "learners.csv")
	print, err := LearnersFingerprint("learners_test.go")
	if err != nil {
		t.Fatal(err)
	}
	other, err := LearnersFingerprint("learners.go")
	if err != nil || other == print {
		t.Errorf("error %v, two files share the fingerprint %s", err, print)
	}
	want := []LearnerRow{
		{"h200", JudgeFamilies, "a, b", 10, model.Loss{Points: 5, GeometricMean: 1.25, P90: 1.5, Max: 2},
			&LogError{0.125, 0.25}},
		{"h200", JudgeFit, "c", 10, model.Loss{Points: 5, GeometricMean: 1.25, P90: 1.5, Max: 2}, nil},
	}
	if err := WriteLearners(path, print, want); err != nil {
		t.Fatal(err)
	}
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	back, rows, err := DecodeLearners(path, good)
	if diff := cmp.Diff(want, rows); err != nil || back != print || diff != "" {
		t.Errorf("error %v, fingerprint %s, rows:\n%s", err, back, diff)
	}
	lines := strings.SplitAfter(string(good), "\n")
	for text, place := range map[string]string{
		strings.Join(lines[1:], ""): ":1:", lines[0] + strings.Join(lines[2:], ""): ":2:",
		strings.Join(lines[:2], ""): "", strings.Replace(string(good), ",1.25,", ",0.5,", 1): ":3:",
		strings.Replace(string(good), ",1.25,", ",NaN,", 1): ":3:", strings.Replace(string(good), ",10,", ",0,", 1): ":3:",
		strings.Replace(string(good), ",10,", ",", 1): ":3:",
	} {
		if _, _, err := DecodeLearners(path, []byte(text)); !errors.Is(err, ErrLearners) ||
			!strings.Contains(err.Error(), path+place) {
			t.Errorf("error %v, want one with %q", err, place)
		}
	}
}

// FuzzDecodeLearners: any text is a table of losses of at least 1, or an error that names file and
// value.
func FuzzDecodeLearners(f *testing.F) {
	head := fingerprintMark + strings.Repeat("a", 64) + "\n" + strings.Join(learnerColumns, ",") + "\n"
	f.Add([]byte(head + "h200,families,\"a, b\",10,5,1.25,1.5,2,0.125,0.25\n"))
	f.Add([]byte(head + "h200,fit,c,10,5,1.25,1.5,2,,\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var rows []LearnerRow
		var err error
		lines := strings.Count(string(data), "\n") + 1
		allocation.BoundBeyond(t, len(data), lines<<10, func() { _, rows, err = DecodeLearners("l.csv", data) })
		if err != nil {
			if !errors.Is(err, ErrLearners) || !strings.Contains(err.Error(), "l.csv:") {
				t.Error(err)
			}
			return
		}
		for _, r := range rows {
			if !(r.Loss.GeometricMean >= 1 && r.Loss.Max < 1e300) || r.Samples < 1 {
				t.Errorf("%+v", r)
			}
		}
	})
}
