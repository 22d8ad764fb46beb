package kernels

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"

	"github.com/atomtune/atomtune/lab/validate/recorded"
)

// JournalOf returns the name of the journal that stands beside a table while it
// is made.
func JournalOf(table string) string { return table + ".journal" }

// kernelJournal appends finished calls to a file, a JSON object a line, after a
// line that says what they depend on. A nil journal keeps nothing.
type kernelJournal struct{ file *os.File }

// journalHead is the first line of a journal.
type journalHead struct {
	Device    string `json:"device"`
	Profile   string `json:"profile"`
	Behaviour string `json:"behaviour"`
	Seed      uint64 `json:"seed"`
}

// journalLine is a finished call.
type journalLine struct {
	recorded.CallKey
	US float64 `json:"us"`
}

// openKernelJournal opens a journal for appending and returns the calls in it,
// whichever plan they were simulated for. A last line without its end is cut
// off.
func openKernelJournal(path string, t KernelTable) (map[recorded.CallKey]float64, *kernelJournal, error) {
	done := map[recorded.CallKey]float64{}
	if path == "" {
		return done, nil, nil
	}
	data, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, err
	}
	data = data[:bytes.LastIndexByte(data, '\n')+1]
	want := journalHead{t.Device, t.Profile, t.Behaviour, t.Seed}
	number := 0
	for line := range bytes.Lines(data) {
		number++
		if number == 1 {
			err = checkHead(line, want)
		} else {
			err = note(line, done)
		}
		if err != nil {
			return nil, nil, fmt.Errorf("%s:%d: %w", path, number, err)
		}
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return nil, nil, err
	}
	j := &kernelJournal{file}
	if err := file.Truncate(int64(len(data))); err != nil {
		return nil, nil, errors.Join(err, j.close())
	}
	if number == 0 {
		if err := j.write(want); err != nil {
			return nil, nil, errors.Join(err, j.close())
		}
	}
	return done, j, nil
}

func checkHead(line []byte, want journalHead) error {
	var head journalHead
	if err := decodeStrictly(line, &head); err != nil {
		return fmt.Errorf("it is no journal of simulated calls: %w", err)
	}
	if head != want {
		return fmt.Errorf("it belongs to another profile, simulator or seed: remove it to begin anew")
	}
	return nil
}

func note(line []byte, done map[recorded.CallKey]float64) error {
	var l journalLine
	if err := decodeStrictly(line, &l); err != nil {
		return err
	}
	if !(l.US > 0) {
		return fmt.Errorf("us %v is no time", l.US)
	}
	done[l.CallKey] = l.US
	return nil
}

func decodeStrictly(line []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	return d.Decode(into)
}

func (j *kernelJournal) append(c SimulatedCall) error {
	if j == nil {
		return nil
	}
	return j.write(journalLine(c))
}

// write adds a line by one call, so that an interruption leaves at most one
// line without its end.
func (j *kernelJournal) write(v any) error {
	line, err := json.Marshal(v)
	if err == nil {
		_, err = j.file.Write(append(line, '\n'))
	}
	return err
}

func (j *kernelJournal) close() error {
	if j == nil {
		return nil
	}
	return j.file.Close()
}

// rounded returns the time that a table holds.
func rounded(us float64) float64 {
	r, err := strconv.ParseFloat(exactUS(us), 64)
	if err != nil {
		panic(err) // exactUS writes numbers
	}
	return r
}
