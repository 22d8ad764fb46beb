package bench

import (
	"cmp"
	"maps"
	"slices"

	"github.com/atomtune/atomtune/device"
)

// The groups of streams: the folders that scatter.py was given.
const (
	groupRecorded = "recorded" // synthetic ones of datasets/h200, of the part held-out
	groupReal     = "real"
	groupSkewed   = "skewed"
)

// Report says what a run shows.
type Report struct {
	GPU         string         `json:"gpu"`
	With        []string       `json:"with"`
	EmptyUS     float64        `json:"empty_us"`
	Further     []Further      `json:"further"`
	Groups      map[string]int `json:"groups"` // streams
	Statements  []Statement    `json:"statements"`
	Comparisons []Comparison   `json:"comparisons"`
	Sizes       []Size         `json:"sizes"`
	Losses      []Loss         `json:"losses"`
	run         *Run
	profile     *device.Profile
}

// Size is the call over the best of all implementations on streams of similar length.
type Size struct {
	From    uint64  `json:"from"` // updates
	To      uint64  `json:"to"`   // below this
	Call    *Ratios `json:"call"`
	Planned *Ratios `json:"planned"`
}

// Loss is a stream and kind of call on which the call takes longest beside the best implementation.
type Loss struct {
	Stream string  `json:"stream"`
	Kind   string  `json:"kind"`
	US     float64 `json:"us"`
	Chosen string  `json:"chosen"`
	BestUS float64 `json:"best_us"`
	Best   string  `json:"best"`
	Times  float64 `json:"times"`
}

// mostLosses is how many of them a report lists.
const mostLosses = 12

// NewReport sums up a run.
func NewReport(r *Run) (*Report, error) {
	p, err := profileOf(r.GPU)
	if err != nil {
		return nil, err
	}
	report := &Report{GPU: r.GPU, With: r.With, EmptyUS: r.EmptyUS,
		Further: append([]Further{}, r.Further...), Groups: r.groups(),
		Statements: r.statements(p), Losses: r.losses(), run: r, profile: p}
	for _, rival := range Rivals() {
		for _, k := range r.kinds() {
			if c, ok := r.compare(rival, k, p); ok {
				report.Comparisons = append(report.Comparisons, c)
			}
		}
	}
	limits := []uint64{1, 1 << 18, 1 << 20, 1 << 22, 1 << 23, 1 << 32}
	for i, from := range limits[:len(limits)-1] {
		s := Size{From: from, To: limits[i+1]}
		s.Call, s.Planned = r.size(s, call), r.size(s, planned)
		if s.Call != nil {
			report.Sizes = append(report.Sizes, s)
		}
	}
	return report, nil
}

// Met counts the statements that are met.
func (r *Report) Met() (n int) {
	for _, s := range r.Statements {
		if s.Met {
			n++
		}
	}
	return n
}

// GroupNames lists the groups by name.
func (r *Report) GroupNames() []string { return slices.Sorted(maps.Keys(r.Groups)) }

func (r *Run) groups() map[string]int {
	streams := map[[2]string]bool{}
	for _, c := range r.Cases {
		streams[[2]string{c.Group, c.Label}] = true
	}
	groups := map[string]int{}
	for s := range streams {
		groups[s[0]]++
	}
	return groups
}

// size is nil where nothing was timed.
func (r *Run) size(s Size, ours string) *Ratios {
	j := judge{run: r}
	found := j.where(func(c *Case) bool { return s.From <= c.Updates && c.Updates < s.To },
		over(ours, best, anyLaunch))
	if len(found.values) == 0 {
		return nil
	}
	all := sumUp(found.values, found.on)
	return &all
}

func (r *Run) losses() (list []Loss) {
	for i := range r.Cases {
		c := &r.Cases[i]
		mine, there := c.time(Place{"u32", call, ""})
		other, here := c.time(Place{"u32", best, anyLaunch})
		if there && here {
			list = append(list, Loss{c.Label, c.Kind.String(), mine.US, mine.Chosen, other.US, other.Chosen,
				mine.US / other.US})
		}
	}
	slices.SortStableFunc(list, func(a, b Loss) int { return cmp.Compare(b.Times, a.Times) })
	return list[:min(len(list), mostLosses)]
}
