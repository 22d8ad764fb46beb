package papers

import "context"

// Paper is a paper and its experiments.
type Paper struct {
	Key         string // such as gomezluna13
	Reference   string // authors, title, where and when it was published
	Experiments []Experiment
	// Inputs reports that Options.Patterns, Objects and Images matter to some of
	// the experiments.
	Inputs bool
	// Scaled reports that Options.Scale matters.
	Scaled bool
	// Memo reports that Options.Memo is asked for times.
	Memo bool
	// Data, where not nil, makes of the files in the folder Options.Data what experiments make of
	// drawn inputs. Its outcome has no rows.
	Data func(context.Context, Options) (Outcome, error)
	// Published are the numbers that it gives; nil where it gives none.
	Published *Published
}

// NewPaper returns the paper, whose experiments then know its key and its statements: a CSV
// table of experiment, item, what the paper states, unit, status and reason. Statements in
// words stand there. A number comes with the experiment's row, from Published.
func NewPaper(p Paper, statements string) Paper {
	table := tableOf(p.Key, statements)
	for i := range p.Experiments {
		e := &p.Experiments[i]
		e.paper, e.statements = p.Key, table[e.Name]
	}
	return p
}
