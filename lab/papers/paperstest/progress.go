package paperstest

import (
	"testing"

	"github.com/atomtune/atomtune/lab/papers"
)

// WithProgress returns the options with a Progress to whose calls an experiment is held that is
// shared out: each is one task further, of the same total, and ended demands that all tasks were
// told of.
func WithProgress(t *testing.T, name string, o papers.Options) (with papers.Options, ended func()) {
	last, all := 0.0, 0.0
	o.Progress = func(done, total float64) {
		switch {
		case all != 0 && total != all:
			t.Errorf("%s: a total of %v after %v", name, total, all)
		case done != last+1 && !(done == last && done == total): // Run tells of the end again
			t.Errorf("%s: %v of %v tasks after %v", name, done, total, last)
		}
		last, all = done, total
	}
	return o, func() {
		t.Helper()
		if all == 0 || last != all {
			t.Errorf("%s ends at %v of %v tasks", name, last, all)
		}
	}
}
