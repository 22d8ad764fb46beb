package papers_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/atomtune/atomtune/lab/papers"
	"github.com/atomtune/atomtune/lab/papers/all"
	"github.com/atomtune/atomtune/lab/papers/streamhpc"
)

// TestOtherOutcomes: a cancelled experiment does not begin, the same options give
// the same outcome, and the seed decides orders.
func TestOtherOutcomes(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, p := range all.Papers() {
		for _, e := range p.Experiments {
			if _, err := e.Run(ctx, papers.Options{}); err == nil {
				t.Errorf("%s %s runs though cancelled", p.Key, e.Name)
			}
		}
	}
	rows := func(seed uint64) string {
		out, err := streamhpc.Paper().Experiments[2].Run(context.Background(), papers.Options{Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(out.Tables)
	}
	first, again, other := rows(4), rows(4), rows(5)
	if first != again || first == other {
		t.Errorf("%s, again %s, another seed %s", first, again, other)
	}
}
