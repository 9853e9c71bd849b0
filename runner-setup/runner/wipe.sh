#!/bin/bash
# After every job, as root: nothing that it made or ran outlives it. The tools in the cache are checked by their hash
# whenever they are used, artifacts by their digest, so those may stay; all else goes.
set -euo pipefail

state=${PLUMBLINE_STATE:-/var/lib/plumbline}
/usr/bin/python3 -I /usr/local/lib/plumbline/launcher sweep
find "$state/runner/_work" "$state/scratch" -xdev -mindepth 1 -delete
find /tmp /var/tmp -xdev -mindepth 1 -user plumbline-runner -delete
rm -f /run/plumbline-runner/jitconfig /run/plumbline-runner/minted
