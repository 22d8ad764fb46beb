package papers_test

import (
	"context"
	"fmt"

	"github.com/atomtune/atomtune/lab/papers"
	"github.com/atomtune/atomtune/lab/papers/gomezluna13"
)

func ExampleExperiment_Run() {
	for _, e := range gomezluna13.Paper().Experiments {
		if e.Name != "figure3" {
			continue
		}
		out, err := e.Run(context.Background(), papers.Options{})
		if err != nil {
			panic(err)
		}
		for _, r := range out.Rows {
			fmt.Println(r.Item, r.PaperValue, r.Ours, r.Unit, r.Status)
		}
	}
	// Output:
	// figure3: stride 32: gap between consecutive marks, t_bank-short by the rule 64 64 cycles enforced
	// figure3: stride 256: gaps between the first four marks, t_bank-short by the rule 64 64 cycles enforced
	// figure3: stride 256: gap at arrow 1, t_bank-long 152 152 cycles enforced
	// figure3: stride 256: gaps between the second four marks, t_bank-short + t_extra 96 96 cycles enforced
	// figure3: stride 256: gap at arrow 2, t_bank-long + t_extra 184 184 cycles enforced
}
