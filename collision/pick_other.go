//go:build !amd64 || purego

package collision

// sortPair does nothing on this platform.
func (*vectorKernel) sortPair([]uint32, []uint32, int, *[2]warpSums) bool { return false }
