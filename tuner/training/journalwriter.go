package training

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// journalWriter appends rows to a journal file.
type journalWriter struct{ file *os.File }

// openJournal opens the journal at path for appending and returns the rows
// that it holds. It makes the file where there is none, cuts off a last line
// without its end, and refuses a journal of another sweep or shard.
func openJournal(path string, h Header) (*journalWriter, []Row, error) {
	j, err := ReadJournal(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, err
	}
	if j.compressed {
		return nil, nil, fmt.Errorf("%s: %w: it is compressed: unpack it to go on with it", path, ErrJournal)
	}
	fresh := j.Header == Header{}
	if line, _ := json.Marshal(h); fresh && !bytes.HasPrefix(line, j.tail) {
		return nil, nil, fmt.Errorf("%s:1: %w: it is no journal", path, ErrJournal)
	}
	if !fresh {
		if d := j.Header.differs(h); d != "" {
			return nil, nil, fmt.Errorf("%s:1: %w: it belongs to another sweep: %s", path, ErrJournal, d)
		}
		if j.Header.Shard != h.Shard {
			return nil, nil, fmt.Errorf("%s:1: %w: it belongs to shard %s, not %s", path, ErrJournal, j.Header.Shard, h.Shard)
		}
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %v", ErrJournal, err)
	}
	w := &journalWriter{file: file}
	if err := w.start(j.whole, fresh, h); err != nil {
		file.Close()
		return nil, nil, err
	}
	return w, j.Rows, nil
}

func (w *journalWriter) start(whole int64, fresh bool, h Header) error {
	if err := w.file.Truncate(whole); err != nil {
		return fmt.Errorf("%w: %v", ErrJournal, err)
	}
	if _, err := w.file.Seek(whole, io.SeekStart); err != nil {
		return fmt.Errorf("%w: %v", ErrJournal, err)
	}
	if fresh {
		return w.append(h)
	}
	return nil
}

// append writes one line by one call, so that an interruption leaves at most
// one line without its end.
func (w *journalWriter) append(v any) error {
	line, err := json.Marshal(v)
	if err == nil {
		_, err = w.file.Write(append(line, '\n'))
	}
	if err != nil {
		return fmt.Errorf("%w: %v", ErrJournal, err)
	}
	return nil
}

func (w *journalWriter) close() error {
	if err := w.file.Close(); err != nil {
		return fmt.Errorf("%w: %v", ErrJournal, err)
	}
	return nil
}
