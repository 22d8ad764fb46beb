// Command faults plants faults in the packages, one at a time, and demands that tests fail.
// The faults stand in faults.txt; script/faults runs it.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"
)

func main() {
	part := flag.String("part", "0/1", "the faults to plant: each n-th from i on, as `i/n`")
	only := flag.String("only", "", "plant those whose name or file holds these `words`")
	jobs := flag.Int("jobs", runtime.GOMAXPROCS(0), "how many to plant at once")
	flag.Parse()
	if err := run(*part, *only, *jobs); err != nil {
		fmt.Fprintln(os.Stderr, "faults:", err)
		os.Exit(1)
	}
}

// run plants a part of the listed faults in the module of the working directory.
func run(part, only string, jobs int) error {
	all, err := parse(listed)
	if err != nil {
		return err
	}
	var i, n int
	if _, err := fmt.Sscanf(part, "%d/%d", &i, &n); err != nil || i < 0 || i >= n {
		return fmt.Errorf("part %q, want i/n with i from 0 to n-1", part)
	}
	var some []fault
	for k, f := range all {
		if k%n == i && (strings.Contains(f.name, only) || strings.Contains(f.file, only)) {
			some = append(some, f)
		}
	}
	if len(some) == 0 {
		return errors.New("no fault is listed")
	}
	failed := 0
	for o := range plantAll(".", some, jobs) {
		fmt.Printf("%-8s %5.1f s  %s: %s", o.verdict, o.took.Seconds(), o.fault.file, o.fault.name)
		if o.verdict == caught {
			fmt.Printf(" (%s)\n", strings.Join(failing(o.output), ", "))
			continue
		}
		failed++
		fmt.Printf("\n%s\n", o.output)
	}
	fmt.Printf("%d of %d faults are caught\n", len(some)-failed, len(some))
	if failed > 0 {
		return fmt.Errorf("%d of %d faults are not caught by the tests named", failed, len(some))
	}
	return nil
}

// What becomes of a fault. Broken is one that cannot be planted, does not compile, or names
// tests that do not pass without it.
const (
	caught   = "caught"
	survived = "SURVIVED"
	broken   = "BROKEN"
)

type outcome struct {
	fault   fault
	verdict string
	output  string
	took    time.Duration
}

// plantAll plants so many faults at once and yields their outcomes as they come.
func plantAll(root string, all []fault, jobs int) <-chan outcome {
	next, outcomes := make(chan fault), make(chan outcome)
	var workers sync.WaitGroup
	for range jobs {
		workers.Go(func() {
			for f := range next {
				start := time.Now()
				verdict, output := f.plant(root)
				outcomes <- outcome{f, verdict, output, time.Since(start)}
			}
		})
	}
	go func() {
		for _, f := range all {
			next <- f
		}
		close(next)
		workers.Wait()
		close(outcomes)
	}()
	return outcomes
}

// plant runs the tests without the fault, which may be a run of before, and with it. The
// fault is an overlay of the build, so that no file changes.
func (f fault) plant(root string) (verdict, output string) {
	data, err := f.planted(root)
	if err != nil {
		return broken, err.Error()
	}
	folder, err := os.MkdirTemp("", "faults")
	if err != nil {
		return broken, err.Error()
	}
	defer os.RemoveAll(folder)
	if output, err := f.test(root); err != nil || strings.Contains(output, "no tests to run") {
		return broken, "without the fault: " + output
	}
	file, overlay := filepath.Join(folder, filepath.Base(f.file)), filepath.Join(folder, "overlay")
	whole, err := filepath.Abs(filepath.Join(root, f.file))
	if err == nil {
		err = os.WriteFile(file, data, 0o600)
	}
	var text []byte
	if err == nil {
		text, err = json.Marshal(map[string]map[string]string{"Replace": {whole: file}})
	}
	if err == nil {
		err = os.WriteFile(overlay, text, 0o600)
	}
	if err != nil {
		return broken, err.Error()
	}
	output, err = f.test(root, "-count=1", "-overlay", overlay)
	switch {
	case err == nil:
		return survived, output
	case !strings.Contains(output, "\nFAIL\t"), strings.Contains(output, "[build failed]"),
		strings.Contains(output, "[setup failed]"):
		return broken, output
	}
	return caught, output
}

// failing lists the tests that failed, or says how they ended.
func failing(output string) []string {
	var list []string
	for line := range strings.SplitSeq(output, "\n") {
		if name, ok := strings.CutPrefix(line, "--- FAIL: "); ok {
			name, _, _ = strings.Cut(name, " ")
			list = append(list, name)
		}
	}
	if len(list) == 0 {
		return []string{"the run was cut"}
	}
	return list
}

// test runs the fault's tests. Those of rapid keep no file of what fails: a fault's would be
// replayed by later runs without it.
func (f fault) test(root string, flags ...string) (output string, err error) {
	arguments := append([]string{"test", "-timeout", "2m", "-run", f.tests}, flags...)
	c := exec.Command("go", append(arguments, "./"+f.pkg)...)
	c.Dir, c.Env = root, append(os.Environ(), "RAPID_NOFAILFILE=1")
	out, err := c.CombinedOutput()
	return string(out), err
}
