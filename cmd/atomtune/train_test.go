package main

import (
	"bytes"
	"os"
	"testing"
)

// small is a sweep that takes a second.
const small = "train --device gtx680 --points 24 --seed 5 --max-updates 1100 --max-bins 4096"

func read(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestShards: the shards' checkpoints merge into the model that one run
// makes, and choose takes it.
func TestShards(t *testing.T) {
	inputs(t)
	doc := document(t, line(small, "--out whole.json")...)
	need(t, "train", doc, "device points seed rows model evaluation elapsed_s")
	done(t, line(small, "--shard 0/2 --journal 0.jsonl")...)
	done(t, line(small, "--shard 1/2 --out 1.jsonl")...)
	done(t, line("train --device gtx680 --out merged.json --merge 0.jsonl 1.jsonl")...)
	if !bytes.Equal(read(t, "whole.json"), read(t, "merged.json")) {
		t.Error("the merged model differs from the model of one run")
	}
	chosen := document(t, "choose", "--device", "gtx680", "--model", "merged.json", "indices.npy")
	need(t, "choose", chosen, "choice ranking")
	failed(t, exitFailed, "", line("train --device gtx680 --out bad.json --merge 0.jsonl"), "8 of 24")
	failed(t, exitFailed, "", line("train --device h200 --out bad.json --merge 0.jsonl 1.jsonl"),
		"0.jsonl", "gtx680")
	failed(t, exitUsage, "",
		line("train --device gtx680 --seed 6 --out bad.json --merge 0.jsonl 1.jsonl"), "seed")
	failed(t, exitFailed, "", line("choose --device h200 --model whole.json indices.npy"), "gtx680")
	if _, err := os.Stat("bad.json"); !os.IsNotExist(err) {
		t.Errorf("a failed run left its output: %v", err)
	}
}

// TestLinkedOutput: a second name of a file that is read is not a file to write.
func TestLinkedOutput(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "part.jsonl", []byte("kept"))
	if err := os.Link("part.jsonl", "hard.jsonl"); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("part.jsonl", "soft.jsonl"); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"hard.jsonl", "soft.jsonl"} {
		failed(t, exitUsage, "", line("train --merge part.jsonl --out", name), "--out "+name,
			"--merge part.jsonl")
	}
	if got := string(read(t, "part.jsonl")); got != "kept" {
		t.Errorf("the checkpoint holds %q", got)
	}
}
