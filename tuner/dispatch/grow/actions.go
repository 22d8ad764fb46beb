package grow

import (
	"github.com/atomtune/atomtune/tuner/dispatch"
	"github.com/atomtune/atomtune/variant"
)

// The launches that one persistent kernel has: a block of most threads on each SM.
const (
	launchThreads = 1024
	sampled       = dispatch.SampledUpdates // the tree's own sample fills the tables
)

// unrolls are the turns at once.
var unrolls = []int{1, 4}

// Candidates lists the actions from which training picks those of the tree.
func Candidates() (list []dispatch.Action) {
	for _, v := range forms() {
		if v.Base == variant.Partition {
			list = append(list, dispatch.Action{Implementation: v})
			continue
		}
		for _, unroll := range unrolls {
			list = append(list, dispatch.Action{Implementation: v,
				Launch: dispatch.Launch{BlocksPerSM: 1, Threads: launchThreads, Unroll: unroll}})
		}
	}
	return list
}

// forms lists the implementations of the candidates.
func forms() []variant.Variant {
	list := []variant.Variant{{}, {Reduction: variant.SR}, {Reduction: variant.Match},
		{Base: variant.Private}}
	for _, copies := range []int{2, 4, 8, 16, 32} {
		list = append(list, variant.Copies(copies, 1, variant.Cyclic))
	}
	for _, r := range []variant.Reduction{variant.SR, variant.Match} {
		list = append(list, variant.Variant{Base: variant.Private, Reduction: r})
	}
	for _, ranges := range []int{2, 3, 4, 8} {
		list = append(list, variant.Variant{Base: variant.Private, Ranges: ranges})
	}
	for _, v := range variant.Tables() {
		if v.R() == 1 && !v.Reduces() && v.Slots < 4096 {
			continue // as many slots with copies are never slower by more than their clearing
		}
		v.Sample = sampled
		list = append(list, v)
	}
	list = append(list, variant.Variant{Base: variant.ThreadPrivate})
	return append(list, variant.Widths()...)
}
