#!/bin/bash
# Stands for the entry point of PostgreSQL's official image: the same variables, the same folder of first statements.
set -euo pipefail
export PGDATA=/var/lib/postgresql/data
socket=/var/run/postgresql
words=()
eval "words=(${POSTGRES_INITDB_ARGS:-})"
password=/tmp/password
printf '%s\n' "$POSTGRES_PASSWORD" >"$password"
initdb --username="$POSTGRES_USER" --pwfile="$password" "${words[@]}"
rm "$password"
echo "host all all all scram-sha-256" >>"$PGDATA/pg_hba.conf"
export PGPASSWORD=$POSTGRES_PASSWORD
pg_ctl --wait start --options="$(printf '%q ' "$@" -c listen_addresses= -c "unix_socket_directories=$socket")"
run=(psql --host="$socket" --username="$POSTGRES_USER" --no-psqlrc --set=ON_ERROR_STOP=1)
"${run[@]}" --dbname=postgres --command="CREATE DATABASE $POSTGRES_DB"
for file in /docker-entrypoint-initdb.d/*.sql; do
    "${run[@]}" --dbname="$POSTGRES_DB" --file="$file"
done
pg_ctl --wait --mode=fast stop
unset PGPASSWORD
exec postgres "$@"
