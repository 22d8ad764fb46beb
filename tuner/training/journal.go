package training

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/gzipped"
	"github.com/atomtune/atomtune/internal/strictjson"
	"github.com/atomtune/atomtune/internal/wholefile"
	"github.com/atomtune/atomtune/tuner/model"
	"github.com/atomtune/atomtune/variant"
)

const (
	journalFormat  = "atomtune-journal"
	journalVersion = 2
)

// A Row holds the statistics of one point's stream and the simulated time of each
// implementation that was not screened out, to seven significant digits.
type Row struct {
	Point int                `json:"point"`
	At    float64            `json:"at"` // place of the point on its line, 0 to 1
	Stats collision.Stats    `json:"stats"`
	US    map[string]float64 `json:"us"` // by name of the implementation
}

// Header is the first line of a journal. Rows follow in the order in which they were
// finished.
type Header struct {
	Format      string      `json:"format"`
	Version     int         `json:"version"`
	Device      string      `json:"device"`
	ProfileHash string      `json:"profile_hash"`
	Sweep       model.Sweep `json:"sweep"`
	Shard       Shard       `json:"shard"`
	// ClosedForms tells the closed forms by which the sweep screens, if it does.
	ClosedForms string `json:"closed_forms,omitempty"`
	// Simulator tells the simulator of a journal that is not finished; empty where it is not known.
	Simulator string `json:"simulator,omitempty"`
}

func newHeader(d *device.Profile, s model.Sweep, part Shard) Header {
	return Header{
		Format: journalFormat, Version: journalVersion,
		Device: d.Name, ProfileHash: model.ProfileHash(d), Sweep: s.Normal(),
		Shard: Shard{part.Index, part.parts()}, ClosedForms: closedFormsHash(s, d),
	}
}

// closedFormsHash is a hash of the closed forms' times of reference streams.
func closedFormsHash(s model.Sweep, d *device.Profile) string {
	if s.Screen == 0 {
		return ""
	}
	bare, sum := model.WithoutHost(d), sha256.New()
	for _, v := range variant.Candidates() {
		if mean, err := model.ClosedFormCheck(v, bare); err == nil {
			fmt.Fprintf(sum, "%s %.9g\n", v, mean)
		}
	}
	return hex.EncodeToString(sum.Sum(nil)[:8])
}

// differs names the first parameter in which two journals' sweeps differ.
func (h Header) differs(o Header) string {
	o.Shard = h.Shard
	if h.Simulator == "" || o.Simulator == "" {
		h.Simulator, o.Simulator = "", ""
	}
	return Difference(h, o)
}

// Difference names the first field in which two structures differ as JSON names it, "" for none.
func Difference[T any](a, b T) string { return difference(reflect.ValueOf(a), reflect.ValueOf(b)) }

func difference(a, b reflect.Value) string {
	for i := range a.NumField() {
		switch x, y := a.Field(i), b.Field(i); {
		case x.Equal(y):
		case x.Kind() == reflect.Struct:
			return difference(x, y)
		default:
			name, _, _ := strings.Cut(a.Type().Field(i).Tag.Get("json"), ",")
			return fmt.Sprintf("%s %v, want %v", name, x, y)
		}
	}
	return ""
}

// A Journal is what a journal file holds.
type Journal struct {
	Header Header
	Rows   []Row
	// whole is the length up to the end of the last whole line, in bytes, and tail the rest.
	whole int64
	tail  []byte
	// compressed journals are read, not continued.
	compressed bool
}

// ReadJournal reads a journal file as DecodeJournal does.
func ReadJournal(path string) (Journal, error) {
	data, err := wholefile.Read(path, wholefile.Most)
	if err != nil {
		return Journal{}, fmt.Errorf("%w: %w", ErrJournal, err)
	}
	return DecodeJournal(path, data)
}

// DecodeJournal reads a journal, compressed by gzip or not. A last line without its end is
// passed over; any other fault is an error that wraps ErrJournal and gives name and line.
// Data without a whole line gives an empty Header.
func DecodeJournal(path string, data []byte) (j Journal, err error) {
	if data, j.compressed, err = gzipped.Unpack(data, wholefile.Most); err != nil {
		return Journal{}, fmt.Errorf("%s: %w: %w", path, ErrJournal, err)
	}
	lines, tail := strictjson.Whole(data)
	j.whole, j.tail = int64(len(lines)), tail
	read, number := j.readHeader, 0
	for line := range bytes.Lines(lines) {
		number++
		if err := read(line); err != nil {
			return Journal{}, fmt.Errorf("%s:%d: %w: %w", path, number, ErrJournal, err)
		}
		read = j.readRow
	}
	return j, nil
}

func (j *Journal) readHeader(line []byte) error {
	h := &j.Header
	if err := strictjson.Decode(line, h); err != nil {
		return err
	}
	switch {
	case h.Format != journalFormat || h.Version != journalVersion:
		return fmt.Errorf("format %q version %d, want %q version %d", h.Format, h.Version,
			journalFormat, journalVersion)
	case h.Shard == Shard{}:
		return errors.New("it names no shard")
	}
	return h.Sweep.Validate()
}

// mostRowBytes bounds the line of a row, and so its times.
const mostRowBytes = 1 << 20

func (j *Journal) readRow(line []byte) error {
	if len(line) > mostRowBytes {
		return fmt.Errorf("a row of more than %d bytes", mostRowBytes)
	}
	var r Row
	if err := strictjson.Decode(line, &r); err != nil {
		return err
	}
	s, part := j.Header.Sweep, j.Header.Shard
	if r.Point < 0 || r.Point >= s.Points || !part.Has(s.LineOf(r.Point)) {
		return fmt.Errorf("point %d is none of shard %s of %d points", r.Point, part, s.Points)
	}
	if err := r.check(); err != nil {
		return fmt.Errorf("point %d: %w", r.Point, err)
	}
	j.Rows = append(j.Rows, r)
	return nil
}

// check returns an error for what no simulated point has.
func (r Row) check() error {
	switch {
	case !(r.At >= 0 && r.At <= 1):
		return fmt.Errorf("at %v, want 0 to 1", r.At)
	case r.Stats.WarpSize < 1:
		return fmt.Errorf("warps of %d: %w", r.Stats.WarpSize, model.ErrStats)
	case len(r.US) == 0:
		return errors.New("no implementation has a time")
	}
	for _, name := range slices.Sorted(maps.Keys(r.US)) {
		if us := r.US[name]; !(us > 0) { // JSON has no infinite numbers
			return fmt.Errorf("%s takes %v us, want more than 0", name, us)
		}
	}
	return model.CheckStats(&r.Stats, r.Stats.WarpSize)
}

// openJournal opens or makes the journal at path for appending and returns its rows. It cuts
// off a last line without its end, and refuses another sweep, shard or simulator.
func openJournal(path string, h Header) (_ *wholefile.File, _ []Row, err error) {
	file, data, err := wholefile.Journal(path)
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", ErrJournal, err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, file.Close())
		}
	}()
	j, err := DecodeJournal(path, data)
	if err == nil && len(j.Rows) == 0 && j.Header != (Header{}) && !j.compressed {
		j = Journal{} // it holds nothing, of whatever sweep it is
	}
	if err == nil {
		err = j.refuse(path, h)
	}
	if err != nil {
		return nil, nil, err
	}
	if err = file.Truncate(j.whole); err == nil && j.Header == (Header{}) {
		err = strictjson.Append(file, h)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", ErrJournal, err)
	}
	return file, j.Rows, nil
}

// refuse returns an error where the journal is not of what is asked for.
func (j *Journal) refuse(path string, asked Header) error {
	fresh := j.Header == Header{}
	line, _ := json.Marshal(asked)
	switch d := j.Header.differs(asked); {
	case j.compressed:
		return fmt.Errorf("%s: %w: it is compressed: unpack it to go on with it", path, ErrJournal)
	case fresh && !bytes.HasPrefix(line, j.tail):
		return fmt.Errorf("%s:1: %w: it is no journal", path, ErrJournal)
	case !fresh && d != "":
		return fmt.Errorf("%s:1: %w: it belongs to another sweep: %s: remove it to begin anew", path, ErrJournal, d)
	case !fresh && j.Header.Shard != asked.Shard:
		return fmt.Errorf("%s:1: %w: it belongs to shard %s, not %s", path, ErrJournal, j.Header.Shard, asked.Shard)
	}
	return nil
}
