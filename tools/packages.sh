# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The system packages that vksim needs, and how to install them. Sourced by the other scripts.
# The package names hold for Debian 12 and 13.
# shellcheck disable=SC2034 # the lists are used where this is sourced

build_packages=(
    gcc libc6-dev meson ninja-build pkgconf python3
    glslc spirv-tools spirv-headers
    libvulkan-dev libvulkan-volk-dev
    libsdl2-dev libpng-dev libjpeg-dev
    libavcodec-dev libavformat-dev libavutil-dev
    libjansson-dev libzip-dev zlib1g-dev libxxhash-dev libopenexr-dev libjs-chart.js
)
# The Vulkan loader, and drivers for AMD, Intel and for no GPU at all (lavapipe).
run_packages=(libvulkan1 mesa-vulkan-drivers)
# chromium is needed for the SwiftShader driver that it contains.
test_packages=(
    abigail-tools g++ libcmocka-dev clang llvm libclang-rt-dev chromium vulkan-validationlayers
    vulkan-tools xvfb xauth xdotool imagemagick librsvg2-bin ffmpeg zsh fish
    python3-cffi python3-dev python3-numpy python3-pandas python3-pil python3-xarray mypy
    python3-ipykernel python3-matplotlib python3-mesonpy python3-nbclient python3-pip python3-venv
    patchelf mpi-default-bin mpi-default-dev
)
# What checks the format of the source (tools/format), and what --capture needs: its header and the
# program. That version and RenderDoc are not in Debian 13.
if grep -qs '^VERSION_CODENAME=bookworm' /etc/os-release; then
    test_packages+=(clang-format-14 librenderdoc-dev renderdoccmd)
fi
# To build Mesa's no-op Intel device, see tools/setup-intel-noop.
intel_noop_packages=(
    gcc g++ libc6-dev meson ninja-build pkgconf python3-mako python3-yaml
    bison flex libdrm-dev libexpat1-dev zlib1g-dev xz-utils
)

# The same for systems with other package names: commands, pkg-config modules and headers.
build_commands=(cc meson ninja pkg-config python3 glslc spirv-opt spirv-val)
build_modules=(vulkan sdl2 libpng libjpeg libavcodec libavformat libavutil jansson libzip zlib
    libxxhash)
build_headers=(volk.h spirv/unified1/spirv.h)
test_commands=(abidiff gcc g++ clang clang++ Xvfb xauth xdotool convert ffmpeg ffprobe vulkaninfo)
test_modules=(cmocka)

say() {
    printf '%s\n' "$*" >&2
}

die() {
    say "$*"
    exit 1
}

has_apt() {
    command -v apt-get >/dev/null && command -v dpkg-query >/dev/null
}

# missing_packages PACKAGE...: prints those that are not installed.
missing_packages() {
    local package
    for package in "$@"; do
        if [[ $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) != installed ]]; then
            printf '%s\n' "$package"
        fi
    done
}

# install_packages PACKAGE...: prints and installs the missing packages. Does not ask for anything,
# except that sudo may.
install_packages() {
    local missing become=()
    mapfile -t missing < <(missing_packages "$@" | sort -u)
    if ((${#missing[@]} == 0)); then
        return
    fi
    say "These packages are missing and will be installed:"
    say "  ${missing[*]}"
    if ((EUID != 0)); then
        if ! command -v sudo >/dev/null; then
            say "Installing needs root, and there is no sudo. As root, run:"
            say "  apt-get update && apt-get install --no-install-recommends ${missing[*]}"
            say "and then this command again."
            exit 3
        fi
        become=(sudo)
    fi
    "${become[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update
    "${become[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get install --yes --no-install-recommends "${missing[@]}"
}

# use_packaged: prefers the programs of the installed packages to others of the same name; another
# python3, for example, does not have their modules.
use_packaged() {
    if has_apt; then
        export PATH=/usr/bin:$PATH
    fi
}

# has_header HEADER: whether the compiler finds it.
has_header() {
    printf '#include <%s>\n' "$1" | cc -E -x c - >/dev/null 2>&1
}

# For systems without apt: prints the commands, modules and headers that are missing, one per line.
missing_pieces() {
    local with_tests=$1 piece commands modules
    commands=("${build_commands[@]}")
    modules=("${build_modules[@]}")
    if [[ $with_tests == tests ]]; then
        commands+=("${test_commands[@]}")
        modules+=("${test_modules[@]}")
        for piece in cffi ipykernel matplotlib mesonpy mypy nbclient numpy pandas PIL pip venv \
            xarray; do
            python3 -c "import $piece" 2>/dev/null || printf 'Python module %s\n' "$piece"
        done
    fi
    for piece in "${commands[@]}"; do
        command -v "$piece" >/dev/null || printf 'command %s\n' "$piece"
    done
    for piece in "${modules[@]}"; do
        pkg-config --exists "$piece" 2>/dev/null || printf 'library %s (pkg-config)\n' "$piece"
    done
    for piece in "${build_headers[@]}"; do
        has_header "$piece" || printf 'header %s\n' "$piece"
    done
}

# need_pieces PIECES PACKAGE...: without apt, ends the script and lists what to install.
need_pieces() {
    local pieces=$1
    shift
    if [[ -z $pieces ]]; then
        return
    fi
    cat >&2 <<END
This system has no apt-get, so nothing can be installed here automatically. Missing:

$pieces

Install them with the system's own package manager. Debian calls the packages

$(printf '%s ' "$@" | fold -s -w 90)

A Vulkan driver is needed too: the GPU's own, or Mesa's lavapipe, which needs no GPU. Then run this
command again, or by hand, from the checkout:

  meson setup build --buildtype=release
  meson compile -C build
  build/vksim --headless --frames 500

If the system lacks volk, xxhash or the Vulkan or SPIR-V headers, 'meson setup' fetches them itself,
and with Meson 1.3 and CMake also jansson, libzip, libpng, sdl2 and cmocka (subprojects/*.wrap).
END
    exit 3
}
