package recordings

import (
	"fmt"
	"math"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/variant"
)

var callColumns = []column[Call]{
	word("label", func(c *Call) *string { return &c.Label }),
	natural("updates", 1, func(c *Call) *uint64 { return &c.Updates }),
	natural("bins", 1, func(c *Call) *uint64 { return &c.Bins }),
	parsed("type", func(c *Call) *device.Type { return &c.Call.Type }, device.Type.String,
		device.ParseType),
	parsed("value", func(c *Call) *device.Operand { return &c.Call.Operand }, device.Operand.String,
		device.ParseOperand),
	parsed("returns", func(c *Call) *bool { return &c.Call.Returns }, formatBit, parseBit),
	parsed("implementation", func(c *Call) *variant.Variant { return &c.Implementation },
		variant.Variant.String, variant.Parse),
	word("origin", func(c *Call) *string { return &c.Origin }),
	number("median_us", func(c *Call) *float64 { return &c.MedianUS }),
	number("min_us", func(c *Call) *float64 { return &c.MinUS }),
	number("max_us", func(c *Call) *float64 { return &c.MaxUS }),
	count("repeats", 0, func(c *Call) *int { return &c.Repeats }),
	count("starts", 0, func(c *Call) *int { return &c.Starts }),
	number("start_spread", func(c *Call) *float64 { return &c.StartSpread }),
	{"correct", (*Call).formatCorrect, (*Call).parseCorrect},
	natural("blocks", 0, func(c *Call) *uint64 { return &c.Blocks }),
	natural("threads", 0, func(c *Call) *uint64 { return &c.Threads }),
	natural("shared_bytes", 0, func(c *Call) *uint64 { return &c.SharedBytes }),
	text("kernel", func(c *Call) *string { return &c.Kernel }),
}

// callKey tells calls apart.
type callKey struct {
	label          string
	call           device.Call
	implementation variant.Variant
}

func (c Call) key() callKey { return callKey{c.Label, c.Call, c.Implementation} }

func (c Call) title() string {
	returns := ""
	if c.Call.Returns {
		returns = " returns"
	}
	return fmt.Sprintf("%s %s %s%s %s", c.Label, c.Call.Type, c.Call.Operand, returns,
		c.Implementation)
}

// validate reports what no call is.
func (c Call) validate() error {
	switch {
	case c.Label == "" || c.Updates == 0 || c.Bins == 0:
		return fmt.Errorf("%s: %d updates of %d targets", c.title(), c.Updates, c.Bins)
	case c.Origin != Measured && c.Origin != Predicted:
		return fmt.Errorf("%s: origin %q is neither %s nor %s", c.title(), c.Origin, Measured,
			Predicted)
	case c.Origin == Predicted && c.Correct:
		return fmt.Errorf("%s: predicted, and yet compared with the reference", c.title())
	case c.timed() && !(c.MinUS > 0 && c.MinUS <= c.MedianUS && c.MedianUS <= c.MaxUS) ||
		math.IsInf(c.MaxUS, 1),
		!(c.MinUS >= 0 && c.MedianUS >= 0 && c.MaxUS >= 0):
		return fmt.Errorf("%s: median %v us, least %v, greatest %v", c.title(), c.MedianUS, c.MinUS,
			c.MaxUS)
	case c.Repeats < 0 || c.Starts < 0 || c.Origin == Measured &&
		(c.Repeats < 1 || c.Starts > c.Repeats):
		return fmt.Errorf("%s: %d repeats on %d starts", c.title(), c.Repeats, c.Starts)
	case !(c.StartSpread >= 0) || math.IsInf(c.StartSpread, 1):
		return fmt.Errorf("%s: a spread of %v", c.title(), c.StartSpread)
	case (c.Blocks == 0) != (c.Threads == 0):
		return fmt.Errorf("%s: %d blocks of %d threads", c.title(), c.Blocks, c.Threads)
	}
	return c.Call.Validate()
}

// timed reports whether the call must have times: a call with wrong results may have none.
func (c Call) timed() bool { return c.Correct || c.Origin == Predicted }

// EncodeCalls returns the calls as CSV, the provenance in comment lines before. Errors wrap
// ErrRecording.
func EncodeCalls(p Provenance, all []Call) ([]byte, error) {
	return encodeEntries(p, callColumns, all)
}

// DecodeCalls reads what EncodeCalls wrote, through gzip where data is so packed. name stands
// in errors, which give line and value and wrap ErrRecording.
func DecodeCalls(name string, data []byte) (Provenance, []Call, error) {
	return decodeEntries(name, data, callColumns)
}

// formatCorrect writes whether the targets were right; nothing for a call that was predicted,
// whose targets were not compared.
func (c *Call) formatCorrect() string {
	if c.Origin == Predicted {
		return ""
	}
	return formatBit(c.Correct)
}

func (c *Call) parseCorrect(cell string) (err error) {
	if (cell == "") != (c.Origin == Predicted) {
		return fmt.Errorf("correct %q of a call that was %s", cell, c.Origin)
	}
	if cell == "" {
		return nil
	}
	if c.Correct, err = parseBit(cell); err != nil {
		return fmt.Errorf("correct: %v", err)
	}
	return nil
}
