#!/bin/bash
# After every job, as root: nothing that it made or ran outlives it, tools and caches included. Fetching them again costs
# a few minutes a night, and no job can leave something for the next. Only the flag of a rejected job stays.
set -euo pipefail

state=${PLUMBLINE_STATE:-/var/lib/plumbline} run=${PLUMBLINE_RUN:-/run/plumbline-runner}
launcher=${PLUMBLINE_LAUNCHER:-/usr/local/lib/plumbline/launcher}

rm -f "$run/jitconfig" "$run/minted"
/usr/bin/python3 -I "$launcher" sweep
find "$state" -xdev -mindepth 1 -not -path "$state/rejected" -delete
find /tmp /var/tmp -xdev -mindepth 1 -user plumbline-runner -delete
# Applications of throw-away users pass through to their artifact; only the runner's user writes.
install -d -m 0755 -o plumbline-runner -g plumbline "$state" "$state/runner" "$state/cache"
install -d -m 0711 -o plumbline-runner -g plumbline "$state/scratch"
