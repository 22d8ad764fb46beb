package input

import (
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/command"
)

// Doubts returns what says that no device is as a profile has it, and notes it on standard error:
// for commands whose page has no place for warnings.
func Doubts(e *command.Env, d *device.Profile) []string {
	list := d.Doubts()
	for _, text := range list {
		e.Note("warning: %s", text)
	}
	return list
}
