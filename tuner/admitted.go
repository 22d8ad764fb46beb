package tuner

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/speedup"
	"github.com/atomtune/atomtune/tuner/model"
)

// LeftOut is an implementation that the options do not admit.
type LeftOut struct {
	Implementation impl.Spec `json:"implementation"`
	Reason         string    `json:"reason"` // without the name, "re-orders the stream"
}

// errUnknownGrouped keeps what needs a grouped stream from a sampled one.
var errUnknownGrouped = errors.New("needs a grouped stream, which a sample cannot show")

// errFewTargets keeps tables and ranges from streams over few targets.
var errFewTargets = errors.New("copies of all targets in a block do the same for this few")

// refusal is the error for an implementation that the options do not admit.
type refusal struct {
	implementation impl.Spec
	why            string
}

func (r *refusal) Error() string { return r.implementation.String() + ": " + r.why }

// refusals is the error, wrapping ErrNone, of a choice for which nothing is left.
type refusals struct {
	implementations []impl.Spec
	errs            []error
}

func (r *refusals) Unwrap() []error { return append([]error{model.ErrNone}, r.errs...) }

// Error names reasons with the first that they rule out, the rarest reason first.
func (r *refusals) Error() string {
	const mostReasons = 3
	of, whys := map[string][]impl.Spec{}, []string{}
	for i, err := range r.errs {
		w := why(err)
		if of[w] == nil {
			whys = append(whys, w)
		}
		of[w] = append(of[w], r.implementations[i])
	}
	slices.SortStableFunc(whys, func(a, b string) int { return cmp.Compare(len(of[a]), len(of[b])) })
	parts := make([]string, len(whys))
	for i, w := range whys {
		parts[i] = some(of[w]) + " (" + w + ")"
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

// repeats returns the reason for which Options.Deterministic rules an implementation out on a
// stream, nil if it does not. Without statistics, or with those of a sample, targets may occur more
// than once.
func (o Options) repeats(v impl.Spec, s *collision.Stats) error {
	if !o.Deterministic || v.ClassOf(o.Call.Wide()) == impl.NonAtomic || o.Call.OrderFree() || s != nil && eachOnce(s) {
		return nil
	}
	if o.Call.Returns {
		return &refusal{v, "old values depend on the order of execution"}
	}
	if o.Call.Wide() {
		return &refusal{v, "sums depend on the order of execution"}
	}
	return &refusal{v, fmt.Sprintf("%s results depend on the order of execution", o.Call.Type)}
}

// eachOnce reports whether a stream is known to have each of its targets once.
func eachOnce(s *collision.Stats) bool { return !partly(s) && s.Unique == s.Updates }

// bytes returns the device memory that an implementation takes for one call in that launch beside
// the stream and the targets: see impl.Spec.WorkspaceBytes.
func (c *Chooser) bytes(v impl.Spec, fixed device.Launch, updates, bins uint64) uint64 {
	l, call := c.limits, c.opts.Call
	size := uint64(call.Type.Bytes())
	w := impl.Workspace{Updates: updates, Bins: bins, Element: size, Value: size, Sum: size,
		Blocks:   l.Shape(v, call, bins, updates, fixed).Blocks,
		Resident: uint64(min(l.MaxBlocks, l.MaxWarps) * l.SMs), WarpLanes: l.WarpLanes,
		SharedBytes: l.SharedBytes, Relaid: c.opts.Relaid, Wide: call.Wide()}
	if call.Operand == device.One { // runs are counted in words
		w.Value, w.Sum = 0, 4
	}
	return v.WorkspaceBytes(w)
}

// within returns the reason for which the options do not admit an implementation, nil if they do.
func (c *Chooser) within(v impl.Spec, fixed device.Launch, updates, bins uint64) error {
	most, bytes := c.opts.MemoryBytes, c.bytes(v, fixed, updates, bins)
	if err := c.opts.admits(v); err != nil || most == 0 || bytes <= most {
		return err
	}
	allowed := "none"
	if most > 1 {
		allowed = size(most)
	}
	return &refusal{v, "needs " + size(bytes) + ", " + allowed + " allowed"}
}

// size prints a number of bytes: in binary units where these are whole, else in
// decimal ones with three digits.
func size(bytes uint64) string {
	if bytes < 1000 {
		return fmt.Sprintf("%d B", bytes)
	}
	binary, unit := bytes, -1
	for unit < 3 && binary%1024 == 0 {
		binary, unit = binary/1024, unit+1
	}
	if unit >= 0 {
		return fmt.Sprintf("%d %ciB", binary, "KMGT"[unit])
	}
	decimal := float64(bytes)
	for unit < 3 && decimal >= 999.5 {
		decimal, unit = decimal/1000, unit+1
	}
	return fmt.Sprintf("%.3g %cB", decimal, "kMGT"[unit])
}

// CheckKept returns nil if an implementation that was chosen before, in that launch, may serve a
// call on a stream of that size: the device can run both, and the options admit them. It returns
// the reason where it may not. Of the stream no more is known than its size, so that what is right
// on grouped streams alone is refused.
func CheckKept(v impl.Spec, l device.Launch, d *device.Profile, o Options,
	updates, bins uint64) error {
	if err := o.Validate(); err != nil {
		return err
	}
	if err := speedup.Check(v, model.WithoutHost(d), o.Call); err != nil {
		return err
	}
	of := o.fixed()
	fixed := device.Launch{Blocks: cmp.Or(of.Blocks, l.Blocks),
		Threads: cmp.Or(of.Threads, l.Threads), Unroll: cmp.Or(of.Unroll, l.Unroll)}
	c := Chooser{device: d, opts: o, limits: d.Limits()}
	switch {
	case v.NeedsGrouped():
		return errUnknownGrouped
	case len(o.Only) > 0 && !slices.Contains(o.Only, v):
		return &refusal{v, "not among the allowed ones"}
	case fixed != l:
		return &refusal{v, "launched as " + l.String() + ", contrary to the options"}
	}
	return cmp.Or(d.CanLaunch(v, o.Call.Type, bins, l), c.within(v, l, updates, bins),
		o.repeats(v, nil))
}

// admits returns the reason for which the options rule an implementation out, nil if they do not.
func (o Options) admits(v impl.Spec) error {
	switch {
	case slices.Contains(o.Exclude, v):
		return &refusal{v, "excluded"}
	case o.NoSort && v.Reorders():
		return &refusal{v, "re-orders the stream"}
	}
	return nil
}

// suits returns an error for an implementation that is right on grouped streams alone where a
// sample cannot show that the stream is one, and for one that is not worthwhile on so many targets.
func (c *Chooser) suits(v impl.Spec, s *collision.Stats) error {
	switch {
	case v.NeedsGrouped() && partly(s) && !s.Sampled.Sorted:
		return errUnknownGrouped
	case !c.opts.Call.Wide() && !v.Worthwhile(s.Bins, c.opts.Call.Type.Bytes()):
		return errFewTargets
	}
	return nil
}

// partly reports whether the statistics come from a part of the stream.
func partly(s *collision.Stats) bool {
	return s.Sampled != nil && s.Sampled.Blocks < s.Sampled.TotalBlocks
}

// eligible reports whether the options admit an implementation, it keeps within the memory that
// they allow, repeats its result where it must, and is known to be right on the stream.
func (c *Chooser) eligible(i int, s *collision.Stats, fixed device.Launch) bool {
	v, most := c.prices.List[i], c.opts.MemoryBytes
	return c.admitted[i] && c.suits(v, s) == nil && c.opts.repeats(v, s) == nil &&
		(most == 0 || c.bytes(v, fixed, s.Positions(), s.Bins) <= most)
}
