//go:build unix && !solaris && !aix

package probe

import (
	"os"
	"syscall"
)

// lockFile locks an open file for this process, until it is closed or the process
// ends. It does not wait.
func lockFile(f *os.File) error {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
}
