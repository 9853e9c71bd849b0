#!/bin/bash
# Runs before the first step of a job: is it the one that this runner was made for? The labels of a waiting job are
# public, so anybody may aim another at us. A hook that only fails does not stop steps with `if: always()`: it ends the
# worker, and leaves a flag so that the unit is not started again before somebody has looked.
set -euo pipefail

minted=${PLUMBLINE_MINTED:-/run/plumbline-runner/minted}
# In the runner's own folder; root takes its words over before that folder is wiped.
flag=${PLUMBLINE_REJECTED:-/var/lib/plumbline/runner/rejected}

# The worker is the nearest ancestor of that name; between it and us may be a shell.
worker() {
    local pid=$PPID
    while [ "$pid" -gt 1 ]; do
        [ "$(cat "/proc/$pid/comm")" != Runner.Worker ] || { echo "$pid"; return; }
        pid=$(awk '/^PPid:/ { print $2 }' "/proc/$pid/status")
    done
}

reject() {
    printf '%s\n' "$1" | tee "$flag" >&2
    kill -KILL "$(worker)"
    exit 1
}

# wanted NAME: what the job was when the runner was minted for it.
wanted() { sed -n "s/^$1=//p" "$minted"; }

[ -r "$minted" ] || reject "nothing was minted for this runner"
for name in GITHUB_REPOSITORY GITHUB_RUN_ID GITHUB_RUN_ATTEMPT GITHUB_EVENT_NAME GITHUB_WORKFLOW_REF; do
    [ "${!name-}" = "$(wanted "$name")" ] || reject "$name is '${!name-}', and this runner is for '$(wanted "$name")'"
done
