package main

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"runtime/debug"
	"slices"
	"strings"
	"time"
)

// The parts of a CycloneDX bill of materials, version 1.6, that are written:
// https://cyclonedx.org/docs/1.6/json/.
type (
	bill struct {
		Format       string       `json:"bomFormat"`
		Spec         string       `json:"specVersion"`
		Version      int          `json:"version"`
		Metadata     metadata     `json:"metadata"`
		Components   []component  `json:"components"`
		Dependencies []dependency `json:"dependencies"`
	}
	metadata struct {
		Timestamp string    `json:"timestamp"`
		Component component `json:"component"`
	}
	component struct {
		Type       string     `json:"type"` // application or library
		Ref        string     `json:"bom-ref"`
		Name       string     `json:"name"`
		Version    string     `json:"version"`
		Hashes     []hash     `json:"hashes,omitempty"`
		Licences   []licence  `json:"licenses,omitempty"`
		PURL       string     `json:"purl,omitempty"`
		Properties []property `json:"properties,omitempty"`
	}
	hash struct {
		Algorithm string `json:"alg"`
		Content   string `json:"content"`
	}
	licence struct {
		Expression string `json:"expression"` // of SPDX
	}
	property struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	}
	dependency struct {
		Ref  string   `json:"ref"`
		Uses []string `json:"dependsOn"`
	}
)

// billOf lists the programs of an archive with their hashes and the settings of their builds, and
// every module that they link, as Go wrote it into them, with its licence by path.
func billOf(name string, programs []built, licences map[string]string, date time.Time,
) ([]byte, error) {
	main := programs[0].info.Main
	b := bill{Format: "CycloneDX", Spec: "1.6", Version: 1, Metadata: metadata{
		Timestamp: date.UTC().Format(time.RFC3339),
		Component: component{Type: "application", Ref: name, Name: name, Version: main.Version,
			PURL: purl(main.Path, main.Version)},
	}}
	all := dependency{Ref: name}
	libraries := map[string]component{}
	for _, p := range programs {
		c, uses := programOf(p)
		b.Components = append(b.Components, c)
		all.Uses = append(all.Uses, c.Ref)
		d := dependency{Ref: c.Ref}
		for _, l := range uses {
			libraries[l.Ref] = l
			d.Uses = append(d.Uses, l.Ref)
		}
		b.Dependencies = append(b.Dependencies, d)
	}
	for _, l := range libraries {
		if licences[l.Name] == "" {
			return nil, fmt.Errorf("%s is linked and has no licence in licences.csv", l.Name)
		}
		l.Licences = []licence{{licences[l.Name]}}
		b.Components = append(b.Components, l)
	}
	slices.SortFunc(b.Components, func(a, c component) int {
		return cmp.Or(cmp.Compare(a.Type, c.Type), cmp.Compare(a.Ref, c.Ref))
	})
	b.Dependencies = append([]dependency{all}, b.Dependencies...)
	text, err := json.MarshalIndent(b, "", "  ")
	return append(text, '\n'), err
}

// programOf is a program as a component, and the libraries that it links.
func programOf(p built) (c component, uses []component) {
	sum := sha256.Sum256(p.data)
	c = component{Type: "application", Ref: p.name, Name: p.name, Version: p.info.Main.Version,
		Hashes: []hash{{"SHA-256", hex.EncodeToString(sum[:])}}}
	for _, s := range p.info.Settings {
		c.Properties = append(c.Properties, property{"go:build:" + s.Key, s.Value})
	}
	version := strings.TrimPrefix(p.info.GoVersion, "go")
	uses = append(uses, library(&debug.Module{Path: "std", Version: version}))
	for _, m := range p.info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		uses = append(uses, library(m))
	}
	return c, uses
}

func library(m *debug.Module) component {
	c := component{Type: "library", Ref: purl(m.Path, m.Version), Name: m.Path, Version: m.Version,
		PURL: purl(m.Path, m.Version)}
	if m.Sum != "" {
		c.Properties = []property{{"go:sum", m.Sum}}
	}
	return c
}

// purl is the package URL of a module: https://github.com/package-url/purl-spec.
func purl(path, version string) string {
	return "pkg:golang/" + path + "@" + url.QueryEscape(version)
}
