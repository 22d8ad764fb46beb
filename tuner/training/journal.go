package training

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/gzipped"
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
	Shard       string      `json:"shard"`
	// ClosedForms tells the closed forms by which the sweep screens, if it does.
	ClosedForms string `json:"closed_forms,omitempty"`
}

func newHeader(d *device.Profile, s model.Sweep, part Shard) Header {
	return Header{
		Format: journalFormat, Version: journalVersion,
		Device: d.Name, ProfileHash: model.ProfileHash(d), Sweep: s.Normal(), Shard: part.String(),
		ClosedForms: closedFormsHash(s, d),
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
	for _, c := range []struct {
		name string
		a, b any
	}{
		{"device", h.Device, o.Device},
		{"profile_hash", h.ProfileHash, o.ProfileHash},
		{"points", h.Sweep.Points, o.Sweep.Points},
		{"seed", h.Sweep.Seed, o.Sweep.Seed},
		{"min_updates", h.Sweep.MinUpdates, o.Sweep.MinUpdates},
		{"max_updates", h.Sweep.MaxUpdates, o.Sweep.MaxUpdates},
		{"max_bins", h.Sweep.MaxBins, o.Sweep.MaxBins},
		{"short_updates", h.Sweep.ShortUpdates, o.Sweep.ShortUpdates},
		{"line", h.Sweep.Line, o.Sweep.Line},
		{"screen", h.Sweep.Screen, o.Sweep.Screen},
		{"closed_forms", h.ClosedForms, o.ClosedForms},
	} {
		if c.a != c.b {
			return fmt.Sprintf("%s %v, want %v", c.name, c.a, c.b)
		}
	}
	return ""
}

// A Journal is what a journal file holds.
type Journal struct {
	Header Header
	Rows   []Row
	// whole is the length up to the end of the last whole line, in bytes.
	whole int64
	tail  []byte // the rest
	// compressed journals are read, not continued.
	compressed bool
}

// maxJournalBytes bounds what a compressed journal may unpack to.
const maxJournalBytes = 256 << 20

// ReadJournal reads a journal file, compressed by gzip or not. A last line without its end
// is passed over; any other fault is an error that wraps ErrJournal and names file and line.
// A file without a whole line gives an empty Header.
func ReadJournal(path string) (Journal, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return Journal{}, fmt.Errorf("%w: %w", ErrJournal, err)
	}
	var j Journal
	if data, j.compressed, err = gzipped.Unpack(data, maxJournalBytes); err != nil {
		return Journal{}, fmt.Errorf("%s: %w: %w", path, ErrJournal, err)
	}
	for number := 1; ; number++ {
		end := bytes.IndexByte(data[j.whole:], '\n')
		if end < 0 {
			j.tail = data[j.whole:]
			return j, nil
		}
		read := j.readRow
		if number == 1 {
			read = j.readHeader
		}
		if err := read(data[j.whole : j.whole+int64(end)]); err != nil {
			return Journal{}, fmt.Errorf("%s:%d: %w: %w", path, number, ErrJournal, err)
		}
		j.whole += int64(end) + 1
	}
}

func (j *Journal) readHeader(line []byte) error {
	if err := decodeLine(line, &j.Header); err != nil {
		return err
	}
	if j.Header.Format != journalFormat || j.Header.Version != journalVersion {
		return fmt.Errorf("format %q version %d, want %q version %d", j.Header.Format,
			j.Header.Version, journalFormat, journalVersion)
	}
	_, err := ParseShard(j.Header.Shard)
	return cmp.Or(j.Header.Sweep.Validate(), err)
}

func (j *Journal) readRow(line []byte) error {
	var r Row
	if err := decodeLine(line, &r); err != nil {
		return err
	}
	part, err := ParseShard(j.Header.Shard)
	if err != nil {
		return err
	}
	if r.Point < 0 || r.Point >= j.Header.Sweep.Points || !part.Has(j.Header.Sweep.LineOf(r.Point)) {
		return fmt.Errorf("point %d is none of shard %s of %d points", r.Point, part,
			j.Header.Sweep.Points)
	}
	if err := r.check(); err != nil {
		return fmt.Errorf("point %d: %w", r.Point, err)
	}
	j.Rows = append(j.Rows, r)
	return nil
}

// check returns an error for what no simulated point has.
func (r Row) check() error {
	if !(r.At >= 0 && r.At <= 1) {
		return fmt.Errorf("at %v, want 0 to 1", r.At)
	}
	if r.Stats.WarpSize < 1 {
		return fmt.Errorf("warps of %d: %w", r.Stats.WarpSize, model.ErrStats)
	}
	if err := model.CheckStats(&r.Stats, r.Stats.WarpSize); err != nil {
		return err
	}
	if len(r.US) == 0 {
		return errors.New("no implementation has a time")
	}
	for _, name := range slices.Sorted(maps.Keys(r.US)) {
		if us := r.US[name]; !(us > 0) { // JSON has no infinite numbers
			return fmt.Errorf("%s takes %v us, want more than 0", name, us)
		}
	}
	return nil
}

func decodeLine(line []byte, into any) error {
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		return err
	}
	if _, err := dec.Token(); err != io.EOF {
		return errors.New("data after the end of the line's object")
	}
	return nil
}

// openJournal opens or makes the journal at path for appending and returns its rows. It cuts
// off a last line without its end, and refuses another sweep or shard.
func openJournal(path string, h Header) (*os.File, []Row, error) {
	j, err := ReadJournal(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, err
	}
	fresh := j.Header == Header{}
	line, _ := json.Marshal(h)
	refuse := func(format string, args ...any) error {
		return fmt.Errorf("%s:1: %w: %s", path, ErrJournal, fmt.Sprintf(format, args...))
	}
	switch d := j.Header.differs(h); {
	case j.compressed:
		return nil, nil, fmt.Errorf("%s: %w: it is compressed: unpack it to go on with it", path,
			ErrJournal)
	case fresh && !bytes.HasPrefix(line, j.tail):
		return nil, nil, refuse("it is no journal")
	case !fresh && d != "":
		return nil, nil, refuse("it belongs to another sweep: %s", d)
	case !fresh && j.Header.Shard != h.Shard:
		return nil, nil, refuse("it belongs to shard %s, not %s", j.Header.Shard, h.Shard)
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o666)
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %v", ErrJournal, err)
	}
	err = file.Truncate(j.whole)
	if err == nil && fresh {
		err = appendLine(file, h)
	}
	if err != nil {
		file.Close()
		return nil, nil, fmt.Errorf("%w: %v", ErrJournal, err)
	}
	return file, j.Rows, nil
}

// appendLine writes one line by one call, so that an interruption leaves at most
// one line without its end.
func appendLine(file *os.File, v any) error {
	line, err := json.Marshal(v)
	if err == nil {
		_, err = file.Write(append(line, '\n'))
	}
	if err != nil {
		return fmt.Errorf("%w: %v", ErrJournal, err)
	}
	return nil
}

// EncodeJournal writes the rows of a whole sweep, sorted by point. The error wraps
// model.ErrRows unless each point stands there once.
func EncodeJournal(h Header, rows []Row) ([]byte, error) {
	h.Shard = Shard{}.String()
	sorted, err := complete(rows, h.Sweep.Points)
	if err != nil {
		return nil, fmt.Errorf("encode journal: %w", err)
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out) // a line each
	if err := enc.Encode(h); err != nil {
		return nil, fmt.Errorf("encode journal: %w: %w", ErrJournal, err)
	}
	for _, r := range sorted {
		if err := enc.Encode(r); err != nil {
			return nil, fmt.Errorf("encode journal: %w: point %d: %w", ErrJournal, r.Point, err)
		}
	}
	return out.Bytes(), nil
}
