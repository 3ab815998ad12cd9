#!/bin/sh
# Compares Nyala with the installed slapd on this machine: rates, server CPU per operation, latency, import, sizes.
#
#   loadtest/bench/compare.sh [--quick] [--entries N] [--out DIR] [more options of nyala-loadtest bench]
#
# Takes the distribution in $NYALA_HOME, or unpacks the one that ./mvnw package built. Everything happens in a temporary
# directory and on loopback ports; what it starts it stops. A full run takes about half an hour, --quick a few minutes; --jobs modify,vlv
# measures just those. Writes are as fast as the disk under that directory: --work DIR chooses another one, and the report says what it is.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM

home=${NYALA_HOME:-}
if [ -z "$home" ]; then
  tarball=$(ls "$root"/distribution/target/nyala-*-linux-x64.tar.gz 2>/dev/null | head -n 1)
  if [ -z "$tarball" ]; then
    echo "compare.sh: no distribution: run ./mvnw -DskipTests package first, or set NYALA_HOME" >&2
    exit 1
  fi
  mkdir "$work/nyala"
  tar -xzf "$tarball" -C "$work/nyala" --strip-components=1
  home=$work/nyala
fi

if [ -n "${JAVA_HOME:-}" ]; then
  PATH=$JAVA_HOME/bin:$PATH
fi
"$home/bin/nyala-loadtest" bench --nyala "$home" "$@"
