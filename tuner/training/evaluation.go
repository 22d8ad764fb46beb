package training

import (
	"github.com/atomtune/atomtune/internal/portable"
	"github.com/atomtune/atomtune/tuner/model"
)

// choose returns the simulated implementation that corrections choose on a sample: ln(corrected/closed form) by
// form, nil for none.
func (g *grower) choose(i int, by []float64, shrink float64) int {
	s := &g.Samples[i]
	var of model.Choosing
	for v := range g.Variants {
		if !s.Has(v) {
			continue
		}
		us := s.Closed[v]
		if by != nil {
			us *= portable.Exp(shrink * by[g.of[v]])
		}
		of.Add(v, us, s.Closed[v])
	}
	return of.Chosen()
}

// loss returns ln of the simulated time of an implementation over the best one of the sample.
func (t *Training) loss(i, v int) float64 {
	s := &t.Samples[i]
	return portable.Log(s.Simulated[v] / s.Best())
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
