//go:build unix && !solaris && !aix

package strictjson

import (
	"errors"
	"os"
	"syscall"
)

// lockFile locks an open file for this process, until it is closed or the process
// ends. It does not wait, and does without where the file system has no locks.
func lockFile(f *os.File) error {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return err
	}
	return nil
}
