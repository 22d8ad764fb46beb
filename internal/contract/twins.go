package main

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// A build is a command that makes a program.
type build struct {
	folder string
	words  []string
}

// builds makes the programs, the C library and the twins. The library's header is all that the
// twin in C takes from it besides the library itself.
func builds(work string) []build {
	at := func(name string) string { return filepath.Join(work, name) }
	return []build{
		{"", []string{"go", "build", "-o", work, "./cmd/atomtune", "./cmd/atomprobe", "./cmd/atomlab"}},
		{"", []string{"sh", "-c", `make -s -C bindings/clib BUILD="$0/clib" && cc -std=c99 -O1 -Ibindings/clib/include ` +
			`internal/contract/twins/twins.c -o "$0/twins_c" "$0/clib/lib/libatomtune.so" -Wl,-rpath,"$0/clib/lib"`, work}},
		{"bindings/cuda", []string{"g++", "-O0", "-std=c++17", "-fno-strict-aliasing", "-Wno-unknown-pragmas", "-I.",
			"-Itest", "../../internal/contract/twins/twins.cc", "-o", at("twins_cuda")}},
	}
}

// A stream is small and of one kind; type is its place in u32, i32, f32, u64, i64, f64.
type stream struct {
	name          string
	updates, bins uint32
	kind          int
}

var streams = []stream{{"uniform", 3001, 5000, 5}, {"one", 1000, 8, 2}, {"sorted", 30001, 700, 3},
	{"skewed", 30001, 70000, 0}, {"few", 70001, 96, 4}, {"last", 1, 1, 1}}

// target is that of update i.
func (s stream) target(i uint32) uint32 {
	mixed := (uint64(i) + 1) * 0x9e3779b97f4a7c15
	mixed ^= mixed >> 29
	switch s.name {
	case "uniform":
		return uint32(mixed % uint64(s.bins))
	case "sorted":
		return uint32(uint64(i) * uint64(s.bins) / uint64(s.updates))
	case "skewed":
		return uint32(mixed % uint64(s.bins) * (mixed >> 40 & 1))
	case "few":
		return i % s.bins
	}
	return s.bins - 1
}

// writeInputs writes the twins' streams, and the files of runs.txt.
func writeInputs(work string) error {
	for _, s := range streams {
		var data []byte
		for i := range s.updates {
			data = binary.LittleEndian.AppendUint32(data, s.target(i))
		}
		if err := os.WriteFile(filepath.Join(work, s.name+".u32"), data, 0o666); err != nil {
			return err
		}
	}
	var table, graph, padded, patterns strings.Builder
	table.WriteString("key,weight\n")
	graph.WriteString("%%MatrixMarket matrix coordinate pattern general\n40 50 200\n")
	for i := range 200 {
		fmt.Fprintf(&table, "k%d,%d\n", i*i%37, i)
		fmt.Fprintf(&graph, "%d %d\n", i*7%40+1, i*i%50+1)
		fmt.Fprintln(&padded, i*i%23-1)
	}
	for i := range 12 {
		for lane := range 32 {
			fmt.Fprintf(&patterns, "%d%c", (lane*(i+1)+lane*lane*i)%(64*(i+1)), ",\n"[lane/31])
		}
	}
	for name, text := range map[string]string{"table.csv": table.String(), "graph.mtx": graph.String(),
		"padded.txt": padded.String(), "patterns.txt": patterns.String(),
		"specs.txt": "uniform:n=1000,k=64,seed=1\nzipf:n=1000,k=64,seed=2,s=1\n"} {
		if err := os.WriteFile(filepath.Join(work, name), []byte(text), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// twins are the runs that answer about the same streams in each language.
func twins(work string) (jobs []job) {
	var words []string
	types := []string{"u32", "i32", "f32", "u64", "i64", "f64"}
	for _, s := range streams {
		path, bins := filepath.Join(work, s.name+".u32"), strconv.Itoa(int(s.bins))
		words = append(words, path, bins, strconv.Itoa(s.kind))
		for _, device := range []string{"h200", "h100"} {
			ask := func(run, flag, value string) job {
				return job{run: "twin go " + run + device + " " + s.name, section: "document",
					command: []string{filepath.Join(work, "atomtune"), "choose", "--json", flag, value,
						"--type", types[s.kind], "--bins", bins, path}}
			}
			jobs = append(jobs, ask("", "--device", device),
				ask("tree ", "--model", "tuner/dispatch/embedded/"+device+".json"))
		}
	}
	return append(jobs,
		job{run: "twin c", section: "twin", command: append([]string{filepath.Join(work, "twins_c")}, words...)},
		job{run: "twin cuda", section: "twin",
			command: append([]string{filepath.Join(work, "twins_cuda")}, words...)},
		job{run: "twin python", section: "twin",
			command: append([]string{"python3", "internal/contract/twins/twins.py"}, words...),
			env: []string{"PYTHONPATH=bindings/python", "PYTHONDONTWRITEBYTECODE=1",
				"ATOMTUNE_LIBRARY=" + filepath.Join(work, "clib/lib/libatomtune.so")}})
}
