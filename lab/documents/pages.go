package main

import (
	"fmt"
	"strings"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/lab/bench"
	"github.com/atomtune/atomtune/lab/bench/rows"
	"github.com/atomtune/atomtune/lab/papers/all"
	"github.com/atomtune/atomtune/lab/results"
	"github.com/atomtune/atomtune/lab/validate/choices"
	"github.com/atomtune/atomtune/lab/validate/estimates"
	"github.com/atomtune/atomtune/lab/validate/kernels"
	"github.com/atomtune/atomtune/lab/validate/trees"
)

// folder is that of the pages.
const folder = "doc/results/"

// documented is the data of which pages and values are made.
type documented struct {
	choices   choices.Results
	kernels   kernels.KernelReport
	trees     trees.Report
	estimates estimates.Results
	papers    []all.Found
	rows      []rows.Part

	scatter []*bench.Report
	rowRuns []*rows.Run // on each GPU the first
	rowGPUs []*device.Profile
	values  map[string]string
}

// read reads it, from the root of a clone.
func read() (*documented, error) {
	d := new(documented)
	for path, into := range map[string]any{
		"lab/validate/choices/results.json": &d.choices, "lab/validate/kernels/results.json": &d.kernels,
		"lab/validate/trees/results.json":     &d.trees,
		"lab/validate/estimates/results.json": &d.estimates, "lab/papers/all/results.json": &d.papers,
		"lab/bench/rows/results.json": &d.rows,
	} {
		if err := results.Read(path, into); err != nil {
			return nil, err
		}
	}
	for _, read := range []func() error{d.readScatter, d.readRows, d.readValues} {
		if err := read(); err != nil {
			return nil, err
		}
	}
	return d, nil
}

func (d *documented) readScatter() error {
	runs, err := bench.Recorded("lab/bench/recorded")
	if err != nil {
		return err
	}
	for _, run := range runs {
		r, err := bench.NewReport(run)
		if err != nil {
			return err
		}
		d.scatter = append(d.scatter, r)
	}
	return nil
}

func (d *documented) readRows() error {
	for _, name := range []string{"h100", "h200_call"} {
		run, err := rows.Read("lab/bench/rows/recorded/" + name + ".csv.gz")
		if err != nil {
			return err
		}
		gpu, _, _ := strings.Cut(name, "_")
		p, err := device.Builtin(gpu)
		if err != nil {
			return err
		}
		d.rowRuns, d.rowGPUs = append(d.rowRuns, run), append(d.rowGPUs, p)
	}
	return nil
}

// pages are the documents that are generated as a whole, and figures of them, by their paths. Figures that
// are drawn of more than results hold are written with these, by script/regenerate.
func (d *documented) pages() (map[string][]byte, error) {
	made := map[string][]byte{}
	for name, render := range map[string]func() ([]byte, error){
		"BENCH.md":      func() ([]byte, error) { return bench.Document(d.scatter), nil },
		"DISPATCH.md":   d.trees.Document,
		"ESTIMATES.md":  d.estimates.Document,
		"KERNELS.md":    func() ([]byte, error) { return d.kernels.Document(), nil },
		"REPRODUCED.md": func() ([]byte, error) { return all.Document(d.papers) },
		"RESULTS.md":    d.choices.Document,
		"ROWS.md":       func() ([]byte, error) { return rows.Document(d.rowRuns, d.rowGPUs, d.rows) },
	} {
		text, err := render()
		if err != nil {
			return nil, fmt.Errorf("%s%s: %w", folder, name, err)
		}
		made[folder+name] = text
	}
	var err error
	for _, r := range d.scatter {
		for name, page := range r.Figures() {
			if made[folder+name+".svg"], err = page.SVG(); err != nil {
				return nil, fmt.Errorf("%s%s.svg: %w", folder, name, err)
			}
		}
	}
	return made, nil
}
