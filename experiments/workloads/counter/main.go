// Counter copies a Go program and one of the modules it uses to a build folder
// and gives every function of both a line that counts its calls, so that a
// tracer's counts can be compared with the program's own.
//
//	counter -out DIR -module PATH WORKLOAD
//
// The copy is built with -tags counted -gcflags=all=-l in DIR/main. Its
// report() prints one line "count FUNCTION N" on standard error for each
// function called at least once, under the name the linker gives it.
//
// What is not counted: functions the compiler makes up itself, which no source
// line can count (a package's variable initialisation "init", method wrappers,
// equality functions). Wrappers of go and defer statements are counted where
// the statement runs: the wrapper is called once for each.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

const countsPath = "gotrace.invalid/counts"

func main() {
	out := flag.String("out", "", "build folder, made anew")
	module := flag.String("module", "", "path of the module to count in beside the workload")
	flag.Parse()
	if *out == "" || *module == "" || flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: counter -out DIR -module PATH WORKLOAD")
		os.Exit(2)
	}
	if err := run(*out, *module, flag.Arg(0)); err != nil {
		fmt.Fprintln(os.Stderr, "counter:", err)
		os.Exit(1)
	}
}

func run(out, module, workload string) error {
	list := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", module)
	list.Dir = workload
	list.Stderr = os.Stderr
	dir, err := list.Output()
	if err != nil {
		return fmt.Errorf("go list %s in %s: %w", module, workload, err)
	}
	if err := os.RemoveAll(out); err != nil {
		return err
	}
	names := &nameTable{}
	if err := copyPackages(names, workload, filepath.Join(out, "main"), "main"); err != nil {
		return err
	}
	moduleDir := strings.TrimSpace(string(dir))
	if err := copyPackages(names, moduleDir, filepath.Join(out, "module"), module); err != nil {
		return err
	}
	if err := finishMain(names, filepath.Join(out, "main"), module); err != nil {
		return err
	}
	return writeCounts(names, filepath.Join(out, "counts"))
}

// copyPackages copies a module's packages: what builds the program, with
// counters, and its go.mod and go.sum. Examples, tests and hidden folders stay.
func copyPackages(names *nameTable, from, to, importPath string) error {
	return filepath.Walk(from, func(path string, info os.FileInfo, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		base := info.Name()
		if info.IsDir() {
			if rel != "." && (base == "examples" || base == "testdata" || base[0] == '.') {
				return filepath.SkipDir
			}
			return os.MkdirAll(filepath.Join(to, rel), 0o755)
		}
		isGo := strings.HasSuffix(base, ".go") && !strings.HasSuffix(base, "_test.go")
		if !isGo && base != "go.mod" && base != "go.sum" {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if isGo {
			pkg := importPath
			if sub := filepath.ToSlash(filepath.Dir(rel)); sub != "." {
				pkg += "/" + sub
			}
			if text, err = instrument(names, pkg, path, text); err != nil {
				return err
			}
		}
		return os.WriteFile(filepath.Join(to, rel), text, 0o644)
	})
}

// writeCounts makes the package that holds the counters. It is a module of its
// own, so that a selection of the workload's packages leaves it out.
func writeCounts(names *nameTable, dir string) error {
	var b strings.Builder
	fmt.Fprintf(&b, "package counts\n\nimport (\n\t\"fmt\"\n\t\"os\"\n\t\"sync/atomic\"\n)\n\n")
	fmt.Fprintf(&b, "var N [%d]uint64\n\nvar names = [...]string{\n", len(names.list))
	for _, name := range names.list {
		fmt.Fprintf(&b, "\t%q,\n", name)
	}
	b.WriteString(`}

func Print() {
	for i := range names {
		if n := atomic.LoadUint64(&N[i]); n > 0 {
			fmt.Fprintf(os.Stderr, "count %s %d\n", names[i], n)
		}
	}
}
`)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "counts.go"), []byte(b.String()), 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module "+countsPath+"\n\ngo 1.19\n"), 0o644)
}

// finishMain points the copy of the workload at the other two copies and adds its report().
func finishMain(names *nameTable, dir, module string) error {
	mod, err := os.OpenFile(filepath.Join(dir, "go.mod"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(mod, "\nrequire %s v0.0.0\n\nreplace %s => ../counts\n\nreplace %s => ../module\n",
		countsPath, countsPath, module)
	if closeErr := mod.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return err
	}
	report, err := instrument(names, "main", "report_counted.go", []byte(`//go:build counted

package main

import "`+countsPath+`"

func report() { counts.Print() }
`))
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "report_counted.go"), report, 0o644)
}
