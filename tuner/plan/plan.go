// Package plan keeps choices as text, to be looked up by whoever makes the same call again. A file
// holds many plans, each a line of fields NAME=VALUE behind the first line
//
//	atomtune-plan 1
//
// Whoever writes it keeps the lines of others, also those that it cannot read: a plan of another
// version, or one that names an implementation that this version does not have, is a miss and
// never an error.
//
// Whoever changes a file FILE, behind links, holds the lock of FILE.lock beside it from before FILE is read
// until it is replaced: flock(2), or LockFileEx on Windows. FILE.lock is empty and stays. Save does so,
// and so do atomtune_save_plan of the C library and save_plan of atomtune_plan_text.cuh; for a script there
// is flock(1). Who only reads needs no lock.
package plan

import (
	"fmt"
	"strings"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
)

// Version is the version of plans made here. It changes with whatever makes an old choice a bad
// one: the implementations, their launches or what chooses among them.
const Version = "0.1"

// ParseIndex reads the type of the indices of a stream. The error wraps ErrPlan.
func ParseIndex(name string) (device.Type, error) {
	t, err := device.ParseIndex(name)
	if err != nil {
		return 0, fmt.Errorf("%w: %w", ErrPlan, err)
	}
	return t, nil
}

// Key says for what a plan was made. A plan serves a call whose key is equal in all fields.
type Key struct {
	Device  string // as its driver calls it
	Version string // of what chose
	Op      device.Op
	Type    device.Type
	Operand device.Operand
	Index   device.Type // an integer
	Returns bool
	Updates uint64
	Bins    uint64 // number of targets
	Sample  uint64 // hash of some targets, see Sample
}

// Plan is a choice that was made for a key.
type Plan struct {
	Key
	Implementation impl.Spec
	Launch         device.Launch // of the main kernel; zero stands for the device's rule
}

// escape returns a name as fields hold it: with _ for each blank, and %XX for a byte that is _, % or a control
// character.
func escape(name string) string {
	var b strings.Builder
	for _, c := range []byte(name) {
		switch {
		case c == ' ':
			b.WriteByte('_')
		case c < ' ' || c == 0x7f || c == '_' || c == '%':
			fmt.Fprintf(&b, "%%%02X", c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// rule stands for a launch that the device's rule gives.
const rule = "rule"

// String returns the line of the plan, without a line break. Parse reads it back.
func (p Plan) String() string {
	returns, launch := 0, rule
	if p.Returns {
		returns = 1
	}
	if p.Launch != (device.Launch{}) {
		launch = p.Launch.String()
	}
	return fmt.Sprintf("device=%s version=%s op=%s type=%s value=%s index=%s returns=%d "+
		"updates=%d bins=%d sample=%016x implementation=%s launch=%s", escape(p.Device), escape(p.Version),
		p.Op, p.Type, p.Operand, p.Index, returns, p.Updates, p.Bins, p.Sample, p.Implementation, launch)
}
