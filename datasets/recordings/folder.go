package recordings

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"

	"github.com/atomtune/atomtune/internal/gzipped"
	"github.com/atomtune/atomtune/internal/wholefile"
)

// The files of a run's folder.
const (
	ReadingsFile         = "readings.csv"
	ScratchpadFile       = "scratchpad.csv"
	ScratchpadSpreadFile = "scratchpad_spread.csv"
	CallsFile            = "calls.csv.gz"
	StreamsFile          = "streams.jsonl.gz"
)

// Kind is what a file holds, as a text names it.
type Kind string

// The kinds.
const (
	Other        Kind = "something else" // none of the others, such as measured patterns
	Readings     Kind = "readings"
	Calls        Kind = "calls"
	Streams      Kind = "streams"
	RowScatters  Kind = "row scatters"           // that bindings/cuda/bench/rows.py timed
	Spread       Kind = "the spread of patterns" // the second file of EncodeScratchpad
	Instructions Kind = "machine instructions"   // which are in which kernel
	IndexKind    Kind = "an index"               // of a folder
	Counters     Kind = "hardware counters"      // readings of the hardware's counters alone
)

// kinds are the kinds by the first line that is not a comment.
var kinds = map[string]Kind{
	strings.Join(columns[Reading](), ","):    Readings,
	strings.Join(columns[Call](), ","):       Calls,
	strings.Join(columnsOf[Call](true), ","): Calls,
	strings.Join(columns[spread](), ","):     Spread,
	strings.Join(columns[RowScatter](), ","): RowScatters,
	"module,kernel,instruction,count":        Instructions,
	"{":                                      IndexKind,
}

// KindOf says what a file holds, which is not compressed.
func KindOf(data []byte) Kind {
	for bytes.HasPrefix(data, []byte("#")) {
		_, data, _ = bytes.Cut(data, []byte("\n"))
	}
	line, rest, _ := strings.Cut(string(data), "\n")
	kind, known := kinds[strings.TrimSuffix(line, "\r")]
	switch {
	case strings.HasPrefix(line, `{"label":`):
		return Streams
	case !known:
		return Other
	case kind == Readings && strings.HasPrefix(rest, "counters,"):
		return Counters
	}
	return kind
}

// ReadFolder reads the files of a run. A file that is not there is passed over, but one of them is;
// ScratchpadFile may have .gz behind its name. Errors wrap ErrRecording or are of the file system.
func ReadFolder(folder string) (Run, error) {
	f := folderReader{run: Run{Name: folder}}
	take(&f, DecodeReadings, &f.run.Readings, ReadingsFile)
	take(&f, DecodeCalls, &f.run.Calls, CallsFile)
	take(&f, func(path string, data []byte) (Provenance, *Scratchpad, error) {
		spreadPath, spread := f.read(ScratchpadSpreadFile)
		return DecodeScratchpad(path, data, spreadPath, spread)
	}, &f.run.Scratchpad, ScratchpadFile, ScratchpadFile+".gz")
	if path, data := f.read(StreamsFile); data != nil && f.err == nil {
		f.run.Streams, f.err = DecodeStreams(path, data)
	}
	if f.err == nil && f.from == "" {
		f.err = fmt.Errorf("%w: %s holds none of %s, %s, %s", ErrRecording, folder, ReadingsFile,
			ScratchpadFile, CallsFile)
	}
	return f.run, f.err
}

type folderReader struct {
	run  Run
	from string // the file from which the provenance is
	err  error
}

// read reads the first of the files that exists; nil if none does.
func (f *folderReader) read(files ...string) (path string, data []byte) {
	for _, name := range files {
		path = filepath.Join(f.run.Name, name)
		data, err := wholefile.Read(path, wholefile.Most)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if f.err == nil {
			f.err = err
		}
		return path, data
	}
	return path, nil
}

// take decodes a file; the files of a folder have one provenance.
func take[T any](
	f *folderReader, decode func(string, []byte) (Provenance, T, error), to *T, files ...string,
) {
	path, data := f.read(files...)
	if data == nil || f.err != nil {
		return
	}
	var p Provenance
	p, *to, f.err = decode(path, data)
	switch {
	case f.err != nil:
	case f.from == "":
		f.from, f.run.Provenance = path, p
	case !reflect.DeepEqual(p, f.run.Provenance):
		f.err = fmt.Errorf("%w: %s is from another run than %s", ErrRecording, path, f.from)
	}
}

var runFiles = []string{ReadingsFile, ScratchpadFile, ScratchpadSpreadFile, CallsFile, StreamsFile}

// ClearFolder removes the files of an earlier run.
func ClearFolder(folder string) error {
	for _, name := range runFiles {
		err := os.Remove(filepath.Join(folder, name))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// WriteFolder writes a run's files, each whole: the readings, the patterns with their spread, the
// calls and the streams, as far as the run has them. It returns the names of those that it has
// written. Errors wrap ErrRecording or are of the file system.
func WriteFolder(folder string, r Run) (files []string, err error) {
	write := func(name string, data []byte, encoding error) {
		if err == nil {
			err = encoding
		}
		if err == nil && strings.HasSuffix(name, ".gz") {
			data, err = gzipped.Pack(data)
		}
		if err == nil {
			err = wholefile.Write(filepath.Join(folder, name), data)
		}
		if err == nil {
			files = append(files, name)
		}
	}
	if len(r.Readings) > 0 {
		data, err := EncodeReadings(r.Provenance, r.Readings)
		write(ReadingsFile, data, err)
	}
	if r.Scratchpad != nil {
		cycles, spread, err := EncodeScratchpad(r.Provenance, r.Scratchpad)
		write(ScratchpadFile, cycles, err)
		write(ScratchpadSpreadFile, spread, err)
	}
	if len(r.Calls) > 0 {
		data, err := EncodeCalls(r.Provenance, r.Calls)
		write(CallsFile, data, err)
	}
	if len(r.Streams) > 0 {
		data, err := EncodeStreams(r.Streams)
		write(StreamsFile, data, err)
	}
	return files, err
}
