//go:build unix && !solaris && !aix

package wholefile

import (
	"errors"
	"os"
	"syscall"
)

// renamesOpen says whether a file can be renamed or removed while it is open.
const renamesOpen = true

// lock locks an open file for its opener, until it is closed or the process ends, without waiting:
// where another has the lock, the error is ErrBusy. Other errors are of systems of files without
// locks.
func lock(f *os.File) error {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return ErrBusy
	}
	return err
}
