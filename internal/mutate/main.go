// Command mutate plants small mutations in packages, one at a time, and prints those that their tests do
// not notice; script/mutate runs it. The mutations are drawn at random from the packages named. One is
// judged by the tests of its package and of the three of fewest dependencies that import it. What
// survives asks for a test of what the code is to do, or changes nothing that a test can see.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// options say which mutations are planted.
type options struct {
	draw          int
	seed          uint64
	changed, list string
	print         bool
	packages      []string
}

func main() {
	var o options
	flag.IntVar(&o.draw, "draw", 20, "how many `mutations` to draw")
	flag.Uint64Var(&o.seed, "seed", 1, "the seed of the draw")
	flag.StringVar(&o.changed, "changed", "", "draw from the lines that differ from this `revision`")
	flag.StringVar(&o.list, "list", "", "plant the mutations of this `file`, as --print prints them")
	flag.BoolVar(&o.print, "print", false, "print the mutations and plant none")
	flag.Parse()
	if o.packages = flag.Args(); len(o.packages) == 0 {
		o.packages = []string{"./..."}
	}
	if err := run(o, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(1)
	}
}

// run plants mutations in the module of the working directory, as many at once as there are cores.
func run(o options, out io.Writer) error {
	all, err := packages("./...")
	if err != nil {
		return err
	}
	chosen, err := o.mutations()
	if err != nil {
		return err
	}
	if o.print {
		for _, m := range chosen {
			err = errors.Join(err, json.NewEncoder(out).Encode(m))
		}
		return err
	}
	var workers sync.WaitGroup
	var printing sync.Mutex
	next, counts := make(chan mutation), map[string]int{}
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for m := range next {
				verdict, why := m.plant(all)
				printing.Lock()
				counts[verdict]++
				fmt.Fprintf(out, "%-8s %s/%s:%d: %s (%s)\n", verdict, m.Package, m.File, m.Line, m.Kind, why)
				if verdict != caught {
					fmt.Fprintf(out, "- %s\n+ %s\n", m.Old, m.Now)
				}
				printing.Unlock()
			}
		})
	}
	for _, m := range chosen {
		next <- m
	}
	close(next)
	workers.Wait()
	judged := counts[caught] + counts[survived]
	fmt.Fprintf(out, "%d of %d mutations are caught, %.0f %%\n", counts[caught], judged,
		100*float64(counts[caught])/float64(max(1, judged)))
	if counts[broken] > 0 {
		return fmt.Errorf("%d could not be judged", counts[broken])
	}
	return nil
}

// mutations are those of the list, or a sample of those of the packages that compile. The same seed gives
// the same in the same tree.
func (o options) mutations() (chosen []mutation, err error) {
	if o.list != "" {
		text, err := os.ReadFile(o.list)
		for d := json.NewDecoder(bytes.NewReader(text)); err == nil && d.More(); {
			var m mutation
			err = d.Decode(&m)
			chosen = append(chosen, m)
		}
		return chosen, err
	}
	if o.changed != "" {
		if out, err := exec.Command("git", "rev-parse", "--verify", o.changed+"^{tree}").CombinedOutput(); err != nil {
			return nil, fmt.Errorf("%s: %s", o.changed, out)
		}
	}
	all, err := o.candidates()
	if err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(o.seed, 0))
	rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	for i := 0; i < len(all) && len(chosen) < o.draw; i++ {
		if _, err := all[i].run("vet", all[i].Package); err == nil {
			chosen = append(chosen, all[i])
		}
	}
	if len(chosen) < o.draw {
		fmt.Fprintf(os.Stderr, "only %d mutations were found that compile\n", len(chosen))
	}
	return chosen, nil
}

// candidates are the mutations of the packages, besides generated files.
func (o options) candidates() (all []mutation, err error) {
	some, err := packages(o.packages...)
	if err != nil {
		return nil, err
	}
	for _, p := range some {
		for _, name := range slices.Concat(p.GoFiles, p.CgoFiles) {
			source, err := os.ReadFile(filepath.Join(p.Dir, name))
			if err != nil {
				return nil, err
			}
			if bytes.HasPrefix(source, []byte("// Code generated")) {
				continue
			}
			list, err := mutations(source)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			before, lines := o.before(p.Dir, name), strings.Split(string(source), "\n")
			for _, m := range list {
				if o.changed == "" || !slices.Contains(before, lines[m.Line-1]) {
					m.Package, m.File, m.folder = p.ImportPath, name, p.Dir
					all = append(all, m)
				}
			}
		}
	}
	return all, nil
}

// before returns the lines that a file had in the revision with which it is compared, none where there
// was no such file.
func (o options) before(folder, name string) []string {
	c := exec.Command("git", "show", o.changed+":./"+name)
	c.Dir = folder
	out, _ := c.Output()
	return strings.Split(string(out), "\n")
}
