package papers

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/atomtune/atomtune/internal/strictjson"
	"github.com/atomtune/atomtune/internal/wholefile"
)

// Journal is a file of simulated times: the name of a run and its time, as CSV. A time is
// appended once it is known, so that an interruption loses none.
type Journal struct {
	Memo *Memo
	path string
	file *wholefile.File
}

// OpenJournal reads the times of a file, which is made where there is none. Until it is closed no
// other process opens it.
func OpenJournal(path string) (_ *Journal, err error) {
	file, data, err := wholefile.Journal(path)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			file.Close() // nothing more is written
		}
	}()
	lines, _ := strictjson.Whole(data) // an interruption may have left half a line
	known, err := timesOf(lines)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if err := file.Truncate(int64(len(lines))); err != nil {
		return nil, err
	}
	j := &Journal{Memo: NewMemo(known), path: path, file: file}
	j.Memo.record = func(run string, time float64) error {
		_, err := j.file.Write(timeLines(map[string]float64{run: time}))
		return err
	}
	return j, nil
}

// Close writes the file anew, in the order of the names.
func (j *Journal) Close() error {
	return errors.Join(wholefile.Write(j.path, timeLines(j.Memo.Times())), j.file.Close())
}

func timesOf(lines []byte) (map[string]float64, error) {
	r := csv.NewReader(bytes.NewReader(lines))
	r.FieldsPerRecord = 2
	rows, err := r.ReadAll()
	if err != nil {
		return nil, err
	}
	times := map[string]float64{}
	for _, row := range rows {
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
