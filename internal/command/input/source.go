// Package input opens the index streams that commands read; it holds the flags that say how.
//
// A command that reads has a limit that its help states. A file that is held as a whole is read by
// wholefile.Read with a constant that the usage of its flag names through AtMost, or by WholeFiles,
// whose flag is --max-bytes. A stream that is held comes from Load, which takes --max-bytes and
// --max-updates; others are read in chunks. What may take more than 1 GB for a file of 64 MB warns
// first, by Much.
package input

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/datasets"
	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/datasets/tensor"
	"github.com/atomtune/atomtune/internal/command"
	"github.com/atomtune/atomtune/internal/command/report"
	"github.com/atomtune/atomtune/internal/wholefile"
	"github.com/atomtune/atomtune/tuner"
)

// DefaultStream is what choose reads by default: the histogram of a picture of 2^20 pixels.
const DefaultStream = "synth:image:n=1048576,k=256,seed=1,scale=16,noise=0.1"

// SynthPrefix marks the name of a stream that is made and not read.
const SynthPrefix = "synth:"

// chunkUpdates is how many updates of a stream in memory are shown at a time.
const chunkUpdates = 1 << 20

// Source is an index stream: of a file, of standard input, or one that is made.
type Source struct {
	tuner.Origin
	Indices []uint32 // of a stream in memory; nil of others
	Ignored uint64   // positions of a stream in memory without an update
	// Guessed: neither the input nor an option says the number of targets, which is the highest index + 1.
	Guessed bool
	env     *command.Env
	flags   StreamFlags
	file    *datasets.Reader // nil of a stream that is made
	bins    uint64
	size    int64 // bytes, 0 where it is not known
	start   time.Time
	begun   bool // to be read in order
	next    int  // update of a stream that is made
	cut     bool // --max-updates left some out
	watch   expansion
	most    uint64 // bytes that its updates may take in memory
	much    uint64 // bytes of counts from which a warning is given
	counted uint64 // bytes of counts so far
	said    []string
}

// Open opens the file, standard input for "-", or makes the synthetic stream.
func Open(e *command.Env, path string, flags StreamFlags) (*Source, error) {
	s := &Source{env: e, flags: flags, start: e.Now(), much: muchCounted, most: flags.most.limit()}
	s.File, s.Width = path, flags.Width
	if path == "-" {
		s.File = "stdin"
	}
	text, made := strings.CutPrefix(path, SynthPrefix)
	if made {
		return s, s.Named(s.make(text))
	}
	s.watch = expansion{warn: s.warn, note: func(gap int64) {
		e.Note("%s: %s are read since the last update", s.File, report.UnitsBytes(gap))
	}}
	in := flags.Options
	in.MaxHeldBytes, in.MaxGapBytes, in.Watch = s.most, flags.gap.limit(), s.watch.watch
	if flags.given != nil && flags.given() { // else what datasets allows
		in.MaxCopiedBytes = s.most
	}
	f, err := datasets.Open(path, in)
	if err != nil {
		return nil, large(err)
	}
	s.File, s.Format, s.bins, s.size, s.file, s.watch.read = f.Name(), f.Format(), f.Bins(), f.Size(), f, f.BytesRead
	s.Taken = tuner.Taken{TargetsFrom: f.Targets(), Order: f.Order(), Mirrored: f.Mirrored(),
		Index: flags.indexOf(f.Element())}
	s.Guessed = s.bins == 0 && !in.Keys
	return s, nil
}

// make makes a synthetic stream.
func (s *Source) make(text string) error {
	spec, err := synth.Parse(text)
	if err != nil {
		return err
	}
	in := s.flags.Options
	s.File, s.Format, s.Index = SynthPrefix+spec.String(), "synth", s.flags.indexOf(tensor.Uint32)
	s.bins = max(uint64(spec.K), in.Bins)
	switch {
	case in.Format != "" && in.Format != datasets.FormatAuto, in.Axis != "",
		in.Column != "", in.Row != "", in.Array != "", in.Keys, in.Ignore != "", in.Quantize > 0, in.Channel != "",
		in.Batch, in.CSR, in.Order != "" && in.Order != datasets.OrderFile:
		return fmt.Errorf("%w: format, axis, column, row, array, keys, order, ignore, quantize, channel, batch and csr "+
			"apply to files", datasets.ErrOptions)
	case in.Bins > 0 && in.Bins < uint64(spec.K):
		return fmt.Errorf("%w: %d bins are fewer than its k", datasets.ErrOptions, in.Bins)
	case 4*uint64(spec.N) > s.most:
		return large(s.full())
	}
	Much(s.env, 8*float64(spec.N), "", "%s: making its updates", s.File)
	s.Indices, err = synth.Generate(spec)
	if most := in.MaxUpdates; most > 0 && most < uint64(len(s.Indices)) {
		s.Indices, s.cut = s.Indices[:most], true
	}
	s.size = 4 * int64(len(s.Indices))
	return err
}

// Named puts the name of the input before an error, unless that begins with it.
func (s *Source) Named(err error) error {
	if err == nil {
		return nil
	}
	if own, ok := errors.AsType[*datasets.InputError](err); ok && strings.HasPrefix(err.Error(), own.Error()) {
		return err
	}
	return fmt.Errorf("%s: %w", s.File, ofRows(err))
}

func (s *Source) warn(format string, args ...any) {
	s.said = append(s.said, s.File+": "+fmt.Sprintf(format, args...))
	s.env.Warn(s.said[len(s.said)-1])
}

// Bins is the number of targets, 0 where it is not known.
func (s *Source) Bins() uint64 { return s.bins }

// Groups is the order in which equal targets would stand together, "" where there is none.
func (s *Source) Groups() string {
	if s.file == nil {
		return ""
	}
	return s.file.Groups()
}

// Random returns the updates at any place, nil where they can be read in order alone.
func (s *Source) Random() collision.Stream {
	if s.Indices == nil {
		return s.file.Random()
	}
	return collision.Indices(s.Indices)
}

// UpdateBytes is how many bytes of the input an update takes that can be read at any place.
func (s *Source) UpdateBytes() uint64 {
	if of, ok := s.Random().(*datasets.Random); ok {
		return uint64(of.Bytes())
	}
	return 4
}

// Chunks gives all updates in order, under a progress bar. Rows, which are held to be measured, are an error where
// they take too much memory.
func (s *Source) Chunks() iter.Seq2[[]uint32, error] {
	return func(yield func([]uint32, error) bool) {
		progress, added := report.NewBar(s.env, "reading "+s.File, s.size, report.UnitsBytes), 0
		defer progress.Stop()
		s.begun = true
		chunks := s.inMemory
		if s.Indices == nil {
			chunks = s.file.Chunks()
		}
		for chunk, err := range chunks {
			if added += len(chunk); err == nil && s.Width > 0 && 4*uint64(added) > s.most {
				err = s.full()
			}
			if err == nil && s.Indices == nil {
				s.watch.add(len(chunk))
			}
			if !yield(chunk, large(err)) || err != nil {
				return
			}
			progress.Set(s.bytesRead())
		}
		if s.Width > 0 && s.counted > 0 {
			s.warnOfRows(uint64(added))
		}
	}
}

func (s *Source) inMemory(yield func([]uint32, error) bool) {
	s.next = 0
	for part := range slices.Chunk(s.Indices, chunkUpdates) {
		if s.next += len(part); !yield(part, nil) {
			return
		}
	}
}

func (s *Source) bytesRead() int64 {
	if s.file != nil {
		return s.file.BytesRead()
	}
	return 4 * int64(s.next)
}

// Counted warns once of counts that take much memory.
func (s *Source) Counted(bytes uint64) {
	if s.counted = bytes; bytes > s.much {
		s.much = ^uint64(0)
		s.env.Warn(fmt.Sprintf("%s: counting its targets takes %s of memory so far, and up to 4 bytes for each; "+
			"--sample needs little", s.File, report.Bytes(float64(bytes))))
	}
}

// MostHeld is how many bytes the indices of a stream take at most that is held in memory, unless
// --max-bytes says another number; so many may distinct keys take.
const MostHeld = 768 << 20

// copiedBytes is the length up to which indices of an unknown number are copied to more room. Then the
// rest of MostHeld is reserved at once, of which what is not written takes no memory; two copies would.
const copiedBytes = 16 << 20

func (s *Source) full() error {
	return fmt.Errorf("%w: it is held in memory, and its updates take more than %d bytes; --%s uses only the "+
		"first ones", wholefile.ErrLarge, s.flags.most, maxUpdates)
}

// Hold reads the stream into memory, as far as the flags allow. Where the input does not say how many
// targets there are, it is one more than the highest index that was read.
func (s *Source) Hold() error {
	if s.Indices == nil {
		all := []uint32{}
		if at := s.Random(); at != nil {
			if 4*uint64(at.Len()) > s.most {
				return large(s.full())
			}
			all = make([]uint32, 0, at.Len())
		}
		for chunk, err := range s.Chunks() {
			bytes := 4 * uint64(len(all)+len(chunk))
			switch reserve := min(s.most, MostHeld); {
			case err != nil:
				return err
			case bytes > s.most:
				return large(s.full())
			case bytes > copiedBytes && bytes <= reserve && 4*uint64(cap(all)) < reserve:
				all = append(make([]uint32, 0, reserve/4), all...)
			}
			all = append(all, chunk...)
		}
		if len(all) < cap(all)/4 {
			all = slices.Clone(all) // the garbage collector waits for less garbage
		}
		s.Indices = all
	}
	if s.flags.Options.Ignore != "" {
		for _, index := range s.Indices {
			if index == datasets.Inactive {
				s.Ignored++
			}
		}
	}
	if highest, ok := s.flags.Options.Highest(s.Indices); s.bins == 0 && ok {
		s.bins = uint64(highest) + 1
	}
	return nil
}

// describe says what there is to say of a stream that was read, and tells m where it comes from and how long that
// took. It refuses an --index that cannot name the targets.
func (s *Source) describe(m *tuner.Measured) error {
	m.Origin = &s.Origin
	bytes := float64(s.bytesRead())
	if f := s.file; f != nil {
		if n := f.Comments(); n > 0 && s.flags.Options.Keys {
			s.warn("skipped comments (lines with # or %% alone or before a blank): %d", n)
		}
		if width := f.Expanded(); width > 0 && s.Width == 0 {
			s.warn("each of the first rows of the array repeats one index %d times, as in an index expanded to "+
				"rows of values: if each index updates a row, use --column 0 --width %[1]d", width)
		}
		s.cut = s.cut || f.Cut()
	}
	if !s.begun { // a survey reads all
		bytes = float64(s.Random().Len()) * float64(s.UpdateBytes())
	}
	if s.cut {
		s.warn("only the first %d updates are taken", s.flags.Options.MaxUpdates)
	}
	if m.ElapsedS = s.env.Now().Sub(s.start).Seconds(); m.ElapsedS > 0 {
		m.BytesPerSecond = bytes / m.ElapsedS
	}
	return s.flags.fits(m.Bins)
}

// Measure is a chooser's measurement of the stream, with its origin and its time.
func (s *Source) Measure(c *tuner.Chooser) (*tuner.Measured, error) {
	m, err := c.Measure(s.env.Context(), s)
	if err == nil {
		err = s.describe(m)
	}
	return m, err
}

// Count counts all of the stream; each of see sees the chunks too.
func (s *Source) Count(opt collision.Options, see ...func([]uint32)) (*tuner.Measured, *collision.Accumulator, error) {
	opt.Bins = s.bins
	acc, err := tuner.Count(s.env.Context(), s, opt, see...)
	if err != nil {
		return nil, nil, err
	}
	stats, err := acc.Stats()
	if err != nil {
		return nil, nil, err
	}
	m := tuner.Given(&stats)
	return m, acc, s.describe(m)
}

// Close releases the file. Nothing but Indices and what is known of them is left.
func (s *Source) Close() error {
	if s.file == nil {
		return nil
	}
	return s.file.Close()
}

// Load reads a whole input into memory.
func Load(e *command.Env, path string, flags StreamFlags) (s *Source, err error) {
	if s, err = Open(e, path, flags); err != nil {
		return s, err
	}
	defer func() { err = errors.Join(s.Named(err), s.Close()) }()
	if err = s.Hold(); err == nil {
		err = s.describe(tuner.Given(&collision.Stats{Bins: s.bins}))
	}
	return s, err
}

// TargetsCounted says that nothing but the highest index says the number of targets, "" where that is not so.
func (s *Source) TargetsCounted(bins uint64) string {
	if !s.Guessed {
		return ""
	}
	return fmt.Sprintf("A has K = %s targets, the highest index + 1; --bins K if it has more", report.Count(bins))
}

// ErrIgnored reports a stream with positions without an update, where none can be.
var ErrIgnored = errors.New("positions without an update")

// Whole returns an error that wraps ErrIgnored where updates of a stream in memory are ignored.
func (s *Source) Whole(what string) error {
	if s.Ignored == 0 {
		return nil
	}
	return fmt.Errorf("%w: --ignore leaves out %d of %d, but %s; remove them from the file", ErrIgnored, s.Ignored,
		len(s.Indices), what)
}

// LoadWhole is Load of a stream that may ignore nothing, for what.
func LoadWhole(e *command.Env, path string, in StreamFlags, what string) (*Source, error) {
	s, err := Load(e, path, in)
	if err == nil {
		err = s.Named(s.Whole(what))
	}
	return s, err
}
