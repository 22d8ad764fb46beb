package streamhpc

import (
	"context"
	"testing"

	"github.com/atomtune/atomtune/hwsim/casloop"
	"github.com/atomtune/atomtune/lab/papers"
	"github.com/atomtune/atomtune/lab/papers/paperstest"
)

// TestListingRowsDiscriminate makes up what became of the runs.
func TestListingRowsDiscriminate(t *testing.T) {
	rows := func(first, second, again census) []papers.Row {
		var f findings
		f.listingRows(first, second, again, census{})
		return f.Rows
	}
	stuck := census{losing: 9, stuck: 9, updates: 20, made: 10}
	right := census{updates: 20, made: 20}
	paperstest.Discriminates(t, [][]papers.Row{
		rows(stuck, right, census{overwriting: 3}),
		rows(census{overwriting: 1, losing: 1, inexact: 1}, stuck, right),
		rows(right, census{updates: 20, made: 19}, right),
	})
}

// TestCensus counts what the model of memory gives for two settings. Of 20 updates of which 15 were
// made, a quarter is lost.
func TestCensus(t *testing.T) {
	if got := (census{updates: 20, made: 15}).lostShare(); got != 25 {
		t.Errorf("%v %% lost, want 25", got)
	}
	c, err := added(casloop.First, 2).census(context.Background(), 1)
	if err != nil || c.stuck == 0 || c.losing != c.stuck || c.made >= c.updates || c.perUpdate() <= 1 {
		t.Errorf("first listing: %+v, %v", c, err)
	}
	split := added(casloop.First, 4)
	split.split = true
	if c, err := split.census(context.Background(), 1); err != nil || c.overwriting == 0 {
		t.Errorf("a comparison and a store: %+v, %v", c, err)
	}
	c, err = added(casloop.Second, 2).census(context.Background(), 1)
	if err != nil || c.losing != 0 || c.made != c.updates || c.updates != 2*2*4*contentions {
		t.Errorf("second listing: %+v, %v", c, err)
	}
}
