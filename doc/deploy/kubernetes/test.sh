# Part of ../test.sh: holds the manifests against each other and carries out the
# README's Kubernetes commands with a stand-in for the cluster.

for manifest in train merge fetch; do
  awk -f doc/deploy/flatten.awk "doc/deploy/kubernetes/$manifest.yaml" >"$work/$manifest.flat"
done
pod=Job.spec.template.spec
box="$pod.containers[0]"

# value prints a field of a manifest, without quotes.
value() { # manifest, field
  local line
  line=$(grep -F -- "$2=" "$work/$1.flat" | grep -m 1 "^${2//[\[\]]/.}=") || fail "$1.yaml has no $2"
  line=${line#*=}
  line=${line#\"}
  printf '%s\n' "${line%\"}"
}

expect() { # manifest, field, value
  [ "$(value "$1" "$2")" = "$3" ] || fail "$1.yaml: $2 is $(value "$1" "$2"), want $3"
}

parts=$(value train ConfigMap.data.SHARDS)
expect train Job.spec.completionMode Indexed
expect train Job.spec.completions "$parts"
expect train Job.spec.parallelism "$parts"
expect train Job.spec.podReplacementPolicy Failed
expect train Job.spec.podFailurePolicy.rules[0].action Ignore
expect train Job.spec.podFailurePolicy.rules[0].onPodConditions[0].type DisruptionTarget
expect train Job.spec.podFailurePolicy.rules[1].action FailIndex
expect train Job.spec.podFailurePolicy.rules[1].onExitCodes.values[0] 2
[ "$(value train Job.spec.backoffLimitPerIndex)" -ge 1 ] || fail 'train.yaml: no part is tried again'
for name in "${!tiny[@]}"; do
  grep -qF ": \"\${$name:=$(value train "ConfigMap.data.$name")}\"" doc/deploy/slurm/train.sbatch ||
    fail "train.yaml and train.sbatch have different values for $name"
done
if grep -v '="[^"]*"$' "$work/train.flat" | grep '^ConfigMap\.data\.'; then
  fail 'train.yaml: values of a ConfigMap need quotes'
fi
for manifest in train merge; do
  expect $manifest $pod.restartPolicy Never
  expect $manifest $pod.securityContext.runAsNonRoot true
  expect $manifest "$box.securityContext.allowPrivilegeEscalation" false
  expect $manifest "$box.securityContext.readOnlyRootFilesystem" true
  expect $manifest "$box.image" "$(value train "$box.image")"
  expect $manifest "$box.envFrom[0].configMapRef.name" "$(value train ConfigMap.metadata.name)"
  expect $manifest "$box.workingDir" "$(value $manifest "$box.volumeMounts[0].mountPath")"
  expect $manifest "$box.volumeMounts[0].name" "$(value $manifest $pod.volumes[0].name)"
  expect $manifest $pod.volumes[0].persistentVolumeClaim.claimName "$(value train PersistentVolumeClaim.metadata.name)"
  if grep -F "$box.command" "$work/$manifest.flat"; then fail "$manifest.yaml: the image's command is replaced"; fi
done
expect fetch Pod.spec.volumes[0].persistentVolumeClaim.claimName "$(value train PersistentVolumeClaim.metadata.name)"
expect fetch Pod.spec.containers[0].volumeMounts[0].mountPath "$(value train "$box.workingDir")"
grep -qx 'ENTRYPOINT \["/atomtune"\]' doc/deploy/kubernetes/Containerfile || fail 'the image does not start /atomtune'

# environment exports what a pod gets: the ConfigMap, with the numbers of the tiny sweep.
environment() {
  local name
  for name in $(sed -n 's/^ConfigMap\.data\.\([A-Z_]*\)=.*/\1/p' "$work/train.flat"); do
    export "$name=${tiny[$name]-$(value train "ConfigMap.data.$name")}"
  done
}

# arguments fills $args with a container's arguments, each $(NAME) replaced by the
# variable's value, as the kubelet does.
arguments() { # manifest
  local text name
  args=()
  while read -r text; do
    while [[ $text =~ \$\(([A-Z_]+)\) ]]; do
      name=${BASH_REMATCH[1]}
      [ -n "${!name+set}" ] || fail "$1.yaml: no variable $name"
      text=${text//"\$($name)"/${!name}}
    done
    args+=("$text")
  done < <(sed -n 's/^Job\.spec\.template\.spec\.containers\[0\]\.args\[[0-9]*\]=//p' "$work/$1.flat")
  [ ${#args[@]} -gt 0 ] || fail "$1.yaml has no arguments"
}

run() { # manifest, completion index
  export JOB_COMPLETION_INDEX=$2
  arguments "$1"
  exec "$work/atomtune" "${args[@]}"
}

# indexed runs all pods at once but the second, which is killed, cannot be merged
# with, and runs again.
indexed() {
  local i pids=()
  for ((i = 0; i < parts; i++)); do
    if [ "$i" = 1 ]; then continue; fi
    run train "$i" &
    pids+=($!)
  done
  interrupt KILL part-1.jsonl $((tiny[POINTS] / parts)) run train 1
  for i in "${pids[@]}"; do wait "$i" || return; done
  if (run merge '') 2>"$work/missing" || ! grep -q 'points are missing: ' "$work/missing" || [ -e model.json.gz ]; then
    fail "a sweep with points missing was merged: $(cat "$work/missing")"
  fi
  (run train 1)
}

# kubectl carries out what the README asks of it.
kubectl() {
  local line="$*"
  case $line in
    'apply -f doc/deploy/kubernetes/train.yaml') indexed >"$work/log" 2>&1 ;;
    'apply -f doc/deploy/kubernetes/merge.yaml') (run merge '') >"$work/log" 2>&1 ;;
    'apply -f doc/deploy/kubernetes/fetch.yaml') ;;
    "get ${2-} --output=jsonpath={.status.conditions[*].type}" | "wait --timeout=1s --for=condition=Complete ${*: -1}")
      line=${2#job/}
      if [ "$1" = wait ]; then line=${*: -1} line=${line#job/}; fi
      grep -qFx "Job.metadata.name=$line" "$work/train.flat" "$work/merge.flat" || fail "kubectl $*: no such Job"
      if [ "$1" = get ]; then echo SuccessCriteriaMet Complete; fi
      ;;
    wait\ --for=condition=Ready\ pod/*) expect fetch Pod.metadata.name "${line##*/}" ;;
    "cp $(value fetch Pod.metadata.name):/journals/"*)
      cp "${2#*:/journals/}" "$work/fetched.json.gz" || fail "kubectl $line: no such file"
      ;;
    *) fail "kubectl $line: unknown to this test" ;;
  esac || fail "kubectl $line: $(cat "$work/log")"
}

podman() { :; } # builds the image, which takes a registry

mkdir "$work/kubernetes"
cd "$work/kubernetes"
environment
commands=$(readme Kubernetes)
eval "$commands" >/dev/null
same "$work/fetched.json.gz"
