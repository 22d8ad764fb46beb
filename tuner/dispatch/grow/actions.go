package grow

import (
	"github.com/atomtune/atomtune/tuner/dispatch"
	"github.com/atomtune/atomtune/variant"
)

// launchThreads are those of a block of the one persistent kernel, with one on each SM.
const launchThreads = 1024

// unrolls are the turns at once.
var unrolls = []int{1, 4}

// candidateNames are the forms from which training picks those of a tree: of each few sizes, since
// copies are cut to what fits, and such as were measured in that launch where any were. The tree's
// own sample of 2,048 updates fills the tables.
const candidateNames = `naive sr match
	private private:r=8,pad=1 private:r=32,pad=1 private+sr private+match
	private:r=1,ranges=2 private:r=1,ranges=3 private:r=1,ranges=4 private:r=1,ranges=8
	hot:s=64,r=32,sample=2048 hot:s=256,r=32,sample=2048 hot:s=1024,r=8,sample=2048
	hot:s=1024,r=32,sample=2048 hot:s=8192,r=2,sample=2048
	hot:s=64,sample=2048+sr hot:s=64,sample=2048+match
	hot:s=4096,sample=2048+sr hot:s=4096,sample=2048+match
	threadprivate partition:w=8192 partition:w=16384 partition:w=32768`

// Candidates lists the actions from which training picks those of the tree.
func Candidates() (list []dispatch.Action) {
	for _, v := range variant.List(candidateNames) {
		if v.SeveralKernels() { // with launches of their own
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
