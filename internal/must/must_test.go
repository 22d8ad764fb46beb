package must

import (
	"errors"
	"testing"
)

// ended is a test that notes what ends it.
type ended struct{ by []any }

func (e *ended) Helper()           {}
func (e *ended) Fatal(args ...any) { e.by = append(e.by, args...) }

// TestMust: an error ends a test, and nothing else does.
func TestMust(t *testing.T) {
	failed := errors.New("no")
	for _, want := range []error{nil, failed} {
		e := &ended{}
		Do(e, want)
		if got := Get(7, want)(e); got != 7 || (len(e.by) == 2) != (want != nil) || want != nil && e.by[1] != want {
			t.Errorf("%v: %d, ended by %v", want, got, e.by)
		}
	}
}
