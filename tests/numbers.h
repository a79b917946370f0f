/* SPDX-License-Identifier: MIT */
#include "selftest/numbers.h"
