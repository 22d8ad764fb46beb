#!/usr/bin/env bash
# Runs the command lines of the README, of the Slurm scripts and of the Kubernetes
# manifests on this machine: each part of a tiny sweep as a process of its own, one
# of them interrupted and run again, and then merged. The model must equal, byte by
# byte, that of one unsharded run. sbatch and kubectl are stood in for.
set -euo pipefail
cd "$(dirname "$0")/../.."
repository=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export GOMAXPROCS=1 # one point at a time, so that an interruption finds points to do

exec 3>&2 # for errors of commands whose output goes into $work/log
fail() {
  printf 'deploy: %s\n' "$*" >&3
  exit 1
}

# The sweep, by the names that scripts and manifests have for its numbers.
declare -A tiny=([DEVICE]=c2075 [POINTS]=72 [SEED]=3 [MIN_UPDATES]=64 [MAX_UPDATES]=1100 [SHORT_UPDATES]=600 [MAX_BINS]=999 [LINE]=3 [SCREEN]=4)

# readme prints the commands of a README section, which are indented by four spaces.
readme() { # title
  local commands
  commands=$(awk -v title="## $1" '/^## / { on = $0 == title } on && /^    / { print substr($0, 5) }' "$repository/doc/deploy/README.md")
  [ -n "$commands" ] || fail "doc/deploy/README.md has no commands under $1"
  printf '%s\n' "$commands"
}

lines() { if [ -e "$1" ]; then wc -l <"$1"; else echo 0; fi; }

# interrupt runs a command, sends it a signal once its journal holds a point, and
# leaves its exit status in $status. A run that was done before is tried again.
interrupt() { # signal, journal, points of the part, command
  local signal=$1 journal=$2 points=$3 pid
  shift 3
  for _ in 1 2 3 4 5 6 7 8 9 10; do
    rm -f "$journal"
    "$@" &
    pid=$!
    until [ "$(lines "$journal")" -ge 2 ]; do
      kill -0 "$pid" 2>/dev/null || fail "$journal: the command ended without a point: $(cat "$work/log")"
      sleep 0.01
    done
    kill -s "$signal" "$pid"
    status=0
    wait "$pid" || status=$?
    if [ "$(lines "$journal")" -le "$points" ]; then return; fi
  done
  fail "$journal: no run could be interrupted"
}

same() { # model
  cmp "$work/whole.json.gz" "$1" || fail "the merged model differs from that of one run"
}

# The program, as the image has it.
build=$(sed -n "s|^RUN \(CGO_ENABLED=0 go build .*\) -o /atomtune |\1 -o $work/atomtune |p" doc/deploy/kubernetes/Containerfile)
[ -n "$build" ] || fail 'doc/deploy/kubernetes/Containerfile builds no static /atomtune'
eval "$build"
PATH=$work:$PATH

"$work/atomtune" train --device "${tiny[DEVICE]}" --points "${tiny[POINTS]}" --seed "${tiny[SEED]}" \
  --min-updates "${tiny[MIN_UPDATES]}" --max-updates "${tiny[MAX_UPDATES]}" --short-updates "${tiny[SHORT_UPDATES]}" --max-bins "${tiny[MAX_BINS]}" \
  --line "${tiny[LINE]}" --screen "${tiny[SCREEN]}" --out "$work/whole.json.gz" >"$work/log" 2>&1 ||
  fail "$(cat "$work/log")"

(. doc/deploy/slurm/test.sh)
(. doc/deploy/kubernetes/test.sh)
