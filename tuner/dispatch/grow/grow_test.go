package grow

import (
	"bytes"
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/internal/allocation"
	"github.com/atomtune/atomtune/internal/gzipped"
	"github.com/atomtune/atomtune/tuner/dispatch"
	"github.com/atomtune/atomtune/tuner/internal/tunertest"
	"github.com/atomtune/atomtune/tuner/model"
	"github.com/atomtune/atomtune/tuner/training"
)

// tiny is a sweep of a dozen families.
func tiny() model.Sweep {
	s := DefaultSweep()
	s.Points, s.MaxUpdates, s.MaxBins = 96, 1<<14, 1<<16
	return s
}

func untold(int) {}

func collect(t *testing.T, s model.Sweep, path string, workers int, told func(done int)) []Stream {
	t.Helper()
	list, err := Collect(context.Background(), s, path, workers, told)
	tunertest.Must(t, err)
	return list
}

// TestDeterministic: the same sweep gives the same tree, byte for byte, however many streams are made at
// once and wherever an interruption cut the checkpoint. It chooses better than any one candidate. A device that
// is not one of NVIDIA's has none.
func TestDeterministic(t *testing.T) {
	folder, d := t.TempDir(), tunertest.Profile(t, "h100")
	whole := filepath.Join(folder, "whole.jsonl")
	grown := func(list []Stream) *dispatch.Tree {
		tree, err := Tree(context.Background(), d, list, DefaultOptions())
		tunertest.Must(t, err)
		return tree
	}
	list := collect(t, tiny(), whole, 2, untold)
	tree := grown(list)
	text, err := os.ReadFile(whole)
	tunertest.Must(t, err)
	for _, at := range []int{len(text) / 2} {
		path := filepath.Join(folder, "cut.jsonl")
		if err := os.WriteFile(path, text[:at], 0o666); err != nil {
			t.Fatal(err)
		}
		kept, first := max(0, bytes.Count(text[:at], []byte("\n"))-1), -1
		again := collect(t, tiny(), path, 1, func(done int) {
			if first < 0 {
				first = done
			}
		})
		if diff := cmp.Diff(list, again, cmp.AllowUnexported(Stream{})); diff != "" ||
			first != kept {
			t.Fatalf("cut at %d: %d streams were kept, want %d; other streams:\n%s", at, first, kept, diff)
		}
	}
	if e := tree.Evaluation; tree.Device != "h100" || tree.Major != 9 || len(tree.Candidates) < 2 ||
		!(e.Known.GeometricMean < e.OneCandidate.GeometricMean) || e.Calls < 10*len(list) {
		t.Errorf("%d actions, %+v", len(tree.Candidates), e)
	}
	if _, err := Tree(context.Background(), tunertest.Profile(t, "hd5870"), list, DefaultOptions()); !errors.Is(err,
		ErrDevice) {
		t.Errorf("hd5870: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Tree(ctx, d, list, DefaultOptions()); !errors.Is(err, ctx.Err()) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestRepeated: the statistics and features of a repeated stream are those of the stream written
// out.
func TestRepeated(t *testing.T) {
	for _, text := range []string{"zipf:n=2560,k=100,seed=1", "constant:n=512,k=9,seed=2",
		"sorted:n=5120,k=700,seed=3"} {
		once, bins := tunertest.Generate(t, text)
		how := collision.Options{WarpSize: 32, BlockSize: blockSize, Bins: bins}
		stats, err := collision.Analyze(once, how)
		tunertest.Must(t, err)
		s := Stream{Stats: stats, Joined: once[0] == once[len(once)-1]}
		want, err := collision.Analyze(slices.Repeat(once, 4), how)
		tunertest.Must(t, err)
		got := s.repeated(4)
		if diff := cmp.Diff(training.Rounded(want), training.Rounded(got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}

// TestJournalRefused: checkpoints of other sweeps, and of streams that the sweep does not have, with file and
// line.
func TestCheckpointRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j.jsonl")
	small := tiny()
	small.Points = 8
	collect(t, small, path, 0, untold)
	text, err := os.ReadFile(path)
	tunertest.Must(t, err)
	for place, c := range map[string][2]string{
		"j:1: ": {`"version":5`, `"version":9`}, "j:2: ": {`"updates":`, `"updates":9`}, "2: ": {`{"point":`, `{"point":9`},
	} {
		_, _, err := checkpoints.Decode("j", bytes.Replace(text, []byte(c[0]), []byte(c[1]), 1))
		if !errors.Is(err, ErrStreams) || !strings.Contains(err.Error(), place) {
			t.Errorf("%s for %s: error %v", c[1], c[0], err)
		}
	}
	small.Seed++
	if _, err := Collect(t.Context(), small, path, 0, untold); !errors.Is(err, ErrStreams) ||
		!strings.Contains(err.Error(), path+":1: ") {
		t.Errorf("of another sweep: error %v", err)
	}
}

// TestFallsBack: what does not fit takes the time of global atomics and a little more, so that a
// tree names these.
func TestFallsBack(t *testing.T) {
	d := tunertest.Profile(t, "h200")
	at := dispatch.PerSM{BlocksPerSM: 1, Threads: 1024, Unroll: 4}
	p := NewPricer(d, []dispatch.Candidate{{Launch: at},
		{Implementation: impl.Copies(32, 1, impl.Cyclic), Launch: at},
		{Implementation: impl.Spec{Algorithm: impl.Hot, Slots: 64, Replicas: 32,
			Sample: dispatch.SampledUpdates}, Launch: at}})
	for _, c := range []struct {
		spec string
		fits bool
	}{{"uniform:n=65536,k=50000", true}, {"uniform:n=65536,k=100000", false}} {
		us, err := p.US(tunertest.Analyze(t, c.spec), device.Call{Type: device.U32, Keeps: true}, nil)
		tunertest.Must(t, err)
		if fits := us[1] != us[0]*fallenBack; fits != c.fits {
			t.Errorf("%s: copies take %v us, plain atomics %v", c.spec, us[1], us[0])
		}
		if us[2] == us[0] {
			t.Errorf("a table takes %v us as plain atomics do", us[2])
		}
	}
}

// TestOverheads: what a call costs beside its form, with and without a sample and a table.
func TestOverheads(t *testing.T) {
	table := dispatch.Candidate{Implementation: impl.Spec{Algorithm: impl.Hot, Slots: 64}}
	parts := dispatch.Candidate{Implementation: impl.Spec{Algorithm: impl.Partition, Width: 1 << 14}}
	const decided = callUS + DecideUS
	for want, got := range map[float64]float64{
		callUS: overheadUS(dispatch.Candidate{}, settled), decided: overheadUS(dispatch.Candidate{}, sampled),
		callUS + fillOnlyUS: overheadUS(table, settled), decided + fillUS: overheadUS(table, sampled),
		decided + followUS:          overheadUS(dispatch.Candidate{}, followed),
		decided + fillUS + followUS: overheadUS(table, followed),
	} {
		if math.Abs(got-want) > 1e-9 {
			t.Errorf("%v us, want %v", got, want)
		}
	}
	tree := &dispatch.Tree{Candidates: []dispatch.Candidate{{}}, Nodes: []dispatch.Node{
		{Feature: dispatch.Bins, Threshold: 9, Right: 2}, {Feature: dispatch.LeafFeature},
		{Feature: dispatch.Top, Threshold: 9, Right: 4}, {Feature: dispatch.LeafFeature},
		{Feature: dispatch.LeafFeature}}}
	if !math.IsInf(overheadUS(parts, sampled), 1) || overheadUS(parts, settled) != callUS ||
		overheadUS(parts, followed) != callUS+DecideUS {
		t.Errorf("a partition %v, %v and %v us", overheadUS(parts, settled),
			overheadUS(parts, sampled), overheadUS(parts, followed))
	}
	few, many := dispatch.Features{dispatch.Bins: 8}, dispatch.Features{dispatch.Bins: 9}
	if OverheadUS(tree, &few) != callUS || OverheadUS(tree, &many) != callUS+DecideUS {
		t.Errorf("few targets %v us, many %v us", OverheadUS(tree, &few), OverheadUS(tree, &many))
	}
	tree.Candidates, tree.Nodes[4].Right = append(tree.Candidates, parts), 1
	if OverheadUS(tree, &few) != callUS || OverheadUS(tree, &many) != callUS+DecideUS+followUS {
		t.Errorf("with a partition few targets %v us, many %v us", OverheadUS(tree, &few),
			OverheadUS(tree, &many))
	}
}

// made returns rows of n calls, whose costs of each candidate are those that one says, by modes.
func made(n, candidates int, one func(i int, x []float64) (family string, costs [3][]float64)) *rows {
	r := &rows{us: make([][]float64, candidates)}
	for m := range r.costs {
		r.costs[m] = make([][]float64, candidates)
	}
	for i := range n {
		x := make([]float64, dispatch.NumFeatures)
		family, costs := one(i, x)
		r.x, r.family = append(r.x, x), append(r.family, family)
		for m := range costs {
			for a, v := range costs[m] {
				r.costs[m][a] = append(r.costs[m][a], v)
			}
		}
	}
	return r
}

func growerOf(r *rows, candidates int) *grower {
	return r.grower(Options{KnownLeaves: 2, KnownMinLeaf: 10, MaxLeaves: 4, MinLeaf: 5, MaxCandidates: candidates})
}

// TestFollowedApart: where a partition gains for calls of many targets that only a sample tells,
// those of few targets do not wait for it, though they need the sample as well.
func TestFollowedApart(t *testing.T) {
	const naive, other, partition, waits = 0, 1, 2, 0.1
	r := made(800, 3, func(i int, x []float64) (string, [3][]float64) {
		x[dispatch.Bins], x[dispatch.Top] = float64(i%2), float64(i/2%2)
		costs := []float64{naive: 0.5, other: 0.5, partition: 1}
		switch {
		case x[dispatch.Top] == 0:
			costs[naive] = 0
		case x[dispatch.Bins] == 0:
			costs[other] = 0
		default:
			costs[partition] = 0
		}
		return "a", [3][]float64{settled: costs, sampled: {costs[naive], costs[other], math.Inf(1)},
			followed: {costs[naive] + waits, costs[other] + waits, costs[partition]}}
	})
	g := growerOf(r, 3)
	c, err := g.grow(func(int) bool { return true })
	tunertest.Must(t, err)
	tree := c.tree(0.1)
	for row, x := range r.x[:4] {
		want := []choice{{naive, sampled}, {naive, followed}, {other, sampled},
			{partition, followed}}[row]
		if got := tree.choose(x); got != want {
			t.Errorf("%v targets, top %v: %+v, want %+v", x[dispatch.Bins], x[dispatch.Top], got, want)
		}
	}
}

// familyOf gives most rows to the first family.
func familyOf(row int) string { return string(rune('a' + max(0, row%8-4))) }

// TestFamilyOutIsBlind: what trees choose for a family does not depend on its times, and what they
// choose for others does.
func TestFamilyOutIsBlind(t *testing.T) {
	chosenWith := func(turned string) []choice {
		r := made(400, 2, func(i int, x []float64) (string, [3][]float64) {
			family, first := familyOf(i), 0.0
			x[dispatch.Bins] = float64(i / 8)
			if (i/8 < 25) != (family == turned) {
				first = 0.5
			}
			costs := []float64{first, 0.5 - first}
			return family, [3][]float64{costs, costs, costs}
		})
		g := growerOf(r, 2)
		chosen, _, err := g.familyOut(context.Background())
		tunertest.Must(t, err)
		return chosen
	}
	plain, turned := chosenWith(""), chosenWith("a")
	for i := range plain {
		want := 0
		if i/8 < 25 {
			want = 1
		}
		after := want
		if familyOf(i) != "a" {
			after = 1 - want
		}
		if plain[i].candidate != want || turned[i].candidate != after {
			t.Fatalf("row %d of family %s: action %d, want %d; with other times of most rows %d, want %d",
				i, familyOf(i), plain[i].candidate, want, turned[i].candidate, after)
		}
	}
}

// FuzzJournal: any file is a checkpoint whose streams are written and read as the same, or an
// error that names it.
func FuzzCheckpoint(f *testing.F) {
	s := tiny()
	s.Points = 8
	list, err := Collect(context.Background(), s, "", 0, untold)
	tunertest.Must(f, err)
	text, err := checkpoints.Encode(header{journalFormat, checkpointVersion, s.Normal()}, list[:1])
	tunertest.Must(f, err)
	packed, err := gzipped.Pack(text)
	tunertest.Must(f, err)
	f.Add(text)
	f.Add(packed)
	f.Fuzz(func(t *testing.T, data []byte) {
		plain, _, _ := gzipped.Unpack(data, 1<<20)
		head, list, err := checkpoints.Decode("j", data)
		allocation.Bound(t, max(len(data), len(plain)), func() { head, list, err = checkpoints.Decode("j", data) })
		if err != nil {
			if !errors.Is(err, ErrStreams) || !strings.Contains(err.Error(), "j:") {
				t.Error(err)
			}
			return
		}
		if len(list) == 0 {
			return
		}
		once, err := checkpoints.Encode(head, list)
		tunertest.Must(t, err)
		_, again, err := checkpoints.Decode("j", once)
		tunertest.Must(t, err)
		if twice, err := checkpoints.Encode(head, again); err != nil || !bytes.Equal(once, twice) {
			t.Errorf("%v: %d streams are written and read as others", err, len(list))
		}
	})
}

// TestCost: what takes a quarter more than the least, or 2.5 us, costs the logarithm of that alone, and what is far off
// or slower than plain atomics costs more.
func TestCost(t *testing.T) {
	for _, c := range []struct{ us, least, naive, want float64 }{
		{100, 100, 100, 0}, {125, 100, 1000, math.Log(1.25)}, {6, 4, 6, math.Log(1.5)},
		{500, 100, 1000, math.Log(5) + math.Log(500/127.5)},
		{9, 6, 6, math.Log(1.5) + math.Log(9/6.825)},
	} {
		if got := costOf(c.us, c.least, c.naive); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%v us of %v, naive %v: cost %v, want %v", c.us, c.least, c.naive, got, c.want)
		}
	}
}

// TestPlain: each number of a sweep has a stream, plain ones of all kinds behind those of families.
func TestPlain(t *testing.T) {
	s := tiny()
	all, found := Points(s), map[string]int{}
	for number := range all {
		from, err := sourceOf(s, number)
		tunertest.Must(t, err)
		if n := from.updates(); n%blockSize != 0 || n > 4*int(s.MaxUpdates) {
			t.Errorf("%d has %d updates", number, n)
		}
		if number >= s.Points {
			found[from.family]++
		}
	}
	if len(found) != len(plainKinds) || found["phases"] != found["uniform"] || found["phases"] == 0 {
		t.Errorf("%v", found)
	}
	if _, err := sourceOf(s, all); err == nil {
		t.Error("a stream behind the last")
	}
}

// TestMoving: each stretch counts its own most frequent chunk; repetitions keep the share.
func TestMoving(t *testing.T) {
	index := make([]uint32, 3*stretch)
	for i := range index {
		index[i] = uint32(i/stretch)*100 + uint32(i%2)*64
	}
	if got := moving(index, 1000, 64); got != 3*stretch/2 {
		t.Errorf("chunks meet %d times, want %d", got, 3*stretch/2)
	}
	stats, err := collision.Analyze(index, collision.Options{WarpSize: dispatch.WarpLanes, BlockSize: blockSize, Bins: 1000})
	tunertest.Must(t, err)
	s := Stream{Stats: stats, Moving: [2]uint64{3 * stretch / 2, 3 * stretch}}
	if twice := s.repeated(2); twice.MaxChunkFrequency4 != 3*stretch || twice.MaxChunkFrequency8 != 6*stretch {
		t.Errorf("%d and %d", twice.MaxChunkFrequency4, twice.MaxChunkFrequency8)
	}
}
