package input

import (
	"errors"
	"fmt"
	"io"

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
	BytesPerSecond float64 `json:"bytes_per_second"`
	// Counted: neither the input nor an option says the number of targets, which is the highest index + 1.
	Counted bool     `json:"-"`
	said    []string // warnings of reading
}

// TargetsCounted says it, "" where it is not so.
func (d *StreamDocument) TargetsCounted(bins uint64) string {
	if !d.Counted {
		return ""
	}
	return fmt.Sprintf("A has K = %s targets, the highest index + 1; --bins K if it has more", report.Count(bins))
}

// sink takes an input. begin and add end its reading early by io.EOF.
type sink interface {
	begin(*source) error
	add(chunk []uint32) error
	end() error
}

// read opens one input, reads it in chunks, and describes it after the end.
func read(e *command.Env, path string, in StreamFlags, to sink) (doc StreamDocument, err error) {
	start, name := e.Now(), path
	if path == "-" {
		name = "stdin"
	}
	warn := func(format string, args ...any) {
		doc.said = append(doc.said, name+": "+fmt.Sprintf(format, args...))
		e.Warn(doc.said[len(doc.said)-1])
	}
	size := expansion{warn: warn, note: func(gap int64) {
		e.Note("%s: %s are read since the last update", name, report.UnitsBytes(gap))
	}}
	in.Options.Watch = size.watch
	r, err := open(e, path, in)
	if err != nil {
		return doc, err
	}
	defer func() { err = large(errors.Join(err, r.close())) }()
	size.read, name = r.bytesRead, r.name
	if err = to.begin(r); err != nil && err != io.EOF {
		return doc, err
	}
	progress := report.NewBar(e, "reading "+name, r.size, report.UnitsBytes)
	defer progress.Stop()
	if err == nil {
		err = r.each(func(indices []uint32) error {
			failed := to.add(indices)
			if failed != nil && failed != io.EOF {
				failed = fmt.Errorf("%s: %w", name, failed)
			}
			progress.Set(r.bytesRead())
			size.add(len(indices))
			return failed
		})
		if err != nil {
			return doc, err
		}
	}
	if err := to.end(); err != nil {
		return doc, named(name, err)
	}
	if n := r.comments(); n > 0 && in.Options.Keys {
		warn("skipped comments (lines with # or %% alone or before a blank): %d", n)
	}
	doc.File, doc.Format, doc.Taken = name, r.format, r.taken
	if r.file != nil && in.Width == 0 {
		if width := r.file.Expanded(); width > 0 {
			warn("each of the first rows of the array repeats one index %d times, as in an index expanded to "+
				"rows of values: if each index updates a row, use --column 0 --width %[1]d", width)
		}
	}
	doc.Counted = r.bins == 0 && !in.Options.Keys
	if r.cut {
		warn("only the first %d updates are taken", in.Options.MaxUpdates)
	}
	doc.ElapsedS = e.Now().Sub(start).Seconds()
	if doc.ElapsedS > 0 {
		doc.BytesPerSecond = float64(r.bytesRead()) / doc.ElapsedS
	}
	return doc, nil
}

// named puts the name of an input before an error, unless that begins with it.
func named(name string, err error) error {
	if own, ok := errors.AsType[*datasets.InputError](err); ok {
		return own
	}
	return fmt.Errorf("%s: %w", name, err)
}

// SampledFrom is the number of updates from which a stream is sampled by default.
const SampledFrom = 1 << 26

// Anywhere is a stream whose updates can be read at any place.
type Anywhere struct {
	collision.Stream
	Taken
	Bins  uint64 // that the input or the options say; 0: neither does
	Bytes uint64 // of the input that an update takes
}

// Measuring says how one input is measured, to its end.
type Measuring struct {
	In   StreamFlags
	How  collision.Options
	Sort bool                    // Loaded.Sorted is asked for
	Also func(chunk []uint32)    // sees each chunk besides; nil: nobody does
	From uint64                  // updates from which Long takes an input over
	Long func(s *Anywhere) error // that can be read at any place; nil: never
}

// Measure measures one input. What Long took over lacks statistics.
func (o Measuring) Measure(e *command.Env, path string) (s Loaded, err error) {
	m, err := o.begun(e)
	if err != nil {
		return s, err
	}
	s.StreamDocument, err = read(e, path, o.In, m)
	s.Stats, s.Width = m.stats, o.In.Width
	s.Bins, s.Padded, s.Counts, s.Long = m.stats.Bins, m.How.Padded, m.acc, m.long > 0
	switch {
	case s.Long && s.ElapsedS > 0:
		s.BytesPerSecond = m.long / s.ElapsedS // a survey reads all
	case err == nil:
		s.sorted, err = m.kept.sort(s.Taken), o.In.Fits(s.Bins)
	}
	return s, err
}

type measuring struct {
	Measuring
	kept  sortable
	acc   *collision.Accumulator
	stats collision.Stats
	env   *command.Env
	name  string
	added uint64  // updates
	long  float64 // bytes of an input that Long took over
	much  uint64  // memory of counts from which a warning says so
	told  bool
}

func (o Measuring) begun(e *command.Env) (*measuring, error) {
	o.How.Padded, o.How.Rows = o.In.Options.Ignore != "", o.In.Width > 0
	return &measuring{Measuring: o, env: e, much: muchCounted}, o.How.Validate()
}

func (m *measuring) begin(r *source) (err error) {
	if a := r.anywhere; a != nil && m.Long != nil && uint64(a.Len()) >= m.From {
		m.long = float64(a.Len()) * float64(a.Bytes)
		if err := m.Long(a); err != nil {
			return named(r.name, err)
		}
		return io.EOF
	}
	m.name = r.name
	m.How.Bins, m.kept.on = r.bins, m.Sort && !m.How.Padded && r.taken.sortable()
	m.acc, err = collision.NewAccumulator(m.How)
	return err
}

func (m *measuring) add(chunk []uint32) error {
	if m.Also != nil {
		m.Also(chunk)
	}
	m.kept.add(chunk)
	if m.added += uint64(len(chunk)); m.How.Rows && 4*m.added > m.In.most.limit() {
		return (&held{most: m.In.most}).full()
	}
	if bytes := m.acc.Bytes(); bytes > m.much && !m.told {
		m.told = true
		m.env.Warn(fmt.Sprintf("%s: counting its targets takes %s of memory so far, and up to 4 bytes for each; "+
			"--sample needs little", m.name, report.Bytes(float64(bytes))))
	}
	return m.acc.Add(chunk)
}

func (m *measuring) end() (err error) {
	if m.long > 0 {
		return nil
	}
	if m.How.Rows {
		m.warnOfRows()
	}
	m.stats, err = m.acc.Stats()
	return ofRows(err)
}

// Loaded is an index stream that was read: in memory and not measured by Load, and measured by Measure.
type Loaded struct {
	StreamDocument
	Indices []uint32
	Bins    uint64
	Padded  bool // collision.Inactive is not an update; Ignored counts these
	// Counts hold the whole stream, and can tell more of it than its statistics.
	Counts *collision.Accumulator
	Long   bool // Measuring.Long took it over
	sorted *Sorted
}

// Load reads one input into memory, as far as the flags allow. Where the input does not say how many
// targets there are, it is one more than the highest index that was read.
func Load(e *command.Env, path string, in StreamFlags) (s Loaded, err error) {
	all := held{most: in.most}
	s.StreamDocument, err = read(e, path, in, &all)
	s.Indices, s.Bins = all.done(), all.bins
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
	return s, in.Fits(s.Bins)
}

// Sorted is the stream sorted by targets, nil where it cannot be, is already, or has more than MostSorted.
func (s Loaded) Sorted() *Sorted {
	if s.Indices == nil || !s.sortable() || s.Padded {
		return s.sorted
	}
	kept := sortable{on: true}
	kept.add(s.Indices)
	return kept.sort(s.Taken)
}
