package report

import (
	"fmt"
	"os"
	"sync"
	"time"

	"golang.org/x/term"

	"github.com/atomtune/atomtune/internal/command"
)

// patience is how long a command works before it shows its progress, and before it shows more.
const patience = 500 * time.Millisecond

// bar shows on one line how far a long command is. A nil bar shows nothing.
type bar struct {
	env          *command.Env
	message      string
	units        Units
	mutex        sync.Mutex
	value, total int64
	start, last  time.Time // of the work, and of the last drawing
	shown        bool
}

type Units func(int64) string

func UnitsDefault(n int64) string { return Count(uint64(n)) }

func UnitsBytes(n int64) string { return Bytes(float64(n)) }

// NewBar returns a bar for a total, 0 if unknown; nil if standard error is not a terminal.
func NewBar(e *command.Env, message string, total int64, units Units) *bar {
	f, ok := e.Stderr.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return nil
	}
	return makeBar(e, message, total, units)
}

func makeBar(e *command.Env, message string, total int64, units Units) *bar {
	now := e.Now()
	return &bar{env: e, message: message, total: total, units: units, start: now, last: now}
}

// Set moves the bar, and shows it once the work takes long.
func (b *bar) Set(value int64) { b.SetOf(value, -1) }

// SetOf moves a bar whose total is known only now, or not if it is negative.
func (b *bar) SetOf(value, total int64) {
	if b == nil {
		return
	}
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if b.value = value; total >= 0 {
		b.total = total
	}
	if now := b.env.Now(); now.Sub(b.last) > patience {
		b.last = now
		b.draw("")
	}
}

// Show draws the bar at once.
func (b *bar) Show() {
	if b != nil {
		b.draw("")
	}
}

func (b *bar) draw(end string) {
	text := b.message
	if b.total > 0 {
		text += ": " + b.units(b.value) + " of " + b.units(b.total)
	}
	if done := b.last.Sub(b.start); b.value > 0 && b.value < b.total && end == "" {
		left := time.Duration(float64(done) * float64(b.total-b.value) / float64(b.value))
		text += fmt.Sprintf(", about %v left", left.Round(time.Second))
	}
	b.env.Draw(text, end)
	b.shown = end == ""
}

// Cut makes the bar say how far its work came that ended too early.
func (b *bar) Cut() {
	if b != nil && b.shown {
		b.draw(", stopped\n")
	}
}

func (b *bar) Stop() {
	if b != nil && b.shown {
		b.draw("\n")
	}
}
