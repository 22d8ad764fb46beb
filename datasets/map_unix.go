//go:build unix

package datasets

import (
	"os"
	"syscall"
)

// mapFile returns the bytes of a file in memory, which are read when they are looked at.
func mapFile(f *os.File, size int64) ([]byte, error) {
	return syscall.Mmap(int(f.Fd()), 0, int(size), syscall.PROT_READ, syscall.MAP_SHARED)
}

func unmapFile(mapped []byte) error { return syscall.Munmap(mapped) }
