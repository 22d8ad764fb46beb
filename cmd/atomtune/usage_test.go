package main

import (
	"strings"
	"testing"
)

// wrongLines are command lines with the word that the error must hold.
var wrongLines = []struct{ line, word string }{
	{"", "no command"},
	{"analyse indices.npy", "analyse"},
	{"help nothing", "nothing"},
	{"analyze", "FILE"},
	{"analyze --nothing indices.npy", "--nothing"},
	{"analyze --bins many indices.npy", "many"},
	{"analyze --bins -1 indices.npy", "-1"},
	{"analyze --bins 4294967297 indices.npy", "4294967297"},
	{"analyze --format wav indices.npy", "wav"},
	{"analyze --axis both matrix.mtx", "both"},
	{"analyze --axis col indices.npy", "axis"},
	{"analyze --column size indices.npy", "column"},
	{"analyze --keys indices.npy", "keys"},
	{"analyze --warp 0x indices.npy", "0x"},
	{"analyze --warp -1 indices.npy", "-1"},
	{"analyze --warp 5000 indices.npy", "5000"},
	{"analyze --warp 32 --block 100 indices.npy", "100"},
	{"analyze --sample 1 indices.npy", "1"},
	{"analyze --device abacus indices.npy", "abacus"},
	{"analyze - -", "once"},
	{"choose --device abacus indices.npy", "abacus"},
	{"choose --type u33 indices.npy", "u33"},
	{"choose --value two indices.npy", "two"},
	{"choose --format wav indices.npy", "wav"},
	{"choose - -", "once"},
	{"simulate indices.npy", "impl"},
	{"simulate --impl naive", "FILE"},
	{"simulate --impl naive indices.npy image.png", "image.png"},
	{"simulate --impl magic indices.npy", "magic"},
	{"simulate --impl private:r=0 indices.npy", "private:r=0"},
	{"simulate --impl naive --device abacus indices.npy", "abacus"},
	{"simulate --impl naive --type u33 indices.npy", "u33"},
	{"devices abacus", "abacus"},
	{"devices h200 c2075", "c2075"},
	{"version now", "now"},
	{"completion", "bash"},
	{"completion tcsh", "tcsh"},
	{"latency", "patterns"},
	{"latency patterns.txt", "patterns"},
	{"latency --patterns patterns.txt more.txt", "more.txt"},
	{"latency --patterns patterns.txt --device abacus", "abacus"},
	{"latency --patterns patterns.txt --type u33", "u33"},
	{"latency --patterns patterns.txt --op addd", "addd"},
	{"latency --patterns patterns.txt --space global", "shared"},
	{"patterns patterns.txt", "patterns.txt"},
	{"patterns --kind strange", "strange"},
	{"patterns --kind structured --seed 3", "seed"},
	{"patterns --kind structured --words 3", "words"},
	{"patterns --count -1", "-1"},
	{"patterns --count 5185", "5185"},
	{"patterns --count 1000001", "1000001"},
	{"patterns --words 0", "0"},
	{"patterns --words 1048577", "1048577"},
	{"fit", "FILE"},
	{"fit measurements.csv more.csv", "more.csv"},
	{"fit --device abacus measurements.csv", "abacus"},
	{"fit --type u33 measurements.csv", "u33"},
	{"fit --op addd measurements.csv", "addd"},
	{"fit --type f32 recorded.csv.gz", "column"},
	{"choose synth:uniform:n=many,k=2", "n=many: want a whole number"},
	{"choose synth:uniform:n=99999999999999999999,k=2", "n=99999999999999999999"},
	{"analyze --bins 1.5 indices.npy", "whole number"},
	{"analyze --bins 99999999999999999999 indices.npy", "too large"},
	{"analyze --json=perhaps indices.npy", "true or false"},
	{"train --points 19 --out model.json", "20 points"},
	{"train --points 19 --shard 0/2 --out part.jsonl", "20 points"},
	{"train --points 0 --out model.json", "0 points"},
	{"train --device abacus --out model.json", "abacus"},
	{"train", "out"},
	{"train --out model.json --shard 3/2", "3/2"},
	{"train --out model.json --shard one", "one"},
	{"train --out model.json --shard 0/2 --journal part.jsonl", "both"},
	{"train --shard 0/2", "out"},
	{"train --out model.json --merge part.jsonl --journal part.jsonl", "merge"},
	{"train --out model.json extra", "extra"},
}

// TestWrongUse: what a different command line would mend is exit code 2.
func TestWrongUse(t *testing.T) {
	inputs(t)
	for _, l := range wrongLines {
		failed(t, exitUsage, "", strings.Fields(l.line), l.word)
		failed(t, exitUsage, "", append(strings.Fields(l.line), "--json"), l.word)
	}
}
