package kernels

import (
	"fmt"
	"slices"
	"sync"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/datasets/h200"
	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/datasets/recordings/archive"
	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/lab/validate/recorded"
)

// KernelPlan says which of the calls on held-out synthetic streams are simulated. The zero value
// means all but those of the implementations of which tables hold some calls.
type KernelPlan struct {
	// Streams is the number of streams, taken at equal distances of the list in
	// the order of their labels; 0 means all.
	Streams int `json:"streams"`
	Every   int `json:"every"` // of the calls on these streams every n-th; 0 means each
	// PerForm is the number of calls of each such implementation, on all streams of at most 2^22 updates,
	// those whose hash is least; 0 means none.
	PerForm int `json:"per_form"`
}

// Plan is that of the table in the program.
var Plan = KernelPlan{Streams: 30, PerForm: 100}

// plannedCall is a call to simulate, with its recorded time.
type plannedCall struct {
	recorded.CallKey
	updates    uint64
	bins       uint64
	measuredUS float64
}

// recordedKernels is what simulated times are compared with.
type recordedKernels struct {
	gpu     *device.Profile
	streams map[string]collision.Stats
	calls   []plannedCall   // in the order of label, kind of call and implementation
	forms   [][]plannedCall // of each of implementations, in the order of their hashes
}

// recordedSet is that of the H200, whose calls the table has. It is read once; nobody changes it.
var recordedSet = sync.OnceValues(func() (recordedKernels, error) {
	return kernelsOf(h200.Archive)
})

// kernelsOf are an archive's calls on synthetic held-out streams.
func kernelsOf(a *archive.Archive) (g recordedKernels, err error) {
	if g.gpu, err = a.Profile(); err != nil {
		return g, err
	}
	if g.streams, err = a.Streams(); err != nil {
		return g, err
	}
	calls, err := a.Calls(recordings.HeldOut)
	if err != nil {
		return g, err
	}
	g.forms = make([][]plannedCall, len(forms))
	for _, c := range calls {
		if _, err := synth.Parse(c.Label); err != nil {
			continue // the stream is a file
		}
		if c.Origin != recordings.Measured || !c.Correct {
			continue
		}
		if _, ok := g.streams[c.Label]; !ok {
			return g, fmt.Errorf("%w: no statistics of %s", recordings.ErrRecording, c.Label)
		}
		key := recorded.CallKey{Label: c.Label, Call: c.Call, Implementation: c.Implementation}
		call := plannedCall{key, c.Updates, c.Bins, c.MedianUS}
		switch i := formOf(c); {
		case i < 0:
			g.calls = append(g.calls, call)
		case c.Updates <= formUpdates:
			g.forms[i] = append(g.forms[i], call)
		}
	}
	for _, calls := range g.forms {
		byHash(calls)
	}
	slices.SortFunc(g.calls, func(a, b plannedCall) int { return a.Compare(b.CallKey) })
	return g, nil
}

// planned returns the calls that the plan takes, those of implementations last.
func (g *recordedKernels) planned(p KernelPlan) []plannedCall {
	return append(g.plannedStreams(p), g.plannedImplementations(p)...)
}

// plannedStreams returns the calls that the plan takes of whole streams.
func (g *recordedKernels) plannedStreams(p KernelPlan) []plannedCall {
	var labels []string
	for _, c := range g.calls {
		if len(labels) == 0 || labels[len(labels)-1] != c.Label {
			labels = append(labels, c.Label)
		}
	}
	taken := map[string]bool{}
	n := len(labels)
	if p.Streams > 0 {
		n = min(n, p.Streams)
	}
	for i := range n {
		taken[labels[i*len(labels)/n]] = true
	}
	var list []plannedCall
	seen := 0
	for _, c := range g.calls {
		if !taken[c.Label] {
			continue
		}
		if p.Every == 0 || seen%p.Every == 0 {
			list = append(list, c)
		}
		seen++
	}
	return list
}
