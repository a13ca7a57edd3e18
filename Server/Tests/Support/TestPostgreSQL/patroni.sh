# Runs two PostgreSQL servers, one following the other, under Patroni with etcd, until standard input ends.
# usage: sh patroni.sh FOLDER ETCD PEERS REST1 PORT1 REST2 PORT2      FOLDER must not exist; the others are free ports
#
# As long as FOLDER/down1 exists, Patroni does not start the first server again, and the second likewise: a machine
# that is down. Processes tell their ids in FOLDER/patroni1.pid and FOLDER/data1/postmaster.pid.
folder=$1 etcd=$2 peers=$3
for bin in /usr/lib/postgresql/*/bin "$(pg_config --bindir 2>/dev/null)"; do
    [ -x "$bin/postgres" ] && break
done
for program in "$bin/postgres" etcd patroni; do
    command -v "$program" >/dev/null || { echo "$program is missing: run scripts/setup failover"; exit 1; }
done
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

# configuration NUMBER REST PORT: what Patroni reads. Its lease of leadership lasts for 20 seconds, the least it takes;
# when the database's process alone is gone, the other server takes over at once.
configuration() {
    cat <<YAML
scope: okaeri
name: server$1
restapi: {listen: "127.0.0.1:$2", connect_address: "127.0.0.1:$2"}
etcd3: {host: "127.0.0.1:$etcd"}
bootstrap:
  dcs:
    ttl: 20
    loop_wait: 1
    retry_timeout: 3
    master_start_timeout: 0
    synchronous_mode: true
    postgresql:
      use_pg_rewind: true
      parameters: {max_connections: 100, shared_buffers: 64MB, log_min_messages: fatal}
  initdb: [{encoding: UTF8}, {locale: C.UTF-8}, {auth: trust}]
  pg_hba:
    - local all all trust
    - host all all 127.0.0.1/32 trust
    - host replication all 127.0.0.1/32 trust
postgresql:
  listen: "127.0.0.1:$3"
  connect_address: "127.0.0.1:$3"
  data_dir: $folder/data$1
  bin_dir: $bin
  pgpass: $folder/pgpass$1
  authentication:
    superuser: {username: okaeri, password: okaeri}
    replication: {username: replicator, password: replicator}
    rewind: {username: rewinder, password: rewinder}
  parameters: {unix_socket_directories: $folder}
YAML
}

# What an operating system does for a service: start it, and again when it has ended.
supervise() {
    while :; do
        while [ -e "$folder/down$1" ]; do sleep 0.2; done
        $as setsid patroni "$folder/server$1.yml" </dev/null >>"$folder/patroni$1.log" 2>&1 &
        echo $! >"$folder/patroni$1.pid"
        wait $!
        sleep 1
    done
}

$as setsid etcd --name okaeri --data-dir "$folder/etcd" --log-level error \
    --listen-client-urls "http://127.0.0.1:$etcd" --advertise-client-urls "http://127.0.0.1:$etcd" \
    --listen-peer-urls "http://127.0.0.1:$peers" --initial-advertise-peer-urls "http://127.0.0.1:$peers" \
    --initial-cluster "okaeri=http://127.0.0.1:$peers" </dev/null >"$folder/etcd.log" 2>&1 &
store=$!
configuration 1 "$4" "$5" >"$folder/server1.yml"
configuration 2 "$6" "$7" >"$folder/server2.yml"
supervise 1 &
first=$!
supervise 2 &
second=$!
cat >/dev/null
kill $first $second
for number in 1 2; do
    kill -KILL "$(cat "$folder/patroni$number.pid")"
    # Its children see that it is gone, and end too.
    kill -KILL "$(head -n 1 "$folder/data$number/postmaster.pid")"
done 2>/dev/null
kill -KILL $store
sleep 1
