// Command release builds the archives of a release, one for each platform: programs, manual pages,
// completions, licences and a bill of materials. script/release calls it.
//
// A file that archives are to hold is a pattern in main. A new module is argued for in its commit:
// "ATOMTUNE_UPDATE_GOLDEN=1 go test ./internal/release -run TestLicences" takes its terms into
// licences.csv; what is not recognized a person reads, and writes licence and reason there. terms_test.go
// lists what is permitted, by use.
package main

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"time"
)

func main() {
	out := flag.String("out", ".build/release", "`folder` to write, a folder of the version in it")
	date := flag.Int64("date", 0, "`seconds` since 1970 that every file of an archive is dated to")
	one := flag.String("platform", "", "`system_processor`, the only one to build for (default all)")
	flag.Parse()
	r := release{
		Source: ".", Name: "atomtune", Programs: []string{"atomtune", "atomprobe"},
		Documents: []string{"LICENSE", "README.md", "SECURITY.md", "CITATION.cff", "bindings/cuda/README.md",
			"bindings/cuda/*.cuh"},
		Platforms: platforms, Date: time.Unix(*date, 0).UTC(),
	}
	if *one != "" {
		r.Platforms = slices.DeleteFunc(slices.Clone(platforms),
			func(p platform) bool { return p.String() != *one })
	}
	if len(r.Platforms) == 0 {
		fmt.Fprintf(os.Stderr, "release: --platform %q, want one of %v\n", *one, platforms)
		os.Exit(2)
	}
	folder, err := r.write(*out)
	if err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
	fmt.Println(folder)
}
