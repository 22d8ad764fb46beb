package training

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/regtree"
	"github.com/atomtune/atomtune/tuner/model"
)

// Fit grows the tree of a model from all rows of a sweep and measures it on families held out. The same
// rows in any order give the same model. The error wraps model.ErrRows, naming points, where rows are
// missing, repeated, foreign or too few; otherwise ErrSweep or the context's.
func Fit(ctx context.Context, d *device.Profile, s model.Sweep, rows []Row) (*model.Model, error) {
	t, err := Prepare(d, s, rows)
	if err != nil {
		return nil, err
	}
	g, err := t.grower()
	if err != nil {
		return nil, err
	}
	held, err := g.heldOut(ctx)
	if err != nil {
		return nil, err
	}
	m := model.New()
	m.Device, m.ProfileHash, m.ClosedForms, m.Sweep = d.Name, model.ProfileHash(d), model.ClosedFormsHash(d), s.Normal()
	var x [][]float64
	for i := range t.Samples {
		x = append(x, t.Samples[i].X)
		for v := range t.Implementations {
			if t.Samples[i].Has(v) {
				m.Simulations++
			}
		}
	}
	m.Features = model.Ranges(x)
	m.Evaluation = g.evaluate(held.unseen())
	if err := g.final(m.Tree, held.chosen(func(int) bool { return true })); err != nil {
		return nil, err
	}
	if err := m.Validate(); err != nil {
		return nil, fmt.Errorf("%w: %w", model.ErrRows, err)
	}
	return m, nil
}

// MinRows is the number of points that a tree needs.
const MinRows = 20

// leafShare is the share of the rows that a leaf holds at least, one in so many, and leastLeaf their
// least number.
const leafShare, leastLeaf = 80, 5

// A setting says how complex a tree is: its leaves, and the factor of its corrections.
type setting struct {
	leaves int
	shrink float64
}

// settings lists what is tried, the simplest first. The first leaves the closed forms.
var settings = func() []setting {
	list := []setting{{1, 0}}
	for _, leaves := range []int{4, 8, 16, 32} {
		for _, shrink := range []float64{0.5, 0.75, 1} {
			list = append(list, setting{leaves, shrink})
		}
	}
	return list
}()

// alike is the ln of the mean loss within which the simpler setting is taken.
const alike = 0.0005

type grower struct {
	*Training
	implementations []string
	of              []int // implementation of each implementation
	sorted          *regtree.Sorted
	family          []int // of each sample, by number
}

// grower prepares the joint regression: a target for each implementation, the mean of ln(simulated/closed form) of
// its implementations, not known where none was simulated.
func (t *Training) grower() (*grower, error) {
	if len(t.Samples) < MinRows || len(t.Families) < 2 {
		return nil, fmt.Errorf("%w: %d points of %d stream families, a tree needs %d of two", model.ErrRows,
			len(t.Samples), len(t.Families), MinRows)
	}
	g := &grower{Training: t}
	for _, v := range t.Implementations {
		implementation := slices.Index(g.implementations, v.Name())
		if implementation < 0 {
			implementation, g.implementations = len(g.implementations), append(g.implementations, v.Name())
		}
		g.of = append(g.of, implementation)
	}
	x := make([][]float64, len(t.Samples))
	targets := make([][]float64, len(g.implementations))
	for implementation := range targets {
		targets[implementation] = make([]float64, len(t.Samples))
	}
	for i := range t.Samples {
		s := &t.Samples[i]
		x[i] = s.X
		g.family = append(g.family, slices.Index(t.Families, s.Family))
		count := make([]float64, len(g.implementations))
		for v, implementation := range g.of {
			if s.Has(v) {
				count[implementation]++
				targets[implementation][i] += s.Target[v]
			}
		}
		for implementation, n := range count {
			targets[implementation][i] /= n // NaN of none
		}
	}
	g.sorted = regtree.Sort(x, targets...)
	return g, nil
}

// tree grows a tree of all implementations on the samples that keep accepts.
func (g *grower) tree(keep func(sample int) bool, leaves int) (regtree.Tree, error) {
	n := 0
	for i := range g.Samples {
		if keep(i) {
			n++
		}
	}
	return g.sorted.Fit(keep, regtree.Options{MaxLeaves: leaves, MinLeaf: max(leastLeaf, n/leafShare)})
}

// heldOut holds the losses of choices by trees that had not seen the family of the sample.
type heldOut struct {
	*grower
	losses [][]float64 // by setting and sample
}

// heldOut grows trees without each family and lets them choose for it.
func (g *grower) heldOut(ctx context.Context) (*heldOut, error) {
	h := &heldOut{g, make([][]float64, len(settings))}
	for k := range settings {
		h.losses[k] = make([]float64, len(g.Samples))
	}
	err := Parallel(ctx, len(g.Families), 0, func(f int) error {
		var tree regtree.Tree
		for k, try := range settings {
			if k == 0 || try.leaves != settings[k-1].leaves {
				var err error
				if tree, err = g.tree(func(s int) bool { return g.family[s] != f }, try.leaves); err != nil {
					return err
				}
			}
			for i := range g.Samples {
				if g.family[i] == f {
					h.losses[k][i] = g.loss(i, g.choose(i, tree.Predict(g.Samples[i].X), try.shrink))
				}
			}
		}
		return nil
	})
	return h, err
}

// chosen returns the place of the simplest setting of nearly the least mean loss over the samples that want
// accepts, of those that keep the limits. Where none keeps that of the largest loss, which is of one point,
// the others decide, and where none keeps these, the closed forms.
func (h *heldOut) chosen(want func(sample int) bool) int {
	of := make([]model.Loss, len(settings))
	for k := range settings {
		var list []float64
		for i, loss := range h.losses[k] {
			if want(i) {
				list = append(list, loss)
			}
		}
		of[k] = model.Summarize(list)
	}
	for _, keeps := range []func(l, closed model.Loss) bool{model.Loss.Keeps, model.Loss.KeepsMost} {
		least, best := math.Inf(1), 0
		for k := len(settings) - 1; k > 0; k-- {
			if !keeps(of[k], of[0]) {
				continue
			}
			mean := math.Log(of[k].GeometricMean)
			if least = min(least, mean); best == 0 || mean <= least+alike {
				best = k
			}
		}
		if best > 0 {
			return best
		}
	}
	return 0
}

// unseen returns the loss of each sample by the setting that the other families choose.
func (h *heldOut) unseen() []float64 {
	losses := make([]float64, len(h.Samples))
	for f := range h.Families {
		k := h.chosen(func(i int) bool { return h.family[i] != f })
		for i := range losses {
			if h.family[i] == f {
				losses[i] = h.losses[k][i]
			}
		}
	}
	return losses
}

func (g *grower) final(into *model.Tree, k int) error {
	tree, err := g.tree(func(int) bool { return true }, settings[k].leaves)
	if err != nil {
		return err
	}
	into.Implementations, into.Features, into.Leaves = g.implementations, nil, nil
	for _, n := range tree {
		into.Features = append(into.Features, n.Feature)
		if n.Feature >= 0 {
			into.Thresholds = append(into.Thresholds, n.Threshold)
			continue
		}
		one := model.Leaf{}
		for _, v := range n.Values {
			one.Corrections = append(one.Corrections, int32(math.Round(settings[k].shrink*v/model.Step)))
		}
		into.Leaves = append(into.Leaves, one)
	}
	for i := range g.Samples {
		leaf := tree[tree.Find(g.Samples[i].X)]
		chosen := g.choose(i, leaf.Values, settings[k].shrink)
		into.Leaves[leaf.Right].Streams[g.Implementations[chosen].Class()]++
	}
	return nil
}

// choose returns the simulated implementation that corrections choose on a sample: ln(corrected/closed form) by
// implementation, nil for none.
func (g *grower) choose(i int, by []float64, shrink float64) int {
	s := &g.Samples[i]
	return model.Chosen(len(g.Implementations), func(v int) (us, priced float64, simplicity int) {
		if !s.Has(v) {
			return math.Inf(1), 0, 0
		}
		us = s.Closed[v]
		if by != nil {
			us *= math.Exp(shrink * by[g.of[v]])
		}
		return us, s.Closed[v], g.Implementations[v].Simplicity(false)
	})
}

// loss returns ln of the simulated time of an implementation over the best one of the sample.
func (t *Training) loss(i, v int) float64 {
	s := &t.Samples[i]
	return math.Log(s.Simulated[v] / s.Best())
}

// evaluate measures choices on the training points by the losses of trees that had not seen their family.
func (g *grower) evaluate(unseen []float64) model.Evaluation {
	own, priced := map[string][]float64{}, map[string][]float64{}
	var closed, naive []float64
	for i := range g.Samples {
		s := &g.Samples[i]
		closed = append(closed, g.loss(i, g.choose(i, nil, 0)))
		if s.Has(0) {
			naive = append(naive, g.loss(i, 0))
		}
		own[s.Family], priced[s.Family] = append(own[s.Family], unseen[i]), append(priced[s.Family], closed[i])
	}
	e := model.Evaluation{Tree: model.Summarize(unseen), ClosedForm: model.Summarize(closed),
		Naive: model.Summarize(naive), Families: []model.FamilyLoss{}}
	for _, name := range g.Families {
		e.Families = append(e.Families, model.FamilyLoss{Family: name, Loss: model.Summarize(own[name])})
		e.ClosedForms = append(e.ClosedForms, model.FamilyLoss{Family: name, Loss: model.Summarize(priced[name])})
	}
	return e
}
