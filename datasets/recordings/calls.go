package recordings

import (
	"fmt"
	"math"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
)

func (c *Call) cells(r *row) {
	r.word("label", &c.Label)
	r.natural("updates", 1, &c.Updates)
	r.natural("bins", 1, &c.Bins)
	field(r, "type", &c.Call.Type, device.Type.String, device.ParseType)
	field(r, "value", &c.Call.Operand, device.Operand.String, device.ParseOperand)
	r.bit("returns", &c.Call.Returns)
	r.implementation("implementation", &c.Implementation)
	r.word("origin", &c.Origin)
	r.number("median_us", &c.MedianUS)
	r.number("min_us", &c.MinUS)
	r.number("max_us", &c.MaxUS)
	r.count("repeats", 0, &c.Repeats)
	r.count("starts", 0, &c.Starts)
	r.number("start_spread", &c.StartSpread)
	c.correct(r)
	r.natural("blocks", 0, &c.Blocks)
	r.count("threads", 0, &c.Threads)
	r.natural("shared_bytes", 0, &c.SharedBytes)
	c.launch(r)
	r.text("kernel", &c.Kernel)
}

// launch is by the rule, one iteration at a time, in files that were written before there was another;
// the calls of these clear their targets.
func (c *Call) launch(r *row) {
	if !r.older {
		r.count("unroll", 0, &c.Unroll)
		r.bit("fixed", &c.Fixed)
		r.bit("keeps", &c.Call.Keeps)
	} else if c.Threads > 0 {
		c.Unroll = 1
	}
}

// correct is whether the targets were right, empty for a call that was predicted.
func (c *Call) correct(r *row) {
	predicted := c.Origin == Predicted
	if r.reading && r.err == nil && (r.cells[0] == "") != predicted {
		r.err = fmt.Errorf("correct %q of a call that was %s", r.cells[0], c.Origin)
	}
	if predicted {
		r.text("correct", new(string))
	} else {
		r.bit("correct", &c.Correct)
	}
}

type callKey struct {
	label          string
	call           device.Call
	implementation impl.Spec
	fixed          device.Launch // zero: the rule's
}

func (c Call) key() callKey { return callKey{c.Label, c.Call, c.Implementation, c.Asked()} }

// Asked is the launch that was asked for, zero for the rule's.
func (c Call) Asked() (l device.Launch) {
	if c.Fixed {
		l = c.Launch()
	}
	return l
}

func (c Call) title() string {
	returns := ""
	if c.Call.Returns {
		returns = " returns"
	}
	if c.Call.Keeps {
		returns += " kept"
	}
	text := fmt.Sprintf("%s %s %s%s %s", c.Label, c.Call.Type, c.Call.Operand, returns,
		c.Implementation)
	if c.Fixed {
		text += " " + c.Launch().String()
	}
	return text
}

func (c Call) how() any {
	return fmt.Sprintf("%d updates of %d targets, %s, %d blocks of %d threads with %d bytes and "+
		"%d turns at once of kernel %q", c.Updates, c.Bins, c.Origin, c.Blocks, c.Threads,
		c.SharedBytes, c.Unroll, c.Kernel)
}

func (c Call) validate() error {
	timed := c.Correct || c.Origin == Predicted // a call with wrong results may have no times
	switch {
	case c.Label == "" || c.Updates == 0 || c.Bins == 0:
		return fmt.Errorf("%s: %d updates of %d targets", c.title(), c.Updates, c.Bins)
	case c.Origin != Measured && c.Origin != Predicted:
		return fmt.Errorf("%s: origin %q is neither %s nor %s", c.title(), c.Origin, Measured,
			Predicted)
	case c.Origin == Predicted && c.Correct:
		return fmt.Errorf("%s: predicted, and yet compared with the reference", c.title())
	case timed && !(c.MinUS > 0 && c.MinUS <= c.MedianUS && c.MedianUS <= c.MaxUS) ||
		math.IsInf(c.MaxUS, 1), !(c.MinUS >= 0 && c.MedianUS >= 0 && c.MaxUS >= 0):
		return fmt.Errorf("%s: median %v us, least %v, greatest %v", c.title(), c.MedianUS, c.MinUS,
			c.MaxUS)
	case c.Repeats < 0 || c.Starts < 0 || c.Origin == Measured &&
		(c.Repeats < 1 || c.Starts > c.Repeats):
		return fmt.Errorf("%s: %d repeats on %d starts", c.title(), c.Repeats, c.Starts)
	case !(c.StartSpread >= 0) || math.IsInf(c.StartSpread, 1):
		return fmt.Errorf("%s: a spread of %v", c.title(), c.StartSpread)
	case (c.Blocks == 0) != (c.Threads == 0), (c.Unroll == 0) != (c.Threads == 0),
		c.Fixed && c.Blocks == 0:
		return fmt.Errorf("%s: %d blocks of %d threads, %d turns at once", c.title(), c.Blocks,
			c.Threads, c.Unroll)
	}
	return c.Call.Validate()
}

// EncodeCalls returns the calls as CSV, the provenance in comment lines before. Errors wrap
// ErrRecording.
func EncodeCalls(p Provenance, all []Call) ([]byte, error) {
	return encodeTable(p, all)
}

// DecodeCalls reads what EncodeCalls wrote, through gzip where data is so packed. name stands
// in errors, which give line and value and wrap ErrRecording.
func DecodeCalls(name string, data []byte) (Provenance, []Call, error) {
	return decodeEntries[callKey, Call](name, data)
}
