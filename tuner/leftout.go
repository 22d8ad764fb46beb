package tuner

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/speedup"
	"github.com/atomtune/atomtune/tuner/model"
	"github.com/atomtune/atomtune/variant"
)

// LeftOut is an implementation that the options do not admit.
type LeftOut = LeftOutOf[variant.Variant]

// LeftOutOf is a LeftOut of any kind of implementation.
type LeftOutOf[T any] struct {
	Implementation T      `json:"implementation"`
	Reason         string `json:"reason"` // without the name, "re-orders the stream"
}

// errUnknownGrouped keeps what needs a grouped stream from a sampled one.
var errUnknownGrouped = errors.New("needs a grouped stream, which a sample cannot show")

// errFewTargets keeps tables and ranges from streams over few targets.
var errFewTargets = errors.New("copies of all targets in a block do the same for so few")

// refusal is the error for an implementation that the options do not admit.
type refusal struct {
	variant variant.Variant
	why     string
}

func (r *refusal) Error() string { return r.variant.String() + ": " + r.why }

// refusals is the error, wrapping ErrNone, of a choice for which nothing is left.
type refusals struct {
	variants []variant.Variant
	errs     []error
}

func (r *refusals) Unwrap() []error { return append([]error{model.ErrNone}, r.errs...) }

// Error names reasons with the first that they rule out, the rarest reason first.
func (r *refusals) Error() string {
	const mostReasons = 3
	of, whys := map[string][]variant.Variant{}, []string{}
	for i, err := range r.errs {
		w := why(err)
		if of[w] == nil {
			whys = append(whys, w)
		}
		of[w] = append(of[w], r.variants[i])
	}
	slices.SortStableFunc(whys, func(a, b string) int { return cmp.Compare(len(of[a]), len(of[b])) })
	parts := make([]string, len(whys))
	for i, w := range whys {
		parts[i] = Some(of[w]) + " (" + w + ")"
	}
	if more := len(parts) - mostReasons; more > 0 {
		parts = append(parts[:mostReasons], fmt.Sprintf("and %d more reasons", more))
	}
	return model.ErrNone.Error() + ": " + cmp.Or(strings.Join(parts, "; "), "the list is empty")
}

// why is the reason of an error without the name of the implementation, where it
// is one that several share.
func why(err error) string {
	var of *refusal
	text := err.Error()
	switch {
	case errors.As(err, &of):
		return of.why
	case errors.Is(err, speedup.ErrReturns):
		return speedup.ErrReturns.Error()
	case errors.Is(err, speedup.ErrNotGrouped):
		return speedup.ErrNotGrouped.Error()
	case errors.Is(err, device.ErrCannot):
		text = strings.TrimPrefix(text, device.ErrCannot.Error()+": ")
		if _, rest, found := strings.Cut(text, ": "); found { // after "IMPLEMENTATION on DEVICE"
			return rest
		}
	}
	return text
}
