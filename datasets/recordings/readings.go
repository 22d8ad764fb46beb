package recordings

import (
	"fmt"
	"math"
	"regexp"
	"strings"
)

func (r *Reading) cells(t *row) {
	t.word("suite", &r.Suite)
	t.word("name", &r.Name)
	t.text("parameters", &r.Parameters)
	t.number("value", &r.Value)
	t.word("unit", &r.Unit)
	t.number("low", &r.Low)
	t.number("high", &r.High)
	t.count("repeats", 1, &r.Repeats)
	t.count("starts", 0, &r.Starts)
	t.number("start_spread", &r.StartSpread)
	t.text("kernel", &r.Kernel)
	t.text("instruction", &r.Instruction)
	t.text("launch", &r.Launch)
	t.count("unroll", 0, &r.Unroll)
}

func (r Reading) key() [3]string { return [3]string{r.Suite, r.Name, r.Parameters} }

func (r Reading) title() string {
	return strings.TrimSpace(r.Suite + " " + r.Name + " " + r.Parameters)
}

func (r Reading) how() any {
	return fmt.Sprintf("%q by kernel %q, %q, launched as %q, unrolled by %d", r.Unit, r.Kernel,
		r.Instruction, r.Launch, r.Unroll)
}

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

// EncodeReadings returns the readings as CSV, the provenance in comment lines before. Errors
// wrap ErrRecording.
func EncodeReadings(p Provenance, all []Reading) ([]byte, error) {
	return encodeTable(p, all)
}

// DecodeReadings reads what EncodeReadings wrote, through gzip where data is so packed. name
// appears in errors, which give line and value and wrap ErrRecording.
func DecodeReadings(name string, data []byte) (Provenance, []Reading, error) {
	return decodeEntries[[3]string, Reading](name, data)
}

var launchSpelling = regexp.MustCompile(`^[1-9][0-9]*x[1-9][0-9]*\+(0|[1-9][0-9]*)$`)

func validLaunch(text string) error {
	if text != "" && !launchSpelling.MatchString(text) {
		return fmt.Errorf("launch %q is not BLOCKSxTHREADS+SHAREDBYTES", text)
	}
	return nil
}
