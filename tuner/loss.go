package tuner

import "math"

// evaluate measures what choices would have cost on the training points.
func (t *training) evaluate(kFold, familyOut *crossed) Evaluation {
	held := t.losses(func(v, i int) float64 { return kFold.correction(v, i).Value })
	family := t.losses(func(v, i int) float64 { return familyOut.correction(v, i).Value })
	closed := t.losses(func(int, int) float64 { return 0 })
	e := Evaluation{
		HeldOut:    summarize(held),
		FamilyOut:  summarize(family),
		ClosedForm: summarize(closed),
		Naive:      summarize(t.naiveLosses()),
		Families:   []FamilyLoss{},
	}
	for _, name := range t.families {
		var own []float64
		for i := range t.samples {
			if t.samples[i].family == name {
				own = append(own, family[i])
			}
		}
		e.Families = append(e.Families, FamilyLoss{Family: name, Loss: summarize(own)})
	}
	return e
}

// losses returns, for each sample, ln of the simulated time of the
// implementation with the shortest corrected time over the shortest simulated
// time.
func (t *training) losses(correction func(v, i int) float64) []float64 {
	logs := make([]float64, len(t.samples))
	for i := range t.samples {
		s := &t.samples[i]
		chosen, least := -1, math.Inf(1)
		for v := range t.variants {
			if math.IsNaN(s.target[v]) {
				continue
			}
			if us := s.closed[v] * math.Exp(correction(v, i)); us < least {
				chosen, least = v, us
			}
		}
		logs[i] = math.Log(s.simulated[chosen] / s.best())
	}
	return logs
}

// naiveLosses returns the losses of always taking the first candidate, naive,
// over the samples on which it ran.
func (t *training) naiveLosses() []float64 {
	var logs []float64
	for i := range t.samples {
		s := &t.samples[i]
		if !math.IsNaN(s.simulated[0]) {
			logs = append(logs, math.Log(s.simulated[0]/s.best()))
		}
	}
	return logs
}

// best returns the shortest simulated time of a sample.
func (s *sample) best() float64 {
	least := math.Inf(1)
	for _, us := range s.simulated {
		if us < least {
			least = us
		}
	}
	return least
}
