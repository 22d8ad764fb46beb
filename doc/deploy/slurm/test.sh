# Part of ../test.sh: carries out the README's Slurm commands with a stand-in for
# Slurm.

for script in doc/deploy/slurm/*.sbatch; do
  bash -n "$script"
  # Each variable with a default stands in the README's table.
  defaults=$(sed -n 's/^: "${\([A-Z_]*\):=\([^$}]*\)}".*/\1 \2/p' "$script")
  [ -n "$defaults" ] || fail "$script has no variables"
  while read -r name default; do
    if [ -n "$default" ]; then default="\`$default\`"; else default=none; fi
    grep -q "^| \`$name\` |.*| $default |\$" doc/deploy/README.md || fail "doc/deploy/README.md does not say that $script takes $default for $name"
  done <<<"$defaults"
done
mkdir -p "$work/home" "$work/slurm" "$work/spool"
ln -s "$repository" "$work/home/atomtune"
HOME=$work/home
cd "$work/slurm"

parts=3
export SBATCH_ARRAY_INX=0-$((parts - 1)) # which sbatch takes for --array
for name in "${!tiny[@]}"; do
  grep -q "^: \"\${$name:=" "$repository/doc/deploy/slurm/train.sbatch" || fail "train.sbatch has no variable $name"
  export "$name=${tiny[$name]}"
done

scontrol() { echo "$*" >>"$REQUEUED"; }
export -f scontrol
export REQUEUED=$work/requeued

# sbatch runs a job's tasks from a copy of the script, as Slurm does, prints its
# number, and notes it in the spool folder if all succeed.
sbatch() {
  local job=42 after
  while [ $# -gt 1 ]; do
    case $1 in
      --parsable) ;;
      --dependency=afterok:*)
        after=${1#*afterok:}
        [ -e "$work/spool/$after" ] || fail "sbatch $1: no such job succeeded"
        job=$((after + 1))
        ;;
      *) fail "sbatch $1: unknown to this test" ;;
    esac
    shift
  done
  cp "$1" "$work/spool/script"
  if grep -q '^#SBATCH --array=0-[0-9]*$' "$1"; then
    array "$job" >"$work/log" 2>&1 || fail "$1: $(cat "$work/log")"
  else
    bash "$work/spool/script" >"$work/log" 2>&1 || fail "$1: $(cat "$work/log")"
  fi
  touch "$work/spool/$job"
  echo "$job"
}

task() { # job, index
  exec env SLURM_ARRAY_JOB_ID="$1" SLURM_ARRAY_TASK_ID="$2" SLURM_ARRAY_TASK_COUNT=$parts \
    SLURM_CPUS_PER_TASK=1 bash "$work/spool/script"
}

# array runs all tasks but the second at once, and the second up to its time limit
# and again.
array() { # job
  local i pids=()
  interrupt USR1 part-1.jsonl $((tiny[POINTS] / parts)) task "$1" 1
  [ "$status" = 0 ] || fail "at the time limit a task ends with status $status"
  [ "$(tail -n 1 "$REQUEUED")" = "requeue $1_1" ] || fail 'at the time limit the task was not requeued'
  for ((i = 0; i < parts; i++)); do
    task "$1" "$i" &
    pids+=($!)
  done
  for i in "${pids[@]}"; do wait "$i" || return; done
}

# go builds the program, which was built before.
go() {
  [ "$CGO_ENABLED $*" = "0 -C $HOME/atomtune build -buildvcs=false -o $HOME/bin/atomtune ./cmd/atomtune" ] || fail "go $*: unknown to this test"
  mkdir "$HOME/bin"
  mv "$work/atomtune" "$HOME/bin/atomtune" # not in PATH
}

export ROWS=rows.jsonl.gz
commands=$(readme Slurm)
eval "$commands" >/dev/null
same model.json.gz
mv "$HOME/bin/atomtune" "$work/atomtune"
"$work/atomtune" train --device "$DEVICE" --merge "$ROWS" --out again.json.gz >"$work/log" 2>&1 || fail "$(cat "$work/log")"
same again.json.gz
