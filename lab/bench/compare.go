package bench

import (
	"math"
	"slices"
	"strings"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/quantile"
)

// Names of implementations in a table.
const (
	call          = "atomtune"               // samples and decides
	planned       = "atomtune:plan"          // inspected before
	tuned         = "atomtune:tuned"         // implementations were measured before
	deterministic = "atomtune:deterministic" // the same result on every run
	best          = "best"                   // of all implementations and launches, timed again
	bestUnseen    = "best:unseen"            // of those that no one told the frequent targets
	plain         = "naive"
	ladder        = "ladder" // an implementation by sizes alone
)

// Rival is what calls are compared with: its name in reports and in the table, and its indices.
type Rival struct {
	Name, implementation, index string
}

// Rivals lists whom the call is compared with, in the order of reports.
func Rivals() []Rival {
	return []Rival{
		{"PyTorch scatter_add_", "torch.scatter_add_", "i64"},
		{"PyTorch index_add_", "torch.index_add_", "i64"},
		{"PyTorch bincount", "torch.bincount", "i64"},
		{"CUB HistogramEven", "cub::HistogramEven", "u32"},
		{"CUB sort, reduce by key", "sort", "u32"},
		{"plain atomics", plain, "u32"},
		{"a careful ladder", ladder, "u32"},
		{"best form and launch", best, "u32"},
		{"best form that knows nothing", bestUnseen, "u32"},
	}
}

// place is where a rival's times stand.
func (r Rival) place(p *device.Profile) Place {
	switch r.implementation {
	case plain:
		return Place{r.index, plain, plainLaunch(p)}
	case best, bestUnseen:
		return Place{r.index, r.implementation, anyLaunch}
	}
	return Place{r.index, r.implementation, ""}
}

// anyLaunch is the launch of an implementation that is in the table once.
const anyLaunch = "*"

// plainLaunch is that of plain atomics: blocks of 256 threads, an SM full of them.
func plainLaunch(p *device.Profile) string {
	return device.Launch{Blocks: 8 * uint64(p.Core.SMs.Value), Threads: 256, Unroll: 1}.String()
}

// time returns a call's time, false if there is none or its result was wrong.
func (c *Case) time(p Place) (Time, bool) {
	if p.Launch != anyLaunch {
		t, ok := c.Times[p]
		return t, ok && t.Wrong == 0
	}
	for at, t := range c.Times {
		if at.Implementation == p.Implementation && at.Index == p.Index {
			return t, t.Wrong == 0
		}
	}
	return Time{}, false
}

// ratio is a time over the time of one of ours, with the same indices.
func (c *Case) ratio(r Rival, p *device.Profile, ours string) (times float64, ok bool) {
	theirs, there := c.time(r.place(p))
	own, here := c.time(Place{r.index, ours, ""})
	return theirs.US / own.US, there && here
}

// Ratios sums up how many times as long others take.
type Ratios struct {
	Streams       int     `json:"streams"`
	GeometricMean float64 `json:"geometric_mean"`
	P10           float64 `json:"p10"` // nine of ten are at least this
	Least         float64 `json:"least"`
	LeastOn       string  `json:"least_on"` // the stream
	Most          float64 `json:"most"`
}

// sumUp sums up ratios of streams, of which there is one at least.
func sumUp(ratios []float64, labels []string) Ratios {
	low := slices.Index(ratios, slices.Min(ratios))
	return Ratios{len(ratios), geometricMean(ratios), quantile.Of(ratios, 0.1), ratios[low], labels[low],
		slices.Max(ratios)}
}

func geometricMean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += math.Log(v)
	}
	return math.Exp(sum / float64(len(values)))
}

// Comparison is one rival on one kind of call, over streams of all groups.
type Comparison struct {
	Rival string `json:"rival"`
	Kind  string `json:"kind"`
	Ratios
	Planned      *Ratios `json:"planned"`       // of the call with a plan, where it was timed
	FloorPercent float64 `json:"floor_percent"` // of the call: floor over time, geometric mean
	RivalPercent float64 `json:"rival_percent"` // of the rival, likewise
}

// kinds lists the kinds of call of a run in the order of the table.
func (r *Run) kinds() []Kind {
	var list []Kind
	for _, c := range r.Cases {
		if !slices.Contains(list, c.Kind) {
			list = append(list, c.Kind)
		}
	}
	return list
}

// compare compares the call with a rival on one kind of call. It is false where no stream has both.
func (r *Run) compare(rival Rival, k Kind, p *device.Profile) (Comparison, bool) {
	var ratios, plans, own, theirs []float64
	var labels, planLabels []string
	for i := range r.Cases {
		c := &r.Cases[i]
		if c.Kind != k {
			continue
		}
		if v, ok := c.ratio(rival, p, planned); ok {
			plans, planLabels = append(plans, v), append(planLabels, c.Label)
		}
		v, ok := c.ratio(rival, p, call)
		if !ok {
			continue
		}
		ratios, labels = append(ratios, v), append(labels, c.Label)
		floor := c.floorUS(p, r.EmptyUS, rival.index)
		mine, _ := c.time(Place{rival.index, call, ""})
		own, theirs = append(own, floor/mine.US), append(theirs, floor/(mine.US*v))
	}
	if len(ratios) == 0 {
		return Comparison{}, false
	}
	result := Comparison{Rival: rival.Name, Kind: k.String(), Ratios: sumUp(ratios, labels),
		FloorPercent: 100 * geometricMean(own), RivalPercent: 100 * geometricMean(theirs)}
	if len(plans) > 0 {
		all := sumUp(plans, planLabels)
		result.Planned = &all
	}
	return result, true
}

// family is what a synthetic stream's label begins with, empty of real data.
func family(label string) string {
	name, _, synthetic := strings.Cut(label, ":")
	if !synthetic {
		return ""
	}
	return name
}
