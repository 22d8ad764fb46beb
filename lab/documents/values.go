package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"

	"github.com/atomtune/atomtune/datasets/recordings/archive"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/lab/bench/rows"
	"github.com/atomtune/atomtune/lab/papers"
	"github.com/atomtune/atomtune/lab/papers/all"
	"github.com/atomtune/atomtune/lab/validate/recorded"
)

// value is the text of a name. One that begins with "run " is what a command line of atomtune prints, with
// the command line; "| head -15" keeps its first 15 lines.
func (d *documented) value(name string) (string, error) {
	if line, isRun := strings.CutPrefix(name, "run "); isRun {
		return transcript(line)
	}
	if v, ok := d.values[name]; ok {
		return v, nil
	}
	return "", fmt.Errorf("no value %s; there are %s", name,
		strings.Join(slices.Sorted(maps.Keys(d.values)), ", "))
}

// readValues gives each name its value but those that take longer.
func (d *documented) readValues() error {
	d.values = map[string]string{}
	headline, err := d.choices.Headline()
	if err != nil {
		return err
	}
	maps.Copy(d.values, headline)
	maps.Copy(d.values, d.kernels.Headline())
	maps.Copy(d.values, d.estimates.Headline())
	maps.Copy(d.values, all.Headline(d.papers))
	for _, r := range d.scatter {
		own, err := r.Headline()
		if err != nil {
			return err
		}
		for name, v := range own {
			d.values[strings.TrimPrefix(r.FigureName(""), "-")+"."+name] = v
		}
	}
	for i, run := range d.rowRuns {
		f := run.FiguresOf(d.rowGPUs[i], func(c *rows.Case) bool { return true })
		d.values["rows."+d.rowGPUs[i].Name+".index_add.mean"] = fmt.Sprintf("%.1f", f.IndexAdd)
		d.values["rows."+d.rowGPUs[i].Name+".cases"] = strconv.Itoa(f.Cases)
	}
	for _, add := range []func() error{d.addRecordings, d.addPython} {
		if err := add(); err != nil {
			return err
		}
	}
	return nil
}

// addPython adds how many times as fast as PyTorch alone its operators and layers are, by name and in the mean
// by kind of stream, as bindings/python/bench wrote them.
func (d *documented) addPython() error {
	for _, of := range []string{"calls", "layers"} {
		data, err := os.ReadFile("doc/results/python/" + of + ".json")
		if err != nil {
			return err
		}
		var run struct {
			Means   map[string]float64 `json:"ratio_means"`
			Results []struct {
				Name  string
				Ratio float64
			}
		}
		if err := json.Unmarshal(data, &run); err != nil {
			return fmt.Errorf("%s.json: %w", of, err)
		}
		for stream, mean := range run.Means {
			d.values["python."+of+".mean."+stream] = fmt.Sprintf("%.1f", mean)
		}
		for _, r := range run.Results {
			digits := 1
			if r.Ratio >= 10 {
				digits = 0
			}
			key := "python." + of + "." + r.Name
			d.values[key] = strings.TrimPrefix(d.values[key]+" | "+strconv.FormatFloat(r.Ratio, 'f', digits, 64), " | ")
		}
	}
	return nil
}

// addRecordings counts what the archives hold.
func (d *documented) addRecordings() error {
	for _, a := range recorded.Archives {
		index, err := archive.ReadIndex(os.DirFS("datasets/" + a.Name()))
		if err != nil {
			return fmt.Errorf("datasets/%s/%s: %w", a.Name(), archive.IndexFile, err)
		}
		for _, f := range index.Files {
			name, _, _ := strings.Cut(f.Name, ".")
			d.values["recordings."+a.Name()+"."+strings.ReplaceAll(name, "/", ".")] = papers.Thousands(f.Rows)
		}
	}
	trees, estimated := 0, []string{}
	for _, name := range device.Names() {
		p, err := device.Builtin(name)
		if err != nil {
			return err
		}
		if p.Estimate != nil {
			estimated = append(estimated, name)
		}
		m, err := recorded.Model(name)
		if err != nil {
			return err
		}
		if m != nil {
			trees++
		}
	}
	d.values["devices.trees"], d.values["devices.estimated"] = strconv.Itoa(trees), strings.Join(estimated, ", ")
	return nil
}

// transcript runs a command line of the program, built from this clone.
func transcript(line string) (string, error) {
	command, head, cut := strings.Cut(line, " | head -")
	words := strings.Fields(command)
	if len(words) == 0 || words[0] != "atomtune" {
		return "", fmt.Errorf("run %s: want a command line of atomtune", line)
	}
	out, err := exec.Command("go", append([]string{"run", "./cmd/atomtune"}, words[1:]...)...).Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w", line, err)
	}
	lines := strings.SplitAfter(withoutClock(string(out)), "\n")
	if cut {
		most, err := strconv.Atoi(head)
		if err != nil {
			return "", fmt.Errorf("run %s: %w", line, err)
		}
		lines = lines[:min(most, len(lines))]
	}
	return "```console\n$ " + line + "\n" + strings.Join(lines, "") + "```\n", nil
}

// withoutClock leaves out how long reading took, which no transcript repeats.
func withoutClock(out string) string {
	var lines strings.Builder
	for line := range strings.Lines(out) {
		if at := strings.Index(line, ", read and measured in "); at >= 0 {
			line = line[:at] + "\n"
		}
		lines.WriteString(line)
	}
	return lines.String()
}
