package kernel

// The vector instructions that kernels may use.
const (
	VectorsNone   = "none"
	VectorsAVX2   = "avx2"
	VectorsAVX512 = "avx512"
)

// Vectors lists those that this processor has kernels for, the widest last.
func Vectors() []string { return append([]string{VectorsNone}, processorVectors()...) }
