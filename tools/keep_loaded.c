/* SPDX-License-Identifier: MIT */
/* Preloaded by tools/test into the sanitizer runs: keeps libraries loaded until the process ends.
 * The Vulkan loader unloads a driver with its instance; a leak of the driver could then not be told
 * from one of vksim's, because its module is unknown. */

int dlclose(void *handle);

int dlclose(void *handle)
{
    (void)handle;
    return 0;
}
