package apps

import (
	"fmt"
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/internal/golden"
)

// TestSimulated: times, kernels and instructions of every form of every application, of voting processes,
// of hash tables and of copies are what testdata/simulated.txt holds.
func TestSimulated(t *testing.T) {
	var lines []string
	for app := Histogram; app <= Summation; app++ {
		for _, f := range formsOf(app) {
			var sum golden.Digest
			for i, n := range []int{1, 40, 300, 1511, 2600} {
				cfg := AppConfig{Device: appProfile(t, appDevices[i%len(appDevices)]), Application: app,
					Type: device.F32, Seed: uint64(i), Relaid: i%2 > 0}
				if cfg.Application == Histogram {
					cfg.Type = device.U32
				}
				sum.JSON(t, f.run(t, cfg, appInput(cfg.Application, n)))
			}
			lines = append(lines, fmt.Sprintf("application %d, %s: %s", app, f, &sum))
		}
	}
	golden.Compare(t, "testdata/simulated.txt", append(lines, others(t)...))
}

// appInput is an input of n elements.
func appInput(a Application, n int) AppInput {
	switch a {
	case SpMV:
		return appMatrix("clustered", n, 1+uint64(n/7), 1+uint64(n/3))
	case PageViewCount:
		return drawViews(uint64(n), n, 1+uint64(n/20), 9, 3)
	case MergeSort:
		return AppInput{Keys: drawKeys(uint64(n), n, 1+uint64(n/2))}
	case Summation:
		return AppInput{Keys: make([]uint32, n), Bins: 1 + uint64(n/100)}
	}
	return AppInput{Keys: appKeys("clustered", n, 40), Bins: 40}
}

// others are digests of what is not an application.
func others(t *testing.T) (lines []string) {
	t.Helper()
	var votes, hashed, traces, copies golden.Digest
	add := func(sum *golden.Digest, result any, err error) {
		if err != nil {
			sum.Text("refused")
		} else {
			sum.JSON(t, result)
		}
	}
	for i := range 18 {
		d := appProfile(t, appDevices[i%len(appDevices)])
		indices := appKeys([]string{"equal", "clustered", "uniform"}[i%3], 100+150*i, 24)
		r, err := Votes{Device: d, Blocks: 1 + i%4, Threads: 32 << (i % 4), Size: 24, Replicas: 1 + i%5, Pad: i % 3,
			Map: impl.Mapping(i % 2), Seed: uint64(i),
			Spaces: []device.Type{device.U32, device.F32, device.I32}[:1+i%3]}.Run(indices)
		add(&votes, r, err)
		cfg := hwsim.Config{Device: d, Seed: uint64(i), Call: device.Call{Type: device.Types()[i%3]}}
		table := HashTable{Threads: 64 << (i % 2), Items: 1 + i%4, Slots: 64 << (i % 3), Probes: 1 + i%5}
		h, err := RunHashed(cfg, table, indices, 24)
		add(&hashed, h, err)
		p, err := TracePeers(cfg, indices[:5+i], 24)
		add(&traces, p, err)
		c, err := Copy(d, 1+1000*i, i%2 > 0)
		add(&copies, c, err)
	}
	return []string{"votes: " + votes.String(), "hashed: " + hashed.String(), "peers: " + traces.String(),
		"copies: " + copies.String()}
}
