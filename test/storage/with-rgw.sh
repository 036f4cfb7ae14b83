#!/usr/bin/env bash
# Runs a command beside a real S3 store: Ceph's RADOS gateway over an object store in memory, on loopback.
#   apt-get install radosgw ceph-mon ceph-osd ceph-common
#   test/storage/with-rgw.sh npx vitest run test/storage
set -euo pipefail

port=${RGW_PORT:-37480}
monitor_port=$((port + 1))
dir=$(mktemp -d /tmp/stemwright-rgw-XXXXXX)
children=()
stop() {
  # No data is kept, and a graceful stop of the gateway takes minutes.
  kill -KILL "${children[@]}" 2>/dev/null || true
  wait "${children[@]}" 2>/dev/null || true
  rm -rf "$dir"
}
trap stop EXIT

mkdir -p "$dir"/{mon,osd,run}
fsid=$(cat /proc/sys/kernel/random/uuid)
osd_id=$(cat /proc/sys/kernel/random/uuid)
cat >"$dir/ceph.conf" <<CONF
[global]
fsid = $fsid
mon host = v1:127.0.0.1:$monitor_port
auth cluster required = none
auth service required = none
auth client required = none
public addr = 127.0.0.1
mon allow pool size one = true
osd pool default size = 1
osd pool default pg num = 1
osd pool default pg autoscale mode = off
osd crush chooseleaf type = 0
osd objectstore = memstore
memstore device bytes = 2147483648
mon data = $dir/mon
osd data = $dir/osd
run dir = $dir/run
admin socket = $dir/run/\$name.asok
log file = $dir/run/\$name.log
[client.rgw]
rgw frontends = beast endpoint=127.0.0.1:$port
rgw data = $dir/rgw
rgw thread pool size = 16
CONF
conf=(-c "$dir/ceph.conf")

{
  monmaptool --create --fsid "$fsid" --addv a "[v1:127.0.0.1:$monitor_port]" "$dir/monmap"
  ceph-mon "${conf[@]}" --mkfs -i a --monmap "$dir/monmap"
  ceph-mon "${conf[@]}" -f -i a &
  children+=($!)
  ceph "${conf[@]}" --connect-timeout 30 osd new "$osd_id"
  ceph-osd "${conf[@]}" -i 0 --mkfs --osd-uuid "$osd_id"
  # It may query the monitor before it knows its name, and then dies; so it is restarted until it stays up.
  for _ in $(seq 10); do
    ceph-osd "${conf[@]}" -f -i 0 &
    osd=$!
    sleep 3
    if kill -0 $osd; then break; fi
  done
  children+=("$osd")
  radosgw "${conf[@]}" -n client.rgw -f &
  children+=($!)
  for _ in $(seq 120); do curl -sf "http://127.0.0.1:$port/" && break || sleep 0.5; done
  radosgw-admin "${conf[@]}" -n client.rgw user create --uid=test --display-name=Test \
    --access-key=RGWTESTKEY --secret-key=rgw-test-secret
} >"$dir/start.log" 2>&1 || { tail -20 "$dir/start.log" >&2; exit 1; }

export TEST_S3_ENDPOINT="http://127.0.0.1:$port" TEST_S3_ACCESS_KEY_ID=RGWTESTKEY TEST_S3_SECRET_ACCESS_KEY=rgw-test-secret
"$@"
