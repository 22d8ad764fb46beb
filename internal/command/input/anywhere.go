package input

import (
	"io"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/internal/command"
)

// SampledFrom is the number of updates from which a stream is sampled by default. Reading so many exactly
// takes about as long as the samples that settle a choice, on two cores with AVX-512.
const SampledFrom = 1 << 26

// Anywhere is a stream whose updates can be read at any place.
type Anywhere struct {
	collision.Stream
	Bins  uint64 // that the input or the options say; 0: neither does
	Bytes uint64 // of the input that an update takes
}

// Long is what is done with a stream of From updates or more that can be read at any place.
type Long struct {
	From uint64
	Use  func(*Anywhere) error
}

// MeasureShort is Measure, but hands long inputs over. Their document lacks statistics; used reports that
// it is one.
func MeasureShort(e *command.Env, path string, in StreamFlags, how collision.Options, sort bool,
	long Long) (doc StreamDocument, sorted *Sorted, used bool, err error) {
	m, err := newMeasuring(e, in, how, sort)
	if err != nil {
		return doc, nil, false, err
	}
	bytes := 0.0
	doc, err = read(e, path, in, func(r source) error {
		if a := r.anywhere(); a != nil && uint64(a.Len()) >= long.From {
			used, bytes = true, float64(a.Len())*float64(a.Bytes)
			if err := long.Use(a); err != nil {
				return named(r, err)
			}
			return io.EOF
		}
		return m.begin(r)
	}, m.each, func() error {
		if used {
			return nil
		}
		return m.end()
	})
	doc.Stats, doc.Width = m.stats, m.rows.Width
	if used && doc.ElapsedS > 0 {
		doc.BytesPerSecond = bytes / doc.ElapsedS // a survey reads all
	}
	if used || err != nil {
		return doc, nil, used, err
	}
	return doc, m.kept.sort(doc.Taken), false, nil
}
