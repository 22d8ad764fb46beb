//go:build !unix

package datasets

import (
	"errors"
	"os"
)

// mapFile says that this system maps no files here.
func mapFile(*os.File, int64) ([]byte, error) { return nil, errors.ErrUnsupported }

func unmapFile([]byte) error { return errors.ErrUnsupported }
