package main

import (
	"os"
	"strings"
	"testing"
)

// TestEmit: the program is that of the choice, in the file or on standard output, whole or not at
// all.
func TestEmit(t *testing.T) {
	inputs(t)
	const stream = "synth:zipf:n=65536,k=512,s=1.3,seed=4"
	choice := document(t, "choose", "--type", "f32", stream)
	first, _ := choice["choice"].(map[string]any)
	code, _ := choice["code"].([]any)
	if len(code) < 3 {
		t.Fatalf("choose ends with the code %v", code)
	}
	text := done(t, "emit", "--type", "f32", stream)
	launch, _ := code[len(code)-1].(string)
	name, _ := first["implementation"].(string)
	for _, want := range []string{launch, "zipf(65536, 512, 4, 1.3, 0)", "// " + name + " on NVIDIA H200",
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
	failed(t, exitFailed, "", []string{"emit", "--out", "missing/call.cu", stream}, "missing/call.cu")
	failed(t, exitFailed, "", []string{"emit", "--out", "run", stream}, "run")
}

// TestEmitFile: of a file the program makes a stream that resembles it; the launch is the caller's.
func TestEmitFile(t *testing.T) {
	inputs(t)
	text := done(t, "emit", "--impl", "private:r=2,pad=1", "--launch", "8x128x2", "--value", "one",
		"indices.npy")
	for _, want := range []string{"<<<8, 128, ", "update_private<Naive, 2>", "Ones{}",
		"resembling(4096, 64, ", "like those of indices.npy"} {
		if !strings.Contains(text, want) {
			t.Errorf("the program has no %q:\n%s", want, text)
		}
	}
	relaid := document(t, "emit", "--impl", "ss", "indices.npy")
	plain := document(t, "choose", "--relaid", "--only", "ss", "indices.npy")["choice"].(map[string]any)
	if relaid["predicted_us"] != plain["predicted_us"] {
		t.Errorf("emit predicts %v us for ss, choose --relaid %v", relaid["predicted_us"], plain["predicted_us"])
	}
}

// TestNoCode: where no kernel runs, choose ends without code.
func TestNoCode(t *testing.T) {
	inputs(t)
	for _, line := range []string{"choose --device hd5870 indices.npy", "choose --op max indices.npy"} {
		if code, ok := document(t, strings.Fields(line)...)["code"].([]any); !ok || len(code) != 0 {
			t.Errorf("%s ends with the code %v", line, code)
		}
		if text := done(t, strings.Fields(line)...); strings.Contains(text, "to paste") {
			t.Errorf("%s has lines to paste:\n%s", line, text)
		}
	}
}

// TestEmitConstraints: emit takes the constraints of choose and predicts what it does.
func TestEmitConstraints(t *testing.T) {
	inputs(t)
	const stream = "synth:zipf:n=65536,k=512,s=1.3,seed=4"
	names := map[any]bool{}
	for _, flags := range []string{"", "--type f32 --deterministic", "--only sr --only vr", "--exclude private:*",
		"--no-sort --memory 0 --only match --only sort", "--only ss", "--only ss --relaid"} {
		first := document(t, line("choose "+flags+" "+stream)...)["choice"].(map[string]any)
		doc := document(t, line("emit "+flags+" "+stream)...)
		// The program lays the updates anew before it takes times.
		if flags != "--only ss" && doc["predicted_us"] != first["predicted_us"] ||
			doc["implementation"] != first["implementation"] {
			t.Errorf("emit %s takes %v, %v us; choose %v", flags, doc["implementation"], doc["predicted_us"], first)
		}
		names[doc["implementation"]] = true
	}
	if len(names) < 5 {
		t.Errorf("the constraints leave %v", names)
	}
	failed(t, exitUsage, "", line("emit --impl sr --only vr "+stream), "--impl", "--only")
	failed(t, exitUsage, "", line("emit --only none "+stream), "--only", "none")
	failed(t, exitFailed, "", line("emit --type f32 --deterministic --impl naive "+stream), "naive", "no fixed order")
}
