#!/bin/bash
# Becomes the runner of one job, from a copy that no job before it could touch. The configuration comes by the
# environment: command lines are seen by all, variables by processes of the same user.
set -euo pipefail

cp -a --reflink=auto /opt/actions-runner/. /var/lib/plumbline/runner/
ACTIONS_RUNNER_INPUT_JITCONFIG=$(cat "$CREDENTIALS_DIRECTORY/jitconfig")
export ACTIONS_RUNNER_INPUT_JITCONFIG
exec /var/lib/plumbline/runner/run.sh
