package main

import (
	"strings"
	"testing"
)

// TestDoubtfulProfiles: whatever uses a profile that is an estimate, or one of a device that cannot exist, says so
// once, where people read it and in JSON or beside it, and goes on.
func TestDoubtfulProfiles(t *testing.T) {
	inputs(t)
	impossible := *profile(t, "h200")
	impossible.Shared.PassPort.Value = 3
	data, err := impossible.Encode()
	if err != nil {
		t.Fatal(err)
	}
	write(t, "impossible.json", data)
	const broken, estimate = "shared.pass_port = 3 cycle is above shared.pass_latency", "public documents"
	for _, l := range []struct {
		line, note     string
		stdout, stderr int
	}{
		{"choose --device impossible.json indices.npy", broken, 1, 0},
		{"choose --json --device impossible.json indices.npy", broken, 1, 0},
		{"choose --width 8 --json --device impossible.json indices.npy", broken, 1, 0},
		{"simulate --device impossible.json --impl naive indices.npy", broken, 0, 1},
		{"simulate --json --device impossible.json --impl naive indices.npy", broken, 1, 1},
		{"report --json --device impossible.json --out page.html indices.npy", broken, 1, 0},
		{"emit --json --device impossible.json indices.npy", broken, 2, 1}, // and in the program
		{"latency --device impossible.json --patterns patterns.txt", broken, 0, 1},
		{"latency --json --device impossible.json --patterns patterns.txt", broken, 1, 1},
		{"optimize --device impossible.json --words 8", broken, 0, 1},
		{"optimize --json --device impossible.json --words 8", broken, 1, 1},
		{"devices impossible.json", broken, 1, 0},
		{"devices --json impossible.json", broken, 0, 1},
		{"train --json --device impossible.json --points 32 --max-updates 1024 --shard 0/16 --out part.jsonl", broken, 1, 1},
		{"analyze --device impossible.json indices.npy", broken, 0, 0}, // which takes the warp's size alone
		{"choose indices.npy", broken, 0, 0},
		{"choose --device a100 indices.npy", estimate, 1, 0}, {"choose --json --device a100 indices.npy", estimate, 1, 0},
		{"choose --device h200 indices.npy", estimate, 0, 0}, {"choose --width 8 --device a100 indices.npy", estimate, 1, 0},
		{"emit --device a100 indices.npy", estimate, 1, 0}, {"emit --json --device a100 indices.npy", estimate, 1, 0},
		{"simulate --json --device v100 --impl naive indices.npy", estimate, 1, 0},
		{"tables --device l40s --type u32 --updates 4096", estimate, 1, 0},
	} {
		got := atomtune("", line(l.line)...)
		got.Done(t)
		count := func(text string) int {
			return strings.Count(unfilled(strings.NewReplacer(`\n`, " ", "//", " ").Replace(text)), l.note)
		}
		if out, err := count(got.Stdout), count(got.Stderr); out != l.stdout || l.note == broken && err != l.stderr {
			t.Errorf("%s: said %d times, and %d on standard error, want %d and %d", l.line, out, err, l.stdout, l.stderr)
		}
	}
	if !strings.Contains(string(read(t, "page.html")), broken) {
		t.Error("the page of report does not say it")
	}
}
