package main

import (
	"os"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/device"
)

// TestImpossibleProfilesAreWarnedOf: whatever uses a profile of a device that cannot exist says so
// once, where people read it and in JSON or beside it, and goes on.
func TestImpossibleProfilesAreWarnedOf(t *testing.T) {
	t.Chdir(t.TempDir())
	inputs(t)
	impossible(t, "impossible.json")
	if err := os.WriteFile("patterns.txt", []byte("0"+strings.Repeat(",-1", 31)+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	const note = "shared.pass_port = 3 cycle is above shared.pass_latency = 2 cycle"
	for _, l := range []struct {
		line           string
		stdout, stderr int
	}{
		{"choose --device impossible.json indices.npy", 1, 0},
		{"choose --json --device impossible.json indices.npy", 1, 0},
		{"choose --width 8 --json --device impossible.json indices.npy", 1, 0},
		{"simulate --device impossible.json --impl naive indices.npy", 0, 1},
		{"simulate --json --device impossible.json --impl naive indices.npy", 1, 1},
		{"tables --device impossible.json --type u32 --updates 4096", 1, 0},
		{"report --json --device impossible.json --out page.html indices.npy", 1, 0},
		{"emit --json --device impossible.json indices.npy", 2, 1}, // and in the program
		{"latency --device impossible.json --patterns patterns.txt", 0, 1},
		{"latency --json --device impossible.json --patterns patterns.txt", 1, 1},
		{"optimize --device impossible.json --words 64", 0, 1},
		{"optimize --json --device impossible.json --words 64", 1, 1},
		{"devices impossible.json", 1, 0},
		{"devices --json impossible.json", 0, 1},
		{"train --json --device impossible.json --points 32 --max-updates 1024 --shard 0/16 --out part.jsonl", 1, 1},
		{"analyze --device impossible.json indices.npy", 0, 0}, // which takes the warp's size alone
		{"choose indices.npy", 0, 0},
	} {
		got := atomtune("", strings.Fields(l.line)...)
		if got.code != exitDone {
			t.Errorf("%s: exit code %d, %s", l.line, got.code, got.stderr)
			continue
		}
		for _, stream := range []struct {
			name, text string
			want       int
		}{{"output", got.stdout, l.stdout}, {"error", got.stderr, l.stderr}} {
			plain := strings.NewReplacer(`\n`, " ", "//", " ").Replace(stream.text)
			if n := strings.Count(strings.Join(strings.Fields(plain), " "), note); n != stream.want {
				t.Errorf("%s: standard %s says it %d times, want %d\n%s", l.line, stream.name, n,
					stream.want, stream.text)
			}
		}
	}
	page, err := os.ReadFile("page.html")
	if err != nil || !strings.Contains(string(page), note) {
		t.Errorf("the page of report does not say it: %v", err)
	}
}

// impossible writes a profile that breaks one relation.
func impossible(t *testing.T, path string) {
	t.Helper()
	own, err := device.Builtin("h200")
	if err != nil {
		t.Fatal(err)
	}
	p := *own
	p.Shared.PassPort.Value = 3
	data, err := p.Encode()
	if err == nil {
		err = os.WriteFile(path, data, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}
