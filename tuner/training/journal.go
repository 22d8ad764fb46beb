package training

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/journal"
	"github.com/atomtune/atomtune/internal/wholefile"
	"github.com/atomtune/atomtune/tuner/model"
)

const (
	journalFormat  = "atomtune-journal"
	journalVersion = 3
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
	h := Header{
		Format: journalFormat, Version: journalVersion,
		Device: d.Name, ProfileHash: model.ProfileHash(d), Sweep: s.Normal(),
		Shard: Shard{part.Index, part.parts()},
	}
	if s.Screen != 0 {
		h.ClosedForms = model.ClosedFormsHash(d)
	}
	return h
}

// differs names the first parameter in which two journals' sweeps differ.
func (h Header) differs(o Header) string {
	o.Shard = h.Shard
	if h.Simulator == "" || o.Simulator == "" {
		h.Simulator, o.Simulator = "", ""
	}
	return journal.Difference(h, o)
}

// A Journal is what a journal file holds.
type Journal struct {
	Header Header
	Rows   []Row
}

var journals = journal.Kind[Header, Row]{
	Err: ErrJournal, Most: mostRowBytes, Head: Header.check, Part: Header.has, Refuse: Header.refuse,
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
func DecodeJournal(path string, data []byte) (Journal, error) {
	h, rows, err := journals.Decode(path, data)
	return Journal{h, rows}, err
}

// check returns an error for what begins no journal.
func (h Header) check() error {
	if err := journal.Named(h.Format, h.Version, journalFormat, journalVersion); err != nil {
		return err
	}
	if h.Shard == (Shard{}) {
		return errors.New("it names no shard")
	}
	return h.Sweep.Validate()
}

// mostRowBytes bounds the line of a row, and so its times.
const mostRowBytes = 1 << 20

// has returns an error for what is no row of such a journal.
func (h Header) has(r *Row) error {
	if s := h.Sweep; r.Point < 0 || r.Point >= s.Points || !h.Shard.Has(s.LineOf(r.Point)) {
		return fmt.Errorf("point %d is none of shard %s of %d points", r.Point, h.Shard, s.Points)
	}
	if err := r.check(); err != nil {
		return fmt.Errorf("point %d: %w", r.Point, err)
	}
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

// refuse returns an error where the rows are not of what is asked for.
func (h Header) refuse(asked Header) error {
	if d := h.differs(asked); d != "" {
		return fmt.Errorf("it belongs to another sweep: %s: remove it to begin anew", d)
	}
	if h.Shard != asked.Shard {
		return fmt.Errorf("it belongs to shard %s, not %s: remove it to begin anew", h.Shard, asked.Shard)
	}
	return nil
}
