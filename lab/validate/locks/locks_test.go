package locks

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/internal/golden"

	"github.com/atomtune/atomtune/lab/results"
	"github.com/atomtune/atomtune/lab/validate"
	"github.com/atomtune/atomtune/tuner/model"
)

// TestLocks compares closed forms and trees with the simulated points, and results.json with what that
// says. It fails where a limit is not kept that no known gap names, where a known gap has widened or
// closed or has no reason, and where the corrections are not those of the embedded models.
// ATOMTUNE_UPDATE_GOLDEN=1 makes the corrections anew if they are not, then writes the list of known gaps
// and the file.
func TestLocks(t *testing.T) {
	gaps, err := validate.DecodeGaps(gapsFile, gapsText)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Locks()
	update := golden.Update()
	if update {
		r, err = compared(renewCorrections(t))
	}
	if err != nil {
		t.Fatal(err)
	}
	if update {
		gaps = renewGaps(t, r.Checks, gaps)
		r.judge(gaps)
	}
	for _, failure := range r.Failed {
		t.Error(failure)
	}
	for item, g := range gaps {
		if g.Reason == validate.Unexplained {
			t.Errorf("%s: find the reason of %s", gapsFile, item)
		}
	}
	if len(r.Rows) < 200 || len(r.Choices) != 4 || len(r.Widest) != 20 ||
		len(r.Checks) != rowChecks*len(r.Rows)+10 || len(r.Groups) != 8 {
		t.Errorf("%d rows, %d groups, %d rules, %d widest calls, %d checks", len(r.Rows),
			len(r.Groups), len(r.Choices), len(r.Widest), len(r.Checks))
	}
	text, err := results.Encode(r.kept())
	if err != nil {
		t.Fatal(err)
	}
	golden.Text(t, "results.json", text)
}

func write(t *testing.T, file string, data []byte) {
	t.Helper()
	if err := os.WriteFile(file, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// renewGaps writes the list of known gaps as the checks have them, with the reasons of those that
// were known.
func renewGaps(t *testing.T, checks []validate.Check,
	known map[string]validate.Gap) map[string]validate.Gap {
	t.Helper()
	text, err := validate.EncodeGaps(checks, known)
	if err != nil {
		t.Fatal(err)
	}
	write(t, gapsFile, text)
	gaps, err := validate.DecodeGaps(gapsFile, text)
	if err != nil {
		t.Fatal(err)
	}
	return gaps
}

// renewCorrections returns the corrections of the embedded models: the committed ones, or where a
// device's are of another model, such that are grown and written.
func renewCorrections(t *testing.T) []byte {
	t.Helper()
	committed, err := decodeCorrections(correctionsFile, correctionsText)
	if err != nil {
		t.Fatal(err)
	}
	sweeps, err := readSweeps()
	if err != nil {
		t.Fatal(err)
	}
	var by [][][]float64
	for _, s := range sweeps {
		own, err := s.aligned(committed[s.device])
		if err != nil || s.stale(own) > 0 {
			if own, err = s.FamilyOut(t.Context(), model.FitOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		if count := s.stale(own); count > 0 {
			t.Errorf("%s: %d figures of the training differ from the embedded model's: run script/regenerate models",
				s.device, count)
		}
		by = append(by, own)
	}
	text, err := encodeCorrections(sweeps, by)
	if err != nil {
		t.Fatal(err)
	}
	write(t, correctionsFile, text)
	return text
}

// TestStale: corrections of another tree, of other points or of none are told from those of the
// embedded model.
func TestStale(t *testing.T) {
	sweeps, err := readSweeps()
	if err != nil {
		t.Fatal(err)
	}
	s := sweeps[0]
	all, err := decodeCorrections(correctionsFile, correctionsText)
	if err != nil {
		t.Fatal(err)
	}
	own := all[s.device]
	by, err := s.aligned(own)
	if err != nil || s.stale(by) != 0 {
		t.Fatalf("%d figures of the committed corrections differ, %v", s.stale(by), err)
	}
	name := s.Variants[0]
	v := slices.Clone(own[name])
	for fault, values := range map[string][]float64{
		"too few": v[1:], "too many": append(v, 0), "too few corrections of naive": nil,
	} {
		own[name] = values
		if _, err := s.aligned(own); err == nil || !strings.Contains(err.Error(), fault) {
			t.Errorf("%s: %v", fault, err)
		}
	}
	for i := range v {
		v[i] += 1e-4
	}
	own[name] = v
	if by, err = s.aligned(own); err != nil || s.stale(by) == 0 {
		t.Errorf("corrections that are off by 0.0001: %d figures differ, %v", s.stale(by), err)
	}
}

// TestCorrectionsFile: broken files are refused with their line.
func TestCorrectionsFile(t *testing.T) {
	line := `{"device":"c2075","implementation":"naive","values":[0.5]}` + "\n"
	for text, place := range map[string]string{
		line + line: "file:2", strings.Replace(line, "naive", "magic", 1): "file:1",
		strings.Replace(line, "0.5", "x", 1): "file:1",
	} {
		if _, err := decodeCorrections("file", []byte(text)); err == nil || !strings.Contains(err.Error(), place) {
			t.Errorf("%q: %v, want %q", text, err, place)
		}
	}
	all, err := decodeCorrections("file", []byte(line))
	if err != nil || len(all["c2075"]) != 1 {
		t.Errorf("%v, %v", all, err)
	}
}

// TestFaults plants faults in what is compared, and demands that the report names them.
func TestFaults(t *testing.T) {
	good, err := Locks()
	if err != nil || len(good.Failed) > 0 {
		t.Fatalf("%v, %q", err, good.Failed)
	}
	item := good.Rows[0].checks()[0].Item
	gaps, err := validate.DecodeGaps(gapsFile, gapsText)
	if err != nil {
		t.Fatal(err)
	}
	last := len(good.Checks) - 1
	for _, c := range []struct {
		item  string
		plant func(*Report, map[string]validate.Gap)
	}{
		{item, func(r *Report, _ map[string]validate.Gap) { r.Checks[0].Value = 99 }},
		{item, func(r *Report, g map[string]validate.Gap) { g[item] = validate.Gap{Holds: 20, Reason: "why"} }},
		{item, func(r *Report, g map[string]validate.Gap) {
			r.Checks[0].Value, g[item] = 21, validate.Gap{Holds: 20, Reason: "why"}
		}},
		{good.Checks[last].Item, func(r *Report, _ map[string]validate.Gap) { r.Checks[last].Value = 1 }},
	} {
		r, known := good, maps.Clone(gaps)
		r.Checks, r.Rows = slices.Clone(good.Checks), slices.Clone(good.Rows)
		for i := range r.Checks {
			r.Checks[i].Status, r.Checks[i].Reason = validate.Enforced, ""
		}
		c.plant(&r, known)
		r.judge(known)
		if len(r.Failed) != 1 || !strings.Contains(r.Failed[0], c.item) {
			t.Errorf("%s: %q", c.item, r.Failed)
		}
	}
}
