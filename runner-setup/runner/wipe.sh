#!/bin/bash
# Before and after every job, as root: nothing that one made or ran is there for the next, tools and caches included.
# Fetching them again costs a few minutes a night. First everything of its users ends, so that nobody puts a link where
# something is about to be removed; then what they own goes, and no link is followed. A wipe that failed leaves a flag,
# and no runner starts until a person has looked.
set -Eeuo pipefail

state=${PLUMBLINE_STATE:-/var/lib/plumbline}
launcher=${PLUMBLINE_LAUNCHER:-/usr/local/lib/plumbline/launcher}
user=${PLUMBLINE_USER:-plumbline-runner} database=${PLUMBLINE_DATABASE_USER:-plumbline-db}

# The folder of these two is root's. The flag stands from the start, so that a wipe that was killed leaves it as well.
unclean=$state/unclean rejected=$state/rejected
flagged=$([ ! -e "$unclean" ] || echo before)
[ -n "$flagged" ] || echo "the wipe did not end" >"$unclean"
trap 'echo "the wipe failed: $BASH_COMMAND" | tee "$unclean" >&2' ERR

# end_all USER: a process that starts others is quicker than one look at them.
end_all() {
    for _ in {1..100}; do
        pkill -KILL -u "$1" || break
        sleep 0.1
    done
    ! pgrep -u "$1" >/dev/null
}

# theirs FOLDER ACTION: what the users own in a folder that is for all. Others work there meanwhile, so what find could not
# look at is no failure; what is left in the end is.
theirs() {
    [ ! -d "$1" ] || find "$1" -xdev -mindepth 1 \( -user "$user" -o -user "$database" \) "${@:2}" 2>/dev/null || true
}

# First the launcher stops listening: a session that lives could ask for another while it is ended.
systemctl stop plumbline-launcher.socket 'plumbline-launcher@*.service'
/usr/bin/python3 -I "$launcher" sweep
rm -f "/var/lib/systemd/linger/$user"
uid=$(id -u "$user")
systemctl stop "user-$uid.slice"
end_all "$user"
end_all "$database"

# A rejected job said so in a folder of its own.
if [ -f "$state/runner/rejected" ] && [ ! -L "$state/runner/rejected" ]; then
    head -c 500 "$state/runner/rejected" >"$rejected"
fi
find "$state" -xdev -mindepth 1 -not -path "$rejected" -not -path "$unclean" -delete
for place in /tmp /var/tmp /dev/shm /dev/mqueue /run/lock "/run/user/$uid"; do
    theirs "$place" -delete
    [ -z "$(theirs "$place" -print -quit)" ]
done
# The folder itself is root's: nobody else can put a link in the place of one of these.
install -d -m 0755 -o root -g root "$state"
install -d -m 0700 -o "$user" -g plumbline "$state/runner"
# Applications of throw-away users pass through to their artifact; only the runner's user writes.
install -d -m 0755 -o "$user" -g plumbline "$state/cache"
install -d -m 0711 -o "$user" -g plumbline "$state/scratch"
# Not where it is about to be taken away.
! systemctl --quiet is-enabled plumbline-launcher.socket || systemctl start plumbline-launcher.socket
[ -n "$flagged" ] || rm "$unclean"
