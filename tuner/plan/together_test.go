package plan

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/atomtune/atomtune/internal/golden"
	"github.com/atomtune/atomtune/internal/must"
)

// saver is the environment variable with the number of a process that TestSavesTogether starts.
const saver = "ATOMTUNE_TEST_SAVER"

// TestSavesTogether: of plans that processes with several threads save to one file all are kept. There are
// 1,024 with ATOMTUNE_FULL=1.
func TestSavesTogether(t *testing.T) {
	processes, saves := 2, 2
	if golden.Full() {
		processes, saves = 8, 16
	}
	const threads = 8
	if number, err := strconv.Atoi(os.Getenv(saver)); err == nil {
		var group sync.WaitGroup
		for thread := range threads {
			group.Go(func() {
				for i := range saves {
					p := example
					p.Updates = uint64((number*threads+thread)*saves + i)
					if err := Save("plans", p); err != nil {
						t.Error(err)
					}
				}
			})
		}
		group.Wait()
		return
	}
	folder, self := t.TempDir(), must.Get(os.Executable())(t)
	var group sync.WaitGroup
	for number := range processes {
		cmd := exec.Command(self, "-test.run=^"+t.Name()+"$")
		cmd.Dir, cmd.Env = folder, append(os.Environ(), saver+"="+strconv.Itoa(number))
		group.Go(func() {
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
	group.Wait()
	text := must.Get(os.ReadFile(filepath.Join(folder, "plans")))(t)
	kept := map[uint64]bool{}
	for line := range strings.Lines(string(text)) {
		if p, err := Parse(strings.TrimSuffix(line, "\n")); err == nil {
			kept[p.Updates] = true
		}
	}
	if want := processes * threads * saves; len(kept) != want {
		t.Errorf("%d of %d plans are kept", len(kept), want)
	}
}
