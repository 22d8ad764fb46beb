package calls

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/atomtune/atomtune/bindings/gpu/driver"
	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/internal/wholefile"
)

// ErrCompanion reports that the program that measures sort, segreduce and
// partition is not there, failed, or measures another GPU.
var ErrCompanion = errors.New("companion program")

const (
	companionName     = "atomtune-companion"
	companionGreeting = "atomtune-companion 1 "
	companionPatience = 2 * time.Minute // for one answer
)

// FindCompanion returns the program that measures sort, segreduce and partition: that of the path,
// or without a path atomtune-companion beside this program or in PATH, or "" if there is none. A
// name without a folder is never that of a program in the working folder. The error for a path that
// is not a program wraps ErrCompanion.
func FindCompanion(path string) (string, error) {
	if path != "" {
		found, err := exec.LookPath(path)
		if err != nil {
			return "", fmt.Errorf("%w: %w", ErrCompanion, err)
		}
		return found, nil
	}
	program, _ := os.Executable() // where it is unknown, PATH is left
	for _, name := range []string{filepath.Join(filepath.Dir(program), companionName), companionName} {
		if found, err := exec.LookPath(name); err == nil {
			return found, nil
		}
	}
	return "", nil
}

// companion is the program bindings/cuda/companion, which runs CUB's radix sort and
// segmented reductions: it reads a request a line and answers each with a line.
// It starts at the first request and ends when its input does.
type companion struct {
	path    string
	device  driver.Description
	command *exec.Cmd // nil: not running
	input   io.WriteCloser
	output  io.ReadCloser
	lines   *bufio.Scanner // of the output
	library string         // such as cub=2.8.2
}

// fail ends the program.
func (c *companion) fail(format string, args ...any) error {
	if c.command != nil {
		c.kill()
		c.close()
	}
	return fmt.Errorf("%w %s: %w", ErrCompanion, c.path, fmt.Errorf(format, args...))
}

// start runs the program and reads its greeting,
//
//	atomtune-companion 1 cub=VERSION cuda=VERSION gpu=NAME
func (c *companion) start(ctx context.Context) error {
	command := exec.Command(c.path)
	const visible = "CUDA_VISIBLE_DEVICES"
	device := visibleDevice(os.Getenv(visible), c.device.Index)
	command.Env = append(os.Environ(), visible+"="+device)
	command.Stderr = os.Stderr
	input, noInput := command.StdinPipe()
	output, noOutput := command.StdoutPipe()
	err := cmp.Or(noInput, noOutput)
	if err == nil {
		err = command.Start()
	}
	if err != nil {
		return c.fail("%w", err)
	}
	c.command, c.input, c.output, c.lines = command, input, output, bufio.NewScanner(output)
	greeting, err := c.answer(ctx)
	if err != nil {
		return err
	}
	versions, gpu, named := strings.Cut(greeting, " gpu=")
	library, ok := strings.CutPrefix(versions, companionGreeting)
	switch {
	case !ok || !named:
		return c.fail("its greeting is %q, want %q and its versions", greeting, companionGreeting)
	case gpu != c.device.Name:
		return c.fail("it measures %q, not %q", gpu, c.device.Name)
	}
	c.library, _, _ = strings.Cut(library, " ")
	return nil
}

// visibleDevice is the value of CUDA_VISIBLE_DEVICES that leaves the companion
// the one device that this program calls number index.
func visibleDevice(visible string, index int) string {
	if list := strings.Split(visible, ","); visible != "" && index < len(list) {
		return list[index]
	}
	return strconv.Itoa(index)
}

// answer waits for the next line. Without one in time the program is ended.
func (c *companion) answer(ctx context.Context) (string, error) {
	waiting, cancel := context.WithTimeout(ctx, companionPatience)
	defer cancel()
	defer context.AfterFunc(waiting, c.kill)()
	if c.lines.Scan() {
		return c.lines.Text(), nil
	}
	state := c.close()
	if waiting.Err() != nil && ctx.Err() == nil {
		return "", c.fail("no answer within %v", companionPatience)
	}
	select { // an interrupt from the keyboard may end the program before this one notices
	case <-ctx.Done():
		return "", ctx.Err()
	case <-time.After(100 * time.Millisecond):
		return "", c.fail("it ended without an answer (%v)", state)
	}
}

// ask sends a request
//
//	IMPLEMENTATION TYPE VALUE K N REPEATS FILE
//
// and fills the call with the answer,
//
//	ok MEDIAN_US MIN_US MAX_US CORRECT
func (c *companion) ask(ctx context.Context, call *recordings.Call, repeats int,
	file string) error {
	if c.command == nil {
		if err := c.start(ctx); err != nil {
			return err
		}
	}
	request := fmt.Sprintf("%s %s %s %d %d %d %s", call.Implementation, call.Call.Type,
		call.Call.Operand, call.Bins, call.Updates, repeats, file)
	if _, err := fmt.Fprintln(c.input, request); err != nil {
		return c.fail("request %q: %w", request, err)
	}
	line, err := c.answer(ctx)
	if err != nil {
		return err
	}
	if text, ok := strings.CutPrefix(line, "error "); ok {
		return c.fail("request %q: %s", request, text)
	}
	var correct int
	_, err = fmt.Sscanf(line, "ok %g %g %g %d", &call.MedianUS, &call.MinUS, &call.MaxUS, &correct)
	if err != nil || correct < 0 || correct > 1 {
		return c.fail("request %q: the answer %q is not \"ok MEDIAN MIN MAX 0|1\"", request, line)
	}
	call.Repeats, call.Correct, call.Kernel = repeats, correct == 1, c.library
	return nil
}

// kill ends the program, whoever else holds its output. It may run beside close, and so
// takes a copy.
func (c companion) kill() {
	_ = c.command.Process.Kill()
	_ = c.output.Close()
}

// close ends the input and waits for the end of the program, which it returns.
func (c *companion) close() error {
	if c == nil || c.command == nil {
		return nil
	}
	_ = c.input.Close()
	state := c.command.Wait()
	c.command = nil
	return state
}

func writeIndices(indices []uint32) (path string, err error) {
	f, err := os.CreateTemp("", "atomtune-*.u32")
	if err != nil {
		return "", err
	}
	wholefile.Temporary(f.Name()) // until it is removed, or the process ends
	_, err = f.Write(driver.Bytes(indices))
	if err = errors.Join(err, f.Close()); err != nil {
		err = errors.Join(err, os.Remove(f.Name()))
	}
	return f.Name(), err
}
