package recordings

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"
)

func (p Provenance) lines() (string, error) {
	var b strings.Builder
	for _, f := range p.fields() {
		if strings.ContainsAny(*f.text, "\n\r") || strings.TrimSpace(*f.text) != *f.text {
			return "", fmt.Errorf("%w: %s %q is not a single line", ErrRecording, f.key, *f.text)
		}
		if *f.text != "" {
			fmt.Fprintf(&b, "# %s: %s\n", f.key, *f.text)
		}
	}
	for _, s := range p.Starts {
		if err := s.validate(); err != nil {
			return "", fmt.Errorf("%w: %v", ErrRecording, err)
		}
		fmt.Fprintf(&b, "# start: %s\n", s)
	}
	return b.String(), nil
}

type provenanceField struct {
	key  string
	text *string
}

func (p *Provenance) fields() []provenanceField {
	return []provenanceField{
		{"gpu", &p.GPU}, {"gpu_uuid", &p.GPUUUID}, {"compute_capability", &p.ComputeCapability},
		{"driver", &p.Driver}, {"cuda", &p.CUDA}, {"program", &p.Program}, {"options", &p.Options},
		{"plan", &p.Plan},
	}
}

func (p *Provenance) note(text string) error {
	key, value, found := strings.Cut(text, ":")
	key, value = strings.TrimSpace(key), strings.TrimSpace(value)
	if found && key == "start" {
		s, err := parseStart(value)
		p.Starts = append(p.Starts, s)
		return err
	}
	fields := p.fields()
	at := slices.IndexFunc(fields, func(f provenanceField) bool { return f.key == key })
	switch {
	case !found || at < 0:
		return nil
	case *fields[at].text != "":
		return fmt.Errorf("%s is given twice", key)
	case value == "":
		return fmt.Errorf("%s is empty", key)
	case strings.ContainsRune(value, '\r'):
		return fmt.Errorf("%s %q is not a single line", key, value)
	}
	*fields[at].text = value
	return nil
}

// comments takes the comment lines off a file, and returns the rest and their number.
func (p *Provenance) comments(name string, data []byte) (rest []byte, lines int, err error) {
	for ; len(data) > 0 && data[0] == '#'; lines++ {
		text, rest, _ := bytes.Cut(data, []byte("\n"))
		if err := p.note(strings.TrimSpace(string(text[1:]))); err != nil {
			return nil, lines, broken(name, lines+1, "%v", err)
		}
		data = rest
	}
	return data, lines, nil
}

// ProvenanceOf reads the comment lines of a file, without their #, and passes
// over those that are of no provenance. Errors wrap ErrRecording.
func ProvenanceOf(name string, notes []string) (p Provenance, err error) {
	err = p.notes(name, notes, func(string) error { return nil })
	return p, err
}

// notes takes in comment lines, without their #, and hands out what those say of columns.
func (p *Provenance) notes(name string, notes []string, column func(string) error) error {
	for _, text := range notes {
		err := p.note(text)
		if of, ok := strings.CutPrefix(text, "column:"); ok && err == nil {
			err = column(of)
		}
		if err != nil {
			return fmt.Errorf("%w: %s: comment %q: %v", ErrRecording, name, text, err)
		}
	}
	return nil
}

const startForm = "%s sm_clock_before_mhz=%d sm_clock_after_mhz=%d memory_clock_mhz=%d"

// String writes the start as a comment line has it.
func (s Start) String() string {
	return fmt.Sprintf(startForm, s.Date, s.SMClockBefore, s.SMClockAfter, s.MemoryClock)
}

func parseStart(text string) (s Start, err error) {
	_, err = fmt.Sscanf(text, startForm, &s.Date, &s.SMClockBefore, &s.SMClockAfter, &s.MemoryClock)
	if err != nil || s.String() != strings.Join(strings.Fields(text), " ") {
		return s, fmt.Errorf("start %q, want a date and clocks as %q", text, startForm[3:])
	}
	return s, s.validate()
}

const largestClock = 100_000 // more MHz than any clock has

func (s Start) validate() error {
	if at, err := time.Parse(time.RFC3339, s.Date); err != nil ||
		at.UTC().Format(time.RFC3339) != s.Date {
		return fmt.Errorf("start: %q is not a time in UTC as 2006-01-02T15:04:05Z", s.Date)
	}
	for _, mhz := range []int{s.SMClockBefore, s.SMClockAfter, s.MemoryClock} {
		if mhz < 0 || mhz > largestClock {
			return fmt.Errorf("start: a clock of %d MHz", mhz)
		}
	}
	return nil
}
