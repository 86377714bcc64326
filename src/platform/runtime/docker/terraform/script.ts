/** The paths in a container. */
export const containerPaths = {
  script: '/.infra/terraform.sh',
  source: '/.infra/source',
  kept: '/.infra/terraform',
} as const;

/** The lines around the text of a plan, in the log of its run. @param id the deployment */
export const planMarks = (id: string) => ({ begin: `[plan ${id}]`, end: `[end of plan ${id}]` }) as const;

/**
 * Runs Terraform once. No value is inserted into the script: its inputs are arguments, which are the mode, the id of
 * the run, the folder of the repository, the digest of the plan to apply, the program, and its options for plans.
 *
 * The volume contains the working directory, which keeps the state if no backend is declared, the plan file, and a mark
 * of each run, so that an engine that starts the same run a second time changes nothing.
 */
export const terraformScript = `#!/bin/sh
what=$1 run=$2 root=$3 digest=$4 program=$5
shift 5
kept=${containerPaths.kept} source=${containerPaths.source}
umask 077
stopped=
trap 'stopped=1; kill -TERM "$child" 2>/dev/null' TERM INT

# The program ends in its own time when the container is stopped.
run() {
  "$@" & child=$!
  wait "$child"; code=$?
  while [ -n "$stopped" ] && kill -0 "$child" 2>/dev/null; do wait "$child"; code=$?; done
  return "$code"
}

# Runs it, and ends with a code that tells the causes apart.
attempt() {
  failure=$1; shift
  run "$@" 2>"$kept/errors"; code=$?
  cat "$kept/errors" >&2
  [ "$code" -eq 0 ] && return 0
  [ "$code" -eq 2 ] && [ "$failure" -eq 82 ] && return 0
  grep -q 'Error acquiring the state lock' "$kept/errors" && exit 84
  grep -q 'Saved plan is stale' "$kept/errors" && exit 89
  exit "$failure"
}

mkdir -p "$kept/runs" "$kept/work"
# One that was canceled may take a while to end. Its programs hold the lock, and lose it with their end.
exec 9>"$kept/lock"
if command -v flock >/dev/null; then flock -n 9 || exit 90; fi
find "$kept/runs" -mindepth 1 -mtime +7 -exec rmdir {} +
mkdir "$kept/runs/$run" 2>/dev/null || exit 85
work=$kept/work\${root:+/$root}

# The files of the commit replace those of the one before. What Terraform has written stays, whatever its name: it may be the state.
refresh() {
  [ ! -e "$kept/files" ] || while IFS= read -r file; do rm -f "$kept/work/$file"; done <"$kept/files"
  if [ "$(cat "$kept/root" 2>/dev/null)" != "$root" ]; then
    [ -z "$(find "$kept/work" ! -type d ! -path '*/.terraform/*' ! -name .terraform.lock.hcl | head -n 1)" ] || exit 87
    printf %s "$root" >"$kept/root"
  fi
  rm -f "$work/.terraform.lock.hcl"
  (cd "$source" && find . ! -type d) >"$kept/files.new"
  while IFS= read -r file; do
    if [ -e "$kept/work/$file" ]; then echo "The repository has $file, which Terraform has written" >&2; exit 88; fi
  done <"$kept/files.new"
  mv "$kept/files.new" "$kept/files"
  cp -R "$source/." "$kept/work/"
  cd "$work" || exit 81
  attempt 81 "$program" init -input=false -no-color
}

apply() {
  # Taken away first: it is applied once, whatever happens.
  mv "$kept/plan" "$kept/applied" || exit 86
  : >"$kept/changed"
  cd "$work" || exit 86
  attempt 83 "$program" apply -input=false -no-color "$kept/applied"
  rm -f "$kept/applied"
}

case $what in
plan)
  rm -f "$kept/plan"
  refresh
  attempt 82 "$program" plan -input=false -no-color -detailed-exitcode -out="$kept/plan" "$@" >"$kept/planned"
  echo "${planMarks('$run').begin}"
  attempt 82 "$program" show -no-color "$kept/plan"
  echo "${planMarks('$run').end} $(sha256sum "$kept/plan" | cut -d ' ' -f 1)"
  ;;
apply)
  [ "$(sha256sum "$kept/plan" 2>/dev/null | cut -d ' ' -f 1)" = "$digest" ] || exit 86
  apply
  ;;
destroy)
  rm -f "$kept/plan"
  if [ ! -e "$kept/changed" ]; then echo 'Nothing was ever applied here: there is nothing to destroy'; exit 0; fi
  refresh
  attempt 82 "$program" plan -destroy -input=false -no-color -out="$kept/plan" "$@"
  apply
  ;;
esac
`;
