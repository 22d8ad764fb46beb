package plan_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/tuner"
	"github.com/atomtune/atomtune/tuner/plan"
)

// A service that groups records by user chooses once for each batch and keeps the choice in a file.
func Example() {
	folder, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(folder)
	file := filepath.Join(folder, "plans.txt")
	users := make([]uint32, 1<<16) // all of one user
	const bins = 4096
	h200, err := device.Builtin("h200")
	if err != nil {
		fmt.Println(err)
		return
	}
	call := device.Call{Type: device.U64}
	key := plan.NewKey(h200.Title, call, device.U32, uint64(len(users)), bins,
		func(u uint64) uint32 { return users[u] })
	for range 2 {
		kept, found := plan.Load(file, key)
		if !found {
			decision, err := tuner.ChooseStream(users, bins, h200, tuner.Options{Call: call})
			if err != nil {
				fmt.Println(err)
				return
			}
			for _, w := range decision.Warnings {
				fmt.Fprintln(os.Stderr, w.Kind, w)
			}
			first := decision.Ranking[0]
			kept = plan.Plan{Key: key, Implementation: first.Implementation, Launch: first.Launch.Launch()}
			if err := plan.Save(file, kept); err != nil {
				fmt.Println(err)
				return
			}
		}
		fmt.Println("found:", found, "plain atomics:", kept.Implementation.IsNaive())
	}
	// Output:
	// found: false plain atomics: false
	// found: true plain atomics: false
}
