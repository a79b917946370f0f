// SPDX-License-Identifier: MIT
// The headers as C++: they are linked as C, and structures can be filled.
#include <vksim/model.h>
#include <vksim/result.h>
#include <vksim/vksim.h>

#include <cstring>

int main()
{
    vks_option_info info{};
    info.size = sizeof(info);
    vks_simulation_params params{};
    params.size = sizeof(params);
    params.planes = 1U << VKS_PLANE_VALUES;
    vks_simulation *simulation = nullptr;
    const bool listed = vks_model_option("gray-scott", 0, &info);
    const vks_result result = vks_simulation_create(nullptr, &params, &simulation);
    const bool fine = listed && std::strcmp(info.name, "feed") == 0 &&
                      result == VKS_ERROR_USAGE && std::strstr(vks_error_text(), "NULL");
    return fine ? 0 : 1;
}
