package grow

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/atomtune/atomtune/internal/gzipped"
	"github.com/atomtune/atomtune/internal/strictjson"
	"github.com/atomtune/atomtune/internal/wholefile"
	"github.com/atomtune/atomtune/tuner/model"
	"github.com/atomtune/atomtune/tuner/training"
)

const (
	journalFormat  = "atomtune-dispatch-streams"
	journalVersion = 1
)

// header is the first line of a journal. Streams follow in the order in which they were finished.
type header struct {
	Format  string      `json:"format"`
	Version int         `json:"version"`
	Sweep   model.Sweep `json:"sweep"`
}

// DecodeStreams reads a journal, compressed by gzip or not, and its sweep. It passes over a last
// line without its end. Errors wrap ErrStreams and give name and line.
func DecodeStreams(path string, data []byte) (sweep model.Sweep, list []Stream, err error) {
	data, _, err = gzipped.Unpack(data, wholefile.Most)
	if err != nil {
		return sweep, nil, fmt.Errorf("%s: %w: %w", path, ErrStreams, err)
	}
	lines, _ := strictjson.Whole(data)
	number := 0
	for line := range bytes.Lines(lines) {
		if number++; number == 1 {
			sweep, err = readHeader(line)
		} else {
			var s Stream
			if s, err = readStream(line, sweep); err == nil {
				list = append(list, s)
			}
		}
		if err != nil {
			return sweep, nil, fmt.Errorf("%s:%d: %w: %w", path, number, ErrStreams, err)
		}
	}
	return sweep, list, nil
}

func readHeader(line []byte) (model.Sweep, error) {
	var h header
	if err := strictjson.Decode(line, &h); err != nil {
		return h.Sweep, err
	}
	if h.Format != journalFormat || h.Version != journalVersion {
		return h.Sweep, fmt.Errorf("format %q version %d, want %q version %d", h.Format, h.Version,
			journalFormat, journalVersion)
	}
	return h.Sweep, h.Sweep.Validate()
}

func readStream(line []byte, sweep model.Sweep) (s Stream, err error) {
	if err = strictjson.Decode(line, &s); err != nil {
		return s, err
	}
	if s.Point < 0 || s.Point >= sweep.Points {
		return s, fmt.Errorf("point %d of %d", s.Point, sweep.Points)
	}
	if err = model.CheckStats(&s.Stats, s.Stats.WarpSize); err != nil {
		return s, err
	}
	return s, s.complete(sweep)
}

// EncodeStreams writes a journal, packed by gzip, the same bytes each time.
func EncodeStreams(sweep model.Sweep, list []Stream) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out) // a line each
	err := enc.Encode(header{journalFormat, journalVersion, sweep.Normal()})
	for _, s := range list {
		if err == nil {
			err = enc.Encode(s)
		}
	}
	if err != nil {
		return nil, err
	}
	return gzipped.Pack(out.Bytes())
}

// openJournal opens or makes the journal at path for appending and returns its streams. It cuts
// off a last line without its end, and refuses another sweep.
func openJournal(path string, sweep model.Sweep) (_ *wholefile.File, _ []Stream, err error) {
	file, data, err := wholefile.Journal(path)
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", ErrStreams, err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, file.Close())
		}
	}()
	if gzipped.Is(data) {
		return nil, nil, fmt.Errorf("%s: %w: it is compressed: unpack it to go on with it", path,
			ErrStreams)
	}
	found, list, err := DecodeStreams(path, data)
	if err != nil {
		return nil, nil, err
	}
	whole, tail := strictjson.Whole(data)
	if len(list) == 0 && len(whole) > 0 {
		whole, tail = nil, nil // it holds nothing, of whatever sweep it is
	}
	head := header{journalFormat, journalVersion, sweep.Normal()}
	line, err := json.Marshal(head)
	switch {
	case err != nil:
		return nil, nil, err
	case len(whole) == 0 && !bytes.HasPrefix(line, tail):
		return nil, nil, fmt.Errorf("%s:1: %w: it is no journal", path, ErrStreams)
	case len(whole) > 0 && found != head.Sweep:
		return nil, nil, fmt.Errorf("%s:1: %w: it belongs to another sweep: %s: remove it to begin anew", path,
			ErrStreams, training.Difference(found, head.Sweep))
	}
	if err = file.Truncate(int64(len(whole))); err == nil && len(whole) == 0 {
		err = strictjson.Append(file, head)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w: %w", path, ErrStreams, err)
	}
	return file, list, nil
}
