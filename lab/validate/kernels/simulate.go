package kernels

import (
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"sync"

	"github.com/atomtune/atomtune/internal/gzipped"

	"golang.org/x/sync/errgroup"

	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim"
	"github.com/atomtune/atomtune/internal/checkpoint"
	"github.com/atomtune/atomtune/internal/wholefile"
	"github.com/atomtune/atomtune/lab/validate"
	"github.com/atomtune/atomtune/lab/validate/recorded"
	"github.com/atomtune/atomtune/tuner/model"
)

// engine makes streams and simulates calls on them; tests put another in its place.
type engine struct {
	behaviour func() (behaviour, error)
	stream    func(label string) ([]uint32, error)
	simulate  func(
		k recorded.CallKey, indices []uint32, bins uint64,
	) (us float64, applied bool, err error)
}

// simulator is the engine of a device.
func simulator(gpu *device.Profile) engine {
	e := engine{behaviour: h200Behaviour, stream: generated}
	e.simulate = func(k recorded.CallKey, indices []uint32, bins uint64) (float64, bool, error) {
		return simulateCall(gpu, k, indices, bins)
	}
	return e
}

// CheckpointOf returns the name of the checkpoint that stands beside a table while it
// is made: a table of the calls in the order in which they were finished.
func CheckpointOf(table string) string { return table + ".journal" }

// WriteKernels simulates the planned calls on the H200's held-out synthetic streams and writes
// their table, in gzip where the name ends in .gz. The table depends on the plan, the profile
// and the simulator alone, not on workers or interruptions: the first error ends it, and the
// checkpoint then holds every finished call, of whichever plan, so that the same command goes on
// where it was cut. Calls that the file holds already, of the same profile, simulator and seed,
// are not simulated again. Errors wrap ErrValidate.
func WriteKernels(
	ctx context.Context, path string, p KernelPlan, progress func(done, total int),
) (t KernelTable, err error) {
	defer validate.Wrap(&err)
	g, err := recordedSet()
	if err != nil {
		return t, err
	}
	return g.write(ctx, path, p, progress, simulator(g.gpu))
}

func (g *recordedKernels) write(ctx context.Context, path string, p KernelPlan, progress func(done, total int),
	e engine) (t KernelTable, err error) {
	b, err := e.behaviour()
	if err != nil {
		return t, err
	}
	t = g.head(b)
	t.Plan = p
	j, done, err := openCheckpoint(path, t)
	if err != nil {
		return t, err
	}
	if err := g.complete(ctx, &t, done, j, progress, e); err != nil {
		return t, errors.Join(err, j.Close())
	}
	data, err := t.Encode()
	if err == nil && strings.HasSuffix(path, ".gz") {
		data, err = gzipped.Pack(data)
	}
	if err == nil {
		err = wholefile.Write(path, data)
	}
	if err != nil {
		return t, errors.Join(err, j.Close())
	}
	return t, j.Remove()
}

// head is what a table says that is made now.
func (g *recordedKernels) head(b behaviour) KernelTable {
	return KernelTable{
		Device: g.gpu.Name, Profile: model.ProfileHash(g.gpu), Behaviour: b.hash, Seed: kernelSeed,
	}
}

// taken returns the table of the calls that the one at path holds already, if it is of the same
// profile, simulator and seed as t, else t.
func taken(path string, t KernelTable) KernelTable {
	old, err := ReadKernels(path)
	if err != nil {
		return t // none that could be read, which the new one replaces
	}
	if old.differs(t) == "" {
		t.Times = old.Times
	}
	return t
}

// differs names the first thing in which the heads of tables differ but for their plans, "" for none.
func (t KernelTable) differs(want KernelTable) string {
	want.Plan = t.Plan
	has := t.head()
	for i, f := range want.head() {
		a, b := reflect.ValueOf(has[i].value).Elem(), reflect.ValueOf(f.value).Elem()
		if !a.Equal(b) {
			return fmt.Sprintf("%s %v, want %v", f.key, a, b)
		}
	}
	return ""
}

// openCheckpoint opens the checkpoint of a table for appending, for this process alone, and returns the
// times in it and those that the table holds already.
func openCheckpoint(table string, t KernelTable) (j *checkpoint.File, done callTimes, err error) {
	path := CheckpointOf(table)
	head, err := t.Encode()
	if err != nil {
		return nil, nil, err
	}
	done = timesOf(taken(table, t))
	j, err = checkpoint.Open(path, head, nil, func(lines []byte) (int, error) {
		if bytes.HasPrefix(head, lines) { // there is no whole head
			return 0, nil
		}
		old, err := DecodeKernels(path, lines)
		if err != nil || len(old.Times) == 0 {
			return 0, err
		}
		maps.Copy(done, timesOf(old))
		if d := old.differs(t); d != "" {
			return 0, fmt.Errorf("%s: it belongs to another profile, simulator or seed: %s: remove it to start "+
				"over", path, d)
		}
		return len(old.Times), nil
	})
	return j, done, err
}

func timesOf(t KernelTable) callTimes {
	done := callTimes{}
	for _, c := range t.Times {
		done[c.CallKey] = c.US
	}
	return done
}

// complete fills in the table's times: it simulates the calls that are not done yet, and writes
// each to the checkpoint by one call, so that an interruption leaves at most one line without its
// end.
func (g *recordedKernels) complete(
	ctx context.Context, t *KernelTable, done callTimes, j *checkpoint.File, progress func(done, total int), e engine,
) error {
	calls := g.planned(t.Plan)
	var todo []plannedCall
	for _, c := range calls {
		if done[c.CallKey] == 0 {
			todo = append(todo, c)
		}
	}
	finished := len(calls) - len(todo)
	progress(finished, len(calls))
	err := e.simulateAll(ctx, todo, func(c SimulatedCall) error {
		done[c.CallKey] = c.US
		finished++
		progress(finished, len(calls))
		var line bytes.Buffer
		err := csv.NewWriter(&line).WriteAll([][]string{c.row()})
		if err == nil {
			_, err = j.Write(line.Bytes())
		}
		return err
	})
	for _, c := range calls {
		t.Times = append(t.Times, SimulatedCall{c.CallKey, done[c.CallKey]})
	}
	return err
}

// simulateAll simulates calls, those of one stream, which is made once, one after the other,
// and hands over each time, one at a time, in the order in which they are finished. After the
// first error nothing more is begun.
func (e engine) simulateAll(
	ctx context.Context, calls []plannedCall, take func(SimulatedCall) error,
) (err error) {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	var taking sync.Mutex
	var stream []uint32
	for i, c := range calls {
		if ctx.Err() == nil && (i == 0 || c.Label != calls[i-1].Label) {
			stream, err = e.stream(c.Label)
		}
		indices, err := stream, err
		group.Go(func() error {
			if err := cmp.Or(err, ctx.Err()); err != nil {
				return err
			}
			us, applied, err := e.simulate(c.CallKey, indices, c.bins)
			if err == nil && !applied {
				err = fmt.Errorf("%s: %w: not every update was applied once",
					c.CallKey, hwsim.ErrSimulation)
			}
			if err != nil {
				return err
			}
			taking.Lock()
			defer taking.Unlock()
			return take(SimulatedCall{c.CallKey, rounded(us)})
		})
	}
	return group.Wait()
}

// rounded returns the time that a table holds.
func rounded(us float64) float64 {
	r, err := strconv.ParseFloat(exactUS(us), 64)
	if err != nil {
		panic(err) // exactUS writes numbers
	}
	return r
}

func generated(label string) ([]uint32, error) {
	spec, err := synth.Parse(label)
	if err != nil {
		return nil, err
	}
	return synth.Generate(spec)
}
