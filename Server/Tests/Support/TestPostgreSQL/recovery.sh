# Runs a PostgreSQL cluster that keeps an archive of its log, or one that was recovered from it, until standard input ends.
# usage: sh recovery.sh archive FOLDER PORT             FOLDER must not exist; FOLDER/ready appears when it serves
#        sh recovery.sh base FOLDER PORT                copies the cluster into FOLDER/base
#        sh recovery.sh recover FOLDER PORT FROM TIME   from FROM/base and FROM/archive, as it was at a time
mode=$1 folder=$2 port=$3 from=$4 time=$5
for bin in /usr/lib/postgresql/*/bin "$(pg_config --bindir 2>/dev/null)"; do
    [ -x "$bin/postgres" ] && break
done
[ -x "$bin/postgres" ] || { echo "PostgreSQL is missing: apt-get install postgresql"; exit 1; }
# PostgreSQL refuses to run as root.
as=
user=$(id -un)
if [ "$(id -u)" = 0 ]; then
    user=nobody
    id postgres >/dev/null 2>&1 && user=postgres
    as="setpriv --reuid=$user --regid=$(id -g "$user") --clear-groups"
fi
if [ "$mode" = base ]; then
    exec $as "$bin/pg_basebackup" --host "$folder" --port "$port" --username okaeri --pgdata "$folder/base" \
        --wal-method stream --checkpoint fast --no-sync
fi
mkdir -m 755 "$folder" || exit 1
trap 'rm -rf "$folder"' EXIT
trap '' INT HUP
[ "$(id -u)" != 0 ] || chown "$user" "$folder"
cd "$folder" || exit 1
if [ "$mode" = archive ]; then
    $as mkdir "$folder/archive"
    $as "$bin/initdb" --pgdata "$folder/data" --username okaeri --auth trust --encoding UTF8 --locale C.UTF-8 --no-sync ||
        exit 1
    $as sh -c 'cat >>"$1/data/postgresql.conf"' sh "$folder" <<CONFIGURATION
listen_addresses = ''
unix_socket_directories = '$folder'
max_connections = 100
fsync = off
wal_level = replica
archive_mode = on
archive_command = 'test ! -f $folder/archive/%f && cp %p $folder/archive/%f'
log_min_messages = fatal
CONFIGURATION
else
    cp -R "$from/base" "$folder/data"
    [ "$(id -u)" != 0 ] || chown -R "$user" "$folder/data"
    chmod -R go= "$folder/data"
    $as sh -c 'cat >>"$1/data/postgresql.conf"' sh "$folder" <<CONFIGURATION
unix_socket_directories = '$folder'
archive_mode = off
restore_command = 'cp $from/archive/%f %p'
recovery_target_time = '$time'
recovery_target_action = 'promote'
CONFIGURATION
    $as touch "$folder/data/recovery.signal"
fi
$as setsid "$bin/postgres" -D "$folder/data" -p "$port" </dev/null &
postgres=$!
# One that recovers serves before it takes writes.
until [ "$("$bin/psql" --no-psqlrc --tuples-only --no-align --host "$folder" --port "$port" --username okaeri postgres \
    --command 'SELECT NOT pg_is_in_recovery()' 2>/dev/null)" = t ]; do
    kill -0 $postgres 2>/dev/null || exit 1
    sleep 0.1
done
echo $postgres >"$folder/ready"
cat >/dev/null
kill -QUIT "$(head -n 1 "$folder/data/postmaster.pid")"
wait
