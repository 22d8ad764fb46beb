package grow

import (
	"github.com/atomtune/atomtune/tuner/dispatch"
	"github.com/atomtune/atomtune/variant"
)

// The launches that one persistent kernel has: a block of most threads on each SM.
const (
	launchThreads = 1024
	tableSample   = dispatch.SampledUpdates // the tree's own sample fills the tables
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

// forms lists the implementations of the candidates: of each form few sizes, since an action's
// copies are cut to what fits.
func forms() []variant.Variant {
	list := []variant.Variant{{}, {Reduction: variant.SR}, {Reduction: variant.Match},
		{Base: variant.Private}}
	for _, copies := range []int{8, 32} {
		list = append(list, variant.Copies(copies, 1, variant.Cyclic))
	}
	for _, r := range []variant.Reduction{variant.SR, variant.Match} {
		list = append(list, variant.Variant{Base: variant.Private, Reduction: r})
	}
	for _, ranges := range []int{2, 3, 4, 8} {
		list = append(list, variant.Variant{Base: variant.Private, Ranges: ranges})
	}
	for _, size := range [][2]int{{64, 32}, {256, 32}, {1024, 8}, {1024, 32}, {8192, 2}} {
		list = append(list, variant.Variant{Base: variant.Hot, Slots: size[0], Replicas: size[1],
			Sample: tableSample})
	}
	for _, slots := range []int{64, 4096} {
		for _, r := range []variant.Reduction{variant.SR, variant.Match} {
			list = append(list, variant.Variant{Base: variant.Hot, Slots: slots, Reduction: r,
				Sample: tableSample})
		}
	}
	list = append(list, variant.Variant{Base: variant.ThreadPrivate})
	for _, width := range []int{8192, 16384, 32768} {
		list = append(list, variant.Variant{Base: variant.Partition, Width: width})
	}
	return list
}
