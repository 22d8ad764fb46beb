package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/command"
	"github.com/atomtune/atomtune/internal/command/input"
	"github.com/atomtune/atomtune/internal/command/report"
	"github.com/atomtune/atomtune/internal/wholefile"
	"github.com/atomtune/atomtune/tuner"
	"github.com/atomtune/atomtune/tuner/dispatch"
	"github.com/atomtune/atomtune/tuner/model"
)

// treeRefuses are the flags of choose about what a decision tree does not know.
var treeRefuses = []string{"relaid", "deterministic", "memory", "no-sort", "cautious", "launch",
	"search-launch", "calls", "launches", "sampling-cost", "sampling-most", "simulate", "only", "exclude",
	"sample", "exact", "sample-from", "save-plan", "index"}

// treeOf returns the decision tree in the file of --model, nil where that is another model.
func (f *chooseFlags) treeOf(flags *pflag.FlagSet) (*dispatch.Tree, error) {
	if f.model == "" {
		return nil, nil
	}
	data, err := wholefile.Read(f.model, model.MostBytes)
	if err != nil || !dispatch.Is(data) {
		return nil, nil // model.Load says what is wrong with it
	}
	for _, name := range treeRefuses {
		if flags.Changed(name) {
			return nil, command.Usagef("--%s cannot be used with --model %s, which is a decision tree",
				name, f.model)
		}
	}
	t, err := dispatch.Decode(data)
	if err != nil {
		return nil, fmt.Errorf("--model: %s: %w", f.model, err)
	}
	if flags.Changed("device") && !strings.EqualFold(f.call.Device, t.Device) {
		return nil, fmt.Errorf("--model: %s: %w: it is of device %s, not of %s", f.model,
			dispatch.ErrTree, t.Device, f.call.Device)
	}
	return t, nil
}

// treeDocument is what choose prints about one stream by a decision tree.
type treeDocument struct {
	Device string `json:"device"`
	tuner.Call
	Tree string `json:"tree"` // its file
	File string `json:"file"`
	tuner.Taken
	Choice   dispatch.Candidate `json:"choice"`
	Leaf     int                `json:"leaf"` // its place among the nodes
	Features map[string]uint32  `json:"features"`
	Path     []treeStep         `json:"path"`
	Reason   string             `json:"reason"`
	Warnings []string           `json:"warnings"`
	title    string
	stream   string // with its order
	sample   dispatch.Features
}

type treeStep struct {
	Feature   string `json:"feature"`
	Value     uint32 `json:"value"`
	Threshold uint32 `json:"threshold"`
	Below     bool   `json:"below"`
}

// chooseByTree chooses for streams as a kernel with the tree does.
func chooseByTree(e *env, args []string, f *chooseFlags, t *dispatch.Tree) error {
	return input.Each(e, args, func(path string) (treeDocument, error) {
		s, err := input.Load(e, path, f.stream)
		if err != nil {
			return treeDocument{}, err
		}
		return newTreeDocument(t, f, s), s.Named(s.Whole("the decision tree does not support them"))
	}, printTree)
}

func newTreeDocument(t *dispatch.Tree, f *chooseFlags, s *input.Source) treeDocument {
	c := f.options.Call
	sample := dispatch.Sample(s.Indices, c, s.Bins())
	doc := treeDocument{Device: t.Device, Call: tuner.NewCall(c), Tree: f.model,
		File: s.File, Taken: s.Taken, Choice: t.Choose(&sample), Features: map[string]uint32{},
		Warnings: []string{}, title: t.Title, stream: s.Title(), sample: sample}
	for i, name := range dispatch.Names() {
		doc.Features[name] = sample[i]
	}
	for _, at := range t.Path(&sample) {
		n := t.Nodes[at]
		if doc.Leaf = at; n.Leaf() {
			break
		}
		doc.Path = append(doc.Path, treeStep{dispatch.Names()[n.Feature], sample[n.Feature],
			n.Threshold, sample[n.Feature] < n.Threshold})
	}
	doc.Reason = reasonOf(doc.Path)
	if order := s.Groups(); order != "" && len(s.Indices) <= tuner.MostSorted {
		sorted := dispatch.Sample(slices.Sorted(slices.Values(s.Indices)), c, s.Bins())
		if other := t.Choose(&sorted).Implementation; other != doc.Choice.Implementation {
			doc.Warnings = append(doc.Warnings, tuner.Reordered(order, other.String()))
		}
	}
	if d, err := device.Builtin(t.Device); err == nil && model.ProfileHash(d) != t.ProfileHash {
		doc.Warnings = append(doc.Warnings, fmt.Sprintf("%s was trained on another profile of %s: retrain it "+
			"with train --target dispatch", f.model, t.Device))
	}
	return doc
}

// reasonOf says in words what the path's comparisons leave of each feature: its closest bounds.
func reasonOf(path []treeStep) string {
	if len(path) == 0 {
		return "the tree has a single leaf"
	}
	var parts []string
	for _, name := range dispatch.Names() {
		text, least, most := "", uint32(0), uint32(math.MaxUint32)
		for _, s := range path {
			if s.Feature != name {
				continue
			}
			text = fmt.Sprintf("%s %s", name, count(s.Value))
			if s.Below {
				most = min(most, s.Threshold)
			} else {
				least = max(least, s.Threshold)
			}
		}
		switch below := most < math.MaxUint32; {
		case text == "":
			continue
		case least > 0 && below:
			text += fmt.Sprintf(" (%s to %s)", count(least), count(most-1))
		case below:
			text += fmt.Sprintf(" (below %s)", count(most))
		default:
			text += fmt.Sprintf(" (at least %s)", count(least))
		}
		parts = append(parts, text)
	}
	return "by its sample: " + strings.Join(parts, ", ")
}

func printTree(p *report.Page, doc treeDocument) {
	p.Field("stream", "%s: %s of %s", doc.stream,
		report.Counted(uint64(doc.sample[dispatch.Updates]), "update"),
		report.Counted(uint64(doc.sample[dispatch.Bins]), "target"))
	p.Field("device", "%s, %s", doc.title, doc.Call.Of.Words())
	launch := "launches of its own kernels"
	if l := doc.Choice.Launch; l != (dispatch.PerSM{}) {
		launch = fmt.Sprintf("%d block of %d threads on each multiprocessor, unroll %d",
			l.BlocksPerSM, l.Threads, l.Unroll)
	}
	p.Field("choice", "%s, %s: leaf %d of %s", p.Strong(doc.Choice.Implementation.String()), launch,
		doc.Leaf, doc.Tree)
	p.Field("reason", "%s", doc.Reason)
	p.WriteByte('\n')
	place := 0
	report.Table(p, "feature|>value", dispatch.Names(), func(name string) report.Row {
		place++
		return report.Row{name, count(doc.sample[place-1])}
	})
	p.Warnings(doc.Warnings)
}

func count(x uint32) string { return report.Count(uint64(x)) }
