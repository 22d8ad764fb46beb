package plan

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/atomtune/atomtune/internal/wholefile"
)

// header is the first line of a file.
const header = "atomtune-plan 1"

// MostBytes is how large a file of plans may be.
const MostBytes = 64 << 20

// Find returns the last plan for a key in the text of a file. Lines that are not a plan are passed
// over; a text that begins otherwise than files of this version do has no plan.
func Find(text []byte, k Key) (found Plan, ok bool) {
	head, rest, _ := strings.Cut(string(text), "\n")
	if strings.TrimRight(head, "\r") != header {
		return Plan{}, false
	}
	for line := range strings.Lines(rest) {
		if p, err := Parse(strings.TrimRight(line, "\r\n")); err == nil && p.Key == k {
			found, ok = p, true
		}
	}
	return found, ok
}

// Put returns the text of a file with a plan behind all others, in place of those for the same key.
// Other lines stay as they are, and lines end as the first one does. The error wraps ErrPlan where a text
// that is not empty begins otherwise than files of this version do, or the plan cannot be read back.
func Put(text []byte, p Plan) ([]byte, error) {
	if again, err := Parse(p.String()); err != nil {
		return nil, err
	} else if again != p {
		return nil, fmt.Errorf("%w: %s reads as %s", ErrPlan, p, again)
	}
	head, rest, _ := strings.Cut(string(text), "\n")
	end, ok := strings.CutPrefix(head, header)
	if len(text) > 0 && (!ok || strings.Trim(end, "\r") != "") {
		return nil, fmt.Errorf("%w: line 1 is %.40q, want %q", ErrPlan, head, header)
	}
	end += "\n"
	var b bytes.Buffer
	b.WriteString(header + end)
	for line := range strings.Lines(rest) {
		if old, err := Parse(strings.TrimRight(line, "\r\n")); err == nil && old.Key == p.Key {
			continue
		}
		b.WriteString(line)
		if !strings.HasSuffix(line, "\n") {
			b.WriteString(end)
		}
	}
	b.WriteString(p.String() + end)
	return b.Bytes(), nil
}

// Load returns the plan for a key in a file. No file, and a file that cannot be read, have none.
func Load(path string, k Key) (Plan, bool) {
	text, err := wholefile.Read(path, MostBytes)
	if err != nil {
		return Plan{}, false
	}
	return Find(text, k)
}

// Save puts a plan into a file, which it creates if it does not exist, as Put says. All threads and
// processes may save to one file at a time: they wait for each other, and no reader sees half a file.
func Save(path string, p Plan) error {
	err := wholefile.Change(path, MostBytes, func(text []byte) ([]byte, error) {
		text, err := Put(text, p)
		if err != nil {
			err = fmt.Errorf("%s: %w", path, err)
		}
		return text, err
	})
	if errors.Is(err, wholefile.ErrLarge) {
		err = fmt.Errorf("%w: %w", ErrPlan, err)
	}
	return err
}
