// Package strictjson reads JSON and refuses what it does not know, and writes journals.
package strictjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
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
