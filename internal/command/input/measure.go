package input

import (
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/datasets"
	"github.com/atomtune/atomtune/internal/command"
	"github.com/atomtune/atomtune/internal/command/report"
)

// StreamDocument describes one measured stream.
type StreamDocument struct {
	File   string `json:"file"`
	Format string `json:"format"`
	Taken
	Width uint64 `json:"width,omitempty"` // of the rows that indices are
	collision.Stats
	// ElapsedS is the time of reading and measuring together.
	ElapsedS float64 `json:"elapsed_s"`
	// BytesPerSecond counts the bytes of the file, compressed if it is.
	BytesPerSecond float64  `json:"bytes_per_second"`
	said           []string // warnings of reading
}

// read opens one input, gives it to begin, reads it in chunks until begin, it or each ends with io.EOF,
// and describes it after the end.
func read(e *command.Env, path string, in StreamFlags, begin func(source) error,
	each func([]uint32) error, end func() error) (doc StreamDocument, err error) {
	start, name := e.Now(), path
	if path == "-" {
		name = "stdin"
	}
	warn := func(format string, args ...any) {
		doc.said = append(doc.said, name+": "+fmt.Sprintf(format, args...))
		e.Note("warning: %s", doc.said[len(doc.said)-1])
	}
	size := expansion{warn: warn, note: func(gap int64) {
		e.Note("%s: %s are read since the last update", name, report.UnitsBytes(gap))
	}}
	in.Options.Watch = size.watch
	r, err := open(e, path, in)
	if err != nil {
		return doc, err
	}
	defer func() { err = large(errors.Join(err, r.Close())) }()
	size.of, name = r, r.Name()
	if err = begin(r); err != nil && err != io.EOF {
		return doc, err
	}
	progress := report.NewBar(e, "reading "+r.Name(), r.Size(), report.UnitsBytes)
	defer progress.Stop()
	if err == nil {
		err = r.Each(func(indices []uint32) error {
			failed := each(indices)
			if failed != nil && failed != io.EOF {
				failed = fmt.Errorf("%s: %w", r.Name(), failed)
			}
			progress.Set(r.BytesRead())
			size.add(len(indices))
			return failed
		})
		if err != nil {
			return doc, err
		}
	}
	if err := end(); err != nil {
		return doc, named(r, err)
	}
	doc.File, doc.Format, doc.Taken = r.Name(), r.Format(), r.taken()
	if r.Cut() {
		warn("only the first %d updates are taken", in.Options.MaxUpdates)
	}
	doc.ElapsedS = e.Now().Sub(start).Seconds()
	if doc.ElapsedS > 0 {
		doc.BytesPerSecond = float64(r.BytesRead()) / doc.ElapsedS
	}
	return doc, nil
}

// named puts the name of an input before an error, unless that begins with it.
func named(r source, err error) error {
	if own, ok := errors.AsType[*datasets.InputError](err); ok {
		return own
	}
	return fmt.Errorf("%s: %w", r.Name(), err)
}

// Measure reads one input to its end. The second result is the same stream sorted, as Loaded.Sorted
// says, where that is asked for.
func Measure(e *command.Env, path string, in StreamFlags, how collision.Options,
	sort bool) (doc StreamDocument, sorted *Sorted, err error) {
	doc, sorted, _, err = MeasureShort(e, path, in, how, sort, Long{From: math.MaxUint64})
	return doc, sorted, err
}

// measuring measures a stream as it is read.
type measuring struct {
	how   collision.Options
	sorts bool // it may be sorted, where it can be
	kept  sortable
	acc   *collision.Accumulator
	stats collision.Stats
	env   *command.Env
	name  string
	rows  heldRows
	much  uint64 // memory of counts from which a warning says so
	told  bool
}

func newMeasuring(e *command.Env, in StreamFlags, how collision.Options, sort bool) (*measuring, error) {
	how.Padded = in.Options.Ignore != ""
	return &measuring{env: e, much: muchCounted, how: how, sorts: sort && !how.Padded,
		rows: heldRows{RowFlags: in.Rows, held: held{most: in.most}, keys: in.Options.Keys}}, how.Validate()
}

func (m *measuring) begin(r source) (err error) {
	m.name = r.Name()
	m.how.Bins, m.kept.on = r.Bins(), m.sorts && r.taken().sortable()
	m.acc, err = collision.NewAccumulator(m.how)
	return err
}

func (m *measuring) each(chunk []uint32) error {
	m.kept.add(chunk)
	if m.rows.Width > 0 {
		if err := m.rows.add(chunk); err != nil {
			return err
		}
	}
	if bytes := m.acc.Bytes(); bytes > m.much && !m.told {
		m.told = true
		m.env.Note("warning: %s: counting its targets takes %s of memory so far, and may take 4 bytes for each; "+
			"--sample takes little", m.name, report.Bytes(float64(bytes)))
	}
	return m.acc.Add(chunk)
}

func (m *measuring) end() (err error) {
	if m.stats, err = m.acc.Stats(); err == nil && m.rows.Width > 0 {
		m.rows.indices = m.rows.done()
		err = m.rows.measure(m.env, m.name, &m.stats)
	}
	return err
}

// Loaded is an index stream in memory, not measured.
type Loaded struct {
	StreamDocument
	Indices []uint32
	Bins    uint64
	Padded  bool // collision.Inactive is no update; Ignored counts these
}

// Load reads one input into memory, as far as the flags allow. Where the input does not say how many
// targets there are, it is one more than the highest index that was read.
func Load(e *command.Env, path string, in StreamFlags) (s Loaded, err error) {
	all := held{most: in.most}
	s.StreamDocument, err = read(e, path, in, func(r source) error {
		s.Bins = r.Bins()
		return all.begin(r)
	}, all.add, func() error { return nil })
	s.Indices = all.done()
	if err != nil {
		return s, err
	}
	if s.Padded = in.Options.Ignore != ""; s.Padded {
		for _, index := range s.Indices {
			if index == datasets.Inactive {
				s.Ignored++
			}
		}
	}
	if highest, ok := in.Options.Highest(s.Indices); s.Bins == 0 && ok {
		s.Bins = uint64(highest) + 1
	}
	return s, nil
}

// Sorted returns the stream sorted by its targets, nil where it cannot be sorted, is already, or
// has more than MostSorted updates.
func (s Loaded) Sorted() *Sorted {
	if !s.sortable() || s.Padded {
		return nil
	}
	kept := sortable{on: true}
	kept.add(s.Indices)
	return kept.sort(s.Taken)
}
