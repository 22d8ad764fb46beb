package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// pkg is what go list says of a package.
type pkg struct {
	Dir, ImportPath           string
	GoFiles, CgoFiles         []string
	TestGoFiles, XTestGoFiles []string
	Imports, Deps             []string
}

// packages lists packages of the module.
func packages(patterns ...string) (list []pkg, err error) {
	fields := "-json=Dir,ImportPath,GoFiles,CgoFiles,TestGoFiles,XTestGoFiles,Imports,Deps"
	out, err := exec.Command("go", append([]string{"list", fields}, patterns...)...).Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	for d := json.NewDecoder(bytes.NewReader(out)); err == nil && d.More(); {
		var p pkg
		err = d.Decode(&p)
		list = append(list, p)
	}
	return list, err
}

// judges are the packages whose tests judge a mutation of a package: its own, and the three that import
// it with the fewest dependencies.
func judges(all []pkg, path string) (paths []string) {
	some := slices.DeleteFunc(slices.Clone(all), func(p pkg) bool {
		return len(p.TestGoFiles)+len(p.XTestGoFiles) == 0 || p.ImportPath != path && !slices.Contains(p.Imports, path)
	})
	slices.SortStableFunc(some, func(a, b pkg) int { return cmp.Compare(len(a.Deps), len(b.Deps)) })
	for _, p := range some[:min(4, len(some))] {
		paths = append(paths, p.ImportPath)
	}
	return paths
}

// What becomes of a mutation. Broken is one that cannot be planted or does not compile, or whose tests
// fail without it too.
const (
	caught   = "caught"
	survived = "SURVIVED"
	broken   = "BROKEN"
)

var failure = regexp.MustCompile(`(?m)^--- FAIL: (\w+)`)

// plant runs the tests that judge the mutation, and says which notices it.
func (m mutation) plant(all []pkg) (verdict, why string) {
	own := slices.IndexFunc(all, func(p pkg) bool { return p.ImportPath == m.Package })
	if own < 0 {
		return broken, "there is no such package"
	}
	m.folder = all[own].Dir
	paths := judges(all, m.Package)
	for _, path := range paths {
		tests := []string{"test", "-timeout=8m", "-failfast", path}
		output, err := m.run(append(tests, "-count=1")...)
		switch {
		case err == nil:
			continue
		case !strings.Contains(output, "\nFAIL\t"), strings.Contains(output, "[build failed]"),
			strings.Contains(output, "[setup failed]"):
			return broken, output
		}
		why = "a panic, or out of time"
		if names := failure.FindStringSubmatch(output); names != nil {
			why = names[1]
			tests = append(tests, "-run=^"+why+"$")
		}
		if output, err := (mutation{}).run(tests...); err != nil {
			return broken, "without it: " + output
		}
		return caught, path + " " + why
	}
	return survived, strings.Join(paths, " ")
}

// run runs the go command with the mutation in place, none for the zero value: an overlay of the builds,
// so that no file changes. Tests of rapid keep no file of what fails, which later runs would replay.
func (m mutation) run(args ...string) (output string, err error) {
	c := exec.Command("go", args...)
	c.Env = append(os.Environ(), "RAPID_NOFAILFILE=1")
	if m.File != "" {
		overlay, err := m.overlay()
		if err != nil {
			return err.Error(), err
		}
		defer os.RemoveAll(filepath.Dir(overlay))
		c.Env = append(c.Env, "GOFLAGS="+os.Getenv("GOFLAGS")+" -overlay="+overlay)
	}
	out, err := c.CombinedOutput()
	return string(out), err
}

// overlay writes an overlay, alone in its folder, that puts the mutated file in place.
func (m mutation) overlay() (string, error) {
	file := filepath.Join(m.folder, m.File)
	source, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	if n := bytes.Count(source, []byte(m.Old)); n != 1 {
		return "", fmt.Errorf("%s:%d: the old text is there %d times, want once", file, m.Line, n)
	}
	folder, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return "", err
	}
	changed, overlay := filepath.Join(folder, m.File), filepath.Join(folder, "overlay.json")
	text, err := json.Marshal(map[string]map[string]string{"Replace": {file: changed}})
	return overlay, errors.Join(err, os.WriteFile(overlay, text, 0o600),
		os.WriteFile(changed, bytes.Replace(source, []byte(m.Old), []byte(m.Now), 1), 0o600))
}
