/* SPDX-License-Identifier: MIT */
/* Preloaded by tools/test into the sanitizer runs: libraries stay loaded until the process ends.
 * The Vulkan loader unloads a driver with its instance; a leak that the driver left could then not
 * be told from one of vksim's, because its module is no longer known. */

int dlclose(void *handle);

int dlclose(void *handle)
{
    (void)handle;
    return 0;
}
