package probe

import (
	"fmt"

	"github.com/atomtune/atomtune/datasets/recordings"
)

// write makes the folder's files of what the journal holds, in the order of the
// plan.
func (p *Plan) write(folder string, j *journal, resumed int) (Outcome, error) {
	o := Outcome{Folder: folder, Jobs: len(p.Jobs), Resumed: resumed, Wrong: []string{}, Warnings: []string{}}
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
		return o, fmt.Errorf("%w of %d calls, the first %s: their rows say correct 0", ErrWrong, len(o.Wrong), o.Wrong[0])
	}
	return o, nil
}

// collect puts the results of the jobs together and counts them.
func (p *Plan) collect(j *journal, o *Outcome) (recordings.Run, error) {
	run := recordings.Run{Name: o.Folder, Provenance: j.provenance()}
	pad := &recordings.Scratchpad{Patterns: p.Patterns}
	for _, job := range p.Jobs {
		r, ok := j.done[job.name()]
		if !ok {
			return run, fmt.Errorf("%w: %s: it has ended without job %s", ErrJournal, j.path, job.name())
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
			run.Streams = append(run.Streams, recordings.Stream{Label: s.Label, Half: recordings.Half(s.Label), Stats: s.Stats})
		}
		for _, c := range r.Patterns {
			pad.Columns = append(pad.Columns, recordings.ScratchpadColumn{
				Name: c.Column, Cycles: c.Cycles, Low: c.Low, High: c.High, Repeats: c.Repeats, Starts: 1, Kernel: c.Kernel,
				Instruction: c.Instruction, Launch: c.Launch, Unroll: c.Unroll,
			})
		}
		o.Warnings = append(o.Warnings, r.Warnings...)
	}
	if len(pad.Columns) > 0 {
		run.Scratchpad = pad
	}
	o.Readings, o.Calls, o.Streams, o.Columns = len(run.Readings), len(run.Calls), len(run.Streams), len(pad.Columns)
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
		GPU: h.GPU, GPUUUID: h.UUID, ComputeCapability: h.ComputeCapability, Driver: h.Driver, CUDA: h.CUDA,
		Program: h.Program, Options: h.Options, Plan: h.Plan, Starts: []recordings.Start{start},
	}
}
