package impl

import (
	"slices"
	"strings"
	"sync"
)

// List returns the implementations of names with spaces between them, which are in a program. It panics at
// a name of none.
func List(names string) (list []Spec) {
	for _, name := range strings.Fields(names) {
		v, err := Parse(name)
		if err != nil {
			panic(err)
		}
		list = append(list, v)
	}
	return list
}

// listed returns a function that returns copies of such a list, which is read once.
func listed(names string) func() []Spec {
	list := sync.OnceValue(func() []Spec { return List(names) })
	return func() []Spec { return slices.Clone(list()) }
}

// Candidates lists the implementations that a choice ranks on every device, in a fixed order.
func Candidates() []Spec { return candidates() }

var candidates = listed(`naive sr vr ss sr+ss peers match
	private private:r=2,pad=1 private:r=4,pad=1 private:r=8,pad=1 private:r=16,pad=1 private:r=32,pad=1
	private+sr private+vr private+match coordinator sort segreduce threadprivate`)

// Ranked lists the implementations that choices rank, of which device.Profile.Ranked has those for a device.
func Ranked() []Spec {
	return append(append(Candidates(), Sized()...), Spec{Reduction: Peers, Masks: Hash})
}

// Sized lists the sizes of hot, ranges and partition, and the scan of blocks, that a choice ranks besides.
// It holds the sizes without which the fit half of the NVIDIA H200's recorded calls would lose more
// than a thousandth.
func Sized() []Spec { return sized() }

var sized = listed(`hot:s=64,r=4 hot:s=64,r=32 hot:s=256,r=32 hot:s=1024,r=8 hot:s=1024,r=16 hot:s=1024,r=32
	hot:s=4096 hot:s=4096,r=4 hot:s=4096,r=8 hot:s=8192,r=4 hot:s=16384,r=2
	hot:s=64+sr hot:s=4096+sr hot:s=256+match hot:s=1024+match
	hot:s=64,r=32,sample=2048 hot:s=1024,r=8,sample=16384 hot:s=8192,r=4,sample=65536
	private:r=1,ranges=2 private:r=1,ranges=3 private:r=1,ranges=4 private:r=1,ranges=8
	partition:w=16384 partition:w=32768 sr:scope=block`)

// Tables lists sizes of `hot` to search among where its targets are known: S from 64 to 16,384
// slots and R from 1 to 32 copies, in steps that leave nothing out by more than a factor of
// four and two, with at most 32,768 sums in a block; and of each number of slots one with a
// reduction of runs and of equal indices in front.
func Tables() (list []Spec) {
	for _, slots := range []int{64, 256, 1024, 4096, 8192, 16384} {
		list = append(list, Spec{Algorithm: Hot, Slots: slots})
		for copies := 2; copies <= 32 && copies*slots <= 32768; copies *= 2 {
			list = append(list, Spec{Algorithm: Hot, Slots: slots, Replicas: copies})
		}
		for _, r := range []Reduction{SR, Match} {
			list = append(list, Spec{Algorithm: Hot, Slots: slots, Reduction: r})
		}
	}
	return list
}

// SampledTables lists sizes of `hot` to search among where a sample in the call finds its targets.
func SampledTables() []Spec {
	return List(`hot:s=64,r=32,sample=2048 hot:s=64,r=32,sample=16384 hot:s=1024,r=8,sample=16384
		hot:s=4096,r=4,sample=65536 hot:s=8192,r=4,sample=65536 hot:s=16384,r=2,sample=131072`)
}

// RangedCopies lists private copies of ranges of the targets to search among.
func RangedCopies() []Spec {
	return List(`private:r=1,ranges=2 private:r=1,ranges=3 private:r=1,ranges=4 private:r=1,ranges=6
		private:r=1,ranges=8 private:r=1,ranges=16 private:r=1,ranges=32
		private:r=2,pad=1,ranges=2 private:r=2,pad=1,ranges=4 private:r=2,pad=1,ranges=8
		private:r=2,pad=1,ranges=16 private:r=1,ranges=2+sr private:r=1,ranges=4+sr private:r=1,ranges=8+sr`)
}

// Widths lists widths of `partition` to search among, with one copy.
func Widths() []Spec {
	return List("partition:w=2048 partition:w=4096 partition:w=8192 partition:w=16384 partition:w=32768")
}
