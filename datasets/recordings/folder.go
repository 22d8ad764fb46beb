package recordings

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"

	"github.com/atomtune/atomtune/internal/wholefile"
)

// The files of a run's folder.
const (
	ReadingsFile         = "readings.csv"
	ScratchpadFile       = "scratchpad.csv"
	ScratchpadSpreadFile = "scratchpad_spread.csv"
	CallsFile            = "calls.csv.gz"
	StreamsFile          = "streams.jsonl.gz"
	IndexFile            = "index.json"
)

// ReadFolder reads the files of a run. A file that is not there is passed over,
// but one of them is; ScratchpadFile may have .gz behind its name. Errors wrap
// ErrRecording or are of the file system.
func ReadFolder(folder string) (Run, error) {
	r := Run{Name: folder}
	f := folderReader{folder: folder, run: &r}
	if path, data := f.read(ReadingsFile); data != nil {
		f.take(path, func() (p Provenance, err error) {
			p, r.Readings,
				err = DecodeReadings(path, data)
			return
		})
	}
	if path, data := f.read(CallsFile); data != nil {
		f.take(path, func() (p Provenance, err error) {
			p, r.Calls,
				err = DecodeCalls(path, data)
			return
		})
	}
	path, data := f.read(ScratchpadFile)
	if data == nil {
		path, data = f.read(ScratchpadFile + ".gz")
	}
	if data != nil {
		spreadPath, spread := f.read(ScratchpadSpreadFile)
		f.take(path, func() (p Provenance, err error) {
			p, r.Scratchpad, err = DecodeScratchpad(path, data, spreadPath, spread)
			return
		})
	}
	if path, data := f.read(StreamsFile); data != nil && f.err == nil {
		r.Streams, f.err = DecodeStreams(path, data)
	}
	if f.err == nil && f.from == "" {
		f.err = fmt.Errorf("%w: %s holds none of %s, %s, %s", ErrRecording, folder, ReadingsFile,
			ScratchpadFile, CallsFile)
	}
	return r, f.err
}

// folderReader keeps the first error.
type folderReader struct {
	folder string
	run    *Run
	from   string // the file from which the provenance is
	err    error
}

func (f *folderReader) read(name string) (path string, data []byte) {
	path = filepath.Join(f.folder, name)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return path, nil
	}
	if err != nil && f.err == nil {
		f.err = err
	}
	if data == nil {
		data = []byte{}
	}
	return path, data
}

// take decodes a file; the files of a folder have one provenance.
func (f *folderReader) take(path string, decode func() (Provenance, error)) {
	if f.err != nil {
		return
	}
	p, err := decode()
	switch {
	case err != nil:
		f.err = err
	case f.from == "":
		f.from, f.run.Provenance = path, p
	case !reflect.DeepEqual(p, f.run.Provenance):
		f.err = fmt.Errorf("%w: %s is from another run than %s", ErrRecording, path, f.from)
	}
}

// runFiles are the files that WriteFolder writes.
var runFiles = []string{ReadingsFile, ScratchpadFile, ScratchpadSpreadFile, CallsFile, StreamsFile}

// ClearFolder removes the files of an earlier run.
func ClearFolder(folder string) error {
	for _, name := range runFiles {
		if err := os.Remove(filepath.Join(folder, name)); err != nil &&
			!errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// WriteFolder writes a run's files, each whole: the readings, the patterns with
// their spread, the calls and the streams, as far as the run has them. It returns
// the names of those that it has written. Errors wrap ErrRecording or are of the
// file system.
func WriteFolder(folder string, r Run) (files []string, err error) {
	w := folderWriter{folder: folder}
	if len(r.Readings) > 0 {
		w.write(ReadingsFile, func() ([]byte, error) {
			return EncodeReadings(r.Provenance,
				r.Readings)
		})
	}
	if r.Scratchpad != nil {
		cycles, spread, err := EncodeScratchpad(r.Provenance, r.Scratchpad)
		w.write(ScratchpadFile, func() ([]byte, error) { return cycles, err })
		w.write(ScratchpadSpreadFile, func() ([]byte, error) { return spread, err })
	}
	if len(r.Calls) > 0 {
		w.write(CallsFile, func() ([]byte, error) {
			return packed(EncodeCalls(r.Provenance,
				r.Calls))
		})
	}
	if len(r.Streams) > 0 {
		w.write(StreamsFile, func() ([]byte, error) { return packed(EncodeStreams(r.Streams)) })
	}
	return w.files, w.err
}

func packed(data []byte, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	return Compress(data)
}

// folderWriter keeps the first error.
type folderWriter struct {
	folder string
	files  []string
	err    error
}

func (w *folderWriter) write(name string, encode func() ([]byte, error)) {
	if w.err != nil {
		return
	}
	data, err := encode()
	if err == nil {
		err = wholefile.Write(filepath.Join(w.folder, name), data)
	}
	if w.err = err; err == nil {
		w.files = append(w.files, name)
	}
}
