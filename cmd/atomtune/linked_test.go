package main

import (
	"os/exec"
	"strings"
	"testing"
)

// TestLinked: what the laboratory needs is linked by the programs of users
// nowhere.
func TestLinked(t *testing.T) {
	for _, program := range []string{"atomtune", "atomprobe"} {
		out, err := exec.Command("go", "list", "-deps", "../"+program).Output()
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range strings.Fields(string(out)) {
			for _, not := range []string{
				"github.com/sarchlab/akita", "github.com/sjwhitworth/golearn", "gonum.org/v1/plot",
				"atomtune/atomtune/lab",
				"atomtune/datasets/h100", "atomtune/datasets/h200",
				"atomtune/datasets/recordings/archive",
			} {
				if strings.Contains(path, not) {
					t.Errorf("%s links %s", program, path)
				}
			}
		}
	}
}
