// Command faults plants faults in the packages, one at a time, and demands that tests fail.
// The faults stand in faults.txt, or are mutations drawn at random; script/faults runs it.
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
	"slices"
	"strings"
	"sync"
	"time"
)

// options say which faults are planted.
type options struct {
	part, only, list string
	draw, jobs       int
	seed             uint64
}

func main() {
	var o options
	flag.StringVar(&o.part, "part", "0/1", "the faults to plant: each n-th from i on, as `i/n`")
	flag.StringVar(&o.only, "only", "", "plant those whose name or file holds these `words`")
	flag.StringVar(&o.list, "list", "", "plant the faults of this `file`, not the program's own list")
	flag.IntVar(&o.draw, "draw", 0, "print so many mutations, drawn at random, as a list for --list")
	flag.Uint64Var(&o.seed, "seed", 1, "of the mutations drawn")
	flag.IntVar(&o.jobs, "jobs", runtime.GOMAXPROCS(0), "how many to plant at once")
	flag.Parse()
	do := run
	if o.draw > 0 {
		do = printDrawn
	}
	if err := do(o); err != nil {
		fmt.Fprintln(os.Stderr, "faults:", err)
		os.Exit(1)
	}
}

// printDrawn draws mutations and prints them as a list.
func printDrawn(o options) error {
	drawn, err := draw(".", o.draw, o.seed)
	for _, f := range drawn {
		fmt.Println(f)
	}
	return err
}

// faults returns the faults to choose from.
func (o options) faults() ([]fault, error) {
	text := listed
	if o.list != "" {
		data, err := os.ReadFile(o.list)
		if err != nil {
			return nil, err
		}
		text = string(data)
	}
	return parse(text)
}

// run plants a part of the faults in the module of the working directory.
func run(o options) error {
	var i, n int
	if _, err := fmt.Sscanf(o.part, "%d/%d", &i, &n); err != nil || i < 0 || i >= n {
		return fmt.Errorf("part %q, want i/n with i from 0 to n-1", o.part)
	}
	list, err := o.faults()
	if err != nil {
		return err
	}
	equivalent, err := parse(unnoticed)
	if err != nil {
		return err
	}
	var some []fault
	for k, f := range list {
		if k%n == i && (strings.Contains(f.name, o.only) || strings.Contains(f.file, o.only)) {
			some = append(some, f)
		}
	}
	if len(some) == 0 {
		return errors.New("no fault is listed")
	}
	counts := map[string]int{}
	for out := range plantAll(".", some, o.jobs) {
		if out.verdict == survived && slices.ContainsFunc(equivalent, out.fault.same) {
			out.verdict = harmless
		}
		counts[out.verdict]++
		fmt.Print(out)
	}
	fmt.Printf("%d of %d faults are caught, %d change nothing that a test can see\n", counts[caught],
		len(some), counts[harmless])
	if failed := counts[survived] + counts[broken]; failed > 0 {
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
	harmless = "no fault" // stands among the equivalents
)

type outcome struct {
	fault   fault
	verdict string
	output  string
	took    time.Duration
}

// String is a line, and of a fault that is not caught the fault and what its tests printed.
func (o outcome) String() string {
	line := fmt.Sprintf("%-8s %5.1f s  %s: %s", o.verdict, o.took.Seconds(), o.fault.file, o.fault.name)
	switch o.verdict {
	case caught:
		names := failing(o.output)
		if strings.Contains(o.output, timedOut) {
			names = append(names, "whose time was up")
		}
		return fmt.Sprintf("%s (%s)\n", line, strings.Join(names, ", "))
	case harmless:
		return line + "\n"
	}
	return fmt.Sprintf("%s\n\n%s\n%s\n", line, o.fault, o.output)
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

// plant runs the tests with the fault, and where they fail without it, which may be a run of before.
// The fault is an overlay of the build, so that no file changes.
func (f fault) plant(root string) (verdict, output string) {
	data, err := f.planted(root)
	if err != nil {
		return broken, err.Error()
	}
	folder, flag, err := overlay(root, f.file, data)
	if err != nil {
		return broken, err.Error()
	}
	defer os.RemoveAll(folder)
	sets := []string{f.tests}
	if f.tests == all {
		sets = []string{short, all} // what few tests notice soon is not asked of all
	}
	for _, f.tests = range sets {
		for pkg := range strings.FieldsSeq(f.pkg) {
			output, err = f.test(root, pkg, f.tests, flag)
			switch {
			case strings.Contains(output, "no tests to run"):
				return broken, output
			case err == nil:
				continue
			case !strings.Contains(output, "\nFAIL\t"), strings.Contains(output, "[build failed]"),
				strings.Contains(output, "[setup failed]"):
				return broken, output
			}
			return f.judge(root, pkg, flag, output)
		}
	}
	return survived, output
}

// judge says whether tests that failed with the fault did so for it: they pass without. Where the time
// was up, the test that ran then must fail by itself too.
func (f fault) judge(root, pkg, flag, output string) (verdict, why string) {
	tests := f.tests
	if names := failing(output); len(names) > 0 {
		tests = "^(" + strings.Join(names, "|") + ")$"
	}
	if output, err := f.test(root, pkg, tests, ""); err != nil {
		return broken, "without the fault: " + output
	}
	if strings.Contains(output, timedOut) {
		if output, err := f.test(root, pkg, tests, flag); err == nil {
			return broken, "within the time of one test: " + output
		}
	}
	return caught, output
}

// overlay returns the flag with which the go command reads these bytes in place of a file, and the
// folder to remove afterwards.
func overlay(root, file string, data []byte) (folder, flag string, err error) {
	whole, err := filepath.Abs(filepath.Join(root, file))
	if err != nil {
		return "", "", err
	}
	if folder, err = os.MkdirTemp("", "faults"); err != nil {
		return "", "", err
	}
	changed, list := filepath.Join(folder, filepath.Base(file)), filepath.Join(folder, "overlay")
	text, err := json.Marshal(map[string]map[string]string{"Replace": {whole: changed}})
	if err == nil {
		err = errors.Join(os.WriteFile(changed, data, 0o600), os.WriteFile(list, text, 0o600))
	}
	if err != nil {
		os.RemoveAll(folder)
	}
	return folder, "-overlay=" + list, err
}

// timedOut is what a run prints whose time is up.
const timedOut = "panic: test timed out"

// failing lists the tests that failed, or that ran when the time was up.
func failing(output string) (names []string) {
	running := false
	for line := range strings.SplitSeq(output, "\n") {
		name, found := strings.CutPrefix(line, "--- FAIL: ")
		if running && strings.HasPrefix(line, "\t\t") {
			name, found = strings.TrimSpace(line), true
		}
		running = strings.HasPrefix(line, "\trunning tests:")
		if found {
			name, _, _ = strings.Cut(name, " ")
			name, _, _ = strings.Cut(name, "/")
			names = append(names, name)
		}
	}
	return names
}

// test runs tests of a package for the fault. The overlay's flag goes to what they build too. Those of
// rapid keep no file of what fails: a fault's would be replayed by later runs without it.
func (f fault) test(root, pkg, tests, overlay string) (output string, err error) {
	c := exec.Command("go", "test", "-timeout", "4m", "-run", tests)
	switch tests {
	case short:
		c = exec.Command("go", "test", "-timeout", "8m", "-failfast", "-short")
	case all:
		c = exec.Command("go", "test", "-timeout", "8m", "-failfast")
	}
	c.Dir, c.Env = root, append(os.Environ(), "RAPID_NOFAILFILE=1")
	if overlay != "" {
		c.Args = append(c.Args, "-count=1")
		c.Env = append(c.Env, "GOFLAGS="+os.Getenv("GOFLAGS")+" "+overlay)
	}
	c.Args = append(c.Args, "./"+pkg)
	out, err := c.CombinedOutput()
	return string(out), err
}
