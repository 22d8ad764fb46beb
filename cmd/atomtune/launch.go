package main

import (
	"github.com/spf13/pflag"

	"github.com/atomtune/atomtune/device"
)

// launchFlag is the value of --launch.
type launchFlag struct{ device.Launch }

// register adds the flag, which says what it is for.
func (f *launchFlag) register(flags *pflag.FlagSet, usage string) {
	flags.Var(f, "launch", usage+": `BLOCKSxTHREADS`, or BLOCKSxTHREADSxUNROLL where a thread loads "+
		"for 1, 2, 4 or 8 turns at once")
}

func (f *launchFlag) String() string {
	if f.Launch == (device.Launch{}) {
		return ""
	}
	return f.Launch.String()
}

func (f *launchFlag) Set(text string) (err error) {
	f.Launch, err = device.ParseLaunch(text)
	return err
}

func (f *launchFlag) Type() string { return "launch" }
