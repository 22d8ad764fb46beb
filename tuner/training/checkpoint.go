package training

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/internal/checkpoint"
	"github.com/atomtune/atomtune/internal/wholefile"
	"github.com/atomtune/atomtune/tuner/model"
)

const (
	journalFormat     = "atomtune-journal"
	checkpointVersion = 3
)

// A Row holds the statistics of one point's stream and the simulated time of each
// implementation that was not screened out, to seven significant digits.
type Row struct {
	Point int                `json:"point"`
	At    float64            `json:"at"` // place of the point on its line, 0 to 1
	Stats collision.Stats    `json:"stats"`
	US    map[string]float64 `json:"us"` // by name of the implementation
}

// Header is the first line of a checkpoint. Rows follow in the order in which they were
// finished.
type Header struct {
	Format      string      `json:"format"`
	Version     int         `json:"version"`
	Device      string      `json:"device"`
	ProfileHash string      `json:"profile_hash"`
	Sweep       model.Sweep `json:"sweep"`
	Shard       Shard       `json:"shard"`
	// ClosedForms identifies the closed forms by which the sweep screens, if it does.
	ClosedForms string `json:"closed_forms,omitempty"`
	// Simulator identifies the simulator of a checkpoint that is not finished; empty where it is not known.
	Simulator string `json:"simulator,omitempty"`
}

// differs names the first parameter in which two checkpoints' sweeps differ.
func (h Header) differs(o Header) string {
	o.Shard = h.Shard
	if h.Simulator == "" || o.Simulator == "" {
		h.Simulator, o.Simulator = "", ""
	}
	return checkpoint.Difference(h, o)
}

var checkpoints = checkpoint.Kind[Header, Row]{
	Err: ErrCheckpoint, Most: mostRowBytes, Head: Header.check, Part: Header.has, Refuse: Header.refuse,
}

// ReadCheckpoint reads a checkpoint file as DecodeCheckpoint does.
func ReadCheckpoint(path string) (Header, []Row, error) {
	data, err := wholefile.Read(path, wholefile.Most)
	if err != nil {
		return Header{}, nil, fmt.Errorf("%w: %w", ErrCheckpoint, err)
	}
	return DecodeCheckpoint(path, data)
}

// DecodeCheckpoint reads a checkpoint, compressed by gzip or not. A last line without its end is
// passed over; any other fault is an error that wraps ErrCheckpoint and gives name and line.
// Data without a whole line gives an empty Header.
func DecodeCheckpoint(path string, data []byte) (Header, []Row, error) {
	return checkpoints.Decode(path, data)
}

func (h Header) check() error {
	if err := checkpoint.Named(h.Format, h.Version, journalFormat, checkpointVersion); err != nil {
		return err
	}
	if h.Shard == (Shard{}) {
		return errors.New("it names no shard")
	}
	return h.Sweep.Validate()
}

// mostRowBytes bounds the line of a row, and so its times.
const mostRowBytes = 1 << 20

// has returns an error for what is not a row of such a checkpoint, or what no simulated point has.
func (h Header) has(r *Row) error {
	s := h.Sweep
	if r.Point < 0 || r.Point >= s.Points || !h.Shard.Has(s.LineOf(r.Point)) {
		return fmt.Errorf("point %d is not in shard %s of %d points", r.Point, h.Shard, s.Points)
	}
	err := model.CheckStats(&r.Stats, r.Stats.WarpSize)
	switch {
	case !(r.At >= 0 && r.At <= 1):
		err = fmt.Errorf("at %v, want 0 to 1", r.At)
	case r.Stats.WarpSize < 1:
		err = fmt.Errorf("warps of %d: %w", r.Stats.WarpSize, model.ErrStats)
	case len(r.US) == 0:
		err = errors.New("no implementation has a time")
	}
	for _, name := range slices.Sorted(maps.Keys(r.US)) {
		if us := r.US[name]; err == nil && !(us > 0) { // JSON has no infinite numbers
			err = fmt.Errorf("%s takes %v us, want more than 0", name, us)
		}
	}
	if err != nil {
		return fmt.Errorf("point %d: %w", r.Point, err)
	}
	return nil
}

// refuse returns an error where the rows are not of what is asked for.
func (h Header) refuse(asked Header) error {
	if d := h.differs(asked); d != "" {
		return fmt.Errorf("it belongs to another sweep: %s: remove it to start over", d)
	}
	if h.Shard != asked.Shard {
		return fmt.Errorf("it belongs to shard %s, not %s: remove it to start over", h.Shard, asked.Shard)
	}
	return nil
}

// Merge reads the checkpoints of all shards of a sweep and returns its header and rows by
// point. The error wraps ErrCheckpoint for different sweeps or numbers of shards, and
// model.ErrRows, naming the points that appear twice or not at all.
func Merge(paths ...string) (head Header, rows []Row, err error) {
	if len(paths) == 0 {
		return head, nil, fmt.Errorf("%w: no checkpoint given", ErrCheckpoint)
	}
	for i, path := range paths {
		h, more, err := ReadCheckpoint(path)
		if err != nil {
			return head, nil, err
		}
		if i == 0 {
			head = h
		}
		switch d, a, b := h.differs(head), h.Shard, head.Shard; {
		case h == Header{}:
			return head, nil, fmt.Errorf("%s: %w: it is empty, or its first line has no end", path, ErrCheckpoint)
		case d != "":
			return head, nil, fmt.Errorf("%s:1: %w: it belongs to another sweep than %s: %s", path,
				ErrCheckpoint, paths[0], d)
		case a.Of != b.Of:
			return head, nil, fmt.Errorf("%s:1: %w: it is part %s and %s part %s: the sweep was cut "+
				"into %d parts and into %d", path, ErrCheckpoint, a, paths[0], b, a.Of, b.Of)
		}
		rows = append(rows, more...)
	}
	head.Shard = Shard{Of: 1}
	rows, err = complete(rows, head.Sweep.Points)
	return head, rows, err
}

// complete returns the rows sorted by point, or an error that wraps model.ErrRows
// unless each of the points stands there once.
func complete(rows []Row, points int) ([]Row, error) {
	sorted, there := make([]Row, points), make([]bool, points)
	for _, r := range rows {
		if r.Point < 0 || r.Point >= points || there[r.Point] {
			return nil, fmt.Errorf("%w: point %d is repeated or beyond the %d points", model.ErrRows,
				r.Point, points)
		}
		sorted[r.Point], there[r.Point] = r, true
	}
	const shown = 10
	missing, text := 0, ""
	for point, ok := range there {
		if ok {
			continue
		}
		if missing++; missing <= shown {
			text += fmt.Sprintf("%d, ", point)
		}
	}
	if missing > 0 {
		return nil, fmt.Errorf("%w: %d of %d points are missing: %s", model.ErrRows, missing, points, strings.TrimSuffix(text, ", "))
	}
	return sorted, nil
}

// EncodeCheckpoint writes the rows of a whole sweep, sorted by point. The error wraps
// model.ErrRows unless each point stands there once.
func EncodeCheckpoint(h Header, rows []Row) ([]byte, error) {
	h.Shard, h.Simulator = Shard{}, ""
	sorted, err := complete(rows, h.Sweep.Points)
	if err != nil {
		return nil, err
	}
	return checkpoints.Encode(h, sorted)
}
