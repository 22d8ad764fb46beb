// Package input opens the index streams that commands read, and measures them; it
// holds the flags that say how.
package input

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/atomtune/atomtune/datasets"
	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/internal/command"
	"github.com/atomtune/atomtune/internal/gzipped"
)

// DefaultStream is what choose reads where no FILE is given: the luminance
// histogram of a picture of a million pixels.
const DefaultStream = "synth:image:n=1048576,k=256,seed=1,scale=16,noise=0.1"

// synthPrefix marks the name of a stream that is made and not read.
const synthPrefix = "synth:"

// source is an index stream that is read in chunks, as datasets.Reader says.
type source interface {
	Next(buf []uint32) (int, error)
	Name() string
	Format() string
	Bins() uint64
	BytesRead() int64
	Size() (bytes int64, known bool)
	Close() error
}

// Open opens the file, standard input for "-", or makes the synthetic stream.
func Open(path string, in datasets.Options) (source, error) {
	spec, ok := strings.CutPrefix(path, synthPrefix)
	if !ok {
		return datasets.Open(path, in)
	}
	return openSynthetic(spec, in)
}

// synthetic is a stream that is made at its first use.
type synthetic struct {
	spec    synth.Spec
	bins    uint64
	indices []uint32 // nil until it is made
	next    int
}

func openSynthetic(text string, in datasets.Options) (source, error) {
	spec, err := synth.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s%s: %w", synthPrefix, text, err)
	}
	s := &synthetic{spec: spec, bins: uint64(spec.K)}
	switch {
	case in.Format != "" && in.Format != datasets.FormatAuto, in.Axis == datasets.AxisCol, in.Column != "", in.Keys:
		return nil, fmt.Errorf("%s: %w: format, axis, column and keys apply to files", s.Name(), datasets.ErrOptions)
	case in.Bins > 0 && in.Bins < s.bins:
		return nil, fmt.Errorf("%s: %w: %d bins are fewer than its k", s.Name(), datasets.ErrOptions, in.Bins)
	}
	s.bins = max(s.bins, in.Bins)
	return s, nil
}

func (s *synthetic) Next(buf []uint32) (int, error) {
	if s.indices == nil {
		var err error
		if s.indices, err = synth.Generate(s.spec); err != nil {
			return 0, fmt.Errorf("%s: %w", s.Name(), err)
		}
	}
	n := copy(buf, s.indices[s.next:])
	if n == 0 {
		return 0, io.EOF
	}
	s.next += n
	return n, nil
}

func (s *synthetic) Name() string        { return synthPrefix + s.spec.String() }
func (s *synthetic) Format() string      { return "synth" }
func (s *synthetic) Bins() uint64        { return s.bins }
func (s *synthetic) BytesRead() int64    { return 4 * int64(s.next) }
func (s *synthetic) Size() (int64, bool) { return 4 * int64(s.spec.N), true }
func (s *synthetic) Close() error        { return nil }

// content is an open text file or standard input, decompressed.
type content struct {
	Name   string // stands in errors
	text   io.Reader
	zipped bool
	file   *os.File // nil for standard input
	broken error    // the first error of reading
}

// OpenContent opens the file, or standard input for "-". What begins as gzip
// does is decompressed.
func OpenContent(e *command.Env, path string) (*content, error) {
	c := &content{Name: path}
	raw := e.Stdin
	if path == "-" {
		c.Name = "stdin"
	} else {
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		c.file, raw = f, f
	}
	if err := c.decompress(raw); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

func (c *content) decompress(raw io.Reader) error {
	buffered := bufio.NewReader(raw)
	head, err := buffered.Peek(2)
	if err != nil && err != io.EOF {
		return c.fault(err)
	}
	c.text = buffered
	if !gzipped.Is(head) {
		if strings.HasSuffix(strings.ToLower(c.Name), ".gz") {
			return fmt.Errorf("%s: is named .gz, but is no gzip file", c.Name)
		}
		return nil
	}
	c.zipped = true
	if c.text, err = gzip.NewReader(buffered); err != nil {
		return c.fault(err)
	}
	return nil
}

// Read implements io.Reader.
func (c *content) Read(p []byte) (int, error) {
	n, err := c.text.Read(p)
	if err != nil && err != io.EOF && c.broken == nil {
		c.broken = c.fault(err)
	}
	return n, err
}

func (c *content) fault(err error) error {
	if c.zipped {
		return fmt.Errorf("%s: broken gzip: %w", c.Name, err)
	}
	return fmt.Errorf("%s: reading: %w", c.Name, err)
}

// Check returns the error of a parser, or the error of reading behind it.
func (c *content) Check(err error) error {
	if c.broken != nil {
		return c.broken
	}
	return err
}

// Close closes the file.
func (c *content) Close() error {
	if c.file == nil {
		return nil
	}
	return c.file.Close()
}
