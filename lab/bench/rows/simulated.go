package rows

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"strconv"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/internal/wholefile"
	"github.com/atomtune/atomtune/lab/validate"
)

// Call is a call of a table: an implementation that updates the rows of a stream.
type Call struct {
	Label, Type string
	Width       uint64
	Form
}

// Simulated are simulated times of calls on one GPU, in microseconds. They are longer by what a
// kernel of updates begins later than an empty one, device.Launch.LaterStart, of which the simulator
// knows nothing.
type Simulated map[Call]float64

var simulatedColumns = []string{"label", "type", "width", "form", "slots", "simulated_us"}

// ReadSimulated reads a table of simulated times; none is there where there is no file. Errors name
// file and line.
func ReadSimulated(path string) (Simulated, error) {
	data, err := wholefile.Read(path, wholefile.Most)
	if os.IsNotExist(err) {
		return Simulated{}, nil
	} else if err != nil {
		return nil, err
	}
	return decodeSimulated(path, data)
}

func decodeSimulated(name string, data []byte) (Simulated, error) {
	s := Simulated{}
	err := validate.ReadCSV(name, 0, data, simulatedColumns, func(cells []string) error {
		width, err := strconv.ParseUint(cells[2], 10, 64)
		if err != nil {
			return fmt.Errorf("width %q is not a whole number", cells[2])
		}
		slots, err := strconv.ParseUint(cells[4], 10, 64)
		if err != nil {
			return fmt.Errorf("slots %q is not a whole number", cells[4])
		}
		us, err := strconv.ParseFloat(cells[5], 64)
		if err != nil || !(us > 0) {
			return fmt.Errorf("simulated_us %q is not a time", cells[5])
		}
		s[Call{cells[0], cells[1], width, Form{Name: cells[3], Slots: slots}}] = us
		return nil
	})
	return s, err
}

// Write writes the table, sorted, with what others have written to it meanwhile.
func (s Simulated) Write(path string) error {
	return wholefile.Change(path, wholefile.Most, func(old []byte) ([]byte, error) {
		all := Simulated{}
		if old != nil {
			var err error
			if all, err = decodeSimulated(path, old); err != nil {
				return nil, err
			}
		}
		maps.Copy(all, s)
		var lines [][]string
		for c, us := range all {
			lines = append(lines, []string{c.Label, c.Type, strconv.FormatUint(c.Width, 10), c.Name,
				strconv.FormatUint(c.Slots, 10), digits(us)})
		}
		slices.SortFunc(lines, slices.Compare)
		var b bytes.Buffer
		w := csv.NewWriter(&b)
		err := w.WriteAll(append([][]string{simulatedColumns}, lines...))
		return b.Bytes(), err
	})
}

// digits is a time as tables hold it.
func digits(us float64) string { return strconv.FormatFloat(us, 'g', 5, 64) }

// Drawn are the calls of each every-th case of a run, in its order, without PyTorch's and those that
// choose an implementation.
func (r *Run) Drawn(every int) (calls []Call) {
	for i := 0; i < len(r.Cases); i += every {
		c := &r.Cases[i]
		for form := range c.US {
			if form.IsImplementation() {
				calls = append(calls, Call{c.Label, c.Type, c.Call.Width, form})
			}
		}
	}
	return calls
}

// SimulatedEvery says which cases of a run the stored tables hold.
const SimulatedEvery = 10

// Errors judges the simulated times by the measured ones of the run, of each implementation.
func (s Simulated) Errors(r *Run) map[string]Errors {
	ratios := map[string][]float64{}
	for i := range r.Cases {
		c := &r.Cases[i]
		for form, us := range c.US {
			if simulated, ok := s[Call{c.Label, c.Type, c.Call.Width, form}]; ok {
				ratios[form.Name] = append(ratios[form.Name], us/simulated)
			}
		}
	}
	errors := map[string]Errors{}
	for f, list := range ratios {
		errors[f] = errorsOf(list)
	}
	return errors
}

// Simulate simulates those of the calls on streams of so many rows that have no time yet, and calls
// keep, if there is one, after all calls of a stream.
func (s Simulated) Simulate(ctx context.Context, p *device.Profile, r *Run, calls []Call,
	keep func() error) error {
	counts, byLabel := map[string]uint64{}, map[string][]Call{}
	for _, c := range r.Cases {
		counts[c.Label] = c.Rows
	}
	var labels []string
	for _, c := range calls {
		if _, known := s[c]; known {
			continue
		}
		if byLabel[c.Label] == nil {
			labels = append(labels, c.Label)
		}
		byLabel[c.Label] = append(byLabel[c.Label], c)
	}
	slices.Sort(labels)
	for _, label := range labels {
		if err := s.simulate(ctx, p, label, counts[label], byLabel[label]); err != nil {
			return err
		}
		if keep != nil {
			if err := keep(); err != nil {
				return err
			}
		}
	}
	return nil
}

// simulate simulates calls on one stream, on all cores.
func (s Simulated) simulate(ctx context.Context, p *device.Profile, label string, count uint64,
	calls []Call) error {
	spec, err := synth.Parse(label)
	if err != nil {
		return err
	}
	indices, err := synth.Generate(spec)
	if err != nil {
		return err
	}
	sorted := sync.OnceValues(func() ([]hwsim.KernelTime, error) {
		return hwsim.SortRows(hwsim.Config{Device: p, Call: device.Call{Type: device.F32, Width: 1, IndexBytes: 8}},
			indices,
			count)
	})
	var mutex sync.Mutex
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for _, c := range calls {
		group.Go(func() error {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			us, err := simulateCall(p, c, indices, count, sorted)
			if err != nil {
				return fmt.Errorf("%s of %s, width %d: %w", c.Name, label, c.Width, err)
			}
			mutex.Lock()
			defer mutex.Unlock()
			s[c], err = strconv.ParseFloat(digits(us), 64) // as it is stored
			return err
		})
	}
	return group.Wait()
}

func simulateCall(p *device.Profile, c Call, indices []uint32, count uint64,
	sorted func() ([]hwsim.KernelTime, error)) (float64, error) {
	call, err := recordings.RowCall(c.Type, c.Width)
	if err != nil {
		return 0, err
	}
	cfg := hwsim.Config{Device: p, Call: call}
	if cfg.Implementation, err = c.Implementation(); err != nil {
		return 0, err
	}
	if cfg.Implementation.Algorithm == impl.Sort {
		if cfg.Sorted, err = sorted(); err != nil {
			return 0, err
		}
	}
	us, err := hwsim.Estimate(cfg, indices, count)
	return us + p.Launch.LaterStart.Value, err
}
