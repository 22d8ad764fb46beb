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

// NewPaper returns the paper, whose experiments then know its key and its statements: a CSV
// table of experiment, item, the paper's value (none where the experiment gives it), unit,
// status and reason.
func NewPaper(p Paper, statements string) Paper {
	table := tableOf(p.Key, statements)
	for i := range p.Experiments {
		e := &p.Experiments[i]
		e.paper, e.statements = p.Key, table[e.Name]
	}
	return p
}
