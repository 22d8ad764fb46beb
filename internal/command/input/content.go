package input

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/atomtune/atomtune/internal/command"
	"github.com/atomtune/atomtune/internal/gzipped"
)

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
