package main

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestIndex: indices have the type of the file, or what --index says; the price, the code and the plan are of it.
func TestIndex(t *testing.T) {
	inputs(t)
	write(t, "wide.npy", npy("<i8", 1<<16, encode(hot(1<<17, 64))))
	write(t, "deep.pgm", append([]byte("P5 64 64 65535\n"), make([]byte, 64*64*2)...))
	floors := map[string]float64{}
	for _, c := range []struct{ line, index, pointer string }{
		{"choose indices.npy", "u32", "uint32_t"}, {"choose wide.npy", "i64", "unsigned long long"},
		{"choose --index u8 wide.npy", "u8", "uint8_t"}, {"choose --index i32 wide.npy", "i32", "uint32_t"},
		{"choose deep.pgm", "u16", "uint16_t"}, {"choose image.png", "u8", "uint8_t"},
		{"choose --sample-from 4096 --value one wide.npy", "i64", "unsigned long long"},
		{"choose --sample-from 4096 --value one --index u8 wide.npy", "u8", "uint8_t"},
		{"choose --index u64 --width 4 wide.npy", "u64", "unsigned long long"},
		{"choose --width 4 image.png", "u8", "uint32_t"}, // rows have none of 8 bits
	} {
		doc := document(t, line(c.line)...)
		if got := doc["stream"].(map[string]any)["index"]; got != c.index {
			t.Errorf("%s: index %v, want %s", c.line, got, c.index)
		}
		floors[c.line] = doc["floor"].(map[string]any)["bytes"].(float64)
		emitted := line(strings.Replace(strings.Replace(c.line, "choose", "emit", 1), "--sample-from 4096", "", 1))
		if text := done(t, emitted...); !strings.Contains(text, "const "+c.pointer+"* const index = ") {
			t.Errorf("%v writes a program without indices of type %s", emitted, c.pointer)
		}
	}
	for _, flags := range []string{"", "--sample-from 4096 --value one "} {
		wide, byte := floors["choose "+flags+"wide.npy"], floors["choose "+flags+"--index u8 wide.npy"]
		if wide-byte != 7*(1<<16) {
			t.Errorf("choose %swide.npy reads %v bytes at least, with indices of a byte %v", flags, wide, byte)
		}
	}
	for more, warns := range map[string]bool{"": true, "--bins 64 ": false} {
		doc := document(t, line("choose --save-plan plans.txt "+more+"wide.npy")...)
		if got := strings.Contains(fmt.Sprint(doc["warnings"]), "--bins"); got != warns {
			t.Errorf("--save-plan %swarns of the number of targets: %t", more, got)
		}
	}
	if text, err := os.ReadFile("plans.txt"); err != nil || !strings.Contains(string(text), " index=i64 ") {
		t.Errorf("the plan is %s, %v", text, err)
	}
	failed(t, 2, "", line("choose --index u8 synth:uniform:n=999,k=257"), "u8", "256", "257")
	failed(t, 2, "", line("choose --index u16 --width 4 indices.npy"), "u16", "32")
}

// TestTargetsOfCode: pasted code has all targets that short indices name, says where it has the highest index + 1,
// and bins stay what the stream has.
func TestTargetsOfCode(t *testing.T) {
	inputs(t)
	short := make([]byte, 4096)
	for i := range short {
		short[i] = byte(i % 100)
	}
	write(t, "short.npy", npy("|u1", len(short), short))
	for _, c := range []struct {
		line          string
		bins, targets int
		counted       bool
	}{
		{"choose short.npy", 100, 256, false}, {"choose --bins 120 short.npy", 120, 120, false},
		{"choose --only private:r=8,pad=1 short.npy", 100, 256, false},
		{"choose --index u32 short.npy", 100, 100, true},
		{"choose --keys short.npy", 100, 100, false}, {"choose image.png", 256, 256, false},
		{"choose synth:uniform:n=4096,k=100", 100, 100, false},
	} {
		doc := document(t, line(c.line)...)
		code := fmt.Sprint(doc["code"])
		if got := doc["stream"].(map[string]any)["bins"]; got != float64(c.bins) {
			t.Errorf("%s: %v bins, want %d", c.line, got, c.bins)
		}
		if !strings.Contains(code, fmt.Sprintf("cudaMemsetAsync(A, 0, %d * ", c.targets)) ||
			strings.Contains(code, "Copies{") && !strings.Contains(code, fmt.Sprintf("Copies{%d,", c.targets)) {
			t.Errorf("%s: not %d targets in %s", c.line, c.targets, code)
		}
		if got := strings.Contains(code, "highest index + 1"); got != c.counted {
			t.Errorf("%s: the highest index is named %t, want %t", c.line, got, c.counted)
		}
	}
}
