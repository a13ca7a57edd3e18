# Runs a PostgreSQL cluster of its own until standard input ends, however the tests end.
# usage: sh cluster.sh FOLDER PORT        FOLDER must not exist; FOLDER/ready appears when it serves
folder=$1 port=$2
for bin in /usr/lib/postgresql/*/bin "$(pg_config --bindir 2>/dev/null)"; do
    [ -x "$bin/postgres" ] && break
done
[ -x "$bin/postgres" ] || { echo "PostgreSQL is missing: apt-get install postgresql"; exit 1; }
mkdir -m 755 "$folder" || exit 1
trap 'rm -rf "$folder"' EXIT
trap '' INT HUP
# PostgreSQL refuses to run as root.
as=
if [ "$(id -u)" = 0 ]; then
    user=nobody
    id postgres >/dev/null 2>&1 && user=postgres
    chown "$user" "$folder"
    as="setpriv --reuid=$user --regid=$(id -g "$user") --clear-groups"
fi
cd "$folder" || exit 1
$as "$bin/initdb" --pgdata "$folder/data" --username okaeri --auth trust --encoding UTF8 --locale C.UTF-8 --no-sync ||
    exit 1
$as sh -c 'cat >>"$1/data/postgresql.conf"' sh "$folder" <<CONFIGURATION
listen_addresses = '127.0.0.1'
port = $port
unix_socket_directories = '$folder'
max_connections = 1000
fsync = off
synchronous_commit = on
full_page_writes = off
shared_buffers = 64MB
log_min_messages = fatal
CONFIGURATION
$as sh -c 'cat >"$1/data/pg_hba.conf"' sh "$folder" <<RULES
host with_password all 127.0.0.1/32 scram-sha-256
local all all trust
host all all 127.0.0.1/32 trust
RULES
# Its own session: a Ctrl-C for the tests is none for it.
$as setsid "$bin/postgres" -D "$folder/data" </dev/null &
postgres=$!
while ! "$bin/pg_isready" --quiet --host "$folder" --port "$port"; do
    kill -0 $postgres 2>/dev/null || exit 1
    sleep 0.05
done
echo $postgres >"$folder/ready"
cat >/dev/null
kill -QUIT "$(head -n 1 "$folder/data/postmaster.pid")"
wait
