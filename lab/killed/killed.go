// Package killed kills commands at random moments and carries them on, for tests: what they leave
// in the end must be what they leave undisturbed.
package killed

import (
	"bytes"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/atomtune/atomtune/internal/golden"
)

// Command is a command line whose work resumes where it was interrupted.
type Command struct {
	// Make returns the command, to be run in that folder. It writes nothing outside of it.
	Make func(folder string) *exec.Cmd
	// Checkpoint is the path below the folder of a file that grows with the work; empty: none.
	Checkpoint string
	// Same returns what of a file's content two runs have in common; of Stdout, what the last run
	// prints. Nil: all.
	Same func(name, content string) string
}

// Stdout is the name under which Same is given what a run prints.
const Stdout = "(standard output)"

// ErrDiffers reports that another result was left than by an undisturbed run.
var ErrDiffers = errors.New("not the result of an undisturbed run")

// longestChain is how often the work in one folder is killed at most.
const longestChain = 3

// Report says what was tried.
type Report struct {
	Kills   int           // runs that were killed before their end
	Grown   int           // of them, right after the checkpoint had grown
	Folders int           // times that the work was begun and carried on to its end
	Length  time.Duration // of an undisturbed run, the shortest
}

// Try runs the command undisturbed, then kills it so many times: at moments drawn uniformly over what
// is left of the run, and half the time right after the checkpoint has grown by so many lines. What was
// killed is run again, until it ends by itself, in one folder after another. Errors wrap ErrDiffers,
// or say how the command failed.
func (c Command) Try(scratch string, kills int, seed uint64) (r Report, err error) {
	random := rand.New(rand.NewPCG(seed, 0))
	start := time.Now()
	want, err := c.finish(filepath.Join(scratch, "undisturbed"))
	if err != nil {
		return r, err
	}
	r.Length = time.Since(start)
	lines := max(8, strings.Count(want[c.Checkpoint], "\n"))
	for r.Kills < kills {
		if r.Folders > 10*kills {
			return r, fmt.Errorf("only %d of %d runs could be killed", r.Kills, r.Folders)
		}
		folder := filepath.Join(scratch, fmt.Sprint(r.Folders))
		r.Folders++
		before := r
		for range longestChain {
			growth, left := 0, max(1, lines-c.lines(folder))
			if c.Checkpoint != "" && random.IntN(2) == 0 {
				growth = 1 + random.IntN(left)
			}
			begun, share := time.Now(), float64(left)/float64(lines)
			killed, err := c.kill(folder, growth,
				time.Duration(random.Float64()*float64(r.Length)*share))
			if err != nil {
				return r, err
			}
			if !killed { // it was faster than was thought
				r.Length = min(r.Length, time.Duration(float64(time.Since(begun))/share))
				break
			}
			if r.Kills++; growth > 0 {
				r.Grown++
			}
		}
		got, err := c.finish(folder)
		if err == nil {
			err = differs(got, want)
		}
		if err != nil {
			return r, fmt.Errorf("after %d kills in %s, with seed %d: %w", r.Kills-before.Kills, folder, seed,
				err)
		}
		if err := os.RemoveAll(folder); err != nil {
			return r, err
		}
	}
	return r, nil
}

// kill begins the command and kills it after so many growths of the checkpoint, if there are any, else
// after a time. A command that ends before was not killed.
func (c Command) kill(folder string, growths int, after time.Duration) (killed bool, err error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return false, err
	}
	command := c.Make(folder)
	size := c.checkpointBytes(folder)
	if err := command.Start(); err != nil {
		return false, err
	}
	ended := make(chan error, 1)
	go func() { ended <- command.Wait() }()
	begun := time.Now()
	for {
		select {
		case err := <-ended:
			return false, err
		case <-time.After(100 * time.Microsecond):
		}
		if now := c.checkpointBytes(folder); growths > 0 && now > size {
			growths--
			size = now
			if growths > 0 {
				continue
			}
		} else if growths > 0 || time.Since(begun) < after {
			continue
		}
		if err := command.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
			return false, err
		}
		return <-ended != nil, nil
	}
}

// lines counts those of the checkpoint.
func (c Command) lines(folder string) int {
	data, _ := os.ReadFile(filepath.Join(folder, c.Checkpoint)) // where it is not there it has none
	return bytes.Count(data, []byte("\n"))
}

func (c Command) checkpointBytes(folder string) int64 {
	info, err := os.Stat(filepath.Join(folder, c.Checkpoint))
	if c.Checkpoint == "" || err != nil {
		return 0
	}
	return info.Size()
}

// finish runs the command to its end and returns what it printed and left, by name.
func (c Command) finish(folder string) (map[string]string, error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, err
	}
	command := c.Make(folder)
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	if err := command.Run(); err != nil || stderr.Len() > 0 {
		return nil, fmt.Errorf("%s: %w: %s", command, err, &stderr)
	}
	left := map[string]string{Stdout: stdout.String()}
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		name, _ := filepath.Rel(folder, path) // it is below
		left[filepath.ToSlash(name)] = string(data)
		return err
	})
	for name, content := range left {
		if c.Same != nil {
			left[name] = c.Same(name, content)
		}
	}
	return left, err
}

// differs says what of one result is not that of another.
func differs(got, want map[string]string) error {
	names := slices.Sorted(maps.Keys(got))
	if all := slices.Sorted(maps.Keys(want)); !slices.Equal(names, all) {
		return fmt.Errorf("%w: it left %q, want %q", ErrDiffers, names, all)
	}
	for _, name := range names {
		if got[name] != want[name] {
			return fmt.Errorf("%w: %s: %s", ErrDiffers, name, place(got[name], want[name]))
		}
	}
	return nil
}

// place quotes two contents where they differ first.
func place(got, want string) string {
	at := 0
	for at < min(len(got), len(want)) && got[at] == want[at] {
		at++
	}
	around := func(s string) string { return s[max(0, at-40):min(len(s), at+80)] }
	return fmt.Sprintf("byte %d, %q, want %q", at, around(got), around(want))
}

// Kills is how many times tests kill each command: few, and 200 with ATOMTUNE_FULL.
func Kills() int {
	if golden.Full() {
		return 200
	}
	return 2
}

// Check tries a command in a folder of the test's, with Kills and a seed that is its name, and says
// how it went.
func (c Command) Check(t *testing.T) {
	t.Helper()
	name := fnv.New64()
	name.Write([]byte(t.Name()))
	r, err := c.Try(t.TempDir(), Kills(), name.Sum64())
	if err != nil {
		t.Error(err)
	}
	t.Logf("%d kills in %d folders, %d of them after the journal grew; undisturbed it takes %v", r.Kills,
		r.Folders, r.Grown, r.Length.Round(time.Millisecond))
}

// CheckInterrupt interrupts a program's command once its checkpoint has so many lines. It has to end with code 130
// and one line that says whether the checkpoint keeps something, which is returned.
func CheckInterrupt(t *testing.T, program string, command *exec.Cmd, checkpoint string, lines int) (keeps bool) {
	t.Helper()
	c := Command{Checkpoint: filepath.Base(checkpoint)}
	var stderr bytes.Buffer
	command.Stderr = &stderr
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(time.Minute); c.lines(filepath.Dir(checkpoint)) < lines; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("no journal was begun")
		}
	}
	if err := command.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = command.Wait() // its exit code says how it ended
	_, err := os.Stat(checkpoint)
	if code := command.ProcessState.ExitCode(); code != 130 || strings.Count(stderr.String(), "\n") != 1 ||
		!strings.HasPrefix(stderr.String(), program+": interrupted: ") ||
		strings.Contains(stderr.String(), checkpoint) != (err == nil) {
		t.Errorf("interrupted after %d lines: exit code %d, %q, checkpoint: %v", lines, code, stderr.String(), err)
	}
	return err == nil
}

// SortedLines are the lines of a content in order: those of a checkpoint come as they are finished.
func SortedLines(content string) string {
	return strings.Join(slices.Sorted(strings.Lines(content)), "")
}

// WithoutLines are the lines of a content in which none of the words stands, such as the key of a
// time.
func WithoutLines(content string, words ...string) string {
	var kept strings.Builder
	for line := range strings.Lines(content) {
		if !slices.ContainsFunc(words, func(w string) bool { return strings.Contains(line, w) }) {
			kept.WriteString(line)
		}
	}
	return kept.String()
}
