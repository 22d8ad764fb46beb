// Package strictjson reads JSON and refuses what it does not know, and writes journals.
package strictjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
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

// ErrBusy: another process writes the journal.
var ErrBusy = errors.New("another process writes it")

// OpenJournal opens a journal for appending, or makes it, and returns what it holds. Until it is closed
// no other process opens it: that wraps ErrBusy. Who goes on with it truncates it to its whole lines.
func OpenJournal(path string) (file *os.File, data []byte, err error) {
	if file, err = os.OpenFile(path, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o644); err != nil {
		return nil, nil, err
	}
	if err = lockFile(file); err != nil {
		err = fmt.Errorf("%s: %w (%w)", path, ErrBusy, err)
	} else {
		data, err = io.ReadAll(file)
	}
	if err != nil {
		return nil, nil, errors.Join(err, file.Close())
	}
	return file, data, nil
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
