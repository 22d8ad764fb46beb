package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/atomtune/atomtune/internal/command/commandtest"
)

// cut carries out a command line whose context ends with the n-th line of its checkpoint.
func cut(t *testing.T, checkpoint string, n int, args ...string) commandtest.Outcome {
	t.Helper()
	var stdout, stderr bytes.Buffer
	e := newEnv(nil, &stdout, &stderr)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	root := newRoot(e)
	code := make(chan int)
	go func() { code <- e.RunContext(ctx, root, args) }()
	for {
		select {
		case c := <-code:
			return commandtest.Outcome{Line: append([]string{"atomtune"}, args...), Code: c, Stdout: stdout.String(),
				Stderr: stderr.String()}
		default:
		}
		if data, _ := os.ReadFile(checkpoint); bytes.Count(data, []byte("\n")) >= n {
			cancel()
		}
		time.Sleep(time.Millisecond)
	}
}

// TestTrainGoesOn: an interrupted training leaves its checkpoint and says so, and is gone on with by the same command
// alone, which writes what it would have written at once and removes the checkpoint.
func TestTrainGoesOn(t *testing.T) {
	inputs(t)
	const train = "train --device c2075 --points 24 --max-updates 1100 --max-bins 999 --workers 1 --out"
	done(t, line(train, "whole.json")...)
	cut(t, "cut.json.journal", 3, line(train, "cut.json")...).Failed(t, 130, "cut.json.journal")
	if _, err := os.Stat("cut.json"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("an interrupted training left its output: %v", err)
	}
	failed(t, exitFailed, "", line(train, "cut.json --seed 2"), "cut.json.journal:1", "seed 1", "2")
	done(t, line(train, "cut.json")...)
	if !bytes.Equal(read(t, "whole.json"), read(t, "cut.json")) {
		t.Error("what went on differs")
	}
	if left, err := filepath.Glob("*.journal"); err != nil || len(left) > 0 {
		t.Errorf("%q stay, %v", left, err)
	}
}

// TestReportGoesOn: an interrupted report keeps what it has found around streams, says so, and the same command
// makes the same page; around other streams, and for another device, all is found anew.
func TestReportGoesOn(t *testing.T) {
	t.Chdir(t.TempDir())
	args := line("report --out page.html synth:zipf:n=7000,k=999 synth:zipf:n=60000,k=50")
	wholeOut := done(t, args...)
	page := read(t, "page.html")
	if err := os.Remove("page.html"); err != nil {
		t.Fatal(err)
	}
	const checkpoint = "page.html.journal"
	cut(t, checkpoint, 8, args...).Failed(t, 130, checkpoint)
	if _, err := os.Stat("page.html"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("an interrupted report left its output: %v", err)
	}
	kept := read(t, checkpoint)
	if out := done(t, args...); out != wholeOut || !bytes.Equal(read(t, "page.html"), page) {
		t.Error("another page after an interruption")
	}
	if _, err := os.Stat(checkpoint); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the checkpoint stays: %v", err)
	}
	marked := regexp.MustCompile(`"warp_level":[0-9.]+`).ReplaceAll(kept, []byte(`"warp_level":7e77`))
	other := strings.Split(strings.ReplaceAll(strings.Join(args, " "), "k=", "seed=2,k="), " ")
	for name, c := range map[string]struct {
		args  []string
		taken bool
	}{"other streams": {other, false}, "another device": {append(args, "--device", "h100"), false}, "these": {args, true}} {
		write(t, checkpoint, marked)
		if taken := strings.Contains(done(t, append(c.args, "--json")...), "7e+77"); taken != c.taken {
			t.Errorf("%s: what is kept is taken: %v", name, taken)
		}
	}
	write(t, checkpoint, append([]byte(`"another`), kept[1:]...))
	failed(t, exitFailed, "", args, checkpoint+":1")
	for _, line := range []string{"report --out - synth:zipf:n=999,k=9", "report --json synth:zipf:n=999,k=9"} {
		done(t, strings.Fields(line)...)
	}
	if left, err := filepath.Glob("*"); err != nil || len(left) != 2 {
		t.Errorf("%q, %v", left, err)
	}
}

// TestReportSignalled: a signal ends a report within a stream, and what was found around it until then is kept;
// where nothing was found no checkpoint stays.
func TestReportSignalled(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, lines := range []int{1, 3} { // of the checkpoint before the signal
		command := process(t, "report", "--out", "page.html", "synth:zipf:n=4000000,k=99999")
		var stderr bytes.Buffer
		command.Stderr = &stderr
		if err := command.Start(); err != nil {
			t.Fatal(err)
		}
		const checkpoint = "page.html.journal"
		for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
			if data, _ := os.ReadFile(checkpoint); bytes.Count(data, []byte("\n")) >= lines {
				break
			} else if time.Now().After(deadline) {
				t.Fatal("no checkpoint was begun")
			}
		}
		if err := command.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		_ = command.Wait() // its exit code says how it ended
		_, err := os.Stat(checkpoint)
		keeps := strings.Contains(stderr.String(), checkpoint)
		if code := command.ProcessState.ExitCode(); code != 130 || keeps != (err == nil) || !keeps && lines > 1 {
			t.Errorf("interrupted after %d lines: exit code %d, %q, %v", lines, code, stderr.String(), err)
		}
	}
}

// TestTwoTrain: of two that train with one checkpoint the second is refused, says so and leaves it as
// it is.
func TestTwoTrain(t *testing.T) {
	t.Chdir(t.TempDir())
	line := strings.Fields("train --points 30 --max-updates 65536 --journal j.jsonl --out m.json")
	first := process(t, line...)
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	defer first.Wait()
	defer first.Process.Kill()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		if info, err := os.Stat("j.jsonl"); err == nil && info.Size() > 0 {
			break
		} else if time.Now().After(deadline) {
			t.Fatal("no checkpoint was begun")
		}
	}
	failed(t, exitFailed, "", line, "j.jsonl")
	failed(t, exitFailed, "", strings.Fields("train --points 30 --shard 0/2 --out j.jsonl"), "j.jsonl")
	if left, err := filepath.Glob("*"); err != nil || len(left) != 1 {
		t.Errorf("%q, %v", left, err)
	}
}
