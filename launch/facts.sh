#!/bin/sh
# facts.sh - what has to be known of this host beside the numbers, as "key value" lines. Never an environment, never a secret.
set -u

say() { [ -z "$2" ] || printf '%s %s\n' "$1" "$2"; }
first() { head -n 1 2>/dev/null; }

say node_name "$(uname -n)"
say node_kernel "$(uname -sr)"
say node_system "$(sed -n 's/^PRETTY_NAME="\(.*\)"/\1/p' /etc/os-release 2>/dev/null)"
say node_cpu "$(sed -n 's/^model name[[:space:]]*: //p' /proc/cpuinfo 2>/dev/null | first)"
say node_cores "$(nproc 2>/dev/null)"
say node_memory_kb "$(sed -n 's/^MemTotal: *\([0-9]*\).*/\1/p' /proc/meminfo 2>/dev/null)"
say node_governor "$(cat /sys/devices/system/cpu/cpu0/cpufreq/scaling_governor 2>/dev/null)"
say node_load "$(cut -d' ' -f1-3 /proc/loadavg 2>/dev/null)"
for device in /sys/class/net/*; do
	[ -e "$device/mtu" ] || continue
	say "node_interface_${device##*/}" "state $(cat "$device/operstate") mtu $(cat "$device/mtu") speed_mbps $(cat "$device/speed" 2>/dev/null || echo unknown)"
done
for device in /sys/class/infiniband/*; do
	[ -e "$device" ] || continue
	say "node_hca_${device##*/}" "firmware $(cat "$device/fw_ver" 2>/dev/null) $(cat "$device"/ports/1/state 2>/dev/null) $(cat "$device"/ports/1/rate 2>/dev/null)"
done
command -v mpichversion >/dev/null && say node_mpi "MPICH $(mpichversion | sed -n 's/^MPICH Version:[[:space:]]*//p')"
say node_compiler "$(cc --version 2>/dev/null | first)"
command -v nvidia-smi >/dev/null &&
	nvidia-smi --query-gpu=index,name,driver_version,pci.bus_id --format=csv,noheader 2>/dev/null | sed 's/^/node_gpu /'
say source_revision "$(git -C "$(dirname "$0")" describe --always --dirty 2>/dev/null)"
exit 0
