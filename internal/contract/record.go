package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/atomtune/atomtune/internal/golden"
)

// clocks and texts lists what is of the machine, or of the wording of a source.
var clocksAndTexts = []string{"elapsed_s", "wall_s", "bytes_per_second", "seconds", "version", "go",
	"platform", "modified", "sha256", "source", "lines", "bytes", "command"}

// longestName is the longest string that is a name; what is longer, or has a space, is wording.
const longestName = 100

// plain keeps numbers, booleans and names of a document. Names of files do not depend on the folder.
func plain(v any, work string) any {
	switch v := v.(type) {
	case map[string]any:
		kept := map[string]any{}
		for key, value := range v {
			if value = plain(value, work); value != nil && !slices.Contains(clocksAndTexts, key) {
				kept[key] = value
			}
		}
		return kept
	case []any:
		kept := []any{}
		for _, value := range v {
			if value = plain(value, work); value != nil {
				kept = append(kept, value)
			}
		}
		return kept
	case string:
		v = strings.ReplaceAll(v, work, "WORK")
		if v == "" || len(v) > longestName || strings.ContainsAny(v, " \n") {
			return nil
		}
		return v
	case float64:
		rounded, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 8, 64), 64)
		if err != nil {
			return v
		}
		return rounded
	}
	return v
}

// fields says what each section keeps of a document.
var fields = map[string]func(any) any{
	"call":      choice,
	"simulated": only("implementation", "cycles", "us", "updates", "warp_instructions", "events", "correct"),
	"document":  func(v any) any { return v },
	"twin":      func(v any) any { return v },
	"devices":   recorded,
}

// recorded keeps the rows of golden.Devices: a new device changes no record.
func recorded(v any) any {
	document, _ := v.(map[string]any)
	rows, _ := document["devices"].([]any)
	document["devices"] = slices.DeleteFunc(rows, func(row any) bool {
		r, _ := row.(map[string]any)
		name, _ := r["name"].(string)
		return !slices.Contains(golden.Devices, name)
	})
	return document
}

// choice keeps the choice and a line for each implementation that is ranked.
func choice(v any) any {
	document, _ := v.(map[string]any)
	ranking, _ := document["ranking"].([]any)
	ranked := []any{}
	for _, row := range ranking {
		r, _ := row.(map[string]any)
		launch, _ := r["launch"].(map[string]any)
		ranked = append(ranked, []any{r["implementation"], r["predicted_us"], r["binding"],
			fmt.Sprintf("%vx%vx%v", launch["blocks"], launch["threads"], launch["unroll"])})
	}
	return map[string]any{"choice": document["choice"], "ranking": ranked}
}

func only(names ...string) func(any) any {
	return func(v any) any {
		document, _ := v.(map[string]any)
		maps.DeleteFunc(document, func(key string, _ any) bool { return !slices.Contains(names, key) })
		return document
	}
}

func readRecord(path string) (all []answer, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	d := json.NewDecoder(bufio.NewReader(f))
	for d.More() {
		var a answer
		if err := d.Decode(&a); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		all = append(all, a)
	}
	return all, nil
}

func writeRecord(path string, all []answer) error {
	var out strings.Builder
	for _, a := range all {
		line, err := json.Marshal(a)
		if err != nil {
			return err
		}
		fmt.Fprintf(&out, "%s\n", line)
	}
	return os.WriteFile(path, []byte(out.String()), 0o666)
}

// differences lists the values of the answers that differ from the record, a line each.
func differences(old, got []answer) (faults []string) {
	before := map[string]any{}
	for _, a := range old {
		before[a.Run] = a.Fields
	}
	for _, a := range got {
		was, ok := before[a.Run]
		delete(before, a.Run)
		if !ok {
			faults = append(faults, a.Run+": not in the record")
			continue
		}
		for _, f := range differing("", was, a.Fields) {
			faults = append(faults, a.Run+": "+f)
		}
	}
	for _, run := range slices.Sorted(maps.Keys(before)) {
		faults = append(faults, run+": in the record alone")
	}
	return faults
}

// tolerance is relative: numbers are kept with eight digits.
const tolerance = 1e-7

// differing lists the paths at which two documents differ.
func differing(path string, old, got any) (faults []string) {
	switch o := old.(type) {
	case map[string]any:
		if g, ok := got.(map[string]any); ok {
			keys := maps.Clone(o)
			maps.Copy(keys, g)
			for _, key := range slices.Sorted(maps.Keys(keys)) {
				faults = append(faults, differing(path+"."+key, o[key], g[key])...)
			}
			return faults
		}
	case []any:
		if g, ok := got.([]any); ok && len(g) == len(o) {
			for i := range o {
				faults = append(faults, differing(fmt.Sprintf("%s.%d", path, i), o[i], g[i])...)
			}
			return faults
		}
	case float64:
		if g, ok := got.(float64); ok && math.Abs(g-o) <= tolerance*math.Abs(o) {
			return nil
		}
	default:
		if old == got {
			return nil
		}
	}
	return []string{fmt.Sprintf("%s: %s, now %s", strings.TrimPrefix(path, "."), short(old), short(got))}
}

// short is the beginning of a value.
func short(v any) string {
	text, err := json.Marshal(v)
	if err != nil || len(text) > 60 {
		text = fmt.Appendf(nil, "%.57s...", text)
	}
	return string(text)
}
