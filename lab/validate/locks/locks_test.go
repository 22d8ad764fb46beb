package locks

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/internal/golden"
	"github.com/atomtune/atomtune/lab/validate"
)

// TestLocks compares closed forms with the simulated points. It fails where a limit is exceeded that no known
// gap names, and where a known gap has widened, has closed or has no reason. ATOMTUNE_UPDATE_GOLDEN=1 writes
// the list of known gaps.
func TestLocks(t *testing.T) {
	gaps, err := validate.DecodeGaps(gapsFile, gapsText)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Locks()
	if golden.Update() {
		r, err = compared()
	}
	if err != nil {
		t.Fatal(err)
	}
	if golden.Update() {
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
	if len(r.Rows) < 200 || len(r.Widest) != 20 ||
		len(r.Checks) != rowChecks*len(r.Rows)+2 || len(r.Groups) != 8 {
		t.Errorf("%d rows, %d groups, %d widest calls, %d checks", len(r.Rows), len(r.Groups),
			len(r.Widest), len(r.Checks))
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
	if err := os.WriteFile(gapsFile, text, 0o644); err != nil {
		t.Fatal(err)
	}
	gaps, err := validate.DecodeGaps(gapsFile, text)
	if err != nil {
		t.Fatal(err)
	}
	return gaps
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
		{good.Checks[last].Item, func(r *Report, _ map[string]validate.Gap) { r.Checks[last].Value = 2 }},
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
