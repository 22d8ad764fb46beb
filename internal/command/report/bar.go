package report

import (
	"fmt"
	"os"
	"time"

	"github.com/jedib0t/go-pretty/v6/progress"
	"golang.org/x/term"

	"github.com/atomtune/atomtune/internal/command"
)

// patience is how long a command works before it shows its progress.
const patience = 500 * time.Millisecond

// bar shows how far a long command is. A nil bar shows nothing.
type bar struct {
	env     *command.Env
	tracker *progress.Tracker
	start   time.Time
	writer  progress.Writer // nil until patience is over
	done    chan struct{}   // closed when the writer has stopped
}

// The units of a bar.
var (
	UnitsBytes   = progress.UnitsBytes
	UnitsDefault = progress.UnitsDefault
)

// NewBar returns a bar for a work of the given total, 0 if that is unknown,
// and nil if standard error is no terminal.
func NewBar(e *command.Env, message string, total int64, units progress.Units) *bar {
	f, ok := e.Stderr.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return nil
	}
	return makeBar(e, message, total, units)
}

func makeBar(e *command.Env, message string, total int64, units progress.Units) *bar {
	return &bar{env: e, start: e.Now(), tracker: &progress.Tracker{Message: message, Total: total, Units: units}}
}

// Set moves the bar, and shows it once the work takes long.
func (b *bar) Set(value int64) {
	if b == nil {
		return
	}
	b.tracker.SetValue(value)
	if b.writer == nil && b.env.Now().Sub(b.start) > patience {
		b.Show()
	}
}

// SetOf moves a bar whose total is known only now.
func (b *bar) SetOf(value, total int64) {
	if b != nil {
		b.tracker.UpdateTotal(total)
	}
	b.Set(value)
}

// Show starts to draw the bar.
func (b *bar) Show() {
	if b == nil {
		return
	}
	b.writer = progress.NewWriter()
	b.writer.SetOutputWriter(b.env.Stderr)
	b.writer.SetUpdateFrequency(100 * time.Millisecond)
	b.writer.SetTrackerLength(30)
	b.writer.SetTrackerPosition(progress.PositionRight)
	b.writer.Style().Options.ErrorString = "stopped"
	b.writer.AppendTracker(b.tracker)
	b.done = make(chan struct{})
	go func() {
		defer close(b.done)
		b.writer.Render()
	}()
}

// Cut makes the bar say how far its work came that ended too early.
func (b *bar) Cut() {
	if b == nil {
		return
	}
	units := b.tracker.Units
	b.tracker.UpdateMessage(fmt.Sprintf("%s: %s of %s", b.tracker.Message, units.Sprint(b.tracker.Value()), units.Sprint(b.tracker.Total)))
	b.tracker.MarkAsErrored()
}

// Stop ends the bar and returns when nothing more is drawn. The writer forgets
// a Stop that comes before its Render has begun, hence the repetition.
func (b *bar) Stop() {
	if b == nil || b.writer == nil {
		return
	}
	b.tracker.MarkAsDone()
	for {
		b.writer.Stop()
		select {
		case <-b.done:
			return
		case <-time.After(time.Millisecond):
		}
	}
}
