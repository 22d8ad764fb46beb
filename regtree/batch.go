package regtree

import "math"

// PredictAll writes to the i-th place of out what Predict returns for the i-th row of x, without
// allocating. It panics where out is shorter than x, or a row than Features.
//
// It walks eight rows at a time. Their ways down the tree do not depend on each other, so that a
// processor goes all of them while each waits for the node that it steps to.
func (t *Tree) PredictAll(x [][]float64, out []float64) {
	out = out[:len(x)]
	for ; len(x) >= 8; x, out = x[8:], out[8:] {
		t.predictEight((*[8][]float64)(x), (*[8]float64)(out))
	}
	for i, row := range x {
		out[i] = t.Predict(row)
	}
}

// places are where four rows are in a tree: a structure, which stays in registers as no list does.
type places struct{ a, b, c, d int32 }

// predictEight takes all rows a step down at a time, until none moves.
func (t *Tree) predictEight(x *[8][]float64, out *[8]float64) {
	s := t.steps
	var p, q places
	for {
		nextP := places{down(s, p.a, x[0]), down(s, p.b, x[1]), down(s, p.c, x[2]), down(s, p.d, x[3])}
		nextQ := places{down(s, q.a, x[4]), down(s, q.b, x[5]), down(s, q.c, x[6]), down(s, q.d, x[7])}
		if nextP == p && nextQ == q {
			break
		}
		p, q = nextP, nextQ
	}
	p.numbers(t.walk, (*[4]float64)(out[:4]))
	q.numbers(t.walk, (*[4]float64)(out[4:]))
}

func (p places) numbers(walk []visit, out *[4]float64) {
	out[0], out[1], out[2], out[3] = walk[p.a].number, walk[p.b].number, walk[p.c].number, walk[p.d].number
}

// down returns the place that a row at a place steps to, itself at a leaf.
func down(steps []visit, at int32, x []float64) int32 {
	v := &steps[at]
	var left int32
	if x[v.feature] < v.number {
		left = 1
	}
	return v.next - left
}

// looped returns the nodes of walk with leaves that lead to themselves: nothing lies below NaN.
func looped(walk []visit) []visit {
	steps := make([]visit, len(walk))
	for at, v := range walk {
		if v.feature < 0 {
			v = visit{number: math.NaN(), next: int32(at)}
		}
		steps[at] = v
	}
	return steps
}
