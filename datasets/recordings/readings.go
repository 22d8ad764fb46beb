package recordings

import (
	"fmt"
	"math"
	"strconv"
)

var readingColumns = []string{"suite", "name", "parameters", "value", "unit", "low", "high", "repeats",
	"starts", "start_spread", "kernel", "instruction", "launch", "unroll"}

// key tells readings apart.
func (r Reading) key() [3]string { return [3]string{r.Suite, r.Name, r.Parameters} }

func (r Reading) title() string {
	if r.Parameters == "" {
		return r.Suite + " " + r.Name
	}
	return r.Suite + " " + r.Name + " " + r.Parameters
}

// how says by what the reading was made, which is the same in every run of a plan.
func (r Reading) how() string {
	return fmt.Sprintf("%q by kernel %q, %q, launched as %q, unrolled by %d", r.Unit, r.Kernel, r.Instruction, r.Launch, r.Unroll)
}

// validate reports what no reading is.
func (r Reading) validate() error {
	switch {
	case r.Suite == "" || r.Name == "" || r.Unit == "":
		return fmt.Errorf("a reading without suite, name or unit")
	case !(r.Low >= 0 && r.Low <= r.Value && r.Value <= r.High) || math.IsInf(r.High, 1):
		return fmt.Errorf("%s: %v, least %v, greatest %v", r.title(), r.Value, r.Low, r.High)
	case r.Repeats < 1 || r.Starts < 0 || r.Starts > r.Repeats:
		return fmt.Errorf("%s: %d repeats on %d starts", r.title(), r.Repeats, r.Starts)
	case !(r.StartSpread >= 0) || math.IsInf(r.StartSpread, 1):
		return fmt.Errorf("%s: a spread of %v", r.title(), r.StartSpread)
	case r.Unroll < 0:
		return fmt.Errorf("%s: %d operations in a turn", r.title(), r.Unroll)
	}
	if err := validLaunch(r.Launch); err != nil {
		return fmt.Errorf("%s: %w", r.title(), err)
	}
	return nil
}

// EncodeReadings returns the readings as CSV, the provenance in comment lines
// before. Errors wrap ErrRecording.
func EncodeReadings(p Provenance, all []Reading) ([]byte, error) {
	rows := make([][]string, len(all))
	seen := map[[3]string]bool{}
	for i, r := range all {
		if err := r.validate(); err != nil {
			return nil, fmt.Errorf("%w: %v", ErrRecording, err)
		}
		if seen[r.key()] {
			return nil, fmt.Errorf("%w: %s stands twice", ErrRecording, r.title())
		}
		seen[r.key()] = true
		rows[i] = []string{r.Suite, r.Name, r.Parameters, exact(r.Value), r.Unit, exact(r.Low), exact(r.High),
			strconv.Itoa(r.Repeats), strconv.Itoa(r.Starts), exact(r.StartSpread), r.Kernel, r.Instruction,
			r.Launch, strconv.Itoa(r.Unroll)}
	}
	return encodeTable(p, readingColumns, rows)
}

// DecodeReadings reads what EncodeReadings wrote, through gzip where data is so
// packed. name stands in errors, which give line and value and wrap
// ErrRecording.
func DecodeReadings(name string, data []byte) (Provenance, []Reading, error) {
	p, t, err := decodeTable(name, data, readingColumns)
	if err == nil {
		err = t.some()
	}
	if err != nil {
		return Provenance{}, nil, err
	}
	all := make([]Reading, len(t.rows))
	seen := map[[3]string]int{}
	for i, row := range t.rows {
		c := cells{row: row}
		r := Reading{
			Suite: c.name("suite"), Name: c.name("name"), Parameters: c.text(), Value: c.number("value"),
			Unit: c.name("unit"), Low: c.number("low"), High: c.number("high"), Repeats: c.count("repeats", 1),
			Starts: c.count("starts", 0), StartSpread: c.number("start_spread"), Kernel: c.text(), Instruction: c.text(),
			Launch: c.text(), Unroll: c.count("unroll", 0),
		}
		if c.err == nil {
			c.err = r.validate()
		}
		if before := seen[r.key()]; c.err == nil && before > 0 {
			c.err = fmt.Errorf("%s stands on line %d too", r.title(), before)
		}
		if c.err != nil {
			return Provenance{}, nil, broken(name, t.lines[i], "%v", c.err)
		}
		seen[r.key()] = t.lines[i]
		all[i] = r
	}
	return p, all, nil
}
