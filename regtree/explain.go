package regtree

import (
	"fmt"
	"strconv"
	"strings"
)

// A Step is one comparison on the way of a row to its leaf.
type Step struct {
	Feature   int
	Name      string // of the feature
	Value     float64
	Threshold float64
	Left      bool // Value < Threshold
	Node      Leaf // statistics of the training rows that met this comparison
}

// String returns the comparison as it came out, such as "rows = 3 < 4.5".
func (s Step) String() string {
	relation := ">="
	if s.Left {
		relation = "<"
	}
	return fmt.Sprintf("%s = %s %s %s", s.Name, number(s.Value), relation, number(s.Threshold))
}

// Path is the way of a row from the root to its leaf.
type Path []Step

// String joins the steps by commas. The path of a tree that is a single leaf
// is empty.
func (p Path) String() string {
	steps := make([]string, len(p))
	for i, s := range p {
		steps[i] = s.String()
	}
	return strings.Join(steps, ", ")
}

// Path returns the comparisons that decide the prediction for x. It asks of x
// what Predict asks.
func (t *Tree) Path(x []float64) Path {
	path := Path{}
	i := 0
	for n := t.nodes[i]; n.feature >= 0; n = t.nodes[i] {
		s := Step{
			Feature:   int(n.feature),
			Name:      t.features[n.feature],
			Value:     x[n.feature],
			Threshold: n.threshold,
			Left:      x[n.feature] < n.threshold,
			Node:      t.stats[i],
		}
		path = append(path, s)
		i++
		if !s.Left {
			i = int(n.right)
		}
	}
	return path
}

// String draws the tree, one node a line, children indented below their
// comparison and the side that takes it first.
func (t *Tree) String() string {
	var b strings.Builder
	for i, d := range t.depths() {
		n := t.nodes[i]
		b.WriteString(strings.Repeat("  ", d))
		if n.feature >= 0 {
			fmt.Fprintf(&b, "%s < %s\n", t.features[n.feature], number(n.threshold))
		} else {
			l := t.stats[i]
			fmt.Fprintf(&b, "%s (rows %d, sd %s)\n", number(l.Value), l.Count, number(l.StdDev))
		}
	}
	return b.String()
}

// number prints six significant digits, enough to read and to compare.
func number(v float64) string {
	return strconv.FormatFloat(v, 'g', 6, 64)
}
