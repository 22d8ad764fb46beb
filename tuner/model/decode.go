package model

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/atomtune/atomtune/internal/gzipped"
	"github.com/atomtune/atomtune/internal/strictjson"
	"github.com/atomtune/atomtune/internal/wholefile"
)

// MostBytes is how large the file of a model may be, packed or not: ten times the embedded ones.
const MostBytes = 4 << 20

// Encode writes the model as one line of JSON, the same bytes each time.
func (m *Model) Encode() ([]byte, error) {
	data, err := json.Marshal(m)
	if err != nil {
		return nil, invalid("%v", err)
	}
	return append(data, '\n'), nil
}

// unread is an error of reading a file, which it names. It is an ErrModel too, without these words.
type unread struct{ error }

func (u unread) Unwrap() []error { return []error{u.error, ErrModel} }

// Load reads the model file at path, compressed or not. Errors wrap ErrModel and name the file.
func Load(path string) (*Model, error) {
	data, err := wholefile.Read(path, MostBytes)
	if err != nil {
		return nil, unread{err}
	}
	m, err := Decode(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return m, nil
}

// Decode reads what Encode or Compress writes, and nothing else: unknown, missing, repeated
// or misspelt keys and data after the end are errors that wrap ErrModel.
func Decode(data []byte) (*Model, error) {
	data, _, err := gzipped.Unpack(data, MostBytes)
	if err != nil {
		return nil, invalid("%w", err)
	}
	var head struct {
		Format  string `json:"format"`
		Version int    `json:"version"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return nil, invalid("%w", describe(err))
	}
	if head.Format != modelFormat || head.Version != Version {
		return nil, invalid("format %q version %d, want %q version %d", head.Format, head.Version,
			modelFormat, Version)
	}
	m := New()
	if err := strictjson.Decode(data, m); err != nil {
		return nil, invalid("%w", describe(err))
	}
	if err := m.Validate(); err != nil {
		return nil, err
	}
	if err := m.checkCanonical(data); err != nil {
		return nil, err
	}
	return m, nil
}

// checkCanonical compares data with the encoding of what was read from it. A
// key that is missing, repeated, null or in the wrong case shows there.
func (m *Model) checkCanonical(data []byte) error {
	want, err := m.Encode()
	if err != nil || bytes.Equal(data, want) {
		return err
	}
	at := 0
	for at < min(len(data), len(want)) && data[at] == want[at] {
		at++
	}
	return invalid("byte %d: a key is missing, repeated, null, misspelt or out of order, "+
		"or a number is written differently", at)
}

// describe adds the place to an error of encoding/json.
func describe(err error) error {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return fmt.Errorf("byte %d: %w", syntax.Offset, err)
	}
	return err
}
