package tuner

import (
	"cmp"
	"context"
	"iter"
	"slices"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
)

// A Source is a stream of indices to be measured: a datasets.Reader, or what At makes.
//
// Two further methods are optional: Groups() string returns the order, of the words of Taken.Order, in which
// equal targets of the stream would stand together, and Counted(bytes uint64) is told how much memory the counts of
// targets take so far.
type Source interface {
	Bins() uint64 // number of targets; 0 where the source does not say
	// Chunks gives all updates in order. A chunk is only lent; an error is the last that it gives.
	Chunks() iter.Seq2[[]uint32, error]
	Random() collision.Stream // the updates at any place; nil where they can be read in order alone
}

// At is a source of indices that lie below bins; 0 stands for the highest index + 1.
func At(stream collision.Stream, bins uint64) Source { return at{stream, bins} }

type at struct {
	collision.Stream
	bins uint64
}

func (s at) Bins() uint64             { return s.bins }
func (s at) Random() collision.Stream { return s.Stream }

func (s at) Chunks() iter.Seq2[[]uint32, error] {
	const seen, read = 1 << 23, 1 << 18 // updates at once, in memory and elsewhere
	return func(yield func([]uint32, error) bool) {
		if all, ok := s.Stream.(collision.Indices); ok {
			for part := range slices.Chunk(all, seen) {
				if !yield(part, nil) {
					return
				}
			}
			return
		}
		buf := make([]uint32, min(read, s.Len()))
		for from := 0; from < s.Len(); from += len(buf) {
			buf = buf[:min(len(buf), s.Len()-from)]
			if err := s.Read(buf, from); !yield(buf, err) || err != nil {
				return
			}
		}
	}
}

// Taken says which updates of an input are taken, and in which order.
type Taken struct {
	// TargetsFrom is what gives the targets where the input has several such things: "axis row".
	TargetsFrom string `json:"targets_from,omitempty"`
	// Order is "file", or "row" or "col" where lines are sorted; empty for a stream that is made.
	Order string `json:"order,omitempty"`
	// Mirrored: each entry of a symmetric matrix that is off the diagonal is two updates.
	Mirrored bool `json:"mirrored,omitempty"`
	// Index is the type of the indices that a kernel reads.
	Index device.Type `json:"index"`
}

// Of is the call with the indices of the stream. Those of rows have 4 bytes at least.
func (t Taken) Of(c device.Call) device.Call {
	if bytes := t.Index.Bytes(); bytes != 4 && (bytes == 8 || !c.Wide()) {
		c.IndexBytes = bytes
	}
	return c
}

// orders are the words of Taken.Order in a sentence.
var orders = map[string]string{"file": "in the order of the file", "row": "sorted by row", "col": "sorted by column"}

// Origin says where a stream comes from.
type Origin struct {
	File   string `json:"file"`
	Format string `json:"format"`
	Taken
	Width uint64 `json:"width,omitempty"` // of the rows that indices are
}

// Title names the stream, its format, and which updates are taken in which order.
func (o *Origin) Title() string { return o.File + " (" + o.Kind() + ")" }

// Kind is the format, and which updates are taken in which order.
func (o *Origin) Kind() string {
	text := orders[o.Order]
	switch {
	case o.Mirrored && o.Order == "file":
		text += ", mirrored entries after their own"
	case o.Mirrored:
		text += ", mirrored entries included"
	}
	switch {
	case o.TargetsFrom != "":
		return o.Format + ", targets from " + o.TargetsFrom + ", " + text
	case text != "":
		return o.Format + ", " + text
	}
	return o.Format
}

// Stream is the stream of a document: its statistics and where they come from.
type Stream struct {
	*Origin // nil where nobody says
	*collision.Stats
	// ElapsedS is the time of reading and measuring together, 0 where nobody says.
	ElapsedS float64 `json:"elapsed_s,omitzero"`
	// BytesPerSecond counts the bytes of the file, compressed if it is.
	BytesPerSecond float64 `json:"bytes_per_second,omitzero"`
}

// Measured is what Measure finds.
type Measured struct {
	Stream
	Settling *Settling // what was read until the choice was settled, nil where there was no need to
	Sampling *Sampling // the account of a budget, nil without one
	// grouped are the statistics in the order that puts equal targets together, nil where that is not known to be
	// another order.
	grouped *collision.Stats
	order   string // of grouped
}

// Given is what Choose takes where statistics come from elsewhere.
func Given(s *collision.Stats) *Measured { return &Measured{Stream: Stream{Stats: s}} }

// priced reports whether the statistics are known, and not just the size.
func (m *Measured) priced() bool { return m.Sampling == nil || m.Sampling.Sampled }

// SampledFrom is the number of updates from which a stream is sampled by default.
const SampledFrom = 1 << 26

// Reading says how much of a stream Measure reads. By its zero value that is everything, but of a stream of
// SampledFrom updates and more that can be read at any place random blocks until they settle the choice.
type Reading struct {
	Sample int    // random blocks to measure in place of that
	Seed   uint64 // selects the blocks
	From   uint64 // updates from which blocks are drawn until they settle the choice; 0 means SampledFrom
	// First is the number of blocks of the first sample, at least 4; 0 means 1024. Each further sample has
	// four times as many as the one before.
	First   int
	Part    int             // a sample holds at most one of so many blocks of the stream; 0 means 16
	Workers int             // goroutines, as in collision.Options
	Budget  *SamplingBudget // samples are measured only as far as they pay; nil: that does not matter
}

// Measure reads as much of a stream as Options.Reading says. Errors are those of the source, of the context
// and of collision.Analyze; of rows, of which a sample does not tell enough, everything is read.
func (c *Chooser) Measure(ctx context.Context, src Source) (*Measured, error) {
	r, random, wide := c.opts.Reading, src.Random(), c.opts.Call.Wide()
	opt := collision.Options{WarpSize: c.lanes(), Padded: c.opts.Padded, Bins: src.Bins(), Rows: wide,
		Sample: r.Sample, Seed: r.Seed, Workers: r.Workers}
	switch {
	case r.Budget != nil:
		return c.afford(random, opt.Bins, *r.Budget)
	case random != nil && r.Sample == 0 && !wide && uint64(random.Len()) >= cmp.Or(r.From, SampledFrom):
		return c.settle(ctx, src, random, opt)
	}
	kept := sortable{}
	if of, ok := src.(interface{ Groups() string }); ok && !opt.Padded {
		kept.order = of.Groups()
	}
	acc, err := Count(ctx, src, opt, kept.add)
	if err != nil {
		return nil, err
	}
	stats, err := acc.Stats()
	if err != nil {
		return nil, err
	}
	m := Given(&stats)
	if indices := kept.sorted(); indices != nil {
		grouped, err := collision.Analyze(indices, opt)
		m.grouped, m.order = &grouped, kept.order
		return m, err
	}
	return m, nil
}

// Count counts all of a stream; each of see sees the chunks too. Errors are those of Measure.
func Count(ctx context.Context, src Source, opt collision.Options, see ...func(chunk []uint32)) (*collision.Accumulator,
	error) {
	acc, err := collision.NewAccumulator(opt)
	if err != nil {
		return nil, err
	}
	watch, watched := src.(interface{ Counted(bytes uint64) })
	for chunk, err := range src.Chunks() {
		if err = cmp.Or(err, ctx.Err()); err == nil {
			err = acc.Add(chunk)
		}
		if err != nil {
			return nil, err
		}
		for _, look := range see {
			look(chunk)
		}
		if watched {
			watch.Counted(acc.Bytes())
		}
	}
	return acc, nil
}

// MostSorted is the most updates of a stream that is sorted to be compared: 64 MiB.
const MostSorted = 1 << 24

// sortable keeps the targets of a stream while there are no more than MostSorted.
type sortable struct {
	order   string // that puts equal targets together; "": nothing is kept
	indices []uint32
}

func (s *sortable) add(chunk []uint32) {
	if s.order != "" && len(s.indices)+len(chunk) <= MostSorted {
		s.indices = append(s.indices, chunk...)
	} else {
		*s = sortable{}
	}
}

// sorted returns the targets in order, nil where they were so or are not kept.
func (s *sortable) sorted() []uint32 {
	if slices.IsSorted(s.indices) {
		return nil
	}
	slices.Sort(s.indices)
	return s.indices
}
