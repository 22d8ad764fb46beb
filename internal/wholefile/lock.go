package wholefile

import (
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"syscall"

	"github.com/gofrs/flock"
)

// threads makes those of this process wait for each other also where files have no locks.
var threads sync.Mutex

// Lock waits until no other thread or process that locks the path has it, and keeps it until unlock. It locks
// a file beside it, PATH.lock, which stays: were it removed, two could lock two files of that name. A link is
// followed, so that all its names share one lock. Where files have no locks, other processes do not wait.
func Lock(path string) (unlock func(), err error) {
	at, err := place(path)
	if err != nil {
		return nil, writing(path, err)
	}
	file := flock.New(at+".lock", flock.SetPermissions(0o644))
	threads.Lock()
	err = file.Lock()
	for errors.Is(err, syscall.EINTR) { // by a signal of the program around
		err = file.Lock()
	}
	if err != nil && !errors.Is(err, errors.ErrUnsupported) {
		threads.Unlock()
		return nil, writing(path, fmt.Errorf("locking %s: %w", file.Path(), err))
	}
	return func() {
		_ = file.Close() // it was only locked
		threads.Unlock()
	}, nil
}

// Change writes what change makes of a file of at most so many bytes, nil if there is none, and returns
// change's error as it is. Those who change the same path do it one after the other. See Lock and Write.
func Change(path string, most int64, change func(old []byte) (content []byte, err error)) error {
	unlock, err := Lock(path)
	if err != nil {
		return err
	}
	defer unlock()
	old, err := Read(path, most)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	content, err := change(old)
	if err == nil && int64(len(content)) > most {
		err = Fixed(fmt.Errorf("%s: %w: it would have more than %d bytes", path, ErrLarge, most))
	}
	if err != nil {
		return err
	}
	return Write(path, content)
}
