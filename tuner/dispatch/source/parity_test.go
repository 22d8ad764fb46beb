package source_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/tuner/dispatch"
	"github.com/atomtune/atomtune/tuner/dispatch/source"
	"github.com/atomtune/atomtune/tuner/internal/tunertest"
)

// The programs read a task from standard input, all numbers of 32 bits with the lowest byte first,
// and write one number an answer:
//
//	1, inputs, and 14 features of each: the leaf in each tree
//	2, type, one, returns, bins, updates, and the indices: the features
const (
	findTask   = 1
	sampleTask = 2
)

const cMain = `
#include <stdio.h>
#include <stdlib.h>
static uint32_t number(void) {
  unsigned char b[4];
  if (fread(b, 1, 4, stdin) != 4) exit(3);
  return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}
static void answer(uint32_t x) {
  unsigned char b[4];
  b[0] = x & 255, b[1] = x >> 8 & 255, b[2] = x >> 16 & 255, b[3] = x >> 24;
  fwrite(b, 1, 4, stdout);
}
int main(void) {
  uint32_t f[14], task = number(), i, k;
  if (task == 1) {
    uint32_t n = number();
    for (i = 0; i < n; i++) {
      for (k = 0; k < 14; k++) f[k] = number();
      LEAVES
    }
  } else {
    uint32_t type = number(), one = number(), returns = number(), bins = number(), n = number();
    uint32_t *index = malloc(4 * (size_t)n + 4);
    for (i = 0; i < n; i++) index[i] = number();
    atomtune_sample(index, n, bins, type, (int)one, (int)returns, f);
    for (k = 0; k < 14; k++) answer(f[k]);
    free(index);
  }
  return 0;
}
`

// cudaMain walks the tables of the CUDA source, which a C++ compiler reads as they are.
const cudaMain = `
#include "trees.cuh"
#include <cstdio>
#include <cstdlib>
static uint32_t number() {
  unsigned char b[4];
  if (fread(b, 1, 4, stdin) != 4) exit(3);
  return b[0] | uint32_t{b[1]} << 8 | uint32_t{b[2]} << 16 | uint32_t{b[3]} << 24;
}
int main() {
  if (number() != 1) return 4;
  for (uint32_t n = number(); n > 0; n--) {
    uint32_t f[14];
    for (uint32_t& x : f) x = number();
    for (const atomtune::DispatchTree& tree : atomtune::trees) {
      uint32_t at = 0;
      while (tree.nodes[at].feature != 255) {
        if (at >= tree.node_count) return 5;
        const atomtune::TreeNode& node = tree.nodes[at];
        at = f[node.feature] < node.threshold ? at + 1 : node.right;
      }
      if (tree.nodes[at].right >= tree.action_count) return 6;
      for (int k = 0; k < 32; k += 8) putchar(at >> k & 255);
    }
  }
  return 0;
}
`

const pythonMain = `
import sys, array
import trees
words = array.array("I", sys.stdin.buffer.read())
if sys.byteorder != "little":
    words.byteswap()
out = array.array("I")
if words[0] == 1:
    for i in range(words[1]):
        f = words[2 + 14 * i:16 + 14 * i]
        for device in trees.NODES:
            out.append(trees.leaf(device, f))
else:
    kind, one, returns, bins, n = words[1:6]
    out.extend(trees.sample(words[6:6 + n], bins, kind, one, returns))
if sys.byteorder != "little":
    out.byteswap()
sys.stdout.buffer.write(out.tobytes())
`

const goMain = `package main

import (
	"encoding/binary"
	"io"
	"os"

	"parity/trees"
)

func main() {
	data, _ := io.ReadAll(os.Stdin)
	words := make([]uint32, len(data)/4)
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(data[4*i:])
	}
	var out []byte
	if words[0] == 1 {
		for i := range words[1] {
			f := [trees.NumFeatures]uint32(words[2+14*i:])
			for _, name := range []string{NAMES} {
				out = binary.LittleEndian.AppendUint32(out, uint32(trees.Trees[name].Leaf(&f)))
			}
		}
	} else {
		f := trees.Sample(words[6:6+words[5]], trees.Call{Bins: uint64(words[4]), Type: words[1],
			One: words[2] == 1, Returns: words[3] == 1})
		for _, x := range f {
			out = binary.LittleEndian.AppendUint32(out, x)
		}
	}
	os.Stdout.Write(out)
}
`

// trees are the embedded ones.
func trees(t *testing.T) (list []*dispatch.Tree) {
	t.Helper()
	for _, name := range dispatch.Devices() {
		tree, err := dispatch.Embedded(name)
		tunertest.Must(t, err)
		list = append(list, tree)
	}
	return list
}

// write puts the source of trees into a file and returns it.
func write(t *testing.T, path, target string, list []*dispatch.Tree) string {
	t.Helper()
	text, err := source.Write(target, list...)
	tunertest.Must(t, err)
	save(t, path, string(text))
	return string(text)
}

// save writes a file.
func save(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// execute runs a program and returns what it printed.
func execute(t *testing.T, folder string, input []byte, name string, args ...string) []byte {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Stdin = folder, bytes.NewReader(input)
	var out, complaint bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaint
	if err := cmd.Run(); err != nil || complaint.Len() > 0 {
		t.Fatalf("%s: %v\n%s", cmd, err, complaint.String())
	}
	return out.Bytes()
}

// programs builds a program of each language and returns how to run it.
func programs(t *testing.T) runs {
	t.Helper()
	folder, list := t.TempDir(), trees(t)
	at := func(name string) string { return filepath.Join(folder, name) }
	all := runs{}
	for _, compiler := range [][]string{{"cc", "-std=c89", "-pedantic"}, {"c++", "-std=c++17", "-x", "c++"}} {
		if _, err := exec.LookPath(compiler[0]); err != nil {
			missing(t, compiler[0])
			continue
		}
		var leaves strings.Builder
		for _, tree := range list {
			fmt.Fprintf(&leaves, "answer((uint32_t)atomtune_%s_leaf(f));\n", tree.Device)
		}
		text := write(t, at("trees.c"), "c", list)
		text += strings.Replace(cMain, "LEAVES", leaves.String(), 1)
		if compiler[0] == "c++" {
			text = strings.Replace(text, "uint32_t *index = malloc", "uint32_t *index = (uint32_t *)malloc", 1)
		}
		save(t, at("main.c"), text)
		name := at("parity-" + compiler[0])
		execute(t, folder, nil, compiler[0], append(compiler[1:], "-Wall", "-Wextra", "-Werror", "-O1", "-o",
			name, "main.c")...)
		all[compiler[0]] = func(t *testing.T, input []byte) []byte {
			return execute(t, folder, input, name)
		}
	}
	if _, err := exec.LookPath("c++"); err == nil {
		write(t, at("trees.cuh"), "cuda", list)
		save(t, at("cuda.cpp"), cudaMain)
		execute(t, folder, nil, "c++", "-std=c++17", "-Wall", "-Wextra", "-Werror", "-O1", "-o",
			at("parity-cuda"), "cuda.cpp")
		all[tablesAlone] = func(t *testing.T, input []byte) []byte {
			return execute(t, folder, input, at("parity-cuda"))
		}
	}
	if _, err := exec.LookPath("python3"); err != nil {
		missing(t, "python3")
	} else {
		write(t, at("trees.py"), "python", list)
		save(t, at("main.py"), pythonMain)
		all["python"] = func(t *testing.T, input []byte) []byte {
			return execute(t, folder, input, "python3", "main.py")
		}
	}
	if err := os.MkdirAll(at("go/trees"), 0o777); err != nil {
		t.Fatal(err)
	}
	write(t, at("go/trees/trees.go"), "go", list)
	var names []string
	for _, tree := range list {
		names = append(names, strconv.Quote(tree.Device))
	}
	save(t, at("go/main.go"), strings.Replace(goMain, "NAMES", strings.Join(names, ", "), 1))
	save(t, at("go/go.mod"), "module parity\n\ngo 1.24\n")
	execute(t, at("go"), nil, "go", "build", "-o", at("parity-go"), ".")
	all["go"] = func(t *testing.T, input []byte) []byte { return execute(t, folder, input, at("parity-go")) }
	return all
}

// tablesAlone is the language whose source has no functions.
const tablesAlone = "cuda"

// missing leaves a language out on a machine without it, but never in continuous integration.
func missing(t *testing.T, program string) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatalf("%s is missing", program)
	}
	t.Logf("%s is missing: its source is not compared", program)
}

// random returns features: any, or such as reach a leaf of a tree that is drawn, each of them
// often the last that still does.
func random(r *rand.Rand, list []*dispatch.Tree) (f dispatch.Features) {
	var below dispatch.Features
	for i := range below {
		below[i] = math.MaxUint32
	}
	nodes := list[r.IntN(len(list))].Nodes
	leaf, at := r.IntN(len(nodes)), 0
	for at < leaf && !nodes[at].Leaf() {
		n := nodes[at]
		if leaf < int(n.Right) {
			below[n.Feature] = min(below[n.Feature], n.Threshold-1)
			at++
		} else {
			f[n.Feature] = max(f[n.Feature], n.Threshold)
			at = int(n.Right)
		}
	}
	for i, least := range f {
		switch room := below[i] - least; {
		case below[i] < least || r.IntN(4) == 0: // the leaf has no such features, or its end
		case r.IntN(3) == 0:
			f[i] = below[i]
		default:
			f[i] += (r.Uint32() >> r.UintN(32)) % max(1, room)
		}
	}
	return f
}

// edges returns features on both sides of every threshold, and at it, beside such as reach the
// node; and the least and the greatest of all.
func edges(r *rand.Rand, list []*dispatch.Tree) (inputs []dispatch.Features) {
	var least, greatest dispatch.Features
	for i := range greatest {
		greatest[i] = math.MaxUint32
	}
	inputs = append(inputs, least, greatest)
	for _, tree := range list {
		for _, n := range tree.Nodes {
			if n.Leaf() {
				continue
			}
			for _, f := range []dispatch.Features{least, greatest, random(r, list)} {
				for _, x := range []uint32{n.Threshold - 1, n.Threshold, n.Threshold + 1} {
					f[n.Feature] = x
					inputs = append(inputs, f)
				}
			}
		}
	}
	return inputs
}

// TestParity: the sources of every language find the leaf and the features that Go finds.
func TestParity(t *testing.T) {
	run := programs(t)
	if len(run) == 0 {
		t.Fatal("no program was built")
	}
	t.Run("leaves", func(t *testing.T) { compareLeaves(t, run) })
	t.Run("samples", func(t *testing.T) { compareSamples(t, run) })
}

// runs are the programs by language.
type runs map[string]func(t *testing.T, input []byte) []byte

// compareLeaves compares leaves on 30,000 random features and on those at the thresholds.
func compareLeaves(t *testing.T, programs runs) {
	list, r := trees(t), rand.New(rand.NewPCG(5, 6))
	inputs := edges(r, list)
	for range 30000 {
		inputs = append(inputs, random(r, list))
	}
	input := binary.LittleEndian.AppendUint32(nil, findTask)
	input = binary.LittleEndian.AppendUint32(input, uint32(len(inputs)))
	var want []byte
	reached := map[[2]int]bool{}
	for i := range inputs {
		for _, x := range inputs[i] {
			input = binary.LittleEndian.AppendUint32(input, x)
		}
		for k, tree := range list {
			at := tree.Find(&inputs[i])
			reached[[2]int{k, at}] = true
			want = binary.LittleEndian.AppendUint32(want, uint32(at))
		}
	}
	leaves := 0
	for _, tree := range list {
		leaves += (len(tree.Nodes) + 1) / 2
	}
	if 10*len(reached) < 9*leaves {
		t.Errorf("%d of %d leaves were reached", len(reached), leaves)
	}
	for name, run := range programs {
		got := run(t, input)
		if len(got) != len(want) {
			t.Errorf("%s: %d answers, want %d", name, len(got)/4, len(want)/4)
			continue
		}
		for i := 0; i < len(want); i += 4 {
			if !bytes.Equal(got[i:i+4], want[i:i+4]) {
				k := i / 4
				t.Errorf("%s: tree of %s, features %v: leaf %v, want %v", name, list[k%len(list)].Device,
					inputs[k/len(list)], got[i:i+4], want[i:i+4])
				break
			}
		}
	}
}

// compareSamples compares the features of streams.
func compareSamples(t *testing.T, run runs) {
	r := rand.New(rand.NewPCG(7, 8))
	for k, n := range []int{0, 1, 31, 33, 100, 256, 300, 2047, 2049, 70001} {
		bins := uint32(1) << (3 * uint(k%8))
		index := make([]uint32, n)
		for i := range index {
			if index[i] = r.Uint32N(bins); i > 0 && r.IntN(3) == 0 {
				index[i] = index[i-1]
			}
			if r.IntN(500) == 0 {
				index[i] = impl.NoTarget
			}
		}
		types := []device.Type{device.I32, device.F32, device.U64, device.F64}
		c := device.Call{Type: types[k%4], Returns: k%5 == 0}
		if k%3 == 0 {
			c.Operand = device.One
		}
		features := dispatch.Sample(index, c, uint64(bins))
		input := binary.LittleEndian.AppendUint32(nil, sampleTask)
		for _, x := range append([]uint32{dispatch.ClassOf(c.Type), features[dispatch.One],
			features[dispatch.Returns], bins, uint32(n)}, index...) {
			input = binary.LittleEndian.AppendUint32(input, x)
		}
		var want []byte
		for _, x := range features {
			want = binary.LittleEndian.AppendUint32(want, x)
		}
		for name, program := range run {
			if name == tablesAlone {
				continue
			}
			if got := program(t, input); !bytes.Equal(got, want) {
				t.Errorf("%s, %d updates: features %v, want %v", name, n, got, want)
			}
		}
	}
}
