package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/atomtune/atomtune/internal/command"
	"github.com/atomtune/atomtune/variant"
)

// parseVariants reads the implementations that a flag names. NAME:* stands for
// NAME and for the candidates NAME:PARAMETERS.
func parseVariants(flag string, names []string) ([]variant.Variant, error) {
	var list []variant.Variant
	for _, n := range names {
		if base, ok := strings.CutSuffix(n, ":*"); ok {
			all := withParameters(base)
			if len(all) == 0 {
				return nil, command.Usagef("%s %s: no candidate is called %s", flag, n, base)
			}
			for _, v := range all {
				if !slices.Contains(list, v) {
					list = append(list, v)
				}
			}
			continue
		}
		v, err := variant.Parse(n)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", flag, err)
		}
		list = append(list, v)
	}
	return list, nil
}

// withParameters returns the candidates of a name, whatever their parameters.
func withParameters(name string) []variant.Variant {
	return slices.DeleteFunc(variant.Candidates(), func(v variant.Variant) bool {
		text := v.String()
		return text != name && !strings.HasPrefix(text, name+":")
	})
}
