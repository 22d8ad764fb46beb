package online

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"

	"github.com/atomtune/atomtune/internal/wholefile"
	"github.com/atomtune/atomtune/variant"
)

const (
	stateFormat  = "atomtune-online"
	stateVersion = 1
	// mostCount readings of one implementation are more than any program makes.
	mostCount = 1 << 50
)

// savedState is the saved form of what an Online has learnt, without launches under way.
type savedState struct {
	Format  string `json:"format"`
	Version int    `json:"version"`
	Device  string `json:"device"`
	// Forecasts is a hash of the implementations and of what the model predicts:
	// readings are relative to it.
	Forecasts string        `json:"forecasts"`
	Records   []recordState `json:"records"` // in the order of their keys
}

type recordState struct {
	Key       string     `json:"key"`
	Launches  uint64     `json:"launches"`
	Restarts  uint64     `json:"restarts"`
	TotalUS   float64    `json:"total_us"`
	LostUS    float64    `json:"lost_us"`
	Noise     float64    `json:"noise"`
	StepCount int        `json:"step_count"`
	Steps     []float64  `json:"steps"`
	Arms      []armState `json:"arms"`
}

type armState struct {
	Name      variant.Variant `json:"implementation"`
	Count     int             `json:"count"`
	Warmed    bool            `json:"warmed"`
	Warm      float64         `json:"warm"`
	Start     []float64       `json:"start"`
	Mean      float64         `json:"mean"`
	Center    float64         `json:"center"`
	Half      float64         `json:"half"`
	Recent    [3]float64      `json:"recent"`
	Contender bool            `json:"rival"`
	CreditUS  float64         `json:"credit_us"`
	SavedUS   float64         `json:"saved_us"`
	Up        float64         `json:"up"`
	Down      float64         `json:"down"`
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
		Forecasts: o.source, Records: []recordState{}}
	for _, key := range o.Keys() {
		o.mu.Lock()
		if k := o.records[key]; k != nil {
			state.Records = append(state.Records, k.state(key, o.model.arms))
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

func (k *record) state(key string, names []variant.Variant) recordState {
	s := recordState{
		Key: key, Launches: k.launches, Restarts: k.restarts, TotalUS: k.totalUS, LostUS: k.lostUS,
		Noise: k.noise.sigma, StepCount: k.noise.count,
		Steps: slices.Clone(k.noise.steps[:min(k.noise.count, len(k.noise.steps))]),
	}
	for i := range k.arms {
		a := &k.arms[i]
		s.Arms = append(s.Arms, armState{
			Name: names[i], Count: a.count, Warmed: a.warmed, Warm: a.warm,
			Start: slices.Clone(a.start[:min(a.count, starting)]),
			Mean:  a.mean, Center: a.center, Half: a.half, Recent: a.recent,
			Contender: a.contender, CreditUS: a.credit, SavedUS: a.saved,
			Up: a.up, Down: a.down,
		})
	}
	return s
}

// Load reads a file that Save has written, in place of all that is known now.
// The error wraps ErrState and names the file.
func (o *Online) Load(path string) error {
	data, err := os.ReadFile(path)
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
		return fmt.Errorf("%w: it was learnt on %s, not on %s", ErrState, s.Device, o.device)
	case s.Forecasts != o.source:
		return fmt.Errorf("%w: it was learnt with other predictions", ErrState)
	case len(s.Records) > o.options.Keys:
		return fmt.Errorf("%w: %d keys, at most %d", ErrState, len(s.Records), o.options.Keys)
	}
	records := make(map[string]*record, len(s.Records))
	for _, r := range s.Records {
		if records[r.Key] != nil {
			return fmt.Errorf("%w: key %q stands twice", ErrState, r.Key)
		}
		k, err := r.record(o.model.arms)
		if err != nil {
			return fmt.Errorf("%w: key %q: %w", ErrState, r.Key, err)
		}
		records[r.Key] = k
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.records = records
	return nil
}

// record returns the knowledge that a state holds.
func (s *recordState) record(names []variant.Variant) (*record, error) {
	if err := s.validate(names); err != nil {
		return nil, err
	}
	k := newRecord(len(names), s.Noise)
	k.launches, k.restarts, k.totalUS, k.lostUS = s.Launches, s.Restarts, s.TotalUS, s.LostUS
	k.noise.count = s.StepCount
	copy(k.noise.steps[:], s.Steps)
	for i, a := range s.Arms {
		k.arms[i] = arm{
			count: a.Count, warmed: a.Warmed, warm: a.Warm, mean: a.Mean, center: a.Center,
			half: a.Half, recent: a.Recent, contender: a.Contender, credit: a.CreditUS, saved: a.SavedUS,
			up: a.Up, down: a.Down,
		}
		copy(k.arms[i].start[:], a.Start)
	}
	return k, nil
}

func (s *recordState) validate(names []variant.Variant) error {
	if !(s.Noise > 0 && s.Noise <= mostNoise) {
		return fmt.Errorf("noise %v", s.Noise)
	}
	if !(s.TotalUS >= 0 && s.LostUS >= 0) {
		return fmt.Errorf("total_us %v, lost_us %v", s.TotalUS, s.LostUS)
	}
	if s.StepCount < 0 || len(s.Steps) != min(s.StepCount, len(noise{}.steps)) {
		return fmt.Errorf("%d steps of step_count %d", len(s.Steps), s.StepCount)
	}
	for _, step := range s.Steps {
		if !(step >= 0 && step <= 2*mostLn) {
			return fmt.Errorf("step %v", step)
		}
	}
	if len(s.Arms) != len(names) {
		return fmt.Errorf("%d implementations, want %d", len(s.Arms), len(names))
	}
	for i := range s.Arms {
		if s.Arms[i].Name != names[i] {
			return fmt.Errorf("%s in the place of %s", s.Arms[i].Name, names[i])
		}
		if err := s.Arms[i].validate(); err != nil {
			return fmt.Errorf("%s: %w", names[i], err)
		}
	}
	return nil
}

func (a *armState) validate() error {
	if a.Count < 0 || a.Count > mostCount || a.Count > 0 && !a.Warmed ||
		len(a.Start) != min(a.Count, starting) || !slices.IsSorted(a.Start) {
		return fmt.Errorf("count %d, warmed %t, start %v", a.Count, a.Warmed, a.Start)
	}
	for _, ln := range append([]float64{a.Warm, a.Mean, a.Center, a.Recent[0], a.Recent[1],
		a.Recent[2]}, a.Start...) {
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
