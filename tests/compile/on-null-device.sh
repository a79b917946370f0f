#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# on-null-device.sh amd|intel CHIP COMMAND...: runs a command on a device that compiles but does not
# compute. AMD: RADV's null device. Intel: the no-op shim that tools/setup-intel-noop builds, whose
# path is in VKSIM_TEST_INTEL_SHIM. Fails when a driver is missing.
set -euo pipefail

vendor=$1
chip=$2
shift 2

first_file() {
    local file
    for file in "$@"; do
        if [[ -f $file ]]; then
            printf '%s\n' "$file"
            return
        fi
    done
    printf 'Bail out! none of these is there: %s\n' "$*"
    exit 1
}

folder=/usr/share/vulkan/icd.d
if [[ $vendor == amd ]]; then
    icd=$(first_file $folder/radeon_icd.x86_64.json $folder/radeon_icd.json)
    # Mesa 24 and later name RDNA3's first chip navi31.
    if [[ $chip == gfx1100 && $icd != *x86_64* ]]; then
        chip=navi31
    fi
    export RADV_FORCE_FAMILY=$chip
else
    icd=$(first_file $folder/intel_icd.x86_64.json $folder/intel_icd.json)
    shim=$(first_file "${VKSIM_TEST_INTEL_SHIM-}")
    export LD_PRELOAD=$shim${LD_PRELOAD:+:$LD_PRELOAD} INTEL_STUB_GPU_PLATFORM=$chip
    # The shim leaks, and the leak checker's own reading of files goes through it and hangs.
    export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
fi
export VK_ICD_FILENAMES=$icd VK_DRIVER_FILES=$icd MESA_SHADER_CACHE_DISABLE=true
exec "$@"
