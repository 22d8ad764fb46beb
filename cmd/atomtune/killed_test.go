package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/atomtune/atomtune/lab/killed"
)

// TestKilled: long commands that were killed go on with the same command, and leave what they leave
// undisturbed.
func TestKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("sweeps take long under the race detector")
	}
	for _, c := range []struct{ name, line, journal string }{
		{"train", "train --points 30 --max-updates 1024 --max-bins 1024 --line 5 --journal j.jsonl " +
			"--out m.json", "j.jsonl"},
		{"screened", "train --points 30 --max-updates 1024 --max-bins 1024 --line 5 --screen 2 " +
			"--workers 1 --out m.json.gz", "m.json.gz.journal"},
		{"shard", "train --points 30 --max-updates 1024 --max-bins 1024 --shard 0/2 --out j.jsonl",
			"j.jsonl"},
		{"dispatch", "train --target dispatch --points 48 --min-updates 1024 --max-updates 2048 " +
			"--max-bins 2048 --out tree.json", "tree.json.journal"},
		{"report", "report --out page.html synth:zipf:n=3000,k=99 synth:uniform:n=2000,k=20", "page.html.journal"},
		{"plan", "choose --save-plan plans.txt --simulate synth:zipf:n=4096,k=64", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			killed.Command{
				Make: func(folder string) *exec.Cmd {
					command := process(t, append(strings.Fields(c.line), "--json")...)
					command.Dir = folder
					return command
				},
				Journal: c.journal,
				Same: func(name, content string) string {
					switch name {
					case c.journal:
						return killed.SortedLines(content)
					case killed.Stdout:
						return killed.WithoutLines(content, `"elapsed_s":`,
							`"bytes_per_second":`)
					}
					return content
				},
			}.Check(t)
		})
	}
}

// TestTwoTrain: of two that train with one journal the second is refused, says so and leaves it as
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
			t.Fatal("no journal was begun")
		}
	}
	failed(t, exitFailed, "", line, "j.jsonl")
	failed(t, exitFailed, "", strings.Fields("train --points 30 --shard 0/2 --out j.jsonl"), "j.jsonl")
	if left, err := filepath.Glob("*"); err != nil || len(left) != 1 {
		t.Errorf("%q, %v", left, err)
	}
}
