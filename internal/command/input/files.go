package input

import (
	"os"
	"path/filepath"

	"github.com/atomtune/atomtune/internal/command"
)

// FlagFile is a file that a flag names.
type FlagFile struct{ Flag, Path string }

// Apart returns an error of wrong use where a file to write is also another file to
// write, or one to read: the one would be lost.
func Apart(outputs, inputs []FlagFile) error {
	for i, out := range outputs {
		for _, other := range append(outputs[i+1:len(outputs):len(outputs)], inputs...) {
			if sameFile(out.Path, other.Path) {
				return command.Usagef("train writes --%s %s, but --%s %s is the same file", out.Flag, out.Path, other.Flag, other.Path)
			}
		}
	}
	return nil
}

// sameFile reports whether two paths lead to the same file, which need not exist.
func sameFile(a, b string) bool {
	if a == "" || b == "" {
		return false
	}
	fullA, errA := filepath.Abs(a)
	fullB, errB := filepath.Abs(b)
	if errA == nil && errB == nil && fullA == fullB {
		return true
	}
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(infoA, infoB)
}
