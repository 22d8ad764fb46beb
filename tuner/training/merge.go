package training

import (
	"fmt"
	"slices"
	"strings"

	"github.com/atomtune/atomtune/tuner/model"
)

// Merge reads the journals of the shards of one sweep and returns the sweep's
// header and all rows by number of the point. The error wraps ErrJournal for
// journals of different sweeps, or of one that was cut in different ways, and model.ErrRows, naming the points, where a point
// stands in two places or in none.
func Merge(paths ...string) (Header, []Row, error) {
	if len(paths) == 0 {
		return Header{}, nil, fmt.Errorf("merge: %w: no journal given", ErrJournal)
	}
	var head Header
	var rows []Row
	place := map[int]string{}
	for i, path := range paths {
		j, err := ReadJournal(path)
		if err != nil {
			return Header{}, nil, fmt.Errorf("merge: %w", err)
		}
		if j.Header == (Header{}) {
			return Header{}, nil, fmt.Errorf("merge: %s: %w: it is empty", path, ErrJournal)
		}
		if i == 0 {
			head = j.Header
		} else if d := j.Header.differs(head); d != "" {
			return Header{}, nil, fmt.Errorf("merge: %s:1: %w: it belongs to another sweep than %s: %s", path, ErrJournal, paths[0], d)
		} else if a, b := j.Header.parts(), head.parts(); a != b {
			return Header{}, nil, fmt.Errorf("merge: %s:1: %w: it is part %s and %s part %s: the sweep was cut into %d parts and into %d",
				path, ErrJournal, j.Header.Shard, paths[0], head.Shard, a, b)
		}
		for _, r := range j.Rows {
			if first, ok := place[r.Point]; ok {
				return Header{}, nil, fmt.Errorf("merge: %w: point %d stands in %s and again in %s", model.ErrRows, r.Point, first, path)
			}
			place[r.Point] = path
		}
		rows = append(rows, j.Rows...)
	}
	head.Shard = Shard{}.String()
	rows, err := complete(rows, head.Sweep.Points)
	if err != nil {
		return Header{}, nil, fmt.Errorf("merge: %w", err)
	}
	return head, rows, nil
}

// parts is the number of parts into which the sweep of a journal was cut.
func (h Header) parts() int {
	part, _ := ParseShard(h.Shard) // it was checked when it was read
	return part.normal().Of
}

// complete returns the rows sorted by point, or an error that wraps model.ErrRows
// unless each of the points stands there once.
func complete(rows []Row, points int) ([]Row, error) {
	sorted := slices.Clone(rows)
	slices.SortFunc(sorted, func(a, b Row) int { return a.Point - b.Point })
	var missing []int
	next := 0
	for _, r := range sorted {
		if r.Point < next || r.Point >= points {
			return nil, fmt.Errorf("%w: point %d is repeated or beyond the %d points", model.ErrRows, r.Point, points)
		}
		for ; next < r.Point; next++ {
			missing = append(missing, next)
		}
		next++
	}
	for ; next < points; next++ {
		missing = append(missing, next)
	}
	if len(missing) > 0 {
		return nil, fmt.Errorf("%w: %d of %d points are missing: %s", model.ErrRows, len(missing), points, listed(missing))
	}
	return sorted, nil
}

// listed names the first few of many points.
func listed(points []int) string {
	const shown = 10
	var names []string
	for _, p := range points[:min(shown, len(points))] {
		names = append(names, fmt.Sprint(p))
	}
	text := strings.Join(names, ", ")
	if len(points) > shown {
		text += fmt.Sprintf(" and %d more", len(points)-shown)
	}
	return text
}
