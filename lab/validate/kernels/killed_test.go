package kernels

import (
	"context"
	"os"
	"os/exec"
	"sync/atomic"
	"testing"
	"time"

	"github.com/atomtune/atomtune/internal/golden"
	"github.com/atomtune/atomtune/lab/killed"
	"github.com/atomtune/atomtune/lab/validate/recorded"
)

// asWriter makes this test binary write a table, by an engine that takes a while for a call.
const asWriter = "ATOMTUNE_TEST_WRITES_KERNELS"

func TestMain(m *testing.M) {
	if os.Getenv(asWriter) == "" {
		os.Exit(m.Run())
	}
	var calls atomic.Int64
	slow := counting(&calls, 0)
	fast := slow.simulate
	slow.simulate = func(k recorded.CallKey, indices []uint32, bins uint64) (float64, bool, error) {
		time.Sleep(5 * time.Millisecond)
		return fast(k, indices, bins)
	}
	if _, err := WriteKernels(context.Background(), "table.csv.gz", KernelPlan{Streams: 1, Every: 3},
		SimulateOptions{engine: slow}); err != nil {
		os.Stderr.WriteString(err.Error())
		os.Exit(1)
	}
}

// TestKilled: the making of a table that was killed goes on, and the table is the same; no checkpoint
// stays.
func TestKilled(t *testing.T) {
	golden.OnlyFull(t)
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	killed.Command{
		Make: func(folder string) *exec.Cmd {
			command := exec.Command(path)
			command.Dir, command.Env = folder, append(os.Environ(), asWriter+"=1")
			return command
		},
		Checkpoint: CheckpointOf("table.csv.gz"),
	}.Check(t)
}
