#!/usr/bin/env bash
# must_fail.sh CMAKE BUILD_DIR TARGET ERROR: TARGET builds, TARGET_wrong does not, because of ERROR.
set -uo pipefail
cmake=$1 build=$2 target=$3 error=$4
if ! output=$("$cmake" --build "$build" --target "$target" 2>&1); then
    echo "FAILED: $target must build as it stands"
    echo "$output"
    exit 1
fi
if output=$("$cmake" --build "$build" --target "${target}_wrong" 2>&1); then
    echo "FAILED: ${target}_wrong built, although it must not"
    exit 1
fi
if ! grep -qE "$error" <<<"$output"; then
    echo "FAILED: ${target}_wrong fails, but not because of: $error"
    echo "$output"
    exit 1
fi
