// Package source writes dispatch trees as source code without dependencies: the nodes and
// candidates as tables, and but for CUDA the functions that sample a stream and walk a tree.
package source

//go:generate go run ../../../cmd/atomtune export --to cuda --out ../../../bindings/cuda/atomtune_trees.cuh
//go:generate go run ../../../cmd/atomtune export --to python --out ../../../bindings/python/atomtune/_tree.py

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"go/format"
	"slices"
	"strings"
	"sync"
	"text/template"
	"unicode"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/internal/visible"
	"github.com/atomtune/atomtune/tuner/dispatch"
)

// ErrTarget reports a target that no source is written for, or trees that it cannot hold.
var ErrTarget = errors.New("bad target of an export")

//go:embed *.tmpl
var files embed.FS

var templates = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(template.FuncMap{
		"comma":      func(list []string) string { return wrapped(list, ", ", "    ") },
		"quote":      func(text string) string { return fmt.Sprintf("%q", text) },
		"comment":    comment,
		"l2":         l2Bytes,
		"bases":      func() string { return distinct(func(f form) string { return f.Algorithm }) },
		"reductions": func() string { return distinct(func(f form) string { return f.Reduction }) },
	}).ParseFS(files, "*.tmpl"))
})

// l2Bytes is the size of L2 of a built-in device, 0 of another.
func l2Bytes(name string) uint64 {
	d, err := device.Builtin(name)
	if err != nil {
		return 0
	}
	return uint64(d.Memory.L2Bytes.Value)
}

// comment is a text that ends no comment, and does not draw the next line into it.
func comment(text string) string {
	text = strings.ReplaceAll(visible.Line(text), "*/", "* /")
	if strings.HasSuffix(text, `\`) {
		text += "."
	}
	return text
}

// Targets lists what Write can write.
func Targets() []string { return []string{"cuda", "c", "go", "json", "python", "text"} }

// Write returns the source of trees. Errors wrap ErrTarget, or dispatch.ErrTree for a tree that
// is none.
func Write(target string, trees ...*dispatch.Tree) ([]byte, error) {
	list, err := named(trees)
	if err != nil {
		return nil, err
	}
	if target == "json" {
		if len(trees) != 1 {
			return nil, fmt.Errorf("%w: a json file holds one tree, not %d", ErrTarget, len(trees))
		}
		return trees[0].Encode()
	}
	t := templates().Lookup(target + ".tmpl")
	if t == nil {
		return nil, fmt.Errorf("%w: %q, want %s", ErrTarget, target, strings.Join(Targets(), ", "))
	}
	var out bytes.Buffer
	data := struct {
		Trees    []tree
		Features []string
		Forms    []form
	}{list, dispatch.Names(), forms}
	if err := t.Execute(&out, data); err != nil {
		return nil, err
	}
	if target == "go" {
		return format.Source(out.Bytes())
	}
	return out.Bytes(), nil
}

// tree is a tree with the name that its tables have.
type tree struct {
	*dispatch.Tree
	Name string
}

// named gives each tree a name that is an identifier in every language.
func named(trees []*dispatch.Tree) (list []tree, err error) {
	places := map[string]string{}
	for _, t := range trees {
		if err := t.Check(); err != nil {
			return nil, err
		}
		name := strings.Map(func(r rune) rune {
			if r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
				return unicode.ToLower(r)
			}
			return '_'
		}, t.Device)
		if other, there := places[name]; there || name == "" {
			return nil, fmt.Errorf("%w: trees of %q and %q are both named %q", ErrTarget, other,
				t.Device, name)
		}
		places[name] = t.Device
		list = append(list, tree{t, name})
	}
	return list, nil
}

// Rows returns the nodes by a format of threshold, right child or candidate, and feature.
func (t tree) Rows(format string) (list []string) {
	for _, n := range t.Nodes {
		list = append(list, fmt.Sprintf(format, n.Threshold, n.Right, n.Feature))
	}
	return list
}

// Acts returns the candidates as the sources name them.
func (t tree) Acts() (list []candidate) {
	for _, a := range t.Candidates {
		list = append(list, candidateOf(a))
	}
	return list
}

// A candidate is what a kernel needs to know of one.
type candidate struct {
	Algorithm, Reduction string
	Copies, Pad          int
	Parameter            int // ranges, slots or width
	Name                 string
}

func candidateOf(a dispatch.Candidate) candidate {
	v := a.Implementation
	out := candidate{Algorithm: algorithmOf(v), Reduction: reductionOf(v),
		Copies: v.R(), Pad: v.Apart(), Name: v.String()}
	out.Parameter = max(v.Slots, v.Width)
	if v.G() > 1 {
		out.Parameter = v.G()
	}
	return out
}

// A form is what the kernels of a call that chooses on the GPU can run, by its name with one copy and with
// several: $c stands for their number there, and $p for the parameter.
type form struct{ Algorithm, Reduction, One, Several string }

// forms lists them; the enumerations of the CUDA header hold their bases and reductions.
var forms = formsOf(`naive sr match private:r=7,pad=1 private:r=7,pad=1+sr private:r=7,pad=1+match
	private:r=7,pad=1,ranges=64
	hot:s=64,r=7,sample=2048 hot:s=64,r=7,sample=2048+sr hot:s=64,r=7,sample=2048+match
	threadprivate partition:w=64,r=7`)

func formsOf(names string) (list []form) {
	marked := func(v impl.Spec) string {
		return strings.NewReplacer("r=7", "r=$c", "=64", "=$p").Replace(v.String())
	}
	for _, v := range impl.List(names) {
		one := v
		one.Replicas, one.Pad = 0, 0
		list = append(list, form{algorithmOf(v), reductionOf(v), marked(one), marked(v)})
	}
	return list
}

// distinct lists each text once, in the order of the implementations.
func distinct(of func(form) string) string {
	var list []string
	for _, f := range forms {
		if !slices.Contains(list, of(f)) {
			list = append(list, of(f))
		}
	}
	return strings.Join(list, ", ")
}

// reductionOf names the warp reduction as the CUDA header does.
func reductionOf(v impl.Spec) string {
	if !v.Reduces() {
		return "none"
	}
	return v.Reduction.String()
}

// algorithmOf names the base as the CUDA header does, which has copies of ranges apart.
func algorithmOf(v impl.Spec) string {
	switch {
	case v.AddsAtTargets():
		return "global"
	case v.G() > 1:
		return "ranges"
	case v.Algorithm.String() == "private":
		return "copies"
	}
	return v.Algorithm.String()
}

// wrapped joins items on lines of up to 96 columns.
func wrapped(list []string, separator, indent string) string {
	var out strings.Builder
	line := indent
	for i, item := range list {
		if i+1 < len(list) {
			item += separator
		}
		if len(line)+len(strings.TrimRight(item, " ")) > 96 {
			out.WriteString(strings.TrimRight(line, " ") + "\n")
			line = indent
		}
		line += item
	}
	return out.String() + strings.TrimRight(line, " ")
}
