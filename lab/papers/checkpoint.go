package papers

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/atomtune/atomtune/internal/checkpoint"
	"github.com/atomtune/atomtune/internal/wholefile"
)

// Checkpoint is a file of simulated times: the name of a run and its time, as CSV. A time is
// appended once it is known, so that an interruption loses none.
type Checkpoint struct {
	Memo *Memo
	file *checkpoint.File
	head string // the line that says of what the times are, empty where none does
}

// OpenCheckpoint reads the times of a file, which is created if it does not exist. Where of is not empty, the
// first line says of what the times are, and a file with times of others is refused.
func OpenCheckpoint(path, of string) (j *Checkpoint, err error) {
	j = &Checkpoint{}
	if of != "" {
		j.head = "# " + of + "\n"
	}
	j.file, err = checkpoint.Open(path, []byte(j.head), nil, func(lines []byte) (int, error) {
		known, err := timesOf(lines)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", path, err)
		}
		j.Memo = NewMemo(known)
		if len(known) > 0 && !bytes.HasPrefix(lines, []byte(j.head)) {
			had, _, _ := bytes.Cut(lines, []byte("\n"))
			return 0, fmt.Errorf("%s:1: its times are of %q, want %q: remove it to start over", path, had, "# "+of)
		}
		return len(known), nil
	})
	if err != nil {
		return nil, err
	}
	j.Memo.Record = func(run string, time float64) error {
		_, err := j.file.Write(timeLines(map[string]float64{run: time}))
		return err
	}
	return j, nil
}

// Close writes the file anew, in the order of the names.
func (j *Checkpoint) Close() error {
	text := append([]byte(j.head), timeLines(j.Memo.Times())...)
	return errors.Join(wholefile.Write(j.file.Name(), text), j.file.Close())
}

// Remove ends the checkpoint, whose times have come to where they are kept.
func (j *Checkpoint) Remove() error { return j.file.Remove() }

func timesOf(lines []byte) (map[string]float64, error) {
	r := csv.NewReader(bytes.NewReader(lines))
	r.FieldsPerRecord, r.Comment = 2, '#'
	rows, err := r.ReadAll()
	if err != nil {
		return nil, err
	}
	times := map[string]float64{}
	for _, row := range rows {
		if strings.HasPrefix(row[0], "#") || strings.Contains(row[0], "\r") {
			return nil, fmt.Errorf("run %q begins like a comment, or has a carriage return", row[0])
		}
		if times[row[0]], err = strconv.ParseFloat(row[1], 64); err != nil {
			return nil, fmt.Errorf("%s: %w", row[0], err)
		}
	}
	return times, nil
}

func timeLines(times map[string]float64) []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	for _, run := range slices.Sorted(maps.Keys(times)) {
		// A buffer takes whatever is written.
		_ = w.Write([]string{run, strconv.FormatFloat(times[run], 'g', -1, 64)})
	}
	w.Flush()
	return b.Bytes()
}
