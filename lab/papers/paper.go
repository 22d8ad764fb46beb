package papers

// Paper is a paper and its experiments.
type Paper struct {
	Key         string // such as gomezluna13
	Experiments []Experiment
	// Inputs reports that Options.Patterns, Objects and Images matter to some of
	// the experiments.
	Inputs bool
	// Scaled reports that Options.Scale matters.
	Scaled bool
}

// NewPaper returns the paper, whose key its experiments then know.
func NewPaper(p Paper) Paper {
	for i := range p.Experiments {
		p.Experiments[i].paper = p.Key
	}
	return p
}
