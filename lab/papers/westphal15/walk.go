package westphal15

import (
	"fmt"
	"math/bits"

	"github.com/atomtune/atomtune/hwsim/apps"
	"github.com/atomtune/atomtune/lab/papers"
	"github.com/atomtune/atomtune/lab/plot"
)

// walkKeys is a warp whose groups interleave: five keys of 1 to 11 lanes.
var walkKeys = []uint32{
	3, 1, 3, 3, 0, 1, 3, 2, 0, 3, 1, 3, 2, 0, 3, 3, 1, 4, 0, 3, 2, 1, 3, 0, 1, 2, 3, 1, 0, 2, 1, 0,
}

// walkthrough shows one warp lane by lane.
func (f *findings) walkthrough(o papers.Options) (papers.Outcome, error) {
	t, err := tracePeers(walkKeys, o.Seed)
	if err != nil {
		return papers.Outcome{}, err
	}
	f.Table(matchTable(t))
	f.Table(reduceTable(t))
	f.Page = walkPage(t)
	return f.Outcome, nil
}

func matchTable(t apps.PeersTrace) papers.Table {
	out := papers.NewTable("steps-get-peers", "get_peers of one warp, turn by turn",
		"turn|first unclaimed lane|its key|lanes with the key|peers|unclaimed")
	for i, c := range t.Matches {
		out.Add(i, c.Leader, walkKeys[c.Leader], bits.OnesCount64(c.Matched), hex(c.Matched),
			hex(c.Remaining))
	}
	return out
}

func hex(mask uint64) string { return fmt.Sprintf("%08x", mask) }

func reduceTable(t apps.PeersTrace) papers.Table {
	out := papers.NewTable("steps-reduce-peers", "reduce_peers of one warp, lane by lane",
		"lane|key|peers|relative index")
	for i := range t.Steps {
		out.Columns = append(out.Columns, fmt.Sprintf("iteration %d: adds lane", i),
			fmt.Sprintf("iteration %d: value", i), fmt.Sprintf("iteration %d: reduced away", i))
	}
	for l, key := range walkKeys {
		row := []any{l, key, hex(t.Peers[l]), t.Position[l]}
		gone := false
		for _, step := range t.Steps {
			if gone {
				row = append(row, "-", "-", "before")
				continue
			}
			next := "none"
			if step.Next[l] < uint64(len(walkKeys)) {
				next = fmt.Sprint(step.Next[l])
			}
			gone = step.Done>>l&1 != 0
			row = append(row, next, number(step.Value[l]), map[bool]string{true: "yes", false: "no"}[gone])
		}
		out.Add(row...)
	}
	return out
}

// walkPage draws which lanes are still there after so many iterations, by key.
func walkPage(t apps.PeersTrace) plot.Page {
	figure := plot.Figure{XLabel: "lane", YLabel: "iterations made"}
	for _, m := range t.Matches {
		line := plot.Line{Name: fmt.Sprintf("key %d", walkKeys[m.Leader]), Style: plot.Markers}
		left := m.Matched
		for i := range len(t.Steps) + 1 {
			for rest := left; rest != 0; rest &= rest - 1 {
				line.X, line.Y = append(line.X, float64(bits.TrailingZeros64(rest))), append(line.Y, float64(i))
			}
			if i < len(t.Steps) {
				left &^= t.Steps[i].Done
			}
		}
		figure.Lines = append(figure.Lines, line)
	}
	return plot.Page{Title: "reduce_peers of one warp: lanes that are not reduced away", Width: 1000,
		Panels: []plot.Panel{figure}}
}
