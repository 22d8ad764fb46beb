// Package fit finds the constants of a device from measurements of it. Columns fits patterns of
// single warps: which mechanism works on shared memory, with how many banks and locks, and how many
// cycles each part of an operation takes. Profile fits everything that a device's profile holds.
package fit

import "errors"

// ErrData is wrapped by errors about measurements that nothing can be fitted to.
var ErrData = errors.New("measurements cannot be fitted")

// ErrOptions is wrapped by errors about options.
var ErrOptions = errors.New("unusable options")
