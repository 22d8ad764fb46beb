package training

import (
	"fmt"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/tuner/model"
)

// reusable returns the rows of a journal that a run of the sweep's shard makes the same,
// line by line up to the first that it does not: closed forms that have changed since
// screen other implementations, and places on a line depend on the rows before. The
// journal may have another number of points and another shard. Errors wrap ErrJournal
// or ErrSweep.
func reusable(s model.Sweep, path string, d *device.Profile, part Shard) ([]Row, error) {
	j, err := ReadJournal(path)
	if err != nil {
		return nil, err
	}
	own, old := newHeader(d, s, part), j.Header
	old.Sweep.Points, old.ClosedForms = own.Sweep.Points, own.ClosedForms
	if differs := old.differs(own); differs != "" {
		return nil, fmt.Errorf("%s:1: %w: it belongs to another sweep: %s", path, ErrJournal, differs)
	}
	rows, err := byPoint(j.Rows)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	var same []Row
	bare := model.WithoutHost(d)
	for number := range s.Lines() {
		if !part.Has(number) {
			continue
		}
		first, end := s.PointsOf(number)
		for id := first; id < end; id++ {
			r, there := rows[id]
			if !there {
				break
			}
			again, err := sameVariants(s, r, bare)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", path, err)
			}
			if !again {
				break
			}
			same = append(same, r)
		}
	}
	return same, nil
}

// sameVariants reports whether the closed forms leave in what a row has times of.
func sameVariants(s model.Sweep, r Row, d *device.Profile) (bool, error) {
	p, err := PointOf(s, r)
	if err != nil {
		return false, err
	}
	list := screened(s, p, &r.Stats, d)
	for _, v := range list {
		if _, has := r.US[v.String()]; !has {
			return false, nil
		}
	}
	return len(list) == len(r.US), nil
}
