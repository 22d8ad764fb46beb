package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
)

// mutation is a small change of a file: Now is in place of Old, which is there once.
type mutation struct {
	Package, File string // an import path, a name in its folder
	Line          int
	Kind          string
	Old, Now      string
	folder        string
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
// twice as large, a condition negated, a statement left out, the other of minimum and maximum, and two
// arguments exchanged. Not all of them compile.
func mutations(source []byte) ([]mutation, error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "", source, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	f := &finder{source: string(source), offset: func(p token.Pos) int { return files.Position(p).Offset }}
	ast.PreorderStack(file, nil, f.visit)
	return f.found, nil
}

// finder collects the mutations of a file.
type finder struct {
	source string
	offset func(token.Pos) int
	found  []mutation
}

// add takes the mutation that puts now in place of what stands between two positions: as one of whole
// lines, with those before them where the lines stand more than once.
func (f *finder) add(kind string, from, to token.Pos, now string) {
	at, end := f.offset(from), f.offset(to)
	start, stop := strings.LastIndex(f.source[:at], "\n")+1, len(f.source)
	if i := strings.IndexByte(f.source[end:], '\n'); i >= 0 {
		stop = end + i
	}
	for start > 0 && strings.Count(f.source, f.source[start:stop]) > 1 {
		start = strings.LastIndex(f.source[:start-1], "\n") + 1
	}
	f.found = append(f.found, mutation{Line: 1 + strings.Count(f.source[:at], "\n"), Kind: kind,
		Old: f.source[start:stop], Now: f.source[start:at] + now + f.source[end:stop]})
}

func (f *finder) text(from, to token.Pos) string { return f.source[f.offset(from):f.offset(to)] }

func (f *finder) replace(kind string, n ast.Node, now string) { f.add(kind, n.Pos(), n.End(), now) }

func (f *finder) operator(at token.Pos, old token.Token) {
	for _, now := range otherTokens[old] {
		f.add("operator", at, at+token.Pos(len(old.String())), now.String())
	}
}

// visit collects the mutations of a node, which stands below others.
func (f *finder) visit(n ast.Node, above []ast.Node) bool {
	switch n := n.(type) {
	case *ast.ImportSpec:
		return false
	case *ast.BinaryExpr:
		f.operator(n.OpPos, n.Op)
	case *ast.BranchStmt:
		f.operator(n.TokPos, n.Tok)
	case *ast.IncDecStmt:
		if loop, ok := above[len(above)-1].(*ast.ForStmt); ok && loop.Post == n {
			return false // by which the loop ends
		}
		f.operator(n.TokPos, n.Tok)
		f.replace("statement", n, "")
	case *ast.AssignStmt:
		f.operator(n.TokPos, n.Tok)
		if n.Tok != token.DEFINE {
			f.replace("statement", n, "")
		}
	case *ast.ExprStmt:
		f.replace("statement", n, "")
	case *ast.IfStmt:
		f.replace("condition", n.Cond, "!("+f.text(n.Cond.Pos(), n.Cond.End())+")")
	case *ast.BasicLit:
		if n.Kind == token.INT {
			f.replace("number", n, "("+n.Value+" + 1)")
			f.replace("number", n, "("+n.Value+" - 1)")
		} else if n.Kind == token.FLOAT {
			f.replace("number", n, "(2 * "+n.Value+")")
		}
	case *ast.CallExpr:
		f.call(n)
	}
	return true
}

func (f *finder) call(n *ast.CallExpr) {
	if now, ok := otherCalls[f.text(n.Fun.Pos(), n.Fun.End())]; ok {
		f.replace("call", n.Fun, now)
		return // whose arguments stand in any order
	}
	for i := 1; i < len(n.Args); i++ {
		a, b := n.Args[i-1], n.Args[i]
		if x, y := f.text(a.Pos(), a.End()), f.text(b.Pos(), b.End()); x != y {
			f.add("arguments", a.Pos(), b.End(), y+f.text(a.End(), b.Pos())+x)
		}
	}
}
