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

func (r *refusals) add(v impl.Spec, err error) {
	r.implementations, r.errs = append(r.implementations, v), append(r.errs, err)
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
		parts[i] = inWords(of[w]) + " (" + w + ")"
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

// A barrier is what keeps an implementation from being ranked. It allocates nothing, unlike its words.
type barrier uint8

const (
	eligible  barrier = iota
	ungrouped         // a stream that is not known to be grouped
	few               // tables or ranges of few targets
	// From here on it is the options that do not admit the implementation.
	unlisted
	excluded
	reorders
	large
	varies
)

// barrier decides what may be ranked: an implementation in a launch, on a stream of that size, of which s is nil
// where nothing more is known. What the device cannot run is not its matter.
func (c *Chooser) barrier(v impl.Spec, s *collision.Stats, fixed device.Launch, updates, bins uint64) barrier {
	o := &c.opts
	wide := o.Call.Wide()
	switch opposed := o.opposed(v); {
	case v.NeedsGrouped() && (s == nil || partly(s) && !s.Sampled.Sorted):
		return ungrouped
	case !wide && !v.Worthwhile(bins, o.Call.Type.Bytes()):
		return few
	case opposed != eligible:
		return opposed
	case o.MemoryBytes > 0 && c.bytes(v, fixed, updates, bins) > o.MemoryBytes:
		return large
	case o.Deterministic && v.ClassOf(wide) != impl.NonAtomic && !o.Call.OrderFree() && (s == nil || !eachOnce(s)):
		return varies
	}
	return eligible
}

// opposed is what of the options alone is against an implementation.
func (o *Options) opposed(v impl.Spec) barrier {
	switch {
	case len(o.Only) > 0 && !slices.Contains(o.Only, v):
		return unlisted
	case slices.Contains(o.Exclude, v):
		return excluded
	case o.NoSort && v.Reorders():
		return reorders
	}
	return eligible
}

// refuse returns the barrier as an error, nil where there is none.
func (c *Chooser) refuse(b barrier, v impl.Spec, fixed device.Launch, updates, bins uint64) error {
	why := ""
	switch b {
	case eligible:
		return nil
	case ungrouped:
		why = "needs a grouped stream, which a sample cannot show"
	case few:
		why = "copies of all targets in a block do the same for this few"
	case unlisted:
		why = "not among the allowed ones"
	case excluded:
		why = "excluded"
	case reorders:
		why = "re-orders the stream"
	case large:
		why = "needs " + size(c.bytes(v, fixed, updates, bins)) + ", "
		if most := c.opts.MemoryBytes; most > 1 {
			why += size(most) + " allowed"
		} else {
			why += "none allowed"
		}
	case varies:
		switch {
		case c.opts.Call.Returns:
			why = "old values"
		case c.opts.Call.Wide():
			why = "sums"
		default:
			why = c.opts.Call.Type.String() + " results"
		}
		why += " depend on the order of execution"
	}
	return &refusal{v, why}
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
	if fixed != l {
		return &refusal{v, "launched as " + l.String() + ", contrary to the options"}
	}
	c := Chooser{device: d, opts: o, limits: d.Limits()}
	return cmp.Or(d.CanLaunch(v, o.Call.Type, bins, l), c.refuse(c.barrier(v, nil, l, updates, bins), v, l, updates, bins))
}

// partly reports whether the statistics come from a part of the stream.
func partly(s *collision.Stats) bool {
	return s.Sampled != nil && s.Sampled.Blocks < s.Sampled.TotalBlocks
}
