//go:build !amd64 || purego

package kernel

func processorVectors() []string { return nil }

// vectorKernel does nothing on this platform: all work is done by portable code.
type vectorKernel struct{}

func newVectorKernel(Options) vectorKernel { return vectorKernel{} }

func (*vectorKernel) sorts() bool { return false }

func (*vectorKernel) measureWarps(_, _ []uint32, _ *Totals) int { return 0 }

func (*vectorKernel) sortBlocks([]uint32, int) int { return 0 }

func (*vectorKernel) countEqual(a, b []uint32) uint64 { return countEqual(a, b) }

func (*vectorKernel) countTargetWarps([]uint32, uint32) (TargetCount, int) { return TargetCount{}, 0 }

func (*vectorKernel) highestFrequency([]uint32) (highest, distinct uint64) { return 0, 0 }
