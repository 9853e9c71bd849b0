#!/bin/bash
# Installs bench-host on a Debian or Ubuntu host: copies it and the measures to /usr/local/lib/plumbline-host, owned by
# root, so that nothing that runs at boot lies in a checkout. Changes no setting of the host; `bench-host apply` does.
#
#   sudo runner-setup/install.sh               install, or update what is installed
#   sudo runner-setup/install.sh --uninstall   remove it again, once `bench-host rollback` has undone every change
set -euo pipefail

fail() { printf 'install: %s\n' "$*" >&2; exit 2; }

lib=/usr/local/lib/plumbline-host program=/usr/local/bin/bench-host state=/var/lib/plumbline-host
here=$(dirname "$(readlink -f "$0")")

[ "$(uname -s)" = Linux ] || fail "bench-host sets up Linux, and this is $(uname -s)."
[ "$(id -u)" = 0 ] || fail "it writes below /usr/local; run it by sudo."

case ${1-} in
--uninstall)
    [ ! -e "$state" ] || fail "settings are still applied; undo them first: bench-host rollback"
    rm -rf "$lib" "$program"
    echo "bench-host is removed."
    exit 0
    ;;
"") ;;
*) fail "usage: install.sh [--uninstall]" ;;
esac

python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null ||
    fail "Python 3.11 or newer is missing: apt install python3"

# Into a folder beside the old one, and then into its place: what runs at boot is never half of it.
new=$lib.new
rm -rf "$new"
install -d -m 0755 "$new" "$new/bench_host" "$new/measures" "$(dirname "$program")"
install -m 0755 "$here/bench-host" "$new/bench-host"
install -m 0644 -t "$new/bench_host" "$here"/bench_host/*.py
install -m 0644 -t "$new/measures" "$here"/measures/*.py
rm -rf "$lib"
mv "$new" "$lib"
ln -sfn "$lib/bench-host" "$program"

cat <<END
bench-host is installed in $lib.
  bench-host check              what is met, and what is not
  bench-host apply --dry-run    what would be changed
  bench-host apply              change it, after writing down what is there
  bench-host rollback           put everything back
END
