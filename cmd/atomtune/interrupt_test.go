package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// cut carries out a command line whose context ends with the n-th line of its journal.
func cut(t *testing.T, journal string, n int, args ...string) outcome {
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
			return outcome{c, stdout.String(), stderr.String()}
		default:
		}
		if data, _ := os.ReadFile(journal); bytes.Count(data, []byte("\n")) >= n {
			cancel()
		}
		time.Sleep(time.Millisecond)
	}
}

// TestTrainGoesOn: an interrupted training leaves its journal and says so, and the same command then
// writes what it would have written at once, and removes the journal.
func TestTrainGoesOn(t *testing.T) {
	inputs(t)
	for _, args := range [][]string{
		line("train --device c2075 --points 24 --max-updates 1100 --max-bins 999 --workers 1 --out"),
		line("train --target dispatch --device h200 --points 264 --max-updates 16384 --workers 1 --out"),
	} {
		done(t, append(args, "whole.json")...)
		got := cut(t, "cut.json.journal", 3, append(args, "cut.json")...)
		if want := "atomtune: interrupted: cut.json.journal keeps what is finished, the same command goes on " +
			"with it\n"; got.code != 130 || got.stderr != want || got.stdout != "" {
			t.Fatalf("exit code %d, %q, %q, want 130, %q", got.code, got.stderr, got.stdout, want)
		}
		if _, err := os.Stat("cut.json"); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("an interrupted training left its output: %v", err)
		}
		other := strings.Split(strings.ReplaceAll(strings.Join(args, " "), "1 --out", "1 --seed 2 --out"), " ")
		failed(t, exitFailed, "", append(other, "cut.json"), "cut.json.journal:1", "seed 1, want 2",
			"remove it to begin anew")
		done(t, append(args, "cut.json")...)
		if diff := cmp.Diff(string(read(t, "whole.json")), string(read(t, "cut.json"))); diff != "" {
			t.Errorf("what went on differs:\n%s", diff)
		}
		for _, path := range []string{"whole.json.journal", "cut.json.journal"} {
			if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("%s stays: %v", path, err)
			}
		}
		if err := os.Remove("cut.json"); err != nil {
			t.Fatal(err)
		}
	}
}
