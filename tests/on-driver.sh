#!/bin/sh
# SPDX-License-Identifier: MIT
# tests/on-driver.sh DRIVER COMMAND...: runs a test on one Vulkan driver.
#
#   lavapipe      the ICD file that VKSIM_TEST_LAVAPIPE_ICD names
#   swiftshader   the ICD file that VKSIM_TEST_SWIFTSHADER_ICD names
#   any           whatever the Vulkan loader finds; by hand, on a real GPU
#
# A driver that is not there is a failure, never a skip.
set -u

driver=$1
shift
case $driver in
lavapipe) icd=${VKSIM_TEST_LAVAPIPE_ICD-} variable=VKSIM_TEST_LAVAPIPE_ICD ;;
swiftshader) icd=${VKSIM_TEST_SWIFTSHADER_ICD-} variable=VKSIM_TEST_SWIFTSHADER_ICD ;;
any) exec "$@" ;;
*)
    echo "Bail out! no driver '$driver': lavapipe, swiftshader or any"
    exit 2
    ;;
esac
if [ ! -f "$icd" ]; then
    echo "Bail out! $variable='$icd' is not a file; it must be the path of an ICD file" \
        "(tools/test sets it)"
    exit 1
fi
# The older and the newer name of the same variable.
export VK_ICD_FILENAMES="$icd" VK_DRIVER_FILES="$icd"
unset VKSIM_DEVICE
exec "$@"
