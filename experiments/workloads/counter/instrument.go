package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"sort"
	"strings"
)

// nameTable gives each counted function the index of its counter.
type nameTable struct {
	list []string
}

// hit adds a counter for the linker's name of a function and returns the
// statement that counts a call: an atomic add, which the compiler turns into
// one instruction, so that a leaf function stays a leaf.
func (t *nameTable) hit(name string) string {
	t.list = append(t.list, name)
	return fmt.Sprintf("gotraceAtomic.AddUint64(&gotraceCounts.N[%d], 1); ", len(t.list)-1)
}

type insertion struct {
	offset int
	text   string
}

// instrument returns the source of a file with counters put in. Lines keep their numbers.
func instrument(names *nameTable, pkg, path string, source []byte) ([]byte, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, path, source, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	w := &walker{fset: fset, names: names}
	inits := 0
	for _, decl := range file.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if d.Type.TypeParams != nil {
				return nil, fmt.Errorf("%s: %s is generic: its instances' names are not known here", path, d.Name)
			}
			if d.Body == nil {
				continue // in assembly
			}
			name := pkg + "." + declName(d)
			if d.Recv == nil && d.Name.Name == "init" {
				name = fmt.Sprintf("%s.init.%d", pkg, inits)
				inits++
			}
			w.function(name, d.Body, false)
		case *ast.GenDecl:
			// Literals in a package's variables belong to its init function (Go 1.21 and newer).
			w.nested(&scope{name: pkg + ".init"}, d)
		}
	}
	if len(w.insertions) == 0 {
		return source, nil
	}
	w.insert(file.Name.End(), `; import gotraceAtomic "sync/atomic"; import gotraceCounts "`+countsPath+`"`)
	return w.apply(source), nil
}

// declName is F, T.M or (*T).M.
func declName(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return d.Name.Name
	}
	recv := d.Recv.List[0].Type
	if star, ok := recv.(*ast.StarExpr); ok {
		return fmt.Sprintf("(*%s).%s", star.X.(*ast.Ident).Name, d.Name.Name)
	}
	return fmt.Sprintf("%s.%s", recv.(*ast.Ident).Name, d.Name.Name)
}

// scope numbers what is inside one function, as closureName in
// cmd/compile/internal/ir/func.go does from Go 1.22 on.
type scope struct {
	name     string
	literal  bool // it is a function literal itself
	literals int  // func1, func2, ...
	wrappers int  // gowrap1, deferwrap2, ...: one series
}

type walker struct {
	fset       *token.FileSet
	names      *nameTable
	insertions []insertion
}

func (w *walker) insert(pos token.Pos, text string) {
	w.insertions = append(w.insertions, insertion{w.fset.Position(pos).Offset, text})
}

func (w *walker) function(name string, body *ast.BlockStmt, literal bool) {
	w.insert(body.Lbrace+1, " "+w.names.hit(name))
	w.nested(&scope{name: name, literal: literal}, body)
}

// nested finds the function literals and the go and defer statements of a scope.
func (w *walker) nested(s *scope, root ast.Node) {
	ast.Inspect(root, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			s.literals++
			name := fmt.Sprintf("%s.func%d", s.name, s.literals)
			if s.literal {
				name = fmt.Sprintf("%s.%d", s.name, s.literals)
			}
			w.function(name, n.Body, true)
			return false
		case *ast.GoStmt:
			w.wrapped(s, n.Pos(), n.Call, "gowrap")
		case *ast.DeferStmt:
			w.wrapped(s, n.Pos(), n.Call, "deferwrap")
		}
		return true
	})
}

// wrapped counts the wrapper of a go or defer statement, which there is when
// the call has arguments or results or is of a method. Whether a plain function
// has results is not known here, but then it is rarely called this way.
func (w *walker) wrapped(s *scope, pos token.Pos, call *ast.CallExpr, kind string) {
	_, method := call.Fun.(*ast.SelectorExpr)
	if len(call.Args) == 0 && !method {
		return
	}
	s.wrappers++
	w.insert(pos, w.names.hit(fmt.Sprintf("%s.%s%d", s.name, kind, s.wrappers)))
}

func (w *walker) apply(source []byte) []byte {
	sort.SliceStable(w.insertions, func(i, j int) bool {
		return w.insertions[i].offset < w.insertions[j].offset
	})
	var b strings.Builder
	at := 0
	for _, in := range w.insertions {
		b.Write(source[at:in.offset])
		b.WriteString(in.text)
		at = in.offset
	}
	b.Write(source[at:])
	return []byte(b.String())
}
