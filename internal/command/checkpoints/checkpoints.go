// Package checkpoints keeps the finished parts of a command in a checkpoint beside its output, which goes once the
// output is written.
//
// A command that works for long keeps each step so, or by a checkpoint.Kind where the file is a format of
// its own. One process alone writes it, a line for each step in one write. The next run drops half a
// line at its end and refuses what stands behind a failed write. Results are written by
// wholefile.Write.
//
// The checkpoints of all commands, those of other packages among them:
//
//	command                                      checkpoint                           keeps
//	train --out FILE (also --target dispatch)    FILE.journal, or --journal        simulated points, streams
//	report --out PAGE                            PAGE.journal                      break-even points
//	atomprobe measure                            journal.jsonl, which stays        finished jobs
//	atomlab validate kernels --simulate FILE     FILE.journal                      simulated calls
//	atomlab bench rows --simulate                the table itself                  simulated calls
//	atomlab reproduce --out FOLDER               PAPER.journal, or --journal       simulated times
//
// A command without an output file keeps nothing, and neither does reproduce of a paper whose simulations
// are short. "atomprobe time" prints what it has timed when it is interrupted. Other commands read their
// input again.
package checkpoints

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"

	"github.com/atomtune/atomtune/internal/checkpoint"
	"github.com/atomtune/atomtune/internal/command"
	"github.com/atomtune/atomtune/internal/wholefile"
)

// Parts are those of one output. Without an output they are kept nowhere.
type Parts[T any] struct {
	Done       []T // what the checkpoint holds
	env        *command.Env
	checkpoint *checkpoint.File
	stays      func() // once there is a part
}

// Binary is a hash of the program's file: programs of another simulator have another one.
func Binary() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	program, err := os.ReadFile(path)
	sum := sha256.Sum256(program)
	return hex.EncodeToString(sum[:8]), err
}

// Open opens the checkpoint of an output that this program makes of something, and refuses one of
// something else, or of another program.
func Open[T any](e *command.Env, output, of string) (*Parts[T], error) {
	if output == "" {
		return &Parts[T]{}, nil
	}
	program, err := Binary()
	if err != nil {
		return nil, err
	}
	path := output + ".journal"
	kind := checkpoint.Kind[string, T]{
		Refuse: func(found, asked string) error {
			if found != asked {
				return fmt.Errorf("it is of %s, not of %s: remove it to start over", found, asked)
			}
			return nil
		},
	}
	j, _, done, err := kind.Open(path, of+", by program "+program)
	if err != nil {
		return nil, err
	}
	p := &Parts[T]{done, e, j, wholefile.Temporary(path)}
	if len(done) > 0 {
		p.keeps()
	}
	return p, nil
}

// keeps says that an interruption leaves the checkpoint.
func (p *Parts[T]) keeps() {
	p.stays()
	p.env.Keeps("%s has the finished part; the same command resumes", p.checkpoint.Name())
}

func (p *Parts[T]) Keep(part T) error {
	err := p.checkpoint.Append(part)
	if err == nil && p.checkpoint != nil {
		p.Done = append(p.Done, part)
		p.keeps()
	}
	return err
}

// End ends the checkpoint, and removes it once the output is written, or where it keeps nothing.
func (p *Parts[T]) End(written bool) error {
	switch {
	case p.checkpoint == nil:
		return nil
	case written || len(p.Done) == 0:
		return p.checkpoint.Remove()
	}
	return p.checkpoint.Close()
}
