//go:build !linux

package libcuda

import "errors"

// open reports that the driver is reached on Linux alone.
func open(string) (uintptr, error) { return 0, errors.ErrUnsupported }

// lookup is never called: no library was opened.
func lookup(uintptr, string) (uintptr, error) { return 0, errors.ErrUnsupported }
