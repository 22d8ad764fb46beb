package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"

	"github.com/atomtune/atomtune/internal/strictjson"
	"github.com/atomtune/atomtune/internal/wholefile"
)

// parts keeps the finished parts of a command in a journal beside its output. Without an output they
// are kept nowhere.
type parts[T any] struct {
	Done []T // what the journal held
	path string
	file *wholefile.File
}

// openParts opens the journal of an output that this program makes of something, and refuses one of
// something else, or of another program.
func openParts[T any](e *env, output, of string) (p *parts[T], err error) {
	if output == "" {
		return &parts[T]{}, nil
	}
	program, err := binary()
	if err != nil {
		return nil, err
	}
	p = &parts[T]{path: output + ".journal"}
	file, data, err := wholefile.Journal(p.path)
	if err != nil {
		return nil, err
	}
	p.file = file
	if err := p.begin(data, of+", by program "+program); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	e.Keeps("%s keeps what is finished, the same command goes on with it", p.path)
	return p, nil
}

func (p *parts[T]) begin(data []byte, of string) error {
	lines, _ := strictjson.Whole(data)
	number := 0
	for line := range bytes.Lines(lines) {
		number++
		var head string
		var part T
		into := any(&part)
		if number == 1 {
			into = &head
		}
		switch err := strictjson.Decode(line, into); {
		case err != nil:
			return fmt.Errorf("%s:%d: %w", p.path, number, err)
		case number > 1:
			p.Done = append(p.Done, part)
		case head != of:
			return fmt.Errorf("%s:1: it is of %s, not of %s: remove it to begin anew", p.path, head, of)
		}
	}
	err := p.file.Truncate(int64(len(lines)))
	if err == nil && number == 0 {
		err = strictjson.Append(p.file, of)
	}
	return err
}

// add keeps a part.
func (p *parts[T]) add(part T) error {
	if p.file == nil {
		return nil
	}
	return strictjson.Append(p.file, part)
}

// close ends the journal, and removes it once the output is written.
func (p *parts[T]) close(written bool) error {
	if p.file == nil {
		return nil
	}
	err := p.file.Close()
	if written {
		err = errors.Join(err, os.Remove(p.path))
	}
	return err
}
