package kernels

import (
	"bytes"
	"context"
	"errors"
	"hash/fnv"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/atomtune/atomtune/internal/wholefile"
	"github.com/atomtune/atomtune/lab/validate/recorded"
)

var errPlanted = errors.New("planted")

func quiet(done, total int) {}

func calledSet(t *testing.T) *recordedKernels {
	t.Helper()
	g, err := recordedSet()
	if err != nil {
		t.Fatal(err)
	}
	return &g
}

// counting is an engine whose times are a hash of the call, and which fails
// from the call of that number on; 0 for never.
func counting(calls *atomic.Int64, failing int64) engine {
	return engine{
		behaviour: func() (behaviour, error) { return behaviour{hash: "made-up"}, nil },
		stream:    func(label string) ([]uint32, error) { return []uint32{uint32(len(label))}, nil },
		simulate: func(k recorded.CallKey, indices []uint32, _ uint64) (float64, bool, error) {
			if int(indices[0]) != len(k.Label) {
				return 0, false, errors.New("the stream of another call")
			}
			n := calls.Add(1)
			if failing > 0 && n >= failing {
				return 0, false, errPlanted
			}
			if n%7 == 0 {
				time.Sleep(time.Millisecond) // workers overtake each other
			}
			h := fnv.New32()
			h.Write([]byte(k.String()))
			return float64(h.Sum32()) / 977, true, nil
		},
	}
}

// TestSimulateKernels: the same table for any number of workers, also where the
// making was cut and a line of the checkpoint is not whole.
func TestSimulateKernels(t *testing.T) {
	plan := KernelPlan{Streams: 5, Every: 2, PerForm: 3}
	var calls atomic.Int64
	var last [2]int
	path := filepath.Join(t.TempDir(), "whole.csv")
	g := calledSet(t)
	table, err := g.write(t.Context(), path, plan, func(done, total int) { last = [2]int{done, total} },
		counting(&calls, 0))
	if err != nil {
		t.Fatal(err)
	}
	whole := content(t, path)
	n := len(table.Times)
	if int(calls.Load()) != n || n < 100 || last != [2]int{n, n} {
		t.Fatalf("%d calls simulated, %d in the table, progress ends with %v", calls.Load(), n, last)
	}
	if _, err := os.Stat(CheckpointOf(path)); !os.IsNotExist(err) {
		t.Errorf("the checkpoint is still there: %v", err)
	}
	if read, err := ReadKernels(path); err != nil || len(read.Times) != n ||
		read.Times[n-1] != table.Times[n-1] {
		t.Errorf("%d calls read, %v", len(read.Times), err)
	}

	calls.Store(0)
	plan.PerForm++
	more, err := g.write(t.Context(), path, plan, quiet, counting(&calls, 0))
	if err != nil || len(more.Times) <= n || int(calls.Load()) != len(more.Times)-n {
		t.Errorf("%d calls simulated of a table of %d with %d, %v", calls.Load(), len(more.Times), n, err)
	}
	plan.PerForm--

	cut := filepath.Join(t.TempDir(), "cut.csv")
	calls.Store(0)
	const failing = 61
	_, err = g.write(t.Context(), cut, plan, quiet, counting(&calls, failing))
	if _, there := os.Stat(cut); !errors.Is(err, errPlanted) || !os.IsNotExist(there) {
		t.Fatalf("cut: %v, an unfinished table: %v", err, there)
	}
	checkpoint := append(content(t, CheckpointOf(cut)), `"uniform:n=1`...)
	if err := os.WriteFile(CheckpointOf(cut), checkpoint, 0o644); err != nil {
		t.Fatal(err)
	}
	calls.Store(0)
	if _, err = g.write(t.Context(), cut, plan, quiet, counting(&calls, 0)); err != nil {
		t.Fatal(err)
	}
	if again := int(calls.Load()); !bytes.Equal(content(t, cut), whole) || again != n-failing+1 {
		t.Errorf("%d calls simulated again, want %d, and the same table", again, n-failing+1)
	}
}

func content(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestJournalFaults: a checkpoint of something else, or a broken one, is refused
// with file and line.
func TestCheckpointFaults(t *testing.T) {
	table := KernelTable{Device: "h200", Profile: "p", Behaviour: "b", Seed: 1}
	encoded, err := table.Encode()
	if err != nil {
		t.Fatal(err)
	}
	head, good := string(encoded), "x,u32,one,false,naive,2\n"
	for text, place := range map[string]string{
		strings.Replace(head, "profile: p", "profile: q", 1) + good: "", "label,type\n": ":1",
		head + "\"\",u32,one,false,naive,2\n":                    ":9",
		head + good + strings.Replace(good, "naive", "magic", 1): ":10",
		head + strings.Replace(good, ",2", ",none", 1):           ":9",
	} {
		of := filepath.Join(t.TempDir(), "table.csv")
		path := CheckpointOf(of)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, _, err := openCheckpoint(of, table); err == nil || !strings.Contains(err.Error(), path+place) {
			t.Errorf("%q: %v, want %s", text, err, place)
		}
		if !bytes.Equal(content(t, path), []byte(text)) {
			t.Errorf("%q was changed", text)
		}
	}
	of := filepath.Join(t.TempDir(), "table.csv")
	other := strings.Replace(head, "profile: p", "profile: q", 1)
	if err := os.WriteFile(CheckpointOf(of), []byte(other), 0o644); err != nil { // which keeps nobody out
		t.Fatal(err)
	}
	if j, done, err := openCheckpoint(of, table); err != nil || len(done) != 0 || j.Close() != nil ||
		string(content(t, CheckpointOf(of))) != head {
		t.Errorf("behind the head of another: %v, %v", done, err)
	}
	if err := os.WriteFile(CheckpointOf(of), []byte(head+good), 0o644); err != nil {
		t.Fatal(err)
	}
	j, done, err := openCheckpoint(of, table)
	if err != nil || len(done) != 1 {
		t.Fatalf("%v, %v", done, err)
	}
	if _, _, err := openCheckpoint(of, table); !errors.Is(err, wholefile.ErrBusy) {
		t.Errorf("a second process: %v", err)
	}
	if err := j.Close(); err != nil {
		t.Error(err)
	}
}

// TestSimulateEnds: a context that has ended, a stream that cannot be made and a
// call whose updates are not applied once each end the work with an error.
func TestSimulateEnds(t *testing.T) {
	var calls atomic.Int64
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	path, one := filepath.Join(t.TempDir(), "table.csv"), KernelPlan{Streams: 1}
	g := calledSet(t)
	_, err := g.write(ended, path, one, quiet, counting(&calls, 0))
	if !errors.Is(err, context.Canceled) || calls.Load() > 1 {
		t.Errorf("ended: %v after %d calls", err, calls.Load())
	}
	broken := counting(&calls, 0)
	broken.stream = func(string) ([]uint32, error) { return nil, errPlanted }
	if _, err = g.write(t.Context(), path, one, quiet, broken); !errors.Is(err,
		errPlanted) {
		t.Errorf("no stream: %v", err)
	}
	lost := counting(&calls, 0)
	simulate := lost.simulate
	lost.simulate = func(k recorded.CallKey, indices []uint32, bins uint64) (float64, bool, error) {
		us, applied, err := simulate(k, indices, bins)
		return us, applied && k.Implementation.String() != "match", err
	}
	_, err = g.write(t.Context(), path, one, quiet, lost)
	if err == nil || !strings.Contains(err.Error(), "match") {
		t.Errorf("a lost update: %v", err)
	}
}
