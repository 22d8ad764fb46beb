package main

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/atomtune/atomtune/cmd/atomtune/internal/choice"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/internal/command/report"
	"github.com/atomtune/atomtune/tuner/model"
)

type deviceTree struct {
	Device string      `json:"device"`
	Leaves int         `json:"leaves"`
	Points int         `json:"simulated_points"`
	Root   *deviceNode `json:"root"` // null: there is none
	// Caveat says why there is none, left out where there is one.
	Caveat string `json:"caveat,omitempty"`
}

// deviceNode is a comparison, or a leaf: of the two kinds of fields one is left out.
type deviceNode struct {
	Feature   string      `json:"feature,omitempty"`
	Threshold float64     `json:"threshold,omitempty"`
	Below     *deviceNode `json:"below,omitempty"`
	Others    *deviceNode `json:"others,omitempty"`

	// Streams counts those of the training by the class chosen.
	Streams map[string]int `json:"streams,omitempty"`
	// Factors of the closed forms' times, by implementation.
	Factors map[string]float64 `json:"factors,omitempty"`
}

// deviceTreeOf returns the tree of a model file, or that which comes with the library for the device.
func deviceTreeOf(d *device.Profile, path string) (t deviceTree, err error) {
	var m *model.Model
	if path != "" {
		if m, err = model.Load(path); err != nil {
			return t, err
		}
	}
	t.Device = d.Name
	if m, t.Caveat, err = model.For(d, device.Call{}, m); m == nil || err != nil {
		return t, err
	}
	if m.Simulations == 0 {
		t.Caveat = "the model has only intervals"
		return t, nil
	}
	t.Leaves, t.Points = len(m.Tree.Leaves), m.Sweep.Points
	at, split, leaf := -1, -1, -1
	var next func() *deviceNode // of the preorder, with all below it
	next = func() *deviceNode {
		n := &deviceNode{}
		if at++; m.Tree.Features[at] >= 0 {
			split++
			n.Feature, n.Threshold, _ = model.Plain(model.FeatureNames[m.Tree.Features[at]], m.Tree.Thresholds[split],
				0)
			n.Below = next()
			n.Others = next()
			return n
		}
		leaf++
		n.Streams, n.Factors = map[string]int{}, map[string]float64{}
		for class, streams := range m.Tree.Leaves[leaf].Streams {
			n.Streams[impl.Class(class).String()] = streams
		}
		for implementation, correction := range m.Tree.Leaves[leaf].Corrections {
			n.Factors[m.Tree.Implementations[implementation]] = math.Exp(float64(correction) * model.Step)
		}
		return n
	}
	t.Root = next()
	return t, nil
}

// printDeviceTree shows the tree of a device, a name or a file, as indented comparisons.
func printDeviceTree(p *report.Page, device string, t deviceTree) {
	if t.Root == nil {
		p.Prose("tree: none, %s. %s trains one, and --model shows it", t.Caveat, trainCommand(device))
		return
	}
	p.Prose("tree: %s, trained on %s. Each leaf shows how many streams chose each class, and the factors "+
		"by which it multiplies closed forms, if they differ by more than %s %%.", report.Counted(t.Leaves, "leaf"),
		report.Counted(t.Points, "simulated stream"), report.Short(100*model.TieBand))
	p.WriteByte('\n')
	t.Root.print(p, "  ")
}

func (n *deviceNode) print(p *report.Page, indent string) {
	if n.Below == nil {
		p.Item(indent, "%s", n.leaf())
		return
	}
	p.Item(indent, "%s:", choice.Side(n.Feature, n.Threshold, true))
	n.Below.print(p, indent+"  ")
	p.Item(indent, "%s:", choice.Side(n.Feature, n.Threshold, false))
	n.Others.print(p, indent+"  ")
}

// A page shows the corrections that move an implementation by more than a tie, the largest of them.
const mostFactors = 6

func (n *deviceNode) leaf() string {
	var parts []string
	for class := impl.Naive; class <= impl.NonAtomic; class++ {
		if streams := n.Streams[class.String()]; streams > 0 {
			parts = append(parts, fmt.Sprintf("%s %s", report.Count(streams), class))
		}
	}
	size := func(implementation string) float64 { return math.Abs(math.Log(n.Factors[implementation])) }
	implementations := slices.DeleteFunc(slices.Sorted(maps.Keys(n.Factors)), func(implementation string) bool {
		return size(implementation) <= math.Log(1+model.TieBand)
	})
	slices.SortStableFunc(implementations, func(a, b string) int { return cmp.Compare(size(b), size(a)) })
	for i, implementation := range implementations {
		implementations[i] = fmt.Sprintf("%s %.2f", implementation, n.Factors[implementation])
	}
	text := strings.Join(parts, ", ")
	switch more := len(implementations) - mostFactors; {
	case len(implementations) == 0:
		return text
	case more > 0:
		implementations = append(implementations[:mostFactors], fmt.Sprintf("%d more", more))
	}
	return text + "; " + strings.Join(implementations, ", ")
}
