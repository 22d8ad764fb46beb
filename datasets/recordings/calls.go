package recordings

import (
	"fmt"
	"math"
	"strconv"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/variant"
)

var callColumns = []string{"label", "updates", "bins", "type", "value", "returns", "implementation",
	"origin",
	"median_us", "min_us", "max_us", "repeats", "starts", "start_spread", "correct", "blocks", "threads",
	"shared_bytes", "kernel"}

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

// timed reports whether the call must have times: a call with wrong results
// may have none.
func (c Call) timed() bool { return c.Correct || c.Origin == Predicted }

// EncodeCalls returns the calls as CSV, the provenance in comment lines before.
// Errors wrap ErrRecording.
func EncodeCalls(p Provenance, all []Call) ([]byte, error) {
	return encodeEntries[callKey](p, callColumns, all, Call.row)
}

func (c Call) row() []string {
	natural := func(n uint64) string { return strconv.FormatUint(n, 10) }
	bit := func(b bool) string {
		if b {
			return "1"
		}
		return "0"
	}
	correct := bit(c.Correct)
	if c.Origin == Predicted {
		correct = "" // nothing was compared
	}
	return []string{c.Label, natural(c.Updates), natural(c.Bins), c.Call.Type.String(),
		c.Call.Operand.String(),
		bit(c.Call.Returns), c.Implementation.String(), c.Origin, exact(c.MedianUS), exact(c.MinUS), exact(c.MaxUS),
		strconv.Itoa(c.Repeats), strconv.Itoa(c.Starts), exact(c.StartSpread), correct, natural(c.Blocks),
		natural(c.Threads), natural(c.SharedBytes), c.Kernel}
}

// DecodeCalls reads what EncodeCalls wrote, through gzip where data is so
// packed. name stands in errors, which give line and value and wrap
// ErrRecording.
func DecodeCalls(name string, data []byte) (Provenance, []Call, error) {
	return decodeEntries[callKey](name, data, callColumns, decodeCall)
}

func decodeCall(c *cells) Call {
	return Call{
		Label: c.name("label"), Updates: c.natural("updates", 1), Bins: c.natural("bins", 1),
		Call: device.Call{
			Type: parsed(c, device.ParseType), Operand: parsed(c, device.ParseOperand),
			Returns: parsed(c, parseBit),
		},
		Implementation: parsed(c, variant.Parse), Origin: c.name("origin"),
		MedianUS: c.number("median_us"), MinUS: c.number("min_us"), MaxUS: c.number("max_us"),
		Repeats: c.count("repeats", 0), Starts: c.count("starts",
			0), StartSpread: c.number("start_spread"),
		Correct: c.correct(c.row[7]), Blocks: c.natural("blocks", 0), Threads: c.natural("threads",
			0),
		SharedBytes: c.natural("shared_bytes", 0), Kernel: c.text(),
	}
}

// correct reads whether the targets were right; the cell is empty where, by its
// origin, the call was predicted.
func (c *cells) correct(origin string) bool {
	text := c.text()
	if (text == "") != (origin == Predicted) {
		c.fail("correct %q of a call that was %s", text, origin)
	}
	if text == "" {
		return false
	}
	right, err := parseBit(text)
	if err != nil {
		c.fail("correct: %v", err)
	}
	return right
}

func parseBit(text string) (bool, error) {
	if text != "0" && text != "1" {
		return false, fmt.Errorf("%q is neither 0 nor 1", text)
	}
	return text == "1", nil
}
