package speedup

import (
	"math"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/internal/golden"
)

// TestHashTurns: so many different keys take as many iterations of a hash as balls thrown at random into
// its places have in the fullest, and lie on as many places of a bank.
func TestHashIterations(t *testing.T) {
	b, err := CompileAll(nil, builtin(t, "gtx980"), device.Call{})
	if err != nil {
		t.Fatal(err)
	}
	const throws = 4000
	for _, keys := range []int{1, 2, 4, 8, 16, 24, 32} {
		iterations, degree, rng := 0, 0, uint64(keys)
		for range throws {
			var places [impl.MaskPlaces]int
			fullest, fullestBank := 0, 1
			for range keys {
				rng = rng*6364136223846793005 + 1442695040888963407
				at := rng >> 58
				places[at]++
				fullest = max(fullest, places[at])
				if places[at^impl.MaskPlaces/2] > 0 {
					fullestBank = 2
				}
			}
			iterations, degree = iterations+fullest, degree+fullestBank
		}
		for name, c := range map[string][2]float64{"turns": {hashIterations(float64(keys)), float64(iterations) / throws},
			"degree": {b.hashDegree(float64(keys)), float64(degree) / throws}} {
			if math.Abs(c[0]-c[1]) > 0.06*c[1] {
				t.Errorf("%d keys: %s %.3f, thrown %.3f", keys, name, c[0], c[1])
			}
		}
	}
}

// TestHashTurnIsCounted counts a turn of the header's kernel: each of its barriers of a warp and of its
// branches around one instruction is left out.
func TestHashTurnIsCounted(t *testing.T) {
	blocks := blocksOf(t, "calls_hash_u32", "update_peers_hash_u32_loaded")
	var loop []string
	for at, block := range blocks {
		if text := strings.Join(block, "\n"); strings.Contains(text, "st.shared") && loop == nil {
			loop = append(loop, blocks[at-1]...) // which tests whether to store
		}
		if loop != nil {
			loop = append(loop, block...)
		}
		if strings.Contains(strings.Join(block, "\n"), "vote.sync.any") && loop != nil {
			break
		}
	}
	text := strings.Join(loop, "\n")
	got := count{alu: float64(strings.Count(text, "setp.") + 1), ballots: float64(strings.Count(text, "vote."))}
	accesses := strings.Count(text, "ld.shared") + strings.Count(text, "st.shared")
	if got != hashIteration || accesses != hashAccesses || strings.Count(text, "atom.shared") != 1 {
		t.Errorf("%+v and %d accesses counted, priced %+v and %d:\n%s", got, accesses, hashIteration, hashAccesses, text)
	}
}

// maskStreams were drawn after the formulas were final.
var maskStreams = []string{
	"cells:n=65536,k=30000,ppc=6,shift=0.3,seed=601",
	"uniform:n=65536,k=3000,seed=603",
	"runs:n=65536,k=20000,len=5,seed=605",
	"markov:n=65536,k=50000,stay=0.3,w=16,seed=602",
	"zipf:n=65536,k=60000,s=0.7,shuffle=1,seed=604",
	"window:n=65536,k=65536,w=24,hold=40,seed=606",
	"image:n=65536,k=60000,scale=32,noise=0.2,seed=607",
	"sorted:n=65536,k=9000,seed=608",
	"stride:n=65536,k=60000,step=33",
	"hotspot:n=65536,k=40000,h=300,p=0.5,seed=609",
	"hotspot:n=65536,k=20000,h=2,p=0.8,seed=701",
	"zipf:n=65536,k=9000,s=1.6,shuffle=1,seed=702",
}

// TestHashedMasksAgainstSimulator: floats, which all of these devices add at once, are priced within a
// quarter of their simulated times; doubles, most of which they add by a loop, within as much times
// what peers by ballots are off.
func TestHashedMasksAgainstSimulator(t *testing.T) {
	streams, checked, faster := maskStreams[:3], 0, 0
	if golden.Full() {
		streams = maskStreams
	}
	list := []impl.Spec{parse(t, "peers"), parse(t, "peers:masks=hash")}
	for _, name := range []string{"c2075", "gtx680", "gtx980", "h200"} {
		d := *builtin(t, name)
		d.Launch.LaterStart.Value = 0 // which the simulator has not
		for _, typ := range []device.Type{device.F32, device.F64} {
			call := device.Call{Type: typ}
			b, err := CompileAll(list, &d, call)
			if err != nil {
				t.Fatal(err)
			}
			for _, text := range streams {
				indices, s := streamOfText(t, text)
				var us, off [2]float64
				b.US(&s, us[:])
				for i, v := range list {
					r, err := hwsim.Run(hwsim.Config{Device: &d, Call: call, Implementation: v}, indices, s.Bins)
					if err != nil || !r.Correct {
						t.Fatal(v, err)
					}
					off[i] = us[i] / r.US
				}
				if checked++; us[1] < us[0] {
					faster++
				}
				if typ == device.F32 {
					off[0] = 1
				}
				if math.Abs(math.Log(off[1]/off[0])) > math.Log(1.25) {
					t.Errorf("%s, %s, %s: %.1f us, %.2f times the simulated time; of ballots %.2f times", name,
						typ, text, us[1], off[1], off[0])
				}
			}
		}
	}
	if checked != 8*len(streams) || faster < checked/2 || faster == checked {
		t.Errorf("%d prices, of which %d lie below those of ballots", checked, faster)
	}
}
