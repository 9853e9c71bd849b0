#!/bin/bash
# Puts launcher, hooks, runner scripts and units in their places on a Debian or Ubuntu host. Run as root, from a checkout
# that you trust; what is installed is a copy, so that no job can change it. Running it again updates the copy.
#
#   sudo runner-setup/install-runner.sh OWNER/NAME HOST
#   sudo runner-setup/install-runner.sh --uninstall       end what runs, and remove all of it, the token as well
set -euo pipefail

fail() { printf 'install-runner: %s\n' "$*" >&2; exit 2; }

lib=/usr/local/lib/plumbline state=/var/lib/plumbline

uninstall() {
    [ "$(id -u)" = 0 ] || fail "it removes users and units; run it by sudo."
    systemctl disable --quiet --now plumbline-watch.timer plumbline-launcher.socket 2>/dev/null || true
    systemctl stop plumbline-watch.service plumbline-runner.service 'plumbline-launcher@*.service' 2>/dev/null || true
    if [ -e "$lib/runner/wipe.sh" ]; then
        "$lib/runner/wipe.sh" || fail "something of a job is left; $state/unclean names it. Mend that and run this again."
    fi
    for user in plumbline-runner plumbline-db; do
        if id "$user" >/dev/null 2>&1; then
            rm -f "/etc/systemd/system/user@$(id -u "$user").service"
            userdel "$user"
        fi
    done
    ! getent group plumbline >/dev/null || groupdel plumbline
    rm -rf "$lib" "$state" /var/lib/plumbline-sessions /etc/plumbline /run/plumbline /run/plumbline-runner \
        /etc/systemd/system/plumbline-runner.service.d
    rm -f /etc/systemd/system/plumbline-{launcher,runner,watch}* /etc/sysctl.d/60-plumbline.conf
    systemctl daemon-reload
    echo "The runner and its sandbox are removed; /opt/actions-runner is yours."
}

# What the runner's unit is let in to and kept from on this host, beside what its file says. What is allowed wins over
# what is denied, so no address may be a resolver that also answers with what a cloud tells its machine alone.
addresses() {
    local resolvers resolver
    resolvers=$(sed -n 's/^nameserver[[:space:]]\+\([0-9a-fA-F.:]\+\).*/\1/p' "$1") || return
    echo '[Service]'
    for resolver in $resolvers; do
        case $resolver in
            169.254.* | 168.63.129.16 | fd20:ce::254)
                fail "at the resolver $resolver of $1 a cloud answers with this machine's metadata too, which a job must" \
                    "not read. Let systemd ask the resolver: apt install systemd-resolved." ;;
        esac
        echo "IPAddressAllow=$resolver"
    done
    ip -o address show scope global | sed 's/.* inet6\? \([^ ]*\) .*/IPAddressDeny=\1/'
}

if [ "${1-}" = --uninstall ] && [ $# = 1 ]; then
    uninstall
    exit 0
fi
[ $# = 2 ] || fail "usage: install-runner.sh OWNER/NAME HOST, for example install-runner.sh me/plumbline lab-1"
repository=$1 host=$2
[[ $repository =~ ^[A-Za-z0-9._-]+/[A-Za-z0-9._-]+$ ]] || fail "'$repository' is no OWNER/NAME."
[[ $host =~ ^[a-z0-9-]{1,32}$ ]] || fail "'$host' is no name of a host: small letters, digits and dashes."
[ "$(id -u)" = 0 ] || fail "it writes below /etc and /usr/local/lib; run it by sudo."
[ -d /run/systemd/system ] || fail "systemd does not run here, and the sandbox is made of its units."
[ -e /sys/fs/cgroup/cgroup.controllers ] || fail "control groups are not of version 2 here; boot with systemd.unified_cgroup_hierarchy=1."
for program in python3 ip systemd-run pkill mount; do
    command -v "$program" >/dev/null || fail "$program is missing: apt install python3 iproute2 systemd procps mount"
done

addresses=$(addresses /etc/resolv.conf)
here=$(dirname "$(readlink -f "$0")")

getent group plumbline >/dev/null || groupadd --system plumbline
id plumbline-runner >/dev/null 2>&1 ||
    useradd --system --gid plumbline --home-dir "$state/runner" --shell /usr/sbin/nologin plumbline-runner
# Database servers run as a user of their own, who can write the folder of their session and nothing else.
id plumbline-db >/dev/null 2>&1 ||
    useradd --system --user-group --home-dir /nonexistent --no-create-home --shell /usr/sbin/nologin plumbline-db
# Neither has a manager of its own units: what lingers would outlive the job.
for user in plumbline-runner plumbline-db; do
    ln -sfn /dev/null "/etc/systemd/system/user@$(id -u "$user").service"
    rm -f "/var/lib/systemd/linger/$user"
done

rm -rf "$lib"
install -d -m 0755 "$lib" "$lib/hooks" "$lib/runner" "$lib/launcher" /etc/plumbline
install -m 0755 -t "$lib/hooks" "$here"/hooks/*.sh
install -m 0755 -t "$lib/runner" "$here"/runner/*.sh
install -m 0644 -t "$lib/runner" "$here"/runner/*.py
install -m 0644 -t "$lib/launcher" "$here"/launcher/*.py
install -m 0644 -t /etc/systemd/system "$here"/units/plumbline-*

# No link that somebody else left in a folder for all is followed, no file or pipe of theirs opened by mistake.
printf 'fs.protected_%s\n' symlinks=1 hardlinks=1 fifos=2 regular=2 >/etc/sysctl.d/60-plumbline.conf
sysctl --quiet --load /etc/sysctl.d/60-plumbline.conf

# The folder is root's, so that nobody can put a link in the place of one of those in it. What the runner keeps in its
# own is for it alone; applications of throw-away users pass through the others to their artifact.
install -d -m 0755 -o root -g root "$state"
install -d -m 0700 -o plumbline-runner -g plumbline "$state/runner"
install -d -m 0755 -o plumbline-runner -g plumbline "$state/cache"
install -d -m 0711 -o plumbline-runner -g plumbline "$state/scratch"

install -d /etc/systemd/system/plumbline-runner.service.d
printf '%s\n' "$addresses" >/etc/systemd/system/plumbline-runner.service.d/resolvers.conf

[ -e /etc/plumbline/launcher.json ] || python3 - "$state" >/etc/plumbline/launcher.json <<'END'
import json, os, sys
# Half of the memory for the application and a quarter for each other role is more than any suite needs; what is bounded
# is a leak. A JVM that chooses its own heap takes its bound for the memory of the machine.
total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
roles = {"app": total // 2, "db": total // 4, "load": total // 4, "harness": total // 4}
print(json.dumps({"user": "plumbline-runner", "state": sys.argv[1], "memory_bytes": roles, "tasks": 16384}, indent=1))
END
# Other keys of this file are its owner's, such as `organization` and `deliver`.
python3 - /etc/plumbline/watch.json "$repository" "$host" <<'END'
import json, pathlib, sys
path, repository, host = pathlib.Path(sys.argv[1]), *sys.argv[2:]
try:
    settings = json.loads(path.read_text()) if path.exists() else {}
except ValueError as error:
    sys.exit(f"install-runner: {path} is no JSON ({error}). Mend it, and run this again.")
path.write_text(json.dumps({**settings, "repository": repository, "host": host}, indent=1) + "\n")
END
[ -e /etc/plumbline/token ] || install -m 0600 /dev/null /etc/plumbline/token

systemctl daemon-reload
systemctl enable --now plumbline-launcher.socket
cat <<END
The sandbox listens. What is left, as docs/operate.md says:
  1. the runner of GitHub Actions, unpacked in /opt/actions-runner
  2. the token, in /etc/plumbline/token
  3. systemctl enable --now plumbline-watch.timer
  4. the variable PLUMBLINE_HOST of the repository on GitHub
END
