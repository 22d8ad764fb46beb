// Command contract compares what the programs answer with a committed record: choices and prices,
// simulated times, the JSON documents of all commands, and what the twins of the decision in Go, C, CUDA
// (on an emulated warp) and Python make of small streams. Numbers and names are compared, wording is not.
//
//  1. Build the programs and the twins into a folder that is removed at the end.
//  2. Run each line of runs.txt and each twin, as many at a time as there are cores.
//  3. Keep numbers, booleans and names of the answers.
//  4. Compare these with record.jsonl, or write it (--update).
//
// A new line of runs.txt and then --update takes a further answer into the record.
package main

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"golang.org/x/sync/errgroup"
)

//go:embed runs.txt
var runs string

// recordFile is below the root of the repository, the working directory.
const recordFile = "internal/contract/record.jsonl"

func main() {
	update := flag.Bool("update", false, "write the record anew and print what changes")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	differ, err := compare(ctx, *update)
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "contract:", err)
		os.Exit(1)
	case differ && !*update:
		fmt.Fprintln(os.Stderr, "contract: script/contract --update takes these values into the record")
		os.Exit(1)
	}
}

// compare makes the answers and reports whether they differ from the record.
func compare(ctx context.Context, update bool) (differ bool, err error) {
	work, err := os.MkdirTemp("", "contract")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(work)
	got, err := answers(ctx, work)
	if err != nil {
		return false, err
	}
	old, err := readRecord(recordFile)
	if err != nil && !(update && os.IsNotExist(err)) {
		return false, err
	}
	faults := differences(old, got)
	for _, f := range faults {
		fmt.Println(f)
	}
	if update {
		return len(faults) > 0, writeRecord(recordFile, got)
	}
	fmt.Printf("%d answers, %d values differ\n", len(got), len(faults))
	return len(faults) > 0, nil
}

// An answer is what a run printed, without words.
type answer struct {
	Run    string `json:"run"`
	Fields any    `json:"fields"`
}

// A job is a run and how its fields are made.
type job struct {
	run     string
	section string
	command []string
	folder  string
	env     []string
}

// answers builds everything and runs it.
func answers(ctx context.Context, work string) ([]answer, error) {
	if err := writeInputs(work); err != nil {
		return nil, err
	}
	g, building := errgroup.WithContext(ctx)
	g.SetLimit(runtime.NumCPU())
	for _, line := range builds(work) {
		g.Go(func() error {
			_, err := execute(building, job{command: line.words, folder: line.folder})
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	jobs, err := listed(work)
	if err != nil {
		return nil, err
	}
	jobs = append(jobs, twins(work)...)
	all := make([][]answer, len(jobs))
	g, running := errgroup.WithContext(ctx)
	g.SetLimit(runtime.NumCPU())
	for i, j := range jobs {
		g.Go(func() (err error) {
			all[i], err = j.answers(running, work)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	var flat []answer
	for _, some := range all {
		flat = append(flat, some...)
	}
	return flat, nil
}

// listed parses runs.txt.
func listed(work string) (jobs []job, err error) {
	number := 0
	for line := range strings.Lines(runs) {
		number++
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		words := strings.Fields(line)
		if len(words) < 3 || fields[words[0]] == nil {
			return nil, fmt.Errorf("runs.txt:%d: %q is not SECTION PROGRAM COMMAND", number, line)
		}
		command := append([]string{filepath.Join(work, words[1])}, words[2:]...)
		for i, w := range command[1:] {
			command[i+1] = strings.ReplaceAll(w, "WORK", work)
		}
		jobs = append(jobs, job{run: strings.Join(words[1:], " "), section: words[0],
			command: append(command, "--json")})
	}
	return jobs, nil
}

// answers runs a job. A command that fails answers with its exit code; each line of a twin is an answer.
func (j job) answers(ctx context.Context, work string) ([]answer, error) {
	out, err := execute(ctx, j)
	var exit *exec.ExitError
	if errors.As(err, &exit) && j.section != "twin" && exit.ExitCode() > 0 && exit.ExitCode() < 3 {
		return []answer{{j.run, map[string]any{"exit": float64(exit.ExitCode())}}}, nil
	}
	if err != nil {
		return nil, err
	}
	var all []answer
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		var document any
		if err := d.Decode(&document); err != nil {
			return nil, fmt.Errorf("%s: %w", j.run, err)
		}
		run := j.run
		if j.section == "twin" {
			run = fmt.Sprintf("%s %d", j.run, len(all))
		}
		all = append(all, answer{run, fields[j.section](plain(document, work))})
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s prints nothing", j.run)
	}
	return all, nil
}

// execute runs a command and returns its standard output; an error holds what it printed.
func execute(ctx context.Context, j job) ([]byte, error) {
	c := exec.CommandContext(ctx, j.command[0], j.command[1:]...)
	c.Dir, c.Env = j.folder, append(os.Environ(), j.env...)
	var out, complaint bytes.Buffer
	c.Stdout, c.Stderr = &out, &complaint
	if err := c.Run(); err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", strings.Join(j.command, " "), err, complaint.String())
	}
	return out.Bytes(), nil
}
