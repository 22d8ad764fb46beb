package emit

import (
	"fmt"

	"github.com/atomtune/atomtune/device"
)

// Lines returns the code of the call to paste into a program, in which A, index, values, old and n
// are in place; host_index stands for the host's copy of the indices where it is needed.
func (c *Call) Lines() ([]string, error) {
	r, err := c.code()
	if err != nil {
		return nil, err
	}
	list := []string{fmt.Sprintf("#include %q", r.header)}
	if r.order != "" {
		list = append(list, fmt.Sprintf("#include %q", scatterHeader))
	}
	list = append(list, "using namespace atomtune;")
	list = append(list, r.before...)
	for _, m := range r.memory {
		list = append(list, fmt.Sprintf("%s* %s = nullptr;", m.Element, m.Name),
			fmt.Sprintf("cudaMalloc(&%s, %s);", m.Name, m.bytes()))
	}
	if r.order != "" {
		list = append(list, fmt.Sprintf("// index and values are in the order of "+
			"%s(host_index.data(), n, %d)", r.order, c.Bins))
	}
	if r.allow != "" {
		list = append(list, fmt.Sprintf("cudaFuncSetAttribute(%s, "+
			"cudaFuncAttributeMaxDynamicSharedMemorySize, %d);", r.allow, c.Shape.SharedBytes))
	}
	if len(r.once) > 0 {
		list = append(append(append(list, "// once for all calls with these indices"), r.once...), "// each call")
	}
	if !c.Call.Keeps && !c.Call.Wide() {
		list = append(list, c.clearing()+";")
	}
	return append(list, r.lines...), nil
}

func (c *Call) clearing() string {
	return fmt.Sprintf("cudaMemsetAsync(A, 0, %d * sizeof(%s))", c.targets(), c.element())
}

// LinesOn returns the lines of a call on a device, none where there is no CUDA code for it, the
// device runs none or the number of targets is not known.
func (c *Call) LinesOn(p *device.Profile) ([]string, error) {
	if p.Vendor != Vendor || c.Bins == 0 || c.Check() != nil {
		return []string{}, nil
	}
	return c.Lines()
}
