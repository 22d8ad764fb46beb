package checkpoint

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/internal/gzipped"
	"github.com/atomtune/atomtune/internal/must"
	"github.com/atomtune/atomtune/internal/wholefile"
)

type inner struct {
	Seed int `json:"seed"`
}

type head struct {
	Format string `json:"format"`
	Inner  inner  `json:"inner"`
	Shard  int    `json:"shard,omitempty"`
}

type part struct {
	Number int `json:"number"`
}

var (
	errNumbers = errors.New("broken numbers")
	mine       = head{"numbers", inner{1}, 0}
)

const (
	mineLine  = `{"format":"numbers","inner":{"seed":1}}` + "\n"
	otherLine = `{"format":"numbers","inner":{"seed":2}}` + "\n"
)

// numbers are checkpoints of numbers from 1 on.
var numbers = Kind[head, part]{Err: errNumbers, Most: 40,
	Head: func(h head) error {
		if h.Format != "numbers" {
			return fmt.Errorf("format %q", h.Format)
		}
		return nil
	},
	Part: func(h head, p *part) error {
		if p.Number < 1 {
			return fmt.Errorf("number %d of seed %d", p.Number, h.Inner.Seed)
		}
		return nil
	},
	Refuse: func(found, asked head) error {
		if d := Difference(found, asked); d != "" {
			return errors.New(d)
		}
		return nil
	},
}

func write(t *testing.T, text string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "j")
	must.Do(t, os.WriteFile(path, []byte(text), 0o644))
	return path
}

func read(t *testing.T, path string) string {
	t.Helper()
	return string(must.Get(os.ReadFile(path))(t))
}

// TestOpen: whole lines are kept and half a line is cut off; a head alone, or half of one, of whatever it
// is, keeps nothing.
func TestOpen(t *testing.T) {
	const one, two = `{"number":1}` + "\n", `{"number":2}` + "\n"
	for _, c := range []struct{ text, left string }{
		{"", mineLine},
		{mineLine[:1], mineLine},
		{mineLine[:len(mineLine)-1], mineLine},
		{otherLine[:30], mineLine},
		{mineLine, mineLine},
		{otherLine, mineLine},
		{otherLine + one[:5], mineLine},
		{mineLine + one, mineLine + one},
		{mineLine + one + two[:7], mineLine + one},
	} {
		path := write(t, c.text)
		j, h, parts, err := numbers.Open(path, mine)
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		if got := read(t, path); got != c.left || h != mine || len(parts) != strings.Count(got, "\n")-1 {
			t.Errorf("%q became %q of %+v, %d parts", c.text, got, h, len(parts))
		}
		must.Do(t, errors.Join(j.Append(part{2}), j.Close()))
		if got := read(t, path); got != c.left+two {
			t.Errorf("%q became %q behind a further part", c.text, got)
		}
	}
}

// TestRefused: what is of something else, or no checkpoint, is refused by file, line and difference, and stays
// as it is.
func TestRefused(t *testing.T) {
	packed := must.Get(gzipped.Pack([]byte(mineLine)))(t)
	for _, c := range []struct{ text, words string }{
		{"a letter", ":1: "},
		{`{"numbers`, ":1: "},
		{string(packed), ": "},
		{"{}\n", ":1: "},
		{"null\n1\n", ":1: "},
		{otherLine + `{"number":1}` + "\n", ":1: broken numbers: seed 2"},
		{strings.Replace(mineLine, "}}", `},"shard":3}`, 1) + `{"number":1}` + "\n",
			":1: broken numbers: shard 3"},
		{mineLine + `{"number":1}` + "\n{}\n", ":3: broken numbers: number 0 of seed 1"},
		{mineLine + `{"numbers":1}` + "\n", ":2: broken numbers: "},
		{mineLine + `{"number":1,` + strings.Repeat(" ", 40) + "}\n", ":2: "},
	} {
		path := write(t, c.text)
		j, _, _, err := numbers.Open(path, mine)
		if j != nil || !errors.Is(err, errNumbers) || !strings.Contains(err.Error(), path+c.words) ||
			strings.Count(err.Error(), errNumbers.Error()) != 1 {
			t.Errorf("%q: %v, want %s", c.text, err, c.words)
		}
		if got := read(t, path); got != c.text {
			t.Errorf("%q became %q", c.text, got)
		}
		if held, err := wholefile.Alone(path); err != nil {
			t.Errorf("a refused journal stays open: %v", err)
		} else if err := held.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestAlone: no second process opens a checkpoint or forgets it; removed it is gone.
func TestAlone(t *testing.T) {
	path := write(t, "a letter")
	must.Do(t, Forget(path))
	j, _, _, err := numbers.Open(path, mine)
	if err != nil {
		t.Fatal(err)
	}
	_, _, _, second := numbers.Open(path, mine)
	for _, err := range []error{second, Forget(path)} {
		if !errors.Is(err, wholefile.ErrBusy) || !strings.Contains(err.Error(), path) {
			t.Errorf("a second one: %v", err)
		}
	}
	if got := read(t, path); got != mineLine {
		t.Errorf("it is %q", got)
	}
	must.Do(t, j.Remove())
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it stays: %v", err)
	}
	if _, _, _, err := numbers.Open(filepath.Join(path, "below"), mine); !errors.Is(err, errNumbers) {
		t.Errorf("without a folder: %v", err)
	}
}

// TestLines: checkpoints of other lines than JSON go on as well; one without a head begins with a part.
func TestLines(t *testing.T) {
	for _, c := range []struct{ text, head, left string }{
		{"# a\nx\ny", "# a\n", "# a\nx\n"}, {"# a\n", "# b\n", "# b\n"}, {"x\n", "", "x\n"}, {"half", "", ""},
		{"# a, b", "# a, c\n", "# a, c\n"},
	} {
		path := write(t, c.text)
		j, err := Open(path, []byte(c.head), nil, func(lines []byte) (parts int, err error) {
			for line := range bytes.Lines(lines) {
				if line[0] != '#' {
					parts++
				}
			}
			return parts, nil
		})
		if err == nil {
			err = j.Close()
		}
		if got := read(t, path); err != nil || got != c.left {
			t.Errorf("%q became %q, %v", c.text, got, err)
		}
	}
	path := write(t, "# b, c")
	if _, err := Open(path, []byte("# a, c\n"), nil, nil); err == nil || !strings.Contains(err.Error(), path+":1: ") {
		t.Error(err)
	}
}

// TestDecode: a packed checkpoint is read, and half a line at its end is passed over.
func TestDecode(t *testing.T) {
	text := mineLine + `{"number":4}` + "\n" + `{"number":5}` + "\n" + `{"num`
	packed := must.Get(gzipped.Pack([]byte(text)))(t)
	for _, data := range [][]byte{[]byte(text), packed} {
		h, parts, err := numbers.Decode("j", data)
		if err != nil || h != mine || !slices.Equal(parts, []part{{4}, {5}}) {
			t.Errorf("%+v, %v, %v", h, parts, err)
		}
	}
	if _, _, err := numbers.Decode("j", packed[:20]); !errors.Is(err, errNumbers) || !strings.HasPrefix(err.Error(), "j: ") {
		t.Error(err)
	}
	if h, parts, err := numbers.Decode("j", nil); h != (head{}) || parts != nil || err != nil {
		t.Errorf("nothing is %+v, %v, %v", h, parts, err)
	}
}
