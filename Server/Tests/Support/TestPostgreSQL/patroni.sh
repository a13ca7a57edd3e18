# Runs two PostgreSQL servers, one following the other, under Patroni with etcd, until standard input ends.
# usage: sh patroni.sh FOLDER ETCD PEERS REST1 PORT1 REST2 PORT2 [NETWORK]     FOLDER must not exist; the next are free ports
#
# With NETWORK, as 198.18.7, the servers and etcd are at NETWORK.1 to NETWORK.3, each in a network namespace of its own
# (ok-NETWORK-1 …), and this machine at NETWORK.254. All four hang on a switch, a bridge with port1 … port4 in the
# namespace ok-NETWORK-switch. That takes root. Without it everything is at 127.0.0.1.
#
# As long as FOLDER/down1 exists, Patroni does not start the first server again, and the second likewise: a machine
# that is down. Processes tell their ids in FOLDER/patroni1.pid and FOLDER/data1/postmaster.pid.
folder=$1 etcd=$2 peers=$3 network=${8:-}
for bin in /usr/lib/postgresql/*/bin "$(pg_config --bindir 2>/dev/null)"; do
    [ -x "$bin/postgres" ] && break
done
for program in "$bin/postgres" etcd patroni; do
    command -v "$program" >/dev/null || { echo "$program is missing: run scripts/setup failover"; exit 1; }
done
mkdir -m 755 "$folder" || exit 1

# clear_networks: takes the namespaces away, and with them what hangs on the switch.
clear_networks() {
    for number in switch 1 2 3; do ip netns del "ok-$network-$number" 2>/dev/null; done
}

# at NUMBER: the address of a server, or of etcd, which is the third.
at() { if [ -n "$network" ]; then echo "$network.$1"; else echo 127.0.0.1; fi; }

# within NUMBER: what stands before a command to run it there.
within() { if [ -n "$network" ]; then echo "ip netns exec ok-$network-$1"; fi; }

trap 'clear_networks; rm -rf "$folder"' EXIT
if [ -n "$network" ]; then
    clear_networks
    switch="ip -n ok-$network-switch link"
    ip netns add "ok-$network-switch" && $switch add switch type bridge && $switch set switch up || exit 1
    ip link add "ok-$network" type veth peer name port4 netns "ok-$network-switch" &&
        ip address add "$network.254/24" dev "ok-$network" && ip link set "ok-$network" up || exit 1
    for number in 1 2 3; do
        own="ip -n ok-$network-$number"
        ip netns add "ok-$network-$number" &&
            $switch add "port$number" type veth peer name own netns "ok-$network-$number" &&
            $own address add "$network.$number/24" dev own && $own link set own up && $own link set lo up || exit 1
    done
    for number in 1 2 3 4; do
        $switch set "port$number" master switch && $switch set "port$number" up || exit 1
    done
fi
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
restapi: {listen: "$(at "$1"):$2", connect_address: "$(at "$1"):$2"}
etcd3: {host: "$(at 3):$etcd"}
bootstrap:
  dcs:
    ttl: 20
    loop_wait: 1
    retry_timeout: 3
    master_start_timeout: 0
    synchronous_mode: true
    postgresql:
      use_pg_rewind: true
      parameters: {max_connections: 100, shared_buffers: 64MB, wal_keep_size: 1GB, log_min_messages: fatal}
  initdb: [{encoding: UTF8}, {locale: C.UTF-8}, {auth: trust}]
  pg_hba:
    - local all all trust
    - host all all $(at 0)/24 trust
    - host replication all $(at 0)/24 trust
postgresql:
  listen: "$(at "$1"):$3"
  connect_address: "$(at "$1"):$3"
  data_dir: $folder/data$1
  bin_dir: $bin
  remove_data_directory_on_rewind_failure: true
  remove_data_directory_on_diverged_timelines: true
  # Else a copy of the primary begins when its next checkpoint is done by itself, which takes minutes.
  basebackup: [{checkpoint: fast}]
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
        $(within "$1") $as setsid patroni "$folder/server$1.yml" </dev/null >>"$folder/patroni$1.log" 2>&1 &
        echo $! >"$folder/patroni$1.pid"
        wait $!
        sleep 1
    done
}

clients="http://$(at 3):$etcd" peers="http://$(at 3):$peers"
$(within 3) $as setsid etcd --name okaeri --data-dir "$folder/etcd" --log-level error \
    --listen-client-urls "$clients" --advertise-client-urls "$clients" \
    --listen-peer-urls "$peers" --initial-advertise-peer-urls "$peers" \
    --initial-cluster "okaeri=$peers" </dev/null >"$folder/etcd.log" 2>&1 &
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
