package main

import (
	"strings"
	"testing"

	"github.com/atomtune/atomtune/internal/command/commandtest"
)

// wrong are command lines that must fail, with what the message names.
const wrong = `2 | command
2 analyse indices.npy | analyse
2 help nothing | nothing
2 version now | now
2 completion tcsh | tcsh
2 analyze | FILE
2 analyze --nothing indices.npy | --nothing
2 analyze --bins many indices.npy | many
2 analyze --bins -1 indices.npy | -1
2 analyze --bins 4294967297 indices.npy | 4294967297
2 analyze --format wav indices.npy | wav
2 analyze --axis both matrix.mtx | both
2 analyze --axis col indices.npy | axis
2 analyze --column size indices.npy | column
2 analyze --keys matrix.mtx | keys
2 analyze --order size edges.txt | size
2 analyze --order row indices.npy | indices.npy order
2 analyze keys.csv | --column
2 analyze --warp -1 indices.npy | -1
2 analyze --warp 5000 indices.npy | 5000
2 analyze --warp 32 --block 100 indices.npy | 100
2 analyze --sample 1 indices.npy | 1
2 analyze --device abacus indices.npy | abacus
2 analyze --width 0 indices.npy | --width 0
2 analyze --width 4 --sample 8 indices.npy | --sample
2 analyze --ignore -1 --order row edges.txt | ignore -1 order
2 analyze --ignore -1 matrix.mtx | ignore -1 mtx
2 analyze --ignore none indices.npy | none
2 analyze --json=perhaps indices.npy | perhaps
2 analyze - - | -
1 analyze missing.npy | missing.npy
1 analyze run | run
1 analyze - | stdin
2 choose --device abacus indices.npy | abacus
2 choose --type u33 indices.npy | u33
2 choose --value two indices.npy | two
2 choose --op pow indices.npy | pow
2 choose --clear=maybe indices.npy | maybe
2 choose --memory much indices.npy | much
2 choose --memory -4 indices.npy | -4
1 choose --memory 1kB --only sort indices.npy | 1 kB
2 choose --only nothing indices.npy | --only nothing
2 choose --exclude sort:* --only sort:4 | --only
2 choose --exclude nothing:* indices.npy | --exclude nothing:*
2 choose --index i16 --save-plan plans.txt indices.npy | i16
2 choose --index i64 indices.npy | --save-plan
1 choose --save-plan missing/plans.txt indices.npy | missing/plans.txt
1 choose --save-plan indices.npy indices.npy | indices.npy
2 choose --ignore 1 synth:uniform:n=64,k=2 | ignore
2 choose --order row synth:uniform:n=64,k=2 | order
2 choose synth:uniform:n=many,k=2 | n=many
2 choose --launches -1 indices.npy | --launches -1
2 choose --launches 5 --sampling-most -5 indices.npy | --sampling-most -5
2 choose --launches 5 --sampling-cost -5 indices.npy | --sampling-cost -5
2 choose --sampling-most 5 indices.npy | --launches
2 choose --sampling-cost 5 indices.npy | --launches
2 choose --launches 5 --sample 8 indices.npy | --sample
2 choose --launches 5 --only hot:s=64 indices.npy | hot:s=64
1 choose --launches 5 --bins 3 indices.npy | 3
2 choose --launch 0x256 indices.npy | 0x256
2 choose --launch 256 indices.npy | 256
2 choose --launch 1x32x3 indices.npy | 1x32x3
2 choose --launch 2-1x32 indices.npy | 2-1x32
2 choose --launch 1-2x97 indices.npy | 97 32
2 choose --launch 1x97 indices.npy | 97 32
2 choose --launch 1-2x32 --launches 2 indices.npy | --launches
2 choose --launch 1x32 --search-launch indices.npy | --search-launch
2 choose --search-launch --launches 2 indices.npy | --launches
2 choose --exact --sample 8 indices.npy | --exact --sample
2 choose --exact --launches 8 indices.npy | --exact --launches
2 choose --sample-from 9 --sample 8 indices.npy | --sample-from --sample
2 choose --sample-from 9 --launches 8 indices.npy | --sample-from --launches
2 choose --sample-from 9 --exact indices.npy | --sample-from --exact
2 choose --sample-from 9 --simulate indices.npy | --sample-from --simulate
2 choose --sample-from 9 --save-plan plans.txt indices.npy | --sample-from --save-plan
2 choose --sample-from -9 indices.npy | -9
2 choose --width 1048577 indices.npy | 1048577
2 choose --width -3 indices.npy | -3
2 choose --width wide indices.npy | wide
2 choose --width 4 --type f64 indices.npy | f64
2 choose --width 4 --type bf16 --value-type f32 indices.npy | f32 bf16
2 choose --width 4 --value-type f16 indices.npy | f16
2 choose --type bf16 indices.npy | --type bf16 --width
2 choose --value-type bf16 indices.npy | --value-type --width
2 choose --width 4 --sample 8 indices.npy | --sample
2 choose --width 4 --sample-from 8 indices.npy | --sample-from
1 choose --width 4 --device hd5870 missing.npy | 5870
1 choose --width 4 --device gtx680 missing.npy | 680
1 choose --width 4 --type bf16 --device a100 missing.npy | A100
1 choose --model absent.json indices.npy | --model absent.json
1 choose --model indices.npy indices.npy | --model indices.npy
1 choose --device ./H200.json indices.npy | ./H200.json
2 choose --model tree.json --cautious indices.npy | --cautious
2 choose --model tree.json --launches 5 indices.npy | --launches
2 choose --model tree.json --exact indices.npy | --exact
2 choose --model tree.json --sample-from 5 indices.npy | --sample-from
1 choose --model tree.json --device h100 indices.npy | h200 h100
2 report --width 4 indices.npy | --width
2 report --device abacus indices.npy | abacus
2 report --explain indices.npy | --explain
1 report --out none.html none.txt | none.txt
2 simulate indices.npy | impl
2 simulate --impl naive | FILE
2 simulate --impl naive indices.npy image.png | image.png
2 simulate --impl private:r=0 indices.npy | private:r=0
2 simulate --impl naive --launch 1x97 indices.npy | 97
1 simulate --impl naive --launch 200000x32 indices.npy | 200000
1 simulate --impl sort --op mad indices.npy | mad
2 simulate --impl hot:s=3 --width 4 indices.npy | hot s=S
2 simulate --impl private --width 4 indices.npy | private
2 simulate --impl runs --width 4 --type u32 indices.npy | u32
2 simulate --impl sort --width 8 --launch 4x64 indices.npy | --launch --width
2 simulate --impl sort --width 8 --relaid indices.npy | --relaid --width
2 simulate --impl runs --value-type bf16 indices.npy | --value-type --width
1 simulate --impl runs --width 4 --device gtx580 indices.npy | GTX
1 simulate --impl coordinator synth:uniform:n=16384,k=1,seed=1 | coordinator
1 simulate --device hd5870 --type f32 --impl coordinator synth:uniform:n=16384,k=1,seed=1 | f32
1 simulate --device hd5870 --op max --impl coordinator synth:uniform:n=16384,k=1,seed=1 | max
1 simulate --device hd5870 --impl coordinator synth:uniform:n=5000000,k=1,seed=1 | 4194304
2 emit --to fortran indices.npy | fortran
2 emit --width 4 indices.npy | --width
2 emit indices.npy image.png | image.png
2 emit --impl coordinator indices.npy | coordinator
2 emit --impl vr:t=9 indices.npy | vr:t=9
2 emit --impl match --op min indices.npy | min
2 emit --impl sort --returns indices.npy | sort
2 emit --device mi300x indices.npy | mi300x
2 emit --impl sr --only vr indices.npy | --impl --only
2 emit --only none indices.npy | --only none
1 emit --type f32 --deterministic --impl naive indices.npy | naive
1 emit --out missing/call.cu indices.npy | missing/call.cu
1 emit --out run indices.npy | run
2 devices abacus | abacus
2 devices h200 c2075 | c2075
2 optimize | --words
2 optimize --words 0 | --words
2 optimize --words 1000000 | 1000000
2 optimize --words 64 --block 0 | 0
2 optimize --words 64 --order shuffled | shuffled
2 optimize --words 64 --op addd | addd
2 optimize --words 64 --shared-bytes 99999999 | 99999999
2 optimize indices.npy image.png | image.png
2 latency | patterns
2 latency patterns.txt | patterns
2 latency --patterns patterns.txt more.txt | more.txt
2 latency --patterns patterns.txt --space global | shared
1 latency --device hd5870 --type u64 --patterns patterns.txt | hd5870 u64
1 latency --device gtx580 --op casloop --patterns patterns.txt | casloop
2 patterns patterns.txt | patterns.txt
2 patterns --kind strange | strange
2 patterns --kind structured --seed 3 | seed
2 patterns --kind structured --words 3 | words
2 patterns --count -1 | -1
2 patterns --count 5185 | 5185
2 patterns --words 1048577 | 1048577
1 patterns --out missing/patterns.txt | missing/patterns.txt
2 fit | FILE
2 fit measurements.csv recorded.csv.gz | recorded.csv.gz
2 fit run/readings.csv run/scratchpad.csv run/readings.csv | run/readings.csv
2 fit --device h200 run/readings.csv run/scratchpad.csv | --device
2 fit --column u32_add run/readings.csv run/scratchpad.csv | --column
2 fit --name mine measurements.csv | --name
2 fit --op addd measurements.csv | addd
2 fit --type f32 recorded.csv.gz | column
1 fit --column nothing recorded.csv.gz | recorded.csv.gz nothing u32_inc
1 fit --out missing/mine.json measurements.csv | missing/mine.json
1 fit run/calls.csv run/scratchpad_spread.csv | run/calls.csv
1 fit --out missing/mine.json run/readings.csv run/scratchpad.csv | missing/mine.json
2 train --points 19 --out model.json | 20
2 train --points 0 --out model.json | 0
2 train --device abacus --out model.json | abacus
2 train | out
2 train --out - | --out -
2 tables --out - | --out -
1 train --out missing/file | missing/file
1 train --out run | run
2 train --out model.json --shard 3/2 | 3/2
2 train --out model.json --shard one | one
2 train --out model.json --shard 0/2 --journal part.jsonl | both
2 train --shard 0/2 | --out --journal
2 train --points 24 --shard 60/100 --out part.jsonl | 60/100
2 train --out one.json --journal ./one.json | --journal ./one.json
2 train --shard 0/1 --journal ./one.jsonl --from one.jsonl | --from one.jsonl
2 train --out one.json --merge part.jsonl run/../one.json | --merge run/../one.json
2 train --rows part.jsonl --merge part.jsonl | --rows part.jsonl
2 train --rows one.json --out one.json --merge part.jsonl | --out one.json --rows
2 train --no-model --measurements measured --out measured/calls.csv.gz | --measurements measured/calls.csv.gz
2 train --no-model --measurements measured --out measured/streams.jsonl.gz | measured/streams.jsonl.gz
2 train --model image.png --measurements measured --out ./image.png | --model image.png
2 train --out model.json --merge part.jsonl --journal part.jsonl | merge
2 train --out model.json --merge part.jsonl --from part.jsonl | --from
2 train --out model.json extra | extra
2 train --measurements measured | --out
2 train --measurements measured --out m.json more | more
2 train --measurements measured --out m.json --points 30 | --points
2 train --measurements measured --out m.json --model a --no-model | --model --no-model
2 train --streams measured --out m.json | --measurements
2 train --no-model --out m.json | --measurements
1 train --no-model --measurements plain.csv --out bad.json | streams.jsonl.gz --streams
1 train --measurements measured --model plain.csv --out bad.json | plain.csv
1 train --device hd5870 --no-model --measurements measured --out bad.json | streams.jsonl.gz:1: 32
2 train --target forest --out model.json | forest
2 train --target dispatch | --out
2 train --target dispatch --out tree.json extra | extra
2 train --target dispatch --out tree.json --screen 2 | --screen
2 train --target dispatch --out tree.json --merge part.jsonl | --merge
2 train --target dispatch --out tree.json --measurements measured | --measurements
2 train --target dispatch --out tree.json --journal ./tree.json | --journal ./tree.json
2 train --target dispatch --out tree.json --points 0 | 0
1 train --target dispatch --points 16 --max-updates 8192 --max-bins 4096 --device hd5870 --out bad.json | hd5870
2 export | --to
2 export --to fortran | fortran
2 export --to c indices.npy | indices.npy
2 export --to c --device abacus | abacus
2 export --to json | tree
2 tables indices.npy | indices.npy
2 tables --device abacus | abacus
2 tables --device h200 --device h200 | h200
2 tables --type u32 --type u32 | u32
2 tables --value two | two
2 tables --updates 1023 | 1023
2 tables --updates 67108865 | 67108865
2 tables --model m.json | --device
2 tables --model m --device h200 --device gtx580 | --device
1 tables --device h200 --model missing.json | missing.json
1 tables --device gtx580 --updates 1024 --out indices.npy/folder | indices.npy/folder`

// notOfRows are flags that mean nothing of rows.
const notOfRows = `--op max|--value one|--returns|--deterministic|--launch 132x256|--search-launch=false|` +
	`--model tree.json|--relaid|--memory 64MiB|--no-sort|--only sort|--exclude naive|--cautious|--launches 5|` +
	`--launches 5 --sampling-cost 3|--sampling-most 3|--simulate|--save-plan plans.txt|--index i64`

// TestWrongUse: what fails names the place, and exits with 2 where a different command line would mend it.
func TestWrongUse(t *testing.T) {
	inputs(t)
	rows := wrong
	for flags := range strings.SplitSeq(notOfRows, "|") {
		flag, _, _ := strings.Cut(strings.Fields(flags)[0], "=")
		rows += "\n2 choose --width 4 " + flags + " indices.npy | --width " + flag
	}
	commandtest.WrongUse(t, rows, func(text string) commandtest.Outcome { return atomtune("", line(text)...) })
	done(t, line("choose --width 4 --op add --value loaded --type f32 --value-type f32 --returns=false indices.npy")...)
}
