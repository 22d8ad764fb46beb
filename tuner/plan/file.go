package plan

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/atomtune/atomtune/internal/wholefile"
)

// header is the first line of a file.
const header = "atomtune-plan 1"

// MostBytes is how large a file of plans may be.
const MostBytes = 64 << 20

// Find returns the last plan for a key in the text of a file. Lines that are no plan are passed
// over; a text that begins otherwise than files of this version do has no plan.
func Find(text []byte, k Key) (found Plan, ok bool) {
	head, rest, _ := strings.Cut(string(text), "\n")
	if strings.TrimSuffix(head, "\r") != header {
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
// Other lines stay as they are. The error wraps ErrPlan where a text that is not empty begins
// otherwise than files of this version do, or the plan cannot be read back.
func Put(text []byte, p Plan) ([]byte, error) {
	if again, err := Parse(p.String()); err != nil {
		return nil, err
	} else if again != p {
		return nil, fmt.Errorf("%w: %s reads as %s", ErrPlan, p, again)
	}
	head, rest, _ := strings.Cut(string(text), "\n")
	if head = strings.TrimSuffix(head, "\r"); len(text) > 0 && head != header {
		return nil, fmt.Errorf("%w: line 1 is %.40q, want %q", ErrPlan, head, header)
	}
	var b bytes.Buffer
	b.WriteString(header + "\n")
	for line := range strings.Lines(rest) {
		line = strings.TrimSuffix(line, "\n")
		if old, err := Parse(strings.TrimRight(line, "\r")); err != nil || old.Key != p.Key {
			b.WriteString(line + "\n")
		}
	}
	b.WriteString(p.String() + "\n")
	return b.Bytes(), nil
}

// Load returns the plan for a key in a file. No file, and a file that cannot be read, have none.
func Load(path string, k Key) (Plan, bool) {
	text, err := read(path)
	if err != nil {
		return Plan{}, false
	}
	return Find(text, k)
}

// Save puts a plan into a file, which it makes where there is none, as Put says. The file is
// replaced as a whole: of two programs that save at the same time one may lose its plan, but no
// reader sees half a file.
func Save(path string, p Plan) error {
	text, err := read(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("reading plans: %w", err)
	}
	if text, err = Put(text, p); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return wholefile.Write(path, text)
}

func read(path string) ([]byte, error) {
	text, err := wholefile.Read(path, MostBytes)
	if errors.Is(err, wholefile.ErrLarge) {
		err = fmt.Errorf("%w: %w", ErrPlan, err)
	}
	return text, err
}
