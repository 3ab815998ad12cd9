#!/bin/sh
# Builds the baseline programs that the load tester's CPU per request is compared with.
#
#   loadtest/src/baseline/build.sh [DIR]     puts searchrate_raw and, where libldap is installed, searchrate_libldap and
#                                            searchrate_libldap_threads into DIR (default: loadtest/target/baseline)
#
# Needs a C compiler ($CC, default gcc). Says what it leaves out; fails only when there is no compiler.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
out=${1:-$here/../../target/baseline}
cc=${CC:-gcc}
flags="-O2 -Wall -Wextra -Werror"

if ! command -v "$cc" >/dev/null 2>&1; then
  echo "build.sh: no C compiler ($cc)" >&2
  exit 1
fi
mkdir -p "$out"
# shellcheck disable=SC2086
"$cc" $flags -o "$out/searchrate_raw" "$here/searchrate_raw.c"
# shellcheck disable=SC2086
if printf '#include <ldap.h>\nint main(void) { return 0; }\n' | "$cc" -x c -fsyntax-only - 2>/dev/null; then
  "$cc" $flags -o "$out/searchrate_libldap" "$here/searchrate_libldap.c" -lldap -llber
  # shellcheck disable=SC2086
  "$cc" $flags -pthread -o "$out/searchrate_libldap_threads" "$here/searchrate_libldap_threads.c" -lldap -llber
else
  echo "build.sh: no ldap.h, so without the programs that use libldap" >&2
fi
ls "$out"
