package input

import (
	"fmt"

	"github.com/atomtune/atomtune/internal/command"
	"github.com/atomtune/atomtune/internal/command/report"
)

const (
	// slowUpdates is the length from which a simulation takes long.
	slowUpdates = 16_000_000
	// muchMemory is what no command takes without saying so, and muchCounted what counts take where they
	// grow, of which there may be a second copy.
	muchMemory, muchCounted = 1e9, 4e8
	// simulatedTarget and simulatedUpdate are the bytes that hwsim holds of each, a sort as the most.
	simulatedTarget, simulatedUpdate = 40, 56
)

// Much notes that something may take so many bytes of memory, and what takes less, where that is much.
func Much(e *command.Env, bytes float64, less, what string, args ...any) {
	if bytes > muchMemory {
		e.Warn(fmt.Sprintf("%s may take %s of memory%s", fmt.Sprintf(what, args...), report.Bytes(bytes), less))
	}
}

// Simulation warns of a simulation of the stream that takes long or much memory, of no more targets than
// most, beyond which there is none. It returns these warnings behind those that reading has given.
func (s *Source) Simulation(e *command.Env, most uint64) []string {
	var list []string
	if n := len(s.Indices); n > slowUpdates {
		list = append(list, fmt.Sprintf("%s: %d updates take long to simulate; --%s simulates the first ones only",
			s.File, n, maxUpdates))
	}
	bytes := simulatedTarget*float64(s.bins) + simulatedUpdate*float64(len(s.Indices))
	if s.bins <= most && bytes > muchMemory {
		list = append(list, fmt.Sprintf("%s: simulating %d updates of %d targets may take %s of memory", s.File,
			len(s.Indices), s.bins, report.Bytes(bytes)))
	}
	return append(append([]string{}, s.said...), e.Warn(list...)...)
}
