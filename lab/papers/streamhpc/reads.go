package streamhpc

import (
	"context"
	"fmt"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim/casloop"
	"github.com/atomtune/atomtune/lab/papers"
	"github.com/atomtune/atomtune/lab/plot"
)

// reads counts exchanges where a copy of the target goes now and then,
// so that both listings end.
func reads(ctx context.Context, o papers.Options) (papers.Outcome, error) {
	var f findings
	t := papers.NewTable("reads", "Exchanges for an update, 4 work-groups of 4 lanes",
		"fresh reads|first listing|second listing")
	lines := []plot.Line{{Name: "first listing"}, {Name: "second listing"}}
	var rare, fresh [2]float64
	lost := 0
	for refresh := 1.0 / 64; refresh <= 1; refresh *= 2 {
		var each [2]float64
		for i, l := range []casloop.Listing{casloop.First, casloop.Second} {
			setting := added(l, 4)
			setting.refresh = refresh
			c, err := setting.census(ctx, o.Seed)
			if err != nil {
				return papers.Outcome{}, err
			}
			lost += c.losing + c.inexact
			each[i] = c.perUpdate()
			lines[i].X, lines[i].Y = append(lines[i].X, refresh), append(lines[i].Y, each[i])
		}
		t.Add(refresh, each[0], each[1])
		if refresh == 1.0/64 {
			rare = each
		}
		fresh = each
	}
	f.Table(t)
	f.State("runs of both listings that lose updates where copies go now and then", lost, lost == 0)
	f.State("exchanges of the first listing over the second's, one fresh read in 64",
		rare[0]/rare[1], rare[0] >= 2*rare[1])
	f.State("exchanges of the first listing over the second's, all reads fresh", fresh[0]/fresh[1],
		papers.Within(fresh[0], fresh[1], 1.5))
	f.Page = plot.Page{Title: "Exchanges for a float addition, 4 work-groups of 4 lanes",
		Panels: []plot.Panel{plot.Figure{
			XLabel: "share of reads that are of memory", YLabel: "exchanges for an update", XLog: true,
			YLog: true, Lines: lines,
		}}}
	return f.Outcome, nil
}

// operations makes the other operations "likewise", and additions in
// local memory, which one work-group shares and reads as it is.
func operations(ctx context.Context, o papers.Options) (papers.Outcome, error) {
	var f findings
	t := papers.NewTable("operations", "Second listing, 4 work-groups of 4 lanes, stale reads",
		"operation|runs that lose updates [%]|targets that differ [%]|exchanges for an update")
	for _, op := range []device.Op{device.Add, device.Mul, device.Mad, device.Div} {
		setting := added(casloop.Second, 4)
		setting.op = op
		c, err := setting.census(ctx, o.Seed)
		if err != nil {
			return papers.Outcome{}, err
		}
		t.Add(op, percent(c.losing), percent(c.inexact), c.perUpdate())
		f.State(fmt.Sprintf("second listing, %s: runs that are right", op),
			percent(contentions-c.losing-c.inexact),
			c.losing == 0 && c.inexact == 0 && c.made == c.updates)
	}
	for _, l := range []casloop.Listing{casloop.First, casloop.Second} {
		setting := contention{listing: l, op: device.Add, groups: 1, lanes: 16, refresh: 1}
		c, err := setting.census(ctx, o.Seed)
		if err != nil {
			return papers.Outcome{}, err
		}
		f.State(fmt.Sprintf("%s listing in local memory: runs that are right", l),
			percent(contentions-c.losing-c.inexact),
			c.losing == 0 && c.inexact == 0 && c.made == c.updates)
	}
	f.Table(t)
	return f.Outcome, nil
}
