package command

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/atomtune/atomtune/internal/wholefile"
)

// grace is how long a command may still work after a signal, and patience how long the end of the
// program waits for a result that is being printed.
const (
	grace    = 200 * time.Millisecond
	patience = 100 * time.Millisecond
)

// process is what Env keeps of a command while it runs.
type process struct {
	ctx      context.Context
	printing sync.Mutex // held while a result is written to standard output, and once no more may be
	telling  sync.Mutex // guards what follows, and standard error
	told     telling    // how standard error stands
	kept     string     // what an interruption leaves, and how to go on
}

// telling is what a text leaves on standard error.
type telling int

const (
	whole telling = iota // a line with its end
	drawn                // one that is to be drawn again
	last                 // nothing may follow
)

// Main carries out the command line of this process and ends it. SIGINT and SIGTERM end the context of
// the command; where it goes on working nevertheless, the program ends without it. That is safe: files
// are written under temporary names, which are removed, and checkpoints line by line.
func (e *Env) Main(root *cobra.Command) {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	os.Exit(e.runUntil(signals, root, os.Args[1:]))
}

// runUntil is Run until a signal comes. A second signal takes the time away that the first one leaves.
func (e *Env) runUntil(signals <-chan os.Signal, root *cobra.Command, args []string) int {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	ended := make(chan int, 1)
	go func() { ended <- e.RunContext(ctx, root, args) }()
	select {
	case code := <-ended:
		return code
	case <-signals:
	}
	cancel()
	select {
	case code := <-ended:
		return code
	case <-signals:
	case <-time.After(grace):
	}
	e.abandon()
	return ExitInterrupted
}

// Context is that of the command, which a signal ends.
func (e *Env) Context() context.Context {
	if e.process.ctx == nil {
		return context.Background()
	}
	return e.process.ctx
}

// Keeps says what is left after an interruption from now on, and how to go on, in the words that stand
// behind "interrupted: ", replacing earlier ones. Without it the same command starts over.
func (e *Env) Keeps(format string, args ...any) {
	e.process.telling.Lock()
	defer e.process.telling.Unlock()
	e.process.kept = fmt.Sprintf(format, args...)
}

// interruption says what an interruption has left, the files that are written.
func (e *Env) interruption(written []string) string {
	e.process.telling.Lock()
	defer e.process.telling.Unlock()
	switch {
	case e.process.kept != "":
		return "interrupted: " + e.process.kept
	case len(written) == 0:
		return "interrupted: nothing was written; the same command starts over"
	}
	text := written[len(written)-1] + " written"
	if n := len(written); n > 1 {
		text = fmt.Sprintf("%d files written, the last %s", n, written[n-1])
	}
	return "interrupted: " + text + "; the same command starts over"
}

// abandon leaves a command that does not end: what it has not finished is removed, and nothing that it
// does or says from now on is seen.
func (e *Env) abandon() {
	for end := time.Now().Add(patience); !e.process.printing.TryLock() && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
	}
	written := wholefile.End()
	told := make(chan struct{})
	go func() {
		e.tell(e.note("%s", e.interruption(written)), last)
		close(told)
	}()
	select {
	case <-told:
	case <-time.After(patience): // nobody reads standard error
	}
}

// tell writes to standard error.
func (e *Env) tell(text string, leaves telling) {
	e.process.telling.Lock()
	defer e.process.telling.Unlock()
	if e.process.told == last {
		return
	}
	if e.process.told == drawn && text[0] != '\r' {
		text = "\n" + text
	}
	io.WriteString(e.Stderr, text) // nowhere is left to report that this failed
	e.process.told = leaves
}
