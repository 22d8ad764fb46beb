package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// formulas are packages of formulas and of learning, whose mutations are drawn formulaWeight times
// as often as those of others.
var formulas = []string{"collision", "collision/internal/kernel", "device", "fit", "fit/regression",
	"hwsim/internal/machine", "latency", "regtree", "rows/price", "speedup", "speedup/elteir", "tuner",
	"tuner/calibration", "tuner/model"}

const formulaWeight = 4

// neighbours are packages whose tests are to find what a package's own do not.
var neighbours = map[string]string{
	"clib/internal/request":     "clib",
	"cmd/atomtune/internal":     "cmd/atomtune",
	"collision":                 "speedup tuner",
	"collision/internal/kernel": "collision",
	"datasets/columnar":         "datasets/columnar",
	"device":                    "speedup hwsim tuner",
	"fit/regression":            "fit",
	"hwsim/internal":            "hwsim hwsim/apps",
	"internal/command":          "cmd/atomtune",
	"internal/prediction":       "cmd/atomtune",
	"lab/papers":                "lab/papers/all",
	"latency":                   "lab/validate/scratchpad lab/expectation",
	"probe":                     "probe",
	"regtree":                   "tuner/model lab/golearnbridge",
	"rows":                      "rows/price lab/bench/rows",
	"speedup":                   "tuner lab/validate/choices",
	"speedup/elteir":            "speedup/elteir/equations lab/papers/elteir11",
	"tuner":                     "cmd/atomtune",
	"tuner/dispatch":            "tuner/dispatch/source lab/validate/trees",
	"tuner/model":               "tuner lab/validate/choices",
	"tuner/calibration":         "tuner/training",
	"variant":                   "device speedup hwsim",
}

// nearest returns the packages whose tests judge a mutation of a package: its own, and the
// neighbours of the folder nearest above it.
func nearest(pkg string) string {
	for folder := pkg; folder != "."; folder = path.Dir(folder) {
		if more, ok := neighbours[folder]; ok {
			others := slices.DeleteFunc(strings.Fields(more), func(p string) bool { return p == pkg })
			return strings.Join(append([]string{pkg}, others...), " ")
		}
	}
	return pkg
}

// candidate is a mutation that may be drawn.
type candidate struct {
	mutation
	file   string
	weight int
}

// candidates lists the mutations of the packages of a module, besides generated files and this
// package.
func candidates(root string) (list []candidate, err error) {
	c := exec.Command("go", "list", "-json=Dir,GoFiles", "./...")
	c.Dir = root
	out, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	whole, err := filepath.Abs(root)
	if err != nil {
		return nil, err
	}
	for d := json.NewDecoder(strings.NewReader(string(out))); d.More(); {
		var p struct {
			Dir     string
			GoFiles []string
		}
		if err := d.Decode(&p); err != nil {
			return nil, err
		}
		pkg, err := filepath.Rel(whole, p.Dir)
		if err != nil || pkg == "internal/faults" {
			continue
		}
		weight := 1
		if slices.Contains(formulas, pkg) {
			weight = formulaWeight
		}
		for _, name := range p.GoFiles {
			file := path.Join(filepath.ToSlash(pkg), name)
			source, err := os.ReadFile(filepath.Join(root, file))
			if err != nil {
				return nil, err
			}
			if strings.HasPrefix(string(source), "// Code generated") {
				continue
			}
			all, err := mutations(file, source)
			if err != nil {
				return nil, err
			}
			for _, m := range all {
				list = append(list, candidate{m, file, weight})
			}
		}
	}
	return list, nil
}

// draw chooses mutations at random that compile, each once. The same seed gives the same in the
// same tree.
func draw(root string, n int, seed uint64) (drawn []fault, err error) {
	list, err := candidates(root)
	if err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(seed, 0))
	for len(drawn) < n {
		total := 0
		for _, c := range list {
			total += c.weight
		}
		if total == 0 {
			return nil, errors.New("fewer mutations compile than are to be drawn")
		}
		at, left := 0, rng.IntN(total)
		for ; left >= list[at].weight; at++ {
			left -= list[at].weight
		}
		c := &list[at]
		c.weight = 0
		source, err := os.ReadFile(filepath.Join(root, c.file))
		if err != nil {
			return nil, err
		}
		f := c.fault(c.file, source)
		f.pkg = nearest(f.pkg)
		if compiles, err := f.compiles(root); err != nil {
			return nil, err
		} else if compiles {
			drawn = append(drawn, f)
		}
	}
	return drawn, nil
}

// compiles reports whether the package of the file compiles with the fault.
func (f fault) compiles(root string) (bool, error) {
	data, err := f.planted(root)
	if err != nil {
		return false, err
	}
	folder, flag, err := overlay(root, f.file, data)
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(folder)
	c := exec.Command("go", "vet", flag, "./"+path.Dir(f.file))
	c.Dir = root
	return c.Run() == nil, nil
}
