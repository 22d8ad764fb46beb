package online

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/internal/strictjson"
	"github.com/atomtune/atomtune/internal/wholefile"
)

const (
	stateFormat  = "atomtune-online"
	stateVersion = 1
	// mostCount readings of one implementation are more than any program makes.
	mostCount = 1 << 50
)

// savedState is the saved implementation of what an Online has learnt, without launches under way.
type savedState struct {
	Format  string `json:"format"`
	Version int    `json:"version"`
	Device  string `json:"device"`
	// Forecasts is a hash of the implementations and of what the model predicts:
	// readings are relative to it.
	Forecasts string                  `json:"forecasts"`
	Records   strictjson.List[learnt] `json:"records"` // in the order of their keys
}

// Save writes what was learnt to a file, the same bytes for the same knowledge.
func (o *Online) Save(path string) error {
	data, err := o.Encode()
	if err != nil {
		return err
	}
	return wholefile.Write(path, data)
}

// Encode returns what was learnt as one line of JSON.
func (o *Online) Encode() ([]byte, error) {
	state := savedState{Format: stateFormat, Version: stateVersion, Device: o.device,
		Forecasts: o.source, Records: []learnt{}}
	for _, key := range o.Keys() {
		o.mu.Lock()
		if k := o.records[key]; k != nil {
			state.Records = append(state.Records, k.saved(key, o.model.arms))
		}
		o.mu.Unlock()
	}
	return state.encode()
}

func (s *savedState) encode() ([]byte, error) {
	data, err := json.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("%w: %v", ErrState, err)
	}
	return append(data, '\n'), nil
}

// saved returns a copy of what was learnt under a key, with names.
func (l learnt) saved(key string, names []impl.Spec) learnt {
	l.Key, l.Steps, l.Arms = key, slices.Clone(l.Steps), slices.Clone(l.Arms)
	for i := range l.Arms {
		l.Arms[i].Name, l.Arms[i].Start = names[i], slices.Clone(l.Arms[i].Start)
	}
	return l
}

// Load reads a file that Save has written, in place of all that is known now.
// The error wraps ErrState and names the file.
func (o *Online) Load(path string) error {
	data, err := wholefile.Read(path, wholefile.Most)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrState, err)
	}
	if err := o.Decode(data); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// Decode reads what Encode returns, and nothing else, in place of all that is known. Unknown
// keys, data behind the end, impossible values and other predictions or implementations are
// errors that wrap ErrState, and change nothing.
func (o *Online) Decode(data []byte) error {
	var s savedState
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&s); err != nil {
		return fmt.Errorf("%w: byte %d: %w", ErrState, dec.InputOffset(), err)
	}
	again, err := s.encode()
	switch {
	case err != nil:
		return err
	case s.Format != stateFormat || s.Version != stateVersion:
		return fmt.Errorf("%w: format %q version %d, want %q version %d", ErrState, s.Format,
			s.Version, stateFormat, stateVersion)
	case !bytes.Equal(again, data):
		return fmt.Errorf("%w: keys are missing, repeated or out of order, or data stand behind byte %d",
			ErrState, dec.InputOffset())
	case s.Device != o.device:
		return fmt.Errorf("%w: it was learned on %s, not on %s", ErrState, s.Device, o.device)
	case s.Forecasts != o.source:
		return fmt.Errorf("%w: it was learned with other predictions", ErrState)
	case len(s.Records) > o.options.Keys:
		return fmt.Errorf("%w: %d keys, at most %d", ErrState, len(s.Records), o.options.Keys)
	}
	records := make(map[string]*record, len(s.Records))
	for _, r := range s.Records {
		if records[r.Key] != nil {
			return fmt.Errorf("%w: key %q is given twice", ErrState, r.Key)
		}
		if err := r.validate(o.model.arms); err != nil {
			return fmt.Errorf("%w: key %q: %w", ErrState, r.Key, err)
		}
		records[r.Key] = newRecord(len(r.Arms), r.Sigma)
		records[r.Key].learnt = r
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.records = records
	return nil
}

func (l *learnt) validate(names []impl.Spec) error {
	switch {
	case !(l.Sigma > 0 && l.Sigma <= mostNoise):
		return fmt.Errorf("noise %v", l.Sigma)
	case !(l.TotalUS >= 0 && l.LostUS >= 0):
		return fmt.Errorf("total_us %v, lost_us %v", l.TotalUS, l.LostUS)
	case l.noise.Count < 0 || len(l.Steps) != min(l.noise.Count, mostSteps):
		return fmt.Errorf("%d steps of step_count %d", len(l.Steps), l.noise.Count)
	case len(l.Arms) != len(names):
		return fmt.Errorf("%d implementations, want %d", len(l.Arms), len(names))
	}
	for _, step := range l.Steps {
		if !(step >= 0 && step <= 2*mostLn) {
			return fmt.Errorf("step %v", step)
		}
	}
	for i := range l.Arms {
		if l.Arms[i].Name != names[i] {
			return fmt.Errorf("%s in the place of %s", l.Arms[i].Name, names[i])
		}
		if err := l.Arms[i].validate(); err != nil {
			return fmt.Errorf("%s: %w", names[i], err)
		}
	}
	return nil
}

func (a *arm) validate() error {
	if a.Count < 0 || a.Count > mostCount || a.Count > 0 && !a.Warmed ||
		len(a.Start) != min(a.Count, starting) || !slices.IsSorted(a.Start) {
		return fmt.Errorf("count %d, warmed %t, start %v", a.Count, a.Warmed, a.Start)
	}
	for _, ln := range slices.Concat([]float64{a.Warm, a.Mean, a.Center}, a.Recent[:], a.Start) {
		if math.Abs(ln) > mostLn {
			return fmt.Errorf("reading %v", ln)
		}
	}
	if a.Half > 10*mostLn || a.Half == 0 && a.Warmed {
		return fmt.Errorf("half %v", a.Half)
	}
	for _, v := range []float64{a.Half, a.CreditUS, a.SavedUS, a.Up, a.Down} {
		if v < 0 {
			return fmt.Errorf("negative value %v", v)
		}
	}
	return nil
}
