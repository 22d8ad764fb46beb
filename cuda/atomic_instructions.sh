#!/usr/bin/env bash
# Counts the instructions that matter in each kernel of compiled programs: atomics
# (RED, ATOM), matches, shuffles, votes, warp reductions, accesses to shared memory (LDS, STS), and spills (LDL, STL).
#
#   atomic_instructions.sh PROGRAM...
#
# Prints one line per kernel and instruction: kernel, instruction, count.
set -euo pipefail

demangle() {
  if command -v cu++filt >/dev/null; then cu++filt; else c++filt; fi
}

for program in "$@"; do
  cuobjdump --dump-sass "$program"
done | demangle | awk '
  /Function :/ { kernel = $0; sub(/.*Function : /, "", kernel); next }
  {
    line = $0
    sub(/^[ \t]*\/\*[0-9a-f]+\*\/[ \t]*/, "", line)
    sub(/^@!?U?P[0-9T]+[ \t]+/, "", line)
  }
  line ~ /^(RED|ATOM|MATCH|SHFL|VOTE|LDS|STS|LDL|STL)/ {
    split(line, word, /[ \t;]/)
    count[kernel "\t" word[1]]++
  }
  END { for (key in count) print key "\t" count[key] }
' | sort
