package explorer

import (
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/latency"
	"github.com/atomtune/atomtune/speedup"
	"github.com/atomtune/atomtune/tuner"
)

// Menus are what can be asked.
type Menus struct {
	Devices []DeviceMenu `json:"devices"`
	Axes    []Axis       `json:"axes"`
}

// DeviceMenu is what can be asked of one device.
type DeviceMenu struct {
	Name  string `json:"name"`
	Title string `json:"title"`
	Lanes int    `json:"lanes"` // of a warp
	Words int    `json:"words"` // of 4 bytes, that a block's shared memory holds
	// Operations lists the types with which each operation on shared memory can be asked for.
	Operations []OperationMenu `json:"operations"`
	Types      []device.Type   `json:"types"`    // with which a call can be asked for
	Launches   []LaunchMenu    `json:"launches"` // that a search looks among
}

// LaunchMenu is a launch as questions name it, and in words.
type LaunchMenu struct {
	Launch string `json:"launch"`
	Words  string `json:"words"`
}

// OperationMenu is one operation on shared memory.
type OperationMenu struct {
	Operation device.Operation `json:"operation"`
	Types     []device.Type    `json:"types"`
}

// MenusOf lists what can be asked of the built-in devices.
func MenusOf() (Menus, error) {
	m := Menus{Axes: Axes()}
	for _, name := range device.Names() {
		d, err := device.Builtin(name)
		if err != nil {
			return Menus{}, err
		}
		m.Devices = append(m.Devices, menuOf(d))
	}
	return m, nil
}

func menuOf(d *device.Profile) DeviceMenu {
	m := DeviceMenu{Name: d.Name, Title: d.Title, Lanes: int(d.Core.WarpLanes.Value),
		Words: int(d.Shared.BytesPerBlock.Value) / 4}
	for _, o := range device.Operations() {
		known := OperationMenu{Operation: o}
		for _, t := range device.Types() {
			if _, err := latency.ForDevice(d, o, t); err == nil {
				known.Types = append(known.Types, t)
			}
		}
		if len(known.Types) > 0 {
			m.Operations = append(m.Operations, known)
		}
	}
	for _, t := range device.Types() {
		if len(speedup.Runnable(impl.Candidates(), d, device.Call{Type: t})) > 0 {
			m.Types = append(m.Types, t)
		}
	}
	for _, l := range d.Limits().Searched() {
		m.Launches = append(m.Launches, LaunchMenu{l.String(), l.Words()})
	}
	return m
}

// Prepare makes ready what the first answer about a device takes long for: its trees.
func Prepare(name string) error {
	d, err := device.Builtin(name)
	if err == nil {
		_, err = tuner.New(d, tuner.Options{})
	}
	return err
}
