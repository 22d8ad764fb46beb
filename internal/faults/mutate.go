package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strings"
)

// mutation is a small change of a file: now stands in place of the bytes from one offset up to
// another.
type mutation struct {
	kind     string
	from, to int
	now      string
}

// otherTokens are what a mutation puts in place of an operator or of break and continue.
var otherTokens = map[token.Token][]token.Token{
	token.ADD: {token.SUB}, token.SUB: {token.ADD}, token.MUL: {token.QUO}, token.QUO: {token.MUL},
	token.REM: {token.MUL}, token.SHL: {token.SHR}, token.SHR: {token.SHL},
	token.AND: {token.OR}, token.OR: {token.AND}, token.AND_NOT: {token.AND},
	token.LSS: {token.LEQ, token.GEQ}, token.LEQ: {token.LSS, token.GTR},
	token.GTR: {token.GEQ, token.LEQ}, token.GEQ: {token.GTR, token.LSS},
	token.EQL: {token.NEQ}, token.NEQ: {token.EQL}, token.LAND: {token.LOR}, token.LOR: {token.LAND},
	token.ADD_ASSIGN: {token.SUB_ASSIGN}, token.SUB_ASSIGN: {token.ADD_ASSIGN},
	token.MUL_ASSIGN: {token.QUO_ASSIGN}, token.QUO_ASSIGN: {token.MUL_ASSIGN},
	token.OR_ASSIGN: {token.AND_ASSIGN}, token.INC: {token.DEC}, token.DEC: {token.INC},
	token.BREAK: {token.CONTINUE}, token.CONTINUE: {token.BREAK},
}

// otherCalls are what a mutation calls in place of a function.
var otherCalls = map[string]string{"min": "max", "max": "min", "math.Min": "math.Max",
	"math.Max": "math.Min", "math.Floor": "math.Ceil", "math.Ceil": "math.Floor"}

// mutations lists the changes of a file: another operator, a number that is one more, one less or
// twice as large, a condition negated, a statement left out, the zero value returned, the other of
// minimum and maximum, and two arguments exchanged. Not all of them compile.
func mutations(name string, source []byte) ([]mutation, error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, name, source, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	f := &finder{source: source, offset: func(p token.Pos) int { return files.Position(p).Offset }}
	ast.Walk(visitor{f, nil}, file)
	return f.found, nil
}

// finder collects the mutations of a file.
type finder struct {
	source []byte
	offset func(token.Pos) int
	found  []mutation
}

func (f *finder) text(n ast.Node) string {
	return string(f.source[f.offset(n.Pos()):f.offset(n.End())])
}

func (f *finder) replace(kind string, n ast.Node, now string) {
	f.found = append(f.found, mutation{kind, f.offset(n.Pos()), f.offset(n.End()), now})
}

func (f *finder) operator(at token.Pos, old token.Token) {
	from := f.offset(at)
	for _, now := range otherTokens[old] {
		f.found = append(f.found, mutation{"operator", from, from + len(old.String()), now.String()})
	}
}

// visitor walks a file. It knows what the function around a statement returns.
type visitor struct {
	*finder
	results *ast.FieldList
}

// Visit collects the mutations of a node.
func (v visitor) Visit(n ast.Node) ast.Visitor {
	switch n := n.(type) {
	case *ast.ImportSpec:
		return nil
	case *ast.FuncDecl:
		v.results = n.Type.Results
	case *ast.FuncLit:
		v.results = n.Type.Results
	case *ast.ForStmt: // without its last part, by which it ends
		if n.Init != nil {
			ast.Walk(v, n.Init)
		}
		if n.Cond != nil {
			ast.Walk(v, n.Cond)
		}
		ast.Walk(v, n.Body)
		return nil
	case *ast.BinaryExpr:
		v.operator(n.OpPos, n.Op)
	case *ast.BranchStmt:
		v.operator(n.TokPos, n.Tok)
	case *ast.IncDecStmt:
		v.operator(n.TokPos, n.Tok)
		v.replace("statement", n, "")
	case *ast.AssignStmt:
		v.operator(n.TokPos, n.Tok)
		if n.Tok != token.DEFINE {
			v.replace("statement", n, "")
		}
	case *ast.ExprStmt:
		v.replace("statement", n, "")
	case *ast.IfStmt:
		v.replace("condition", n.Cond, "!("+v.text(n.Cond)+")")
	case *ast.BasicLit:
		v.number(n)
	case *ast.CallExpr:
		v.call(n)
	case *ast.ReturnStmt:
		v.zero(n)
	}
	return v
}

func (f *finder) number(n *ast.BasicLit) {
	switch n.Kind {
	case token.INT:
		f.replace("number", n, "("+n.Value+" + 1)")
		f.replace("number", n, "("+n.Value+" - 1)")
	case token.FLOAT:
		f.replace("number", n, "(2 * "+n.Value+")")
	}
}

func (f *finder) call(n *ast.CallExpr) {
	if now, ok := otherCalls[f.text(n.Fun)]; ok {
		f.replace("call", n.Fun, now)
		return // whose arguments stand in any order
	}
	for i := 1; i < len(n.Args); i++ {
		a, b := n.Args[i-1], n.Args[i]
		if x, y := f.text(a), f.text(b); x != y {
			between := string(f.source[f.offset(a.End()):f.offset(b.Pos())])
			f.found = append(f.found,
				mutation{"arguments", f.offset(a.Pos()), f.offset(b.End()), y + between + x})
		}
	}
}

// zero gives the zero value of its type in place of each result.
func (v visitor) zero(n *ast.ReturnStmt) {
	var types []string
	if v.results != nil {
		for _, field := range v.results.List {
			types = append(types, slices.Repeat([]string{v.text(field.Type)}, max(1, len(field.Names)))...)
		}
	}
	if len(types) != len(n.Results) {
		return
	}
	for i, result := range n.Results {
		if !slices.Contains([]string{"nil", "0", "false", `""`, types[i] + "{}"}, v.text(result)) {
			v.replace("result", result, "*new("+types[i]+")")
		}
	}
}

// fault is the mutation as one that can be listed: of whole lines, with those before them where the
// lines stand more than once.
func (m mutation) fault(file string, source []byte) fault {
	text := string(source)
	from := strings.LastIndex(text[:m.from], "\n") + 1
	to := len(text)
	if at := strings.IndexByte(text[m.to:], '\n'); at >= 0 {
		to = m.to + at
	}
	for from > 0 && strings.Count(text, text[from:to]) > 1 {
		from = strings.LastIndex(text[:from-1], "\n") + 1
	}
	return fault{name: fmt.Sprintf("%s, line %d", m.kind, 1+strings.Count(text[:m.from], "\n")), file: file,
		old: text[from:to], now: text[from:m.from] + m.now + text[m.to:to], pkg: path.Dir(file), tests: all}
}
