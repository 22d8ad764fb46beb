package speed

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strings"

	"github.com/atomtune/atomtune/internal/strictjson"
	"github.com/atomtune/atomtune/internal/wholefile"
)

// Run is what was measured on one processor.
type Run struct {
	Processor string   `json:"processor"`
	Cores     int      `json:"cores"`
	With      string   `json:"with"` // compiler and system
	Results   []Result `json:"results"`
}

// newRun returns a run without results on the processor at hand.
func newRun() *Run {
	return &Run{Processor: processor("/proc/cpuinfo"), Cores: runtime.GOMAXPROCS(0),
		With: fmt.Sprintf("%s, %s/%s", runtime.Version(), runtime.GOOS, runtime.GOARCH)}
}

// Machine names the processor at hand and what the program is built with.
func Machine() string { return newRun().String() }

// processor returns the model that the system names, and the architecture where it names none.
func processor(cpuinfo string) string {
	data, _ := os.ReadFile(cpuinfo) // other systems have none
	for line := range strings.Lines(string(data)) {
		if key, value, _ := strings.Cut(line, ":"); strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return runtime.GOARCH
}

// Read reads a run.
func Read(path string) (*Run, error) {
	data, err := wholefile.Read(path, wholefile.Most)
	if err != nil {
		return nil, err
	}
	return decode(path, data)
}

func decode(path string, data []byte) (*Run, error) {
	run := new(Run)
	if err := strictjson.Decode(data, run); err != nil {
		return nil, fmt.Errorf("%s: broken run: %w", path, err)
	}
	if run.Processor == "" || len(run.Results) == 0 {
		return nil, fmt.Errorf("%s: broken run: no processor or no results", path)
	}
	for _, r := range run.Results {
		if !(r.Work > 0 && r.Seconds > 0 && r.Cores > 0) ||
			r.Beside != nil && !(r.Beside.Work > 0 && r.Beside.Seconds > 0) {
			return nil, fmt.Errorf("%s: broken run: %s %s has no work, time or core", path, r.Suite, r.Case)
		}
	}
	return run, nil
}

// JSON returns the run as Read reads it.
func (run *Run) JSON() []byte {
	data, err := json.MarshalIndent(run, "", " ")
	if err != nil {
		panic(err) // every field is a string or a finite number
	}
	return append(data, '\n')
}
