package probe

import (
	"fmt"

	"github.com/atomtune/atomtune/datasets/recordings"
)

// Outcome is what a run left in its folder.
type Outcome struct {
	Folder   string   `json:"folder"`
	Files    []string `json:"files"`
	Jobs     int      `json:"jobs"`
	Resumed  int      `json:"resumed"` // jobs that the journal held already
	Readings int      `json:"readings"`
	Columns  int      `json:"columns"` // of the scratchpad
	Calls    int      `json:"calls"`
	Streams  int      `json:"streams"`
	Wrong    []string `json:"wrong"`    // calls whose results were not those of the reference
	Warnings []string `json:"warnings"` // what could not be measured
}

// write makes the folder's files of what the journal holds, in the order of the
// plan.
func (p *Plan) write(folder string, j *journal, resumed int) (Outcome, error) {
	o := Outcome{Folder: folder, Jobs: len(p.Jobs), Resumed: resumed}
	o.Wrong, o.Warnings = []string{}, []string{}
	run, err := p.collect(j, &o)
	if err != nil {
		return Outcome{}, err
	}
	files, err := recordings.WriteFolder(folder, run)
	if err != nil {
		return Outcome{}, err
	}
	o.Files = append([]string{}, files...)
	if len(o.Wrong) > 0 {
		return o, fmt.Errorf("%w of %d calls, the first %s: their rows say correct 0",
			ErrWrong, len(o.Wrong), o.Wrong[0])
	}
	return o, nil
}

// collect puts the results of the jobs together and counts them.
func (p *Plan) collect(j *journal, o *Outcome) (recordings.Run, error) {
	run := recordings.Run{Name: o.Folder, Provenance: j.provenance()}
	pad := &recordings.Scratchpad{Patterns: p.Patterns}
	for _, planned := range p.Jobs {
		r, ok := j.done[planned.Name()]
		if !ok {
			return run, fmt.Errorf("%w: %s: it has ended without job %s", ErrJournal, j.path, planned.Name())
		}
		for _, reading := range r.Readings {
			reading.Starts = 1
			run.Readings = append(run.Readings, reading)
		}
		for _, call := range r.Calls {
			call.Starts = 1
			run.Calls = append(run.Calls, call)
		}
		o.Wrong = append(o.Wrong, r.Wrong...)
		if s := r.Stream; s != nil {
			half := recordings.Half(s.Label)
			run.Streams = append(run.Streams, recordings.Stream{Label: s.Label, Half: half, Stats: s.Stats})
		}
		for _, c := range r.Patterns {
			pad.Columns = append(pad.Columns, recordings.ScratchpadColumn{
				Name: c.Column, Cycles: c.Cycles, Low: c.Low, High: c.High, Repeats: c.Repeats, Starts: 1,
				Kernel: c.Kernel, Instruction: c.Instruction, Launch: c.Launch, Unroll: c.Unroll,
			})
		}
		o.Warnings = append(o.Warnings, r.Warnings...)
	}
	if len(pad.Columns) > 0 {
		run.Scratchpad = pad
	}
	o.Readings, o.Calls, o.Streams, o.Columns = len(run.Readings), len(run.Calls), len(run.Streams),
		len(pad.Columns)
	return run, nil
}

// provenance is what the results were measured with.
func (j *journal) provenance() recordings.Provenance {
	h := j.header
	start := h.Start
	if j.end != nil {
		start.SMClockAfter = j.end.SMClock
	}
	return recordings.Provenance{
		GPU: h.GPU, GPUUUID: h.UUID, ComputeCapability: h.ComputeCapability, Driver: h.Driver,
		CUDA:    h.CUDA,
		Program: h.Program, Options: h.Options, Plan: h.Plan, Starts: []recordings.Start{start},
	}
}
