package training

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/atomtune/atomtune/tuner/model"
)

// Merge reads the journals of all shards of a sweep and returns its header and rows by
// point. The error wraps ErrJournal for different sweeps or numbers of shards, and
// model.ErrRows, naming points, where one stands in two places or in none.
func Merge(paths ...string) (head Header, rows []Row, err error) {
	defer wrap("merge", &err)
	if len(paths) == 0 {
		return head, nil, fmt.Errorf("%w: no journal given", ErrJournal)
	}
	place := map[int]string{}
	for i, path := range paths {
		j, err := ReadJournal(path)
		if err != nil {
			return head, nil, err
		}
		if i == 0 {
			head = j.Header
		}
		switch d, a, b := j.Header.differs(head), j.Header.Shard, head.Shard; {
		case j.Header == Header{}:
			return head, nil, fmt.Errorf("%s: %w: it is empty, or its first line has no end", path, ErrJournal)
		case d != "":
			return head, nil, fmt.Errorf("%s:1: %w: it belongs to another sweep than %s: %s", path,
				ErrJournal, paths[0], d)
		case a.Of != b.Of:
			return head, nil, fmt.Errorf("%s:1: %w: it is part %s and %s part %s: the sweep was cut "+
				"into %d parts and into %d", path, ErrJournal, a, paths[0], b, a.Of, b.Of)
		}
		for _, r := range j.Rows {
			if first, ok := place[r.Point]; ok {
				return head, nil, fmt.Errorf("%w: point %d stands in %s and again in %s", model.ErrRows,
					r.Point, first, path)
			}
			place[r.Point] = path
		}
		rows = append(rows, j.Rows...)
	}
	head.Shard = Shard{Of: 1}
	rows, err = complete(rows, head.Sweep.Points)
	return head, rows, err
}

// complete returns the rows sorted by point, or an error that wraps model.ErrRows
// unless each of the points stands there once.
func complete(rows []Row, points int) ([]Row, error) {
	sorted, there := make([]Row, points), make([]bool, points)
	for _, r := range rows {
		if r.Point < 0 || r.Point >= points || there[r.Point] {
			return nil, fmt.Errorf("%w: point %d is repeated or beyond the %d points", model.ErrRows,
				r.Point, points)
		}
		sorted[r.Point], there[r.Point] = r, true
	}
	var missing []string
	for point, ok := range there {
		if !ok {
			missing = append(missing, strconv.Itoa(point))
		}
	}
	if n := len(missing); n > 0 {
		const shown = 10
		text := strings.Join(missing[:min(shown, n)], ", ")
		if n > shown {
			text += fmt.Sprintf(" and %d more", n-shown)
		}
		return nil, fmt.Errorf("%w: %d of %d points are missing: %s", model.ErrRows, n, points, text)
	}
	return sorted, nil
}

// EncodeJournal writes the rows of a whole sweep, sorted by point. The error wraps
// model.ErrRows unless each point stands there once.
func EncodeJournal(h Header, rows []Row) (text []byte, err error) {
	defer wrap("encode journal", &err)
	h.Shard, h.Simulator = Shard{}, ""
	sorted, err := complete(rows, h.Sweep.Points)
	if err != nil {
		return nil, err
	}
	return journals.Encode(h, sorted)
}
