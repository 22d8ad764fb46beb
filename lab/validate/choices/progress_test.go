package choices

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"github.com/atomtune/atomtune/internal/golden"
	"github.com/atomtune/atomtune/lab/validate/leaveoneout"
)

// TestProgress: steps that are done are not done again, each further one is kept, and an error of a step or of
// keeping ends the work before the next.
func TestProgress(t *testing.T) {
	fault := errors.New("fault")
	for done := range 4 {
		for failing := range 7 {
			var did, kept []int
			step := func(n int) func(*Progress) error {
				return func(p *Progress) error {
					if failing == n {
						return fault
					}
					did = append(did, n)
					p.Report.MeasuredPoints += 1 << n
					return nil
				}
			}
			p := Progress{Steps: done, Report: TunerReport{MeasuredPoints: 1<<done - 1}}
			err := p.run(func(p Progress) error {
				kept = append(kept, p.Steps)
				if p.Report.MeasuredPoints != 1<<p.Steps-1 {
					t.Errorf("after %d steps: %b", p.Steps, p.Report.MeasuredPoints)
				}
				if failing-3 == p.Steps {
					return fault
				}
				return nil
			}, step(0), step(1), step(2))
			var wantDid, wantKept []int
			fails := false
			for n := done; n < 3 && !fails; n++ {
				if fails = failing == n; !fails {
					wantDid, wantKept = append(wantDid, n), append(wantKept, n+1)
					fails = failing-3 == n+1
				}
			}
			if !slices.Equal(did, wantDid) || !slices.Equal(kept, wantKept) || errors.Is(err, fault) != fails {
				t.Errorf("from %d, fault %d: did %v, kept %v, %v", done, failing, did, kept, err)
			}
		}
	}
}

// TestProgressReadAgain: what a journal keeps of a report is the report, and one that is done is not made again.
func TestProgressReadAgain(t *testing.T) {
	golden.OnlyFull(t)
	own, err := ownEvaluation() // which other tests look at too
	if err != nil {
		t.Fatal(err)
	}
	own.Sweeps = []leaveoneout.OffOptimal{{Device: "gtx680", MeanPercent: 1.0 / 3}}
	text, err := json.Marshal(own)
	if err != nil {
		t.Fatal(err)
	}
	var again Progress
	if err := json.Unmarshal(text, &again); err != nil {
		t.Fatal(err)
	}
	back, err := json.Marshal(again)
	if err != nil || !bytes.Equal(text, back) {
		t.Errorf("read again it is another one, %v", err)
	}
	const steps = 9
	made, err := evaluate(TunerOptions{Known: again, Keep: func(Progress) error { return errors.New("a further step") }})
	if err != nil || made.Steps != steps || len(made.Report.Checks) != len(own.Report.Checks) {
		t.Errorf("%d steps, %d checks, %v", made.Steps, len(made.Report.Checks), err)
	}
}
