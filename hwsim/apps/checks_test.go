package apps

import (
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim/internal/arith"
	"github.com/atomtune/atomtune/hwsim/internal/kernel"
)

// TestHistogramFault plants a wrong count.
func TestHistogramFault(t *testing.T) {
	in := AppInput{Keys: appKeys("uniform", 100, 8), Bins: 8}
	s := newAppSession(AppConfig{Device: appProfile(t, "h200")}, device.U32)
	right := arith.Reference(countOne(), 0, in.Keys, in.Bins)
	buf := s.filled(right)
	if !s.counted(in, buf) {
		t.Error("a right count is called wrong")
	}
	right[3]++
	if s.counted(in, s.filled(right)) {
		t.Error("a pixel too many goes unnoticed")
	}
}

// TestMergeSortFault leaves the merges out, then restores one key less often
// than it occurs: neither may pass for correct.
func TestMergeSortFault(t *testing.T) {
	keys := drawKeys(7, 600, 50)
	d := appProfile(t, "gtx680")
	unmerged := newMergeSorter(AppConfig{Device: d, Original: true}, keys)
	if err := unmerged.sortTiles(); err != nil || unmerged.correct(keys) {
		t.Errorf("tiles that are not merged count as sorted (%v)", err)
	}
	lost := newMergeSorter(AppConfig{Device: d}, keys)
	if err := lost.sortKeys(); err != nil {
		t.Fatal(err)
	}
	lost.Machine.Buffers[lost.freqs].Words[3]--
	if err := lost.restore(); err != nil || lost.correct(keys) {
		t.Errorf("an array that lacks a key counts as restored (%v)", err)
	}
}

// TestPageViewFault loses a key before the sort, and the end of one after it:
// neither may pass for correct.
func TestPageViewFault(t *testing.T) {
	in := distinctViews(6, 700, 9)
	lost := newPageApp(AppConfig{Device: appProfile(t, "c2075")}, in)
	if err := lost.makeKeys(); err != nil {
		t.Fatal(err)
	}
	lost.n--
	if err := lost.sortKeys(); err != nil {
		t.Fatal(err)
	}
	if lost.count(); lost.Err != nil || lost.correct(in) {
		t.Errorf("views without one count as correct (%v)", lost.Err)
	}
	unsorted := newPageApp(AppConfig{Device: appProfile(t, "c2075"), Original: true}, in)
	if err := unsorted.makeKeys(); err != nil {
		t.Fatal(err)
	}
	if unsorted.count(); unsorted.Err != nil || unsorted.correct(in) {
		t.Errorf("views that are not sorted count as correct (%v)", unsorted.Err)
	}
}

// TestSpMVOutput multiplies in whole numbers of 1/64 and compares, and then
// changes one element, which the check must notice.
func TestSpMVOutput(t *testing.T) {
	in := appMatrix("uniform", 3000, 50, 20)
	for _, run := range []func(*appSession, AppInput, []uint64, []uint64) error{(*appSession).spmvFlat,
		(*appSession).spmvAtomic} {
		s := newAppSession(AppConfig{Device: appProfile(t, "gtx680"), Method: methodSR}, device.F32)
		s.Updates, s.Bins = uint64(len(in.Keys)), in.Bins
		call := device.Call{Type: device.F32}
		elements, x := arith.Values(call, 1, len(in.Keys)), arith.Values(call, 2, int(in.Width))
		if err := run(s, in, elements, x); err != nil {
			t.Fatal(err)
		}
		want := make([]int, in.Bins)
		for i, row := range in.Keys {
			want[row] += int(8*arith.Float(device.F32, elements[i])) * int(
				8*arith.Float(device.F32, x[in.Others[i]]))
		}
		for row, v := range s.Output(kernel.BufTarget) {
			if got := 64 * arith.Float(device.F32, v); got != float64(want[row]) {
				t.Errorf("row %d is %v/64, want %d/64", row, got, want[row])
			}
		}
		for _, changed := range []int{20, 1500, 2999} {
			for x[in.Others[changed]] == 0 { // which no element changes
				changed--
			}
			wrong := append([]uint64(nil), elements...)
			wrong[changed] = arith.PatternOf(device.F32, arith.Float(device.F32, elements[changed])+0.125)
			reference, bound := spmvReference(device.F32, in, wrong, x)
			if arith.Matches(device.F32, s.Output(kernel.BufTarget), reference, bound) {
				t.Errorf("element %d is wrong and goes unnoticed", changed)
			}
		}
	}
}

// TestSummationOutput adds up in whole numbers of 1/8, and leaves one element
// out, which the check must notice.
func TestSummationOutput(t *testing.T) {
	call := device.Call{Type: device.F64}
	elements := arith.Values(call, 4, 5000)
	want := 0
	for _, v := range elements {
		want += int(8 * arith.Float(device.F64, v))
	}
	cfg := AppConfig{Device: appProfile(t, "c2075"), Type: device.F64, Method: methodVR}
	whole, short := newAppSession(cfg, device.F64), newAppSession(cfg, device.F64)
	total, err := whole.sumByAtomics(cfg, elements, 10)
	if err != nil {
		t.Fatal(err)
	}
	if got := 8 * arith.Float(device.F64, whole.Output(total)[0]); got != float64(want) {
		t.Errorf("sum %v/8, want %d/8", got, want)
	}
	left := 0 // an element that is not 0
	for arith.Float(device.F64, elements[left]) == 0 {
		left++
	}
	if total, err = short.sumByAtomics(cfg, append(elements[:left:left], elements[left+1:]...),
		10); err != nil {
		t.Fatal(err)
	}
	one := make([]uint32, len(elements))
	if arith.Correct(call, 4, one, 1, short.Output(total)) {
		t.Error("an element is left out and goes unnoticed")
	}
}
