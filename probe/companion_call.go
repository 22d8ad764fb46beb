package probe

import (
	"context"
	"errors"
	"os"

	"github.com/atomtune/atomtune/datasets/recordings"
)

// measureByCompanion has the companion measure a sort or a segmented reduction.
func (r *callRun) measureByCompanion(ctx context.Context, call *recordings.Call) (wrong string, err error) {
	repeats := r.suite.companionRepeats(call.Updates)
	if err := r.suite.companion.ask(ctx, call, repeats, r.file); err != nil {
		return "", err
	}
	if !call.Correct {
		return "the companion's check failed", nil
	}
	return "", nil
}

// companionRepeats is the number of counted calls; the companion is asked for it
// before it knows how long a call takes, but sorts take in proportion to their
// updates.
func (c *callSuite) companionRepeats(updates uint64) int {
	switch {
	case c.repeats > 0:
		return c.repeats
	case updates > 1<<23:
		return 3
	case c.quick:
		return 5
	}
	return 9
}

// writeIndices writes raw little-endian indices to a temporary file.
func writeIndices(indices []uint32) (path string, err error) {
	f, err := os.CreateTemp("", "atomtune-*.u32")
	if err != nil {
		return "", err
	}
	defer func() {
		if err = errors.Join(err, f.Close()); err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	_, err = f.Write(bytesOf(indices))
	return f.Name(), err
}

// removeFile removes a file and adds what goes wrong to err.
func removeFile(err *error, path string) { *err = errors.Join(*err, os.Remove(path)) }
