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
		rows, others := (*[4][]float64)(x), (*[4][]float64)(x[4:])
		var at, of places
		for {
			nextAt, nextOf := at.down(t.steps, rows), of.down(t.steps, others)
			if nextAt == at && nextOf == of { // leaves, all of them
				break
			}
			at, of = nextAt, nextOf
		}
		at.numbers(t.walk, (*[4]float64)(out))
		of.numbers(t.walk, (*[4]float64)(out[4:]))
	}
	for i, row := range x {
		out[i] = t.Predict(row)
	}
}

// places are where four rows are in a tree: as a structure, which stays in registers.
type places struct{ a, b, c, d int32 }

// down takes each row a step down the tree.
func (p places) down(steps []visit, x *[4][]float64) places {
	return places{down(steps, p.a, x[0]), down(steps, p.b, x[1]), down(steps, p.c, x[2]),
		down(steps, p.d, x[3])}
}

func (p places) numbers(walk []visit, out *[4]float64) {
	out[0], out[1], out[2], out[3] = walk[p.a].number, walk[p.b].number, walk[p.c].number, walk[p.d].number
}

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
