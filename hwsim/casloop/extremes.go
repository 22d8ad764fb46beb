package casloop

// Minimum and maximum work on the bits. The key of a number is a signed integer
// that ascends with it, -0 below 0.

const (
	sign32, infinite32 uint32 = 1 << 31, 0x7f800000
	sign64, infinite64 uint64 = 1 << 63, 0x7ff0000000000000
)

func isNaN32(x uint32) bool { return x&^sign32 > infinite32 }

func isNaN64(x uint64) bool { return x&^sign64 > infinite64 }

func key32(x uint32) int32 {
	if x&sign32 != 0 {
		x ^= ^sign32
	}
	return int32(x)
}

func key64(x uint64) int64 {
	if x&sign64 != 0 {
		x ^= ^sign64
	}
	return int64(x)
}

func minimum32(old, a uint32) uint32 {
	if !isNaN32(a) && (isNaN32(old) || key32(a) < key32(old)) {
		return a
	}
	return old
}

func maximum32(old, a uint32) uint32 {
	if !isNaN32(a) && (isNaN32(old) || key32(a) > key32(old)) {
		return a
	}
	return old
}

func minimum64(old, a uint64) uint64 {
	if !isNaN64(a) && (isNaN64(old) || key64(a) < key64(old)) {
		return a
	}
	return old
}

func maximum64(old, a uint64) uint64 {
	if !isNaN64(a) && (isNaN64(old) || key64(a) > key64(old)) {
		return a
	}
	return old
}
