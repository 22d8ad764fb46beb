package grow

import (
	"cmp"
	"fmt"

	"github.com/atomtune/atomtune/internal/checkpoint"
	"github.com/atomtune/atomtune/tuner/model"
)

const (
	journalFormat     = "atomtune-dispatch-streams"
	checkpointVersion = 5
)

// header is the first line of a checkpoint. Streams follow in the order in which they were finished.
type header struct {
	Format  string      `json:"format"`
	Version int         `json:"version"`
	Sweep   model.Sweep `json:"sweep"`
}

var checkpoints = checkpoint.Kind[header, Stream]{Err: ErrStreams, Head: header.check, Part: header.complete,
	Refuse: func(found, asked header) error {
		if d := checkpoint.Difference(found, asked); d != "" {
			return fmt.Errorf("it belongs to another sweep: %s: remove it to start over", d)
		}
		return nil
	},
}

func (h header) check() error {
	return cmp.Or(checkpoint.Named(h.Format, h.Version, journalFormat, checkpointVersion), h.Sweep.Validate())
}

// complete returns an error for what is not a stream of such a checkpoint, and fills in what follows.
func (h header) complete(s *Stream) error {
	if s.Point < 0 {
		return fmt.Errorf("point %d", s.Point)
	}
	if err := model.CheckStats(&s.Stats, s.Stats.WarpSize); err != nil {
		return err
	}
	from, err := sourceOf(h.Sweep, s.Point)
	if n := from.updates(); err == nil && (s.Stats.Updates != uint64(n) || len(s.Samples) != lengths(n)) {
		err = fmt.Errorf("point %d has %d updates and %d samples, want %d and %d", s.Point,
			s.Stats.Updates, len(s.Samples), n, lengths(n))
	}
	s.family, s.weight = from.family, from.weight
	return err
}
