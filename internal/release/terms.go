package main

import (
	_ "embed"
	"encoding/csv"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Names of files and of folders that hold the terms of a module.
var (
	licenceName   = regexp.MustCompile(`(?i)^((un)?licen[cs]e|copying|notice)([._-].*)?$`)
	licenceFolder = regexp.MustCompile(`(?i)^third[_-]party[_-]licen[cs]es$`)
)

// licencesIn are the files with the terms of a module: those in its folder, and those in a folder
// there that holds terms of others, whose code the module has.
func licencesIn(module, folder string) (list []file, err error) {
	paths, err := termsBelow(folder)
	if err != nil {
		return nil, fmt.Errorf("licence of %s: %w", module, err)
	}
	for _, path := range paths {
		data, err := os.ReadFile(filepath.Join(folder, path))
		if err != nil {
			return nil, err
		}
		name := "licences/" + module + "/" + filepath.ToSlash(path)
		list = append(list, file{Name: name, Data: data})
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s has no licence in %s", module, folder)
	}
	return list, nil
}

func termsBelow(folder string) (paths []string, err error) {
	entries, err := os.ReadDir(folder)
	for _, e := range entries {
		switch {
		case filepath.Ext(e.Name()) == ".go":
		case !e.IsDir() && licenceName.MatchString(e.Name()):
			paths = append(paths, e.Name())
		case e.IsDir() && licenceFolder.MatchString(e.Name()):
			further, err := os.ReadDir(filepath.Join(folder, e.Name()))
			if err != nil {
				return nil, err
			}
			for _, f := range further {
				if !f.IsDir() {
					paths = append(paths, filepath.Join(e.Name(), f.Name()))
				}
			}
		}
	}
	return paths, err
}

// terms is a file with the terms of a module that the repository uses.
type terms struct {
	Module  string // without version: what counts is whether the text is the same. "std" is Go
	Use     string // a key of permitted
	File    string // below the module
	Licence string // SPDX expression: https://spdx.org/licenses/
	Hash    string // SHA-256 of the file
	Why     string // why a person wrote the expression; "": it was recognized in the text
}

var termsHead = []string{"module", "use", "file", "licence", "sha256", "why"}

//go:embed licences.csv
var licencesCSV string

// readTerms reads the table of terms. TestLicences holds it to the modules as they are.
func readTerms() (all []terms, err error) {
	rows, err := csv.NewReader(strings.NewReader(licencesCSV)).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("licences.csv: %w", err)
	}
	if len(rows) == 0 || !slices.Equal(rows[0], termsHead) {
		return nil, fmt.Errorf("licences.csv:1: want the heading %q", termsHead)
	}
	for _, r := range rows[1:] {
		all = append(all, terms{r[0], r[1], r[2], r[3], r[4], r[5]})
	}
	return all, nil
}

// expressions are the SPDX expressions of the modules by path: what the terms ask for together.
func expressions(all []terms) map[string]string {
	parts := map[string]map[string]bool{}
	for _, e := range all {
		if parts[e.Module] == nil {
			parts[e.Module] = map[string]bool{}
		}
		for p := range strings.SplitSeq(e.Licence, " AND ") {
			parts[e.Module][p] = true
		}
	}
	said := map[string]string{}
	for module, set := range parts {
		said[module] = strings.Join(slices.Sorted(maps.Keys(set)), " AND ")
	}
	return said
}
