package main

import (
	"os"
	"strings"
	"testing"
)

// TestEmit: the program is that of the choice, in the file or on standard output, whole or not at all.
func TestEmit(t *testing.T) {
	inputs(t)
	const stream = "synth:zipf:n=65536,k=512,s=1.3,seed=4"
	choice := document(t, "choose", "--type", "f32", stream)
	first, code := chosen(t, choice), codeOf(choice)
	if len(code) < 3 {
		t.Fatalf("choose ends with the code %v", code)
	}
	text := done(t, "emit", "--type", "f32", stream)
	name, _ := first["implementation"].(string)
	for _, want := range []string{code[len(code)-1], "zipf(65536, 512, 4, 1.3, 0)", "// " + name + " on NVIDIA H200",
		"\nint main(int argc, char** argv) {\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("the program has no %q:\n%s", want, text)
		}
	}
	doc := document(t, "emit", "--type", "f32", "--out", "call.cu", stream)
	written, err := os.ReadFile("call.cu")
	if err != nil || string(written) != text {
		t.Errorf("--out writes another program than standard output gets: %v", err)
	}
	if doc["implementation"] != name || doc["predicted_us"] != first["predicted_us"] ||
		doc["lines"] != float64(strings.Count(text, "\n")) || doc["exact"] != true {
		t.Errorf("emit says %v, choose %v", doc, first)
	}
	for _, text := range []string{"choose --device hd5870 indices.npy", "choose --op max indices.npy"} {
		if code := codeOf(document(t, line(text)...)); len(code) != 0 || strings.Contains(done(t, line(text)...), "<<<") {
			t.Errorf("%s ends with the code %v", text, code)
		}
	}
}

// TestEmitFile: of a file the program makes a stream that resembles it; the launch is the caller's.
func TestEmitFile(t *testing.T) {
	inputs(t)
	text := done(t, line("emit --impl private:r=2,pad=1 --launch 8x128x2 --value one indices.npy")...)
	for _, want := range []string{"<<<8, 128, ", "update_private<Naive, 2>", "Ones{}", "resembling(4096, 64, ",
		"indices.npy"} {
		if !strings.Contains(text, want) {
			t.Errorf("the program has no %q:\n%s", want, text)
		}
	}
	relaid := document(t, line("emit --impl ss indices.npy")...)
	plain := chosen(t, document(t, line("choose --relaid --only ss indices.npy")...))
	if relaid["predicted_us"] != plain["predicted_us"] {
		t.Errorf("emit predicts %v us for ss, choose --relaid %v", relaid["predicted_us"], plain["predicted_us"])
	}
}

// TestEmitConstraints: emit takes the constraints of choose and predicts what it does.
func TestEmitConstraints(t *testing.T) {
	names := map[any]bool{}
	for _, flags := range []string{"", "--type f32 --deterministic", "--only sr --only vr", "--exclude private:*",
		"--no-sort --memory 0 --only match --only sort", "--only ss", "--only ss --relaid"} {
		flags += " synth:zipf:n=65536,k=512,s=1.3,seed=4"
		first, doc := chosen(t, document(t, line("choose", flags)...)), document(t, line("emit", flags)...)
		// The program lays the updates anew before it takes times.
		if !strings.HasPrefix(flags, "--only ss synth") && doc["predicted_us"] != first["predicted_us"] ||
			doc["implementation"] != first["implementation"] {
			t.Errorf("emit %s takes %v, %v us; choose %v", flags, doc["implementation"], doc["predicted_us"], first)
		}
		names[doc["implementation"]] = true
	}
	if len(names) < 5 {
		t.Errorf("the constraints leave %v", names)
	}
}
