#!/bin/bash
# Becomes the runner of one job. The configuration comes by the environment: command lines are seen by all.
set -euo pipefail

ACTIONS_RUNNER_INPUT_JITCONFIG=$(cat /run/plumbline-runner/jitconfig)
export ACTIONS_RUNNER_INPUT_JITCONFIG
exec /var/lib/plumbline/runner/run.sh
