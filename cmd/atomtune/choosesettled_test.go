package main

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"

	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/tuner"
	"github.com/atomtune/atomtune/tuner/plan"
)

// rawFile writes a synthetic stream as a file of 32-bit indices, which is gone after the test.
func rawFile(t *testing.T, name, text string) {
	t.Helper()
	spec, err := synth.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	indices, err := synth.Generate(spec)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := binary.Append(nil, binary.LittleEndian, indices)
	if err != nil {
		t.Fatal(err)
	}
	write(t, name, raw)
}

// TestLongIsSampled: of a long raw file samples settle the choice that all of it gives, and the answer says
// how much was read and what that may cost. Launches are searched, and tables of hot targets priced.
func TestLongIsSampled(t *testing.T) {
	inputs(t)
	rawFile(t, "long.u32", "zipf:n=16777217,k=256,seed=2,s=0.5")
	doc := document(t, line("choose --sample-from 1000000 --seed 9 long.u32")...)
	settling, _ := doc["settling"].(map[string]any)
	read, _ := doc["read"].(map[string]any)
	if settling["settled"] != true || settling["seed"] != 9.0 || settling["samples"] != 2.0 ||
		settling["blocks"] != 4097.0 || settling["total_blocks"] != 65537.0 ||
		settling["updates"] != 1048577.0 || settling["confidence"] != 0.9 {
		t.Errorf("%v", settling)
	}
	if read["bytes"] != 4*1048577.0 || read["total_bytes"] != 4*16777217.0 ||
		read["percent"] != 100*1048577.0/16777217 {
		t.Errorf("%v", read)
	}
	loss, _ := settling["loss_percent"].(float64)
	us := chosen(t, doc)["predicted_us"].(float64)
	if loss < 0 || loss > 1 || settling["loss_us"] != loss/100*us {
		t.Errorf("loses %v, of %v us", settling, us)
	}
	stream := doc["stream"].(map[string]any)
	if stream["updates"] != 16777217.0 || stream["bins"] != 256.0 || stream["format"] != "u32" ||
		stream["sampled"].(map[string]any)["blocks"] != 4096.0 {
		t.Errorf("%v updates of %v targets", stream["updates"], stream["bins"])
	}
	exact := document(t, line("choose --exact long.u32")...)
	if got, want := chosen(t, doc)["implementation"], chosen(t, exact)["implementation"]; exact["settling"] != nil ||
		exact["read"] != nil || got != want {
		t.Errorf("%v, by all of the stream %v", got, want)
	}
	text := unfilled(done(t, line("choose --all --sample-from 1000000 long.u32")...))
	for _, want := range line("4,097 65,537 4,194,308 67,108,868 6.25 --exact 1,048,577") {
		if !strings.Contains(text, want) {
			t.Errorf("%q lacks %q", text, want)
		}
	}
}

// TestExactIsExact: --exact reads all of any stream, --sample so many blocks, and else the length decides.
func TestExactIsExact(t *testing.T) {
	for flags, from := range map[string]uint64{"": tuner.SampledFrom, "--exact": math.MaxUint64,
		"--sample 8": math.MaxUint64, "--sample-from 5": 5} {
		var f chooseFlags
		set := pflag.NewFlagSet("choose", pflag.ContinueOnError)
		set.IntVar(&f.measure.Options.Sample, "sample", 0, "")
		f.register(set)
		if err := set.Parse(strings.Fields(flags)); err != nil || f.long() != from {
			t.Errorf("%s: from %d updates, %v", flags, f.long(), err)
		}
	}
}

// TestReadAsAWhole: what is short, compressed, text or asked for exactly is read as a whole, also where a
// stream has too few blocks for a sample; all give one choice.
func TestReadAsAWhole(t *testing.T) {
	inputs(t)
	want := document(t, line("choose indices.npy")...)
	for _, flags := range []string{"--exact", "--sample-from 1", "--sample-from 1 indices.npy"} {
		got := document(t, line("choose "+flags+" indices.npy")...)
		files, several := got["files"].([]any)
		if several {
			got = files[0].(map[string]any)
		}
		settling, sampled := got["settling"].(map[string]any)
		if sampled != strings.Contains(flags, "--sample-from") || sampled && (settling["settled"] != false ||
			settling["samples"] != 0.0 || settling["loss_percent"] != 0.0) {
			t.Errorf("%s: %v", flags, settling)
		}
		if diff := cmp.Diff(want["ranking"], got["ranking"]); diff != "" {
			t.Errorf("%s:\n%s", flags, diff)
		}
	}
	for _, file := range []string{"matrix.mtx", "edges.txt", "image.png"} {
		if doc := document(t, line("choose --sample-from 1 "+file)...); doc["settling"] != nil {
			t.Errorf("%s: %v", file, doc["settling"])
		}
	}
	if tuner.SampledFrom != 1<<26 { // which help says in digits
		t.Errorf("streams of %d updates are sampled", tuner.SampledFrom)
	}
}

// TestLongFaults: an index out of range is named with the file and its update, and both flags and the
// content are faults of one file among others.
func TestLongFaults(t *testing.T) {
	inputs(t)
	rawFile(t, "long.u32", "uniform:n=200000,k=300,seed=2")
	failed(t, exitFailed, "", line("choose --sample-from 1000 --bins 299 long.u32"), "long.u32: ", "299")
	write(t, "odd.u32", make([]byte, 4001))
	failed(t, exitFailed, "", line("choose --sample-from 100 odd.u32"), "odd.u32: ", "4001")
}

// TestChoosePlan: the plan of a choice is found by the key of its call, and replaced by the next.
func TestChoosePlan(t *testing.T) {
	inputs(t)
	indices := hot(4096, 64) // of indices.npy
	for _, flags := range []string{"--only naive", "", "--calls 1000000 --sampling-cost 0"} {
		doc := document(t, line("choose --save-plan plans.txt --index i64 --type f32 indices.npy", flags)...)
		first := need(t, "ranking", doc["ranking"].([]any)[0], "implementation launch")
		stream := need(t, "stream", doc["stream"], "updates bins")
		updates, bins := uint64(stream["updates"].(float64)), uint64(stream["bins"].(float64))
		hash := plan.Sample(updates, func(i uint64) uint32 { return indices[i] })
		p, found := plan.Find(read(t, "plans.txt"), plan.Key{Device: "NVIDIA H200", Version: plan.Version,
			Type: device.F32, Index: device.I64, Updates: updates, Bins: bins, Sample: hash})
		if got := fmt.Sprintf("%dx%dx%d", p.Launch.Blocks, p.Launch.Threads, p.Launch.Unroll); !found ||
			p.Implementation.String() != first["implementation"] || got != shape(first) {
			t.Errorf("%s: %t %v, want %v", flags, found, p, first)
		}
	}
}
