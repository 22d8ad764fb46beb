package kernels

import (
	"bytes"
	"crypto/sha256"
	"math"
	"slices"

	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/lab/validate"
)

// implementation is a group of implementations of which tables hold some calls: there are too many in all to
// simulate each. A call is of the first implementation that has it, if any.
type form struct {
	name string
	has  func(v impl.Spec, returns bool) bool
}

var forms = []form{
	{"old values after a warp reduction", func(v impl.Spec, returns bool) bool {
		return returns && v.Algorithm == impl.Global && v.Reduces()
	}},
	{"old values from shared memory", func(v impl.Spec, returns bool) bool {
		return returns && v.Algorithm != impl.Global
	}},
	{"hot targets found in a sample", func(v impl.Spec, _ bool) bool { return v.Sample > 0 }},
	{"hot targets after a warp reduction", func(v impl.Spec, _ bool) bool {
		return v.Slots > 0 && v.Reduces()
	}},
	{"hot targets", func(v impl.Spec, _ bool) bool { return v.Slots > 0 }},
	{"ranges of targets", func(v impl.Spec, _ bool) bool { return v.G() > 1 }},
	{"partition", func(v impl.Spec, _ bool) bool { return v.Width > 0 }},
}

// formUpdates is the number of updates of the longest stream on which calls of implementations are simulated.
const formUpdates = 1 << 22

// formOf returns the place of the call's implementation in implementations, -1 where it has none.
func formOf(c recordings.Call) int {
	return slices.IndexFunc(forms, func(f form) bool { return f.has(c.Implementation, c.Call.Returns) })
}

// byHash orders calls by the SHA-256 of their names, which says nothing of their times: the first
// ones are a sample of all, and stay in it where more are recorded.
func byHash(calls []plannedCall) {
	type hashed struct {
		hash [sha256.Size]byte
		plannedCall
	}
	all := make([]hashed, len(calls))
	for i, c := range calls {
		all[i] = hashed{sha256.Sum256([]byte(c.CallKey.String())), c}
	}
	slices.SortFunc(all, func(a, b hashed) int { return bytes.Compare(a.hash[:], b.hash[:]) })
	for i := range all {
		calls[i] = all[i].plannedCall
	}
}

// plannedImplementations returns the calls of the implementations that the plan takes, side by side on a stream.
func (g *recordedKernels) plannedImplementations(p KernelPlan) (list []plannedCall) {
	for _, calls := range g.forms {
		list = append(list, calls[:min(p.PerForm, len(calls))]...)
	}
	slices.SortFunc(list, func(a, b plannedCall) int { return a.Compare(b.CallKey) })
	return list
}

// FormRow sums up the calls of an implementation.
type FormRow struct {
	Implementation string      `json:"form"`
	Calls          int         `json:"calls"`
	Available      int         `json:"available"` // of which they are some
	Simulated      KernelError `json:"simulated"`
	ClosedForm     KernelError `json:"closed_form"`
}

// formClosedMedian is the limit of an implementation's closed forms, in percent.
const formClosedMedian = 12

// formRows sums up the simulated calls of each implementation that has some.
func (g *recordedKernels) formRows(p KernelPlan, simulated callTimes) (rows []FormRow) {
	for i, f := range forms {
		points := g.points(g.forms[i][:min(p.PerForm, len(g.forms[i]))], simulated)
		if len(points) == 0 {
			continue
		}
		rows = append(rows, FormRow{
			Implementation: f.name, Calls: len(points), Available: len(g.forms[i]),
			Simulated: errorOf(points, func(p point) float64 { return p.simulatedUS }),
			ClosedForm: errorOf(points, func(p point) float64 {
				if math.IsNaN(p.simulatedUS) {
					return math.NaN()
				}
				return p.closedUS
			}),
		})
	}
	return rows
}

// checks holds an implementation's figures to their limits.
func (r *FormRow) checks() []validate.Check {
	return errorChecks(r.Implementation, r.Simulated, r.ClosedForm, formClosedMedian)
}
