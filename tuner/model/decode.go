package model

import (
	"encoding/json"
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
	m := New()
	if err := strictjson.DecodeFile(data, modelFormat, Version, m); err != nil {
		return nil, invalid("%w", err)
	}
	if err := m.Validate(); err != nil {
		return nil, err
	}
	want, err := m.Encode()
	if err != nil {
		return nil, err
	}
	if err := strictjson.Canonical(data, want); err != nil {
		return nil, invalid("%w", err)
	}
	return m, nil
}
