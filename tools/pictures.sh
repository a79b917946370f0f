# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Sourced by the tools that draw pictures, with the folder for single pictures, which is empty for
# one that is removed afterwards: sets root, vksim and folder. VKSIM is the program.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck disable=SC2034 # for those who source it
vksim=${VKSIM:-$root/build/vksim}
folder=$1
if [[ -z $folder ]]; then
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
fi

# needs TOOL...: ends with a message if one is missing.
needs() {
    local tool
    for tool in "$@"; do
        command -v "$tool" >/dev/null || {
            echo "$(basename "$0"): '$tool' is missing (it is in the package imagemagick)" >&2
            exit 1
        }
    done
}
