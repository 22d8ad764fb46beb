package input

import (
	"github.com/atomtune/atomtune/internal/command"
	"github.com/atomtune/atomtune/internal/command/report"
)

// Answers are those for the paths that have one, and faults the errors of the others, which are wrong use only
// where there is no answer.
func Answers[D any](paths []string, answer func(path string) (D, error)) (docs []D, faults command.Faults) {
	for _, path := range paths {
		if doc, err := answer(path); err == nil {
			docs = append(docs, doc)
		} else {
			faults = append(faults, err)
		}
	}
	if len(docs) > 0 {
		faults = faults.Partly()
	}
	return docs, faults
}

// Each answers for each path and prints the answers: that for one path by itself, those for several
// as one document {"files": [...]}. Paths without an answer are left out, and their errors returned
// as command.Faults after the rest is printed.
func Each[D any](e *command.Env, paths []string, answer func(path string) (D, error),
	text func(p *report.Page, doc D)) error {
	docs, faults := Answers(paths, answer)
	if len(docs) == 0 {
		return faults
	}
	var document any = struct {
		Files []D `json:"files"`
	}{docs}
	if len(paths) == 1 {
		document = docs[0]
	}
	err := report.EmitPage(e, document, func(p *report.Page) {
		for i, d := range docs {
			if i > 0 {
				p.WriteByte('\n')
			}
			text(p, d)
		}
	})
	if len(faults) == 0 {
		return err
	}
	if err != nil {
		faults = append(faults, err)
	}
	return faults
}
