//go:build !unix || solaris || aix

package wholefile

import (
	"errors"
	"os"
)

// renamesOpen says whether a file can be renamed or removed while it is open.
const renamesOpen = false

// lock reports that files are not locked on such a system.
func lock(*os.File) error { return errors.ErrUnsupported }
