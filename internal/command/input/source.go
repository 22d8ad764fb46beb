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
	"github.com/atomtune/atomtune/datasets/tensor"
	"github.com/atomtune/atomtune/internal/command"
)

// DefaultStream is what choose reads by default: the histogram of a picture of 2^20 pixels.
const DefaultStream = "synth:image:n=1048576,k=256,seed=1,scale=16,noise=0.1"

// SynthPrefix marks the name of a stream that is made and not read.
const SynthPrefix = "synth:"

// source is an index stream that is read in chunks: that of a file, or one that was made.
type source struct {
	name, format string
	bins         uint64
	size         int64 // bytes, 0 where it is not known
	taken        Taken
	anywhere     *Anywhere // nil where updates can be read in order alone
	file         *datasets.Reader
	indices      []uint32
	next         int
	cut          bool // --max-updates left some out
}

// chunkUpdates is how many updates of a synthetic stream are measured at a time.
const chunkUpdates = 1 << 20

// open opens the file, standard input for "-", or makes the synthetic stream.
func open(e *command.Env, path string, flags StreamFlags) (*source, error) {
	in := flags.Options
	text, ok := strings.CutPrefix(path, SynthPrefix)
	if !ok {
		in.MaxHeldBytes, in.MaxCopiedBytes, in.MaxGapBytes = flags.most.limit(), flags.copied(), flags.gap.limit()
		f, err := datasets.Open(path, in)
		if err != nil {
			return nil, large(err)
		}
		s := &source{name: f.Name(), format: f.Format(), bins: f.Bins(), size: f.Size(), file: f,
			taken: Taken{f.Targets(), f.Order(), f.Mirrored(), flags.indexOf(f.Element()), f.Groups()}}
		if r := f.Random(); r != nil {
			s.anywhere, s.cut = &Anywhere{r, s.taken, s.bins, uint64(r.Bytes())}, f.Cut()
		}
		return s, nil
	}
	spec, err := synth.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	s := &source{name: SynthPrefix + spec.String(), format: "synth", bins: max(uint64(spec.K), in.Bins),
		taken: Taken{Index: flags.indexOf(tensor.Uint32)}}
	switch {
	case in.Format != "" && in.Format != datasets.FormatAuto, in.Axis != "",
		in.Column != "", in.Row != "", in.Array != "", in.Keys, in.Ignore != "", in.Quantize > 0, in.Channel != "", in.Batch, in.CSR,
		in.Order != "" && in.Order != datasets.OrderFile:
		err = fmt.Errorf("%w: format, axis, column, row, array, keys, order, ignore, quantize, channel, batch and csr apply to files",
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
	s.size, s.anywhere = 4*int64(len(s.indices)), &Anywhere{collision.Indices(s.indices), s.taken, s.bins, 4}
	return s, nil
}

func (s *source) each(each func([]uint32) error) error {
	if s.file != nil {
		err := s.file.Each(each)
		s.cut = s.file.Cut()
		return err
	}
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

func (s *source) bytesRead() int64 {
	if s.file != nil {
		return s.file.BytesRead()
	}
	return 4 * int64(s.next)
}

func (s *source) comments() uint64 {
	if s.file != nil {
		return s.file.Comments()
	}
	return 0
}

func (s *source) close() error {
	if s.file != nil {
		return s.file.Close()
	}
	return nil
}
