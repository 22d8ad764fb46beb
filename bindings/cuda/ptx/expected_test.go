package ptx

import (
	"encoding/csv"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/internal/must"
)

// expected says which instruction a kernel is there for: in its PTX, and in the
// machine code that ptxas makes for compute capability 9.0, both without what may
// follow. The first line that fits a kernel's name counts. Of the machine code's
// arithmetic nothing is listed.
var expected = []struct{ kernel, ptx, sass string }{
	{`^(scratchpad|shared_\w+)_u32_(add|inc)$`, "atom.shared.add.u32", "ATOMS.ADD"},
	{`^shared_throughput_u32_add_one_unused$`, "atom.shared.add.u32", "ATOMS.POPC.INC"},
	{`^(scratchpad|shared_\w+)_f32_add$`, "atom.shared.add.f32", "ATOMS.CAST.SPIN"},
	{`^(scratchpad|shared_\w+)_u64_add$`, "atom.shared.add.u64", "ATOMS.CAST.SPIN.64"},
	{`^(scratchpad|shared_\w+)_f64_add$`, "atom.shared.add.f64", "ATOMS.CAST.SPIN.64"},
	{`^(scratchpad|shared_\w+)_u32_min$`, "atom.shared.min.u32", "ATOMS.MIN"},
	{`^scratchpad_u32_exch$`, "atom.shared.exch.b32", "ATOMS.EXCH"},
	{`^scratchpad_u64_exch$`, "atom.shared.exch.b64", "ATOMS.EXCH.64"},
	{`^(scratchpad|shared_\w+)_[uf]32_cas(loop|free)$`, "atom.shared.cas.b32", "ATOMS.CAS"},
	{`^scratchpad_f64_casloop$`, "atom.shared.cas.b64", "ATOMS.CAS.64"},
	{`^(scratchpad|shared_\w+)_u32_load$`, "ld.volatile.shared.u32", "LDS"},
	{`^scratchpad_u64_load$`, "ld.volatile.shared.u64", "LDS.64"},
	{`^(scratchpad|shared_\w+)_u32_store$`, "st.volatile.shared.u32", "STS"},
	{`^scratchpad_u64_store$`, "st.volatile.shared.u64", "STS.64"},

	{`^global_chain_[ui]32_add$`, "atom.global.add.u32", "ATOMG.E.ADD.STRONG"},
	{`^global_chain_[ui]64_add$`, "atom.global.add.u64", "ATOMG.E.ADD.64"},
	{`^global_chain_f32_add$`, "atom.global.add.f32", "ATOMG.E.ADD.F32"},
	{`^global_chain_f64_add$`, "atom.global.add.f64", "ATOMG.E.ADD.F64"},
	{`^global_chain_u32_min$`, "atom.global.min.u32", "ATOMG.E.MIN"},
	{`^global_chain_u32_exch$`, "atom.global.exch.b32", "ATOMG.E.EXCH"},
	{`^global_chain_u64_exch$`, "atom.global.exch.b64", "ATOMG.E.EXCH.64"},
	{`^global_chain_[uf]32_cas(loop)?$`, "atom.global.cas.b32", "ATOMG.E.CAS"},
	{`^global_chain_f64_casloop$`, "atom.global.cas.b64", "ATOMG.E.CAS.64"},
	{`^global_chain_u32_load$`, "ld.global.cg.u32", "LDG"},
	{`^global_chain_u64_load$`, "ld.global.cg.u64", "LDG.E.64"},
	{`^global_throughput_u32_`, "atom.global.add.u32", "REDG.E.ADD.STRONG"},
	{`^global_throughput_f32_`, "atom.global.add.f32", "REDG.E.ADD.F32"},
	{`^global_throughput_u64_`, "atom.global.add.u64", "REDG.E.ADD.64"},
	{`^global_throughput_f64_`, "atom.global.add.f64", "REDG.E.ADD.F64"},
	{`^global_returns_u32_(unused|beside)$`, "atom.global.add.u32", "REDG.E.ADD.STRONG"},
	{`^global_returns_f32_(unused|beside)$`, "atom.global.add.f32", "REDG.E.ADD.F32"},
	{`^global_returns_u64_(unused|beside)$`, "atom.global.add.u64", "REDG.E.ADD.64"},
	{`^global_returns_f64_(unused|beside)$`, "atom.global.add.f64", "REDG.E.ADD.F64"},
	{`^global_returns_u32_(used|stored)$`, "atom.global.add.u32", "ATOMG.E.ADD.STRONG"},
	{`^global_returns_f32_(used|stored)$`, "atom.global.add.f32", "ATOMG.E.ADD.F32"},
	{`^global_returns_u64_(used|stored)$`, "atom.global.add.u64", "ATOMG.E.ADD.64"},
	{`^global_returns_f64_(used|stored)$`, "atom.global.add.f64", "ATOMG.E.ADD.F64"},
	{`^read_and_add$`, "atom.global.add.u32", "REDG.E.ADD.STRONG"},

	{`^instruction_u32_add_shared_one_unused_`, "atom.shared.add.u32", "ATOMS.POPC.INC"},
	{`^instruction_u32_add_shared_`, "atom.shared.add.u32", "ATOMS.ADD"},
	{`^instruction_f32_add_shared_`, "atom.shared.add.f32", "ATOMS.CAST.SPIN"},
	{`^instruction_f64_add_shared_`, "atom.shared.add.f64", "ATOMS.CAST.SPIN.64"},
	{`^instruction_u32_add_global_\w+_used_`, "atom.global.add.u32", "ATOMG.E.ADD.STRONG"},
	{`^instruction_f32_add_global_\w+_used_`, "atom.global.add.f32", "ATOMG.E.ADD.F32"},
	{`^instruction_f64_add_global_\w+_used_`, "atom.global.add.f64", "ATOMG.E.ADD.F64"},
	{`^instruction_u32_add_global_\w+_unused_`, "atom.global.add.u32", "REDG.E.ADD.STRONG"},
	{`^instruction_f32_add_global_\w+_unused_`, "atom.global.add.f32", "REDG.E.ADD.F32"},
	{`^instruction_f64_add_global_\w+_unused_`, "atom.global.add.f64", "REDG.E.ADD.F64"},

	{`^warp_\w+_shuffle$`, "shfl.sync.idx.b32", "SHFL.IDX"},
	{`^warp_\w+_ballot$`, "vote.sync.ballot.b32", "VOTE.ANY"},
	{`^warp_\w+_popc$`, "popc.b32", "POPC"},
	{`^warp_\w+_match_any$`, "match.any.sync.b32", "MATCH.ANY"},
	{`^warp_\w+_reduce_add$`, "redux.sync.add", "REDUX.SUM"},
	{`^warp_\w+_alu_add$`, "add.s32", ""},
	{`^warp_\w+_alu_shift$`, "shf.l.wrap.b32", ""},
	{`^warp_barrier$`, "bar.sync", "BAR.SYNC"},

	{`^update_((private|hot)_naive|naive|sr|vr|peers|peers_hash|match)_old_`, "atom.global.add.", "ATOMG.E.ADD"},
	{`^update_peers_hash_`, "atom.shared.add.u32", "ATOMS.ADD"},
	{`^update_(private_)?match_`, "match.any.sync.b32", "MATCH.ANY"},
	{`^update_(private|hot)_\w+_u32_`, "atom.shared.add.u32", "ATOMS."},
	{`^update_(private|hot)_\w+_f32_`, "atom.shared.add.f32", "ATOMS.CAST.SPIN"},
	{`^update_(private|hot)_\w+_u64_`, "atom.shared.add.u64", "ATOMS.CAST.SPIN.64"},
	{`^update_(private|hot)_\w+_f64_`, "atom.shared.add.f64", "ATOMS.CAST.SPIN.64"},
	{`^sample_hot$`, "atom.shared.max.u64", ""},
	{`^update_(naive|sr|vr|peers)_`, "atom.global.add.", "REDG.E.ADD"},
	{`^update_threadprivate_`, "ld.shared.", "LDS"},
}

// aside are kernels that measure no such instruction.
var aside = regexp.MustCompile(`^(empty|nothing|spin|copy_words|read_words|link_lines|chase|copy_stream|gather_index|` +
	`(make_values|sum_partials|check|check_old)_\w+)$`)

// expectation returns the line of expected for a kernel.
func expectation(t *testing.T, kernel string) (ptx, sass string, ok bool) {
	t.Helper()
	for _, e := range expected {
		if regexp.MustCompile(e.kernel).MatchString(kernel) {
			return e.ptx, e.sass, true
		}
	}
	if !aside.MatchString(kernel) {
		t.Errorf("nothing is expected of kernel %s", kernel)
	}
	return "", "", false
}

// TestExpected: every kernel has the instruction that it is there for, in its PTX and in the listing of machine
// instructions, which holds no other kernels.
func TestExpected(t *testing.T) {
	const path = "../../../datasets/h200/instructions.csv"
	file, err := os.Open(path)
	if err != nil {
		t.Fatalf("%v: run script/ptx --sass", err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil || len(rows) == 0 || !slices.Equal(rows[0], []string{"module", "kernel", "instruction", "count"}) {
		t.Fatalf("%s: %v, %v", path, rows[:min(1, len(rows))], err)
	}
	listed := map[string][]string{} // by module and kernel
	for _, r := range rows[1:] {
		listed[r[0]+" "+r[1]] = append(listed[r[0]+" "+r[1]], r[2])
	}
	checked, machine := 0, 0
	for _, name := range Modules() {
		m := must.Get(Load(name))(t)
		for _, k := range m.Kernels {
			got := listed[name+" "+k.Name]
			delete(listed, name+" "+k.Name)
			want, sass, ok := expectation(t, k.Name)
			if !ok {
				continue
			}
			checked++
			if !slices.ContainsFunc(k.Instructions,
				func(i Instruction) bool { return strings.HasPrefix(i.Opcode, want) }) {
				t.Errorf("%s has no %s", k.Name, want)
			}
			if sass == "" {
				continue
			}
			if machine++; !slices.ContainsFunc(got, func(i string) bool { return strings.HasPrefix(i, sass) }) {
				t.Errorf("%s has no %s, but %v", k.Name, sass, got)
			}
		}
	}
	for kernel := range listed {
		t.Errorf("%s: %s is not a kernel any more: run script/ptx --sass", path, kernel)
	}
	if checked < 100 || machine < 100 {
		t.Errorf("only %d kernels were checked, %d in machine code", checked, machine)
	}
}
