// Package streamhpc runs the two compare-and-exchange loops of [streamhpc] where
// ordinary reads may be stale.
//
// References:
//
//	[streamhpc]     Atomic operations for floats in OpenCL, improved. StreamHPC
//	                blog.
package streamhpc

import (
	"context"
	_ "embed"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim/casloop"
	"github.com/atomtune/atomtune/lab/papers"
	"github.com/atomtune/atomtune/lab/plot"
)

//go:embed statements.csv
var statements string

// Paper lists the experiments of [streamhpc]: its two listings and what it
// says beside them.
func Paper() papers.Paper {
	return papers.NewPaper(papers.Paper{Key: "streamhpc", Reference: "Atomic operations for floats " +
		"in OpenCL, improved. StreamHPC blog",
		Experiments: []papers.Experiment{
			{Name: "listings", Title: "What both listings make of stale reads", Make: listings},
			{Name: "reads", Title: "Exchanges for an update, by how often reads are fresh", Make: reads},
			{Name: "operations", Title: "The other operations, and local memory", Make: operations},
		}}, statements)
}

// contentions is how many runs, each with its own order of accesses, are made of
// every setting.
const contentions = 2000

// contention is a setting of runs of float atomics on one target.
type contention struct {
	listing       casloop.Listing
	op            device.Op
	groups, lanes int
	refresh       float64
	readTwice     bool
	split         bool // the exchange is a comparison and a store
}

// added is the addition that both listings print, where work-groups keep what
// they have read.
func added(l casloop.Listing, groups int) contention {
	return contention{listing: l, op: device.Add, groups: groups, lanes: 4}
}

// run makes the seed'th run: two updates per lane, by operands of 1 to 2.
func (c contention) run(seed uint64) (casloop.Options, casloop.Result, error) {
	rng := rand.New(rand.NewPCG(seed, 1))
	number := func() uint64 { return uint64(math.Float32bits(float32(1 + rng.Float64()))) }
	o := casloop.Options{
		Listing: c.listing, Op: c.op, Type: device.F32, Initial: number(), Groups: c.groups,
		Lanes:   c.lanes,
		Refresh: c.refresh, ReadTwice: c.readTwice, Split: c.split, Seed: seed,
	}
	for range 2 * c.groups * c.lanes {
		o.Operands = append(o.Operands, casloop.Operand{A: number(), B: number()})
	}
	r, err := casloop.Run(o)
	return o, r, err
}

// census is what became of the runs of a setting.
type census struct {
	losing, stuck, overwriting int // runs
	inexact                    int // runs whose target is not what the updates give, in their order
	updates, made, exchanges   int
}

func (c contention) census(ctx context.Context, seed uint64) (census, error) {
	var all census
	f, err := casloop.FuncOf(c.op, device.F32)
	if err != nil {
		return all, err
	}
	for i := range uint64(contentions) {
		if err := ctx.Err(); err != nil {
			return all, err
		}
		o, r, err := c.run(seed<<32 + i)
		if err != nil {
			return all, fmt.Errorf("run %d: %w", i, err)
		}
		want := o.Initial
		for _, x := range r.Made {
			want = f(want, x)
		}
		all.updates += len(o.Operands)
		all.made += len(r.Made)
		all.exchanges += r.Exchanges
		all.losing += papers.One(r.Lost() > 0)
		all.stuck += papers.One(r.Stuck)
		all.overwriting += papers.One(r.Overwritten > 0)
		all.inexact += papers.One(r.Final != want)
	}
	return all, nil
}

// percent is a share of the runs.
func percent(runs int) float64 { return 100 * float64(runs) / contentions }

// lostShare is the share of the updates that were not made, in percent.
func (c census) lostShare() float64 { return 100 - 100*float64(c.made)/float64(c.updates) }

// perUpdate is how many exchanges an update took that was made.
func (c census) perUpdate() float64 { return float64(c.exchanges) / float64(c.made) }

// listings runs both listings where a work-group's reads stay as stale
// as its first one.
func listings(ctx context.Context, o papers.Options) (papers.Outcome, error) {
	var f findings
	t := papers.NewTable("listings",
		fmt.Sprintf("%s runs of 4 lanes per work-group, 2 additions each, stale reads",
			papers.Thousands(contentions)),
		"listing|work-groups|runs that lose updates [%]|runs that get stuck [%]|"+
			"runs that overwrite [%]|updates lost [%]")
	panel := plot.Figure{XLabel: "work-groups of 4 lanes", YLabel: "updates lost [%]", XLog: true}
	four := map[casloop.Listing]census{}
	for _, l := range []casloop.Listing{casloop.First, casloop.Second} {
		line := plot.Line{Name: l.String() + " listing"}
		for groups := 1; groups <= 8; groups *= 2 {
			c, err := added(l, groups).census(ctx, o.Seed)
			if err != nil {
				return papers.Outcome{}, err
			}
			if groups == 4 {
				four[l] = c
			}
			t.Add(l, groups, percent(c.losing), percent(c.stuck), percent(c.overwriting), c.lostShare())
			line.X, line.Y = append(line.X, float64(groups)), append(line.Y, c.lostShare())
		}
		panel.Lines = append(panel.Lines, line)
	}
	setting := contention{listing: casloop.Second, op: device.Add, groups: 4, lanes: 4, refresh: 1,
		readTwice: true}
	again, err := setting.census(ctx, o.Seed)
	if err != nil {
		return papers.Outcome{}, err
	}
	setting = added(casloop.First, 4)
	setting.split = true
	split, err := setting.census(ctx, o.Seed)
	if err != nil {
		return papers.Outcome{}, err
	}
	f.Table(t)
	f.listingRows(four[casloop.First], four[casloop.Second], again, split)
	f.Page = plot.Page{Title: "Float additions by compare-and-exchange, reads from stale copies",
		Panels: []plot.Panel{panel}}
	return f.Outcome, nil
}

func (f *findings) listingRows(first, second, again, split census) {
	f.State("first listing: runs that lose updates", percent(first.losing), first.losing > 0)
	f.State("first listing: runs that overwrite an update", percent(first.overwriting),
		first.overwriting > 0, percent(split.overwriting))
	f.State("first listing: runs that lose updates and are not stuck",
		percent(first.losing-first.stuck), first.losing == first.stuck && first.stuck > 0)
	f.State("second listing: runs that lose updates", percent(second.losing),
		second.losing == 0 && second.stuck == 0 && second.overwriting == 0 &&
			second.made == second.updates)
	f.State("targets that are not the sum of the updates made, both listings",
		percent(first.inexact+second.inexact), first.inexact+second.inexact == 0)
	f.State("second listing without volatile: runs that overwrite an update",
		percent(again.overwriting), again.overwriting > 0)
}

// findings collects the outcome of one experiment.
type findings struct{ papers.Findings }
