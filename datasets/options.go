package datasets

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// MaxBins is the largest number of targets: indices are 32 bits wide.
const MaxBins = 1 << 32

// The axes that Options take, besides the empty string.
const (
	AxisRow = "row"
	AxisCol = "col"
)

// Options say how to read an input. The zero value reads a file whose format
// shows.
type Options struct {
	// Format is one of Formats; empty means "auto".
	Format string
	// Column chooses the column of a CSV file. A text of digits only is a
	// number counted from 0, and the first row is skipped as a header if it
	// holds no integer there (with Keys every row is data). Any other text is
	// a name, and the first row is the header. Empty takes the only column of
	// a file that has one.
	Column string
	// Axis is "row" or "col", for mtx and edges; empty means "row".
	Axis string
	// Bins is the number of targets; an index at or above it is an error. 0
	// takes it from the data. An image's luminance is rescaled to it.
	Bins uint64
	// Keys lets any text be a key in text, csv and edges: distinct keys become
	// 0, 1, 2, ... in order of first appearance. Both nodes of an edge share
	// one numbering.
	Keys bool
	// Stdin is read for the path "-"; nil means os.Stdin.
	Stdin io.Reader
}

// Validate checks each option by itself and against the format where one is
// named. Its errors wrap ErrOptions.
func (o Options) Validate() error {
	if o.Format != "" && !slices.Contains(Formats(), o.Format) {
		return fmt.Errorf("%w: format %q is none of %s", ErrOptions, o.Format,
			strings.Join(Formats(), ", "))
	}
	if o.Axis != "" && o.Axis != AxisRow && o.Axis != AxisCol {
		return fmt.Errorf("%w: axis %q is neither row nor col", ErrOptions, o.Axis)
	}
	if o.Bins > MaxBins {
		return fmt.Errorf("%w: %d bins are more than 2^32", ErrOptions, o.Bins)
	}
	if o.Format == "" || o.Format == FormatAuto {
		return nil
	}
	return formatNamed(o.Format).accept(o)
}

// limit is the first index that is out of range.
func (o Options) limit() uint64 {
	if o.Bins == 0 {
		return MaxBins
	}
	return o.Bins
}
