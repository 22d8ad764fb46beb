// Package strictjson reads JSON and refuses what it does not know, and writes checkpoints.
package strictjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"unsafe"
)

// Decode decodes the one value that data holds. An unknown key is an error, and so is what
// follows the value.
func Decode(data []byte, into any) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		return err
	}
	if _, err := dec.Token(); err != io.EOF {
		return errors.New("data after the end of the value")
	}
	return nil
}

// DecodeFile is Decode of a file that says its format and version, which have to be those.
func DecodeFile(data []byte, format string, version int, into any) error {
	var head struct {
		Format  string `json:"format"`
		Version int    `json:"version"`
	}
	var syntax *json.SyntaxError
	switch err := json.Unmarshal(data, &head); {
	case errors.As(err, &syntax):
		return fmt.Errorf("byte %d: %w", syntax.Offset, err)
	case err != nil:
		return err
	case head.Format != format || head.Version != version:
		return fmt.Errorf("format %q version %d, want %q version %d", head.Format, head.Version, format, version)
	}
	return Decode(data, into)
}

// Canonical compares data with the encoding of what was read from it. A key that is missing, repeated, null
// or in the wrong case shows there.
func Canonical(data, want []byte) error {
	if bytes.Equal(data, want) {
		return nil
	}
	at := 0
	for at < min(len(data), len(want)) && data[at] == want[at] {
		at++
	}
	return fmt.Errorf("byte %d: a key is missing, repeated, null, misspelt or out of order, "+
		"or a number is written differently", at)
}

// Embedded decodes a file of the program once, when it is asked for first: what is wrong there is wrong in
// every run, and a panic.
func Embedded[T any](name string, text *[]byte) func() T {
	return sync.OnceValue(func() (value T) {
		if err := Decode(*text, &value); err != nil {
			panic(name + ": " + err.Error())
		}
		return value
	})
}

// Whole parts data behind its last line end. An interruption may have left the tail.
func Whole(data []byte) (lines, tail []byte) {
	at := bytes.LastIndexByte(data, '\n') + 1
	return data[:at], data[at:]
}

// Append writes a value as one line by one call, so that an interruption leaves at most one
// line without its end.
func Append(to io.Writer, value any) error {
	line, err := json.Marshal(value)
	if err == nil {
		_, err = to.Write(append(line, '\n'))
	}
	return err
}

// List is a list whose elements have as much text as they need: an element whose text is shorter
// than a quarter of the memory that it takes lacks keys, so that few bytes get no large list.
type List[T any] []T

// UnmarshalJSON reads an array element by element, and ends at the first that is too short or has an
// unknown key.
func (l *List[T]) UnmarshalJSON(data []byte) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	if open, err := dec.Token(); err != nil || open == nil {
		return err // null is an empty list
	} else if open != json.Delim('[') {
		return fmt.Errorf("%v where an array should be", open)
	}
	*l = List[T]{}
	for dec.More() {
		begin := dec.InputOffset()
		var text json.RawMessage
		if err := dec.Decode(&text); err != nil {
			return err
		}
		var element T
		if uintptr(4*len(text)) < unsafe.Sizeof(element) {
			return fmt.Errorf("byte %d of an array: an element without all of its keys", begin)
		}
		if err := Decode(text, &element); err != nil {
			return err
		}
		*l = append(*l, element)
	}
	return nil
}
