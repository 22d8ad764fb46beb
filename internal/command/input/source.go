// Package input opens the index streams that commands read, and measures them; it
// holds the flags that say how.
//
// A command that reads has a limit that its help states. A file that is held as a whole is read by
// wholefile.Read with a constant that the usage of its flag names through AtMost, or by WholeFiles,
// whose flag is --max-bytes. A stream that is held comes from Load, which takes --max-bytes and
// --max-updates; others are read in chunks. What may take more than 1 GB for a file of 64 MB warns
// first, by Much.
package input

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/datasets"
	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/internal/command"
)

// DefaultStream is what choose reads by default: the histogram of a picture of 2^20 pixels.
const DefaultStream = "synth:image:n=1048576,k=256,seed=1,scale=16,noise=0.1"

// SynthPrefix marks the name of a stream that is made and not read.
const SynthPrefix = "synth:"

// source is an index stream that is read in chunks, as datasets.Reader says.
type source interface {
	Each(each func(indices []uint32) error) error
	Name() string
	Format() string
	Bins() uint64
	BytesRead() int64
	Size() int64 // bytes, 0 where it is not known
	Cut() bool   // --max-updates left some out
	Close() error
	taken() Taken
	anywhere() *Anywhere // nil where updates can be read in order alone
}

// file is a stream that is read.
type file struct{ *datasets.Reader }

// chunkUpdates is how many updates of a synthetic stream are measured at a time.
const chunkUpdates = 1 << 20

// synthetic is a stream that was made.
type synthetic struct {
	name    string
	bins    uint64
	indices []uint32
	next    int
	cut     bool
}

// open opens the file, standard input for "-", or makes the synthetic stream.
func open(e *command.Env, path string, flags StreamFlags) (source, error) {
	in := flags.Options
	text, ok := strings.CutPrefix(path, SynthPrefix)
	if !ok {
		in.MaxHeldBytes, in.MaxCopiedBytes, in.MaxGapBytes = flags.most.limit(), flags.copied(), flags.gap.limit()
		r, err := datasets.Open(path, in)
		return file{r}, large(err)
	}
	spec, err := synth.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	s := &synthetic{name: SynthPrefix + spec.String(), bins: max(uint64(spec.K), in.Bins)}
	switch {
	case in.Format != "" && in.Format != datasets.FormatAuto, in.Axis != "",
		in.Column != "", in.Row != "", in.Array != "", in.Keys, in.Ignore != "",
		in.Order != "" && in.Order != datasets.OrderFile:
		err = fmt.Errorf("%w: format, axis, column, row, array, keys, order and ignore apply to files",
			datasets.ErrOptions)
	case in.Bins > 0 && in.Bins < s.bins:
		err = fmt.Errorf("%w: %d bins are fewer than its k", datasets.ErrOptions, in.Bins)
	case 4*uint64(spec.N) > flags.most.limit():
		err = large((&held{most: flags.most}).full())
	default:
		Much(e, 8*float64(spec.N), "", "%s: making its updates", s.name)
		s.indices, err = synth.Generate(spec)
	}
	if most := in.MaxUpdates; most > 0 && most < uint64(len(s.indices)) {
		s.indices, s.cut = s.indices[:most], true
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.name, err)
	}
	return s, nil
}

func (f file) anywhere() *Anywhere {
	if r := f.Random(); r != nil {
		return &Anywhere{r, f.Bins(), uint64(r.Bytes())}
	}
	return nil
}

func (s *synthetic) anywhere() *Anywhere { return &Anywhere{collision.Indices(s.indices), s.bins, 4} }

func (s *synthetic) Each(each func([]uint32) error) error {
	for part := range slices.Chunk(s.indices, chunkUpdates) {
		s.next += len(part)
		if err := each(part); err != nil && err != io.EOF {
			return err
		} else if err != nil {
			return nil
		}
	}
	return nil
}

func (s *synthetic) Name() string     { return s.name }
func (s *synthetic) Format() string   { return "synth" }
func (s *synthetic) Bins() uint64     { return s.bins }
func (s *synthetic) BytesRead() int64 { return 4 * int64(s.next) }
func (s *synthetic) Size() int64      { return 4 * int64(len(s.indices)) }
func (s *synthetic) Cut() bool        { return s.cut }
func (s *synthetic) Close() error     { return nil }
