package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/internal/standin"
)

// TestLaunch: a kernel gets the shape and the arguments that it is launched with,
// each in the size of its parameter.
func TestLaunch(t *testing.T) {
	for _, c := range []struct {
		name, shape string
		numbers     []string // arguments, - for a pointer
	}{
		{"shared_u32_bank", "shared_throughput_u32_add 1 256 32768",
			[]string{"-", "00000400", "00000003", "00000100", "-"}},
		{"shared_f32_none", "shared_throughput_f32_add 1 256 2016",
			[]string{"-", "0000003f", "40400000", "00000100", "-"}},
		{"global_one_address", "global_throughput_u32_add_warp 32 256 0",
			[]string{"-", "00000020", "00000004", "00000003", "00000100"}},
	} {
		log := filepath.Join(t.TempDir(), "log")
		out := onStandin("launch", c.name).with(standin.LogVariable + "=" + log).done(t)
		kernel, _, _ := strings.Cut(c.shape, " ")
		if want := fmt.Sprintf("%s: %s\n", c.name, kernel); out != want {
			t.Errorf("%q, want %q", out, want)
		}
		text, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		_, launch, found := strings.Cut(string(text), "launch "+c.shape+" ")
		launch, _, _ = strings.Cut(launch, "\n")
		words := strings.Fields(launch)
		if !found || len(words) != len(c.numbers) {
			t.Errorf("%s: no launch %q with %d arguments in\n%s", c.name, c.shape, len(c.numbers), text)
			continue
		}
		for i, want := range c.numbers {
			address, err := strconv.ParseUint(words[i], 16, 64)
			if want == "-" && (err != nil || address == 0 || len(words[i]) != 16) || want != "-" &&
				words[i] != want {
				t.Errorf("%s: argument %d is %s, want %s", c.name, i, words[i], want)
			}
		}
	}
}
