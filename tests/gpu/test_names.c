/* SPDX-License-Identifier: MIT */
/* Names and labels: on every object of src/gpu/, and in the messages of the validation layers. */
#include "gpu_test.h"

#include "base/log.h"
#include "gpu/debug.h"

static char messages[8192];

static void on_log(void *user, enum vks_log_level level, const char *text)
{
    (void)user;
    if (level == VKS_LOG_ERROR) {
        const size_t used = strlen(messages);
        snprintf(messages + used, sizeof(messages) - used, "%s\n", text);
    }
}

/* A fill beyond the end of a buffer, within labels. */
static void test_seeded_error(void **state)
{
    (void)state;
    struct vks_buffer buffer;
    ASSERT_FINE(vks_buffer_create(&gpu, &buffer, 64, VKS_MEMORY_DEVICE, "the field 'trail'"));
    const VkCommandBuffer commands = begin_commands();
    vks_gpu_name(&gpu, VK_OBJECT_TYPE_COMMAND_BUFFER, (uint64_t)commands, "batch of %d steps", 16);
    messages[0] = '\0';
    vks_gpu_label_begin(&gpu, commands, "step %d", 3);
    vks_gpu_label_begin(&gpu, commands, "diffuse");
    vks_gpu_label_end(&gpu, commands);
    vks_gpu_label_end(&gpu, commands);
    assert_string_equal(messages, "");
    gpu.vk.vkCmdFillBuffer(commands, buffer.buffer, 0, 128, 0);
    assert_non_null(strstr(messages, "the field 'trail'"));
    assert_int_equal(gpu.validation_messages, 1);
    gpu.validation_messages = 0;
    messages[0] = '\0';
    gpu.vk.vkCmdFillBuffer(commands, buffer.buffer, 2, 4, 0);
    /* Layers blame the device or the command buffer. */
    static const char head[] = "validation: VUID-vkCmdFillBuffer-dstOffset-00025: '";
    assert_int_equal(strncmp(messages, head, sizeof(head) - 1), 0);
    const char *blamed = messages + sizeof(head) - 1;
    assert_true(strncmp(blamed, "vksim'", 6) == 0 ||
                strncmp(blamed, "batch of 16 steps'", 18) == 0);
    gpu.vk.vkEndCommandBuffer(commands);
    gpu.vk.vkFreeCommandBuffers(gpu.device, gpu.pool, 1, &commands);
    vks_buffer_destroy(&gpu, &buffer);
}

/* The id and the objects' names, which only some layers repeat in the text. */
static void test_head_of_message(void **state)
{
    (void)state;
    const PFN_vkSubmitDebugUtilsMessageEXT submit =
        (PFN_vkSubmitDebugUtilsMessageEXT)vkGetInstanceProcAddr(gpu.instance,
                                                                "vkSubmitDebugUtilsMessageEXT");
    assert_non_null(submit);
    const VkDebugUtilsObjectNameInfoEXT objects[] = {
        {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT,
         .objectType = VK_OBJECT_TYPE_QUEUE,
         .objectHandle = (uint64_t)gpu.queue,
         .pObjectName = "queue"},
        {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT,
         .objectType = VK_OBJECT_TYPE_COMMAND_POOL,
         .objectHandle = (uint64_t)gpu.pool},
        {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT,
         .objectType = VK_OBJECT_TYPE_SEMAPHORE,
         .objectHandle = (uint64_t)gpu.timeline,
         .pObjectName = "timeline"},
    };
    VkDebugUtilsMessengerCallbackDataEXT data = {
        .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CALLBACK_DATA_EXT,
        .pMessage = "something is wrong",
        .objectCount = 3,
        .pObjects = objects,
    };
    messages[0] = '\0';
    gpu.validation_messages = 0;
    submit(gpu.instance, VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
           VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT, &data);
    assert_string_equal(messages, "validation: 'queue', 'timeline': something is wrong\n");
    data.pMessageIdName = "VUID-some";
    messages[0] = '\0';
    submit(gpu.instance, VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
           VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT, &data);
    assert_string_equal(messages,
                        "validation: VUID-some: 'queue', 'timeline': something is wrong\n");
    data.objectCount = 0;
    messages[0] = '\0';
    submit(gpu.instance, VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
           VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT, &data);
    assert_string_equal(messages, "validation: VUID-some: something is wrong\n");
    assert_int_equal(gpu.validation_messages, 3);
    gpu.validation_messages = 0;
}

/* Only GPU-assisted validation has a set-up to warn of, and only its warnings are not counted. */
static void test_setup_warnings(void **state)
{
    (void)state;
    static const char *const ids[] = {"UNASSIGNED-GPU-Assisted Validation Warning",
                                      "WARNING-GPU-Assisted-Validation", "VALIDATION-SETTINGS"};
    static const VkDebugUtilsMessageSeverityFlagBitsEXT severities[] = {
        VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT,
        VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT};
    struct vks_gpu assisted;
    ASSERT_FINE(
        vks_gpu_open(&assisted, &(struct vks_gpu_params){.no_disk_cache = true,
                                                         .validation = VKS_VALIDATION_GPU}));
    assert_int_equal(assisted.validation_messages, 0);
    for (unsigned i = 0; i < 12; i++) {
        struct vks_gpu *device = i < 6 ? &gpu : &assisted;
        const bool is_error = i % 2 != 0;
        const VkDebugUtilsMessengerCallbackDataEXT data = {
            .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CALLBACK_DATA_EXT,
            .pMessageIdName = ids[i / 2 % 3],
            .pMessage = "something is set up",
        };
        const PFN_vkSubmitDebugUtilsMessageEXT submit =
            (PFN_vkSubmitDebugUtilsMessageEXT)vkGetInstanceProcAddr(device->instance,
                                                                    "vkSubmitDebugUtilsMessageEXT");
        device->validation_messages = 0;
        submit(device->instance, severities[is_error],
               VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT, &data);
        assert_int_equal(device->validation_messages, device == &gpu || is_error);
        device->validation_messages = 0;
    }
    vks_gpu_close(&assisted);
}

static struct {
    VkObjectType type;
    char name[128];
} named[16];
static size_t named_count;

static VKAPI_ATTR VkResult VKAPI_CALL note_name(VkDevice device,
                                                const VkDebugUtilsObjectNameInfoEXT *info)
{
    (void)device;
    assert_true(named_count < 16);
    assert_true(info->objectHandle != 0);
    named[named_count].type = info->objectType;
    snprintf(named[named_count++].name, sizeof(named[0].name), "%s", info->pObjectName);
    return VK_SUCCESS;
}

static void assert_named(VkObjectType type, const char *name)
{
    for (size_t i = 0; i < named_count; i++) {
        if (named[i].type == type && strcmp(named[i].name, name) == 0) {
            return;
        }
    }
    fail_msg("no object of type %d is named '%s'", type, name);
}

static void test_every_object(void **state)
{
    (void)state;
    const PFN_vkSetDebugUtilsObjectNameEXT before = gpu.debug.set_name;
    struct vks_pipeline pipeline;
    struct vks_buffer buffer;
    gpu.debug.set_name = note_name;
    named_count = 0;
    ASSERT_FINE(vks_pipeline_create(
        &gpu, &pipeline, &(struct vks_pipeline_params){.shader = "core/advance", .group = {1, 1}}));
    ASSERT_FINE(vks_buffer_create(&gpu, &buffer, 64, VKS_MEMORY_READBACK, "frames"));
    gpu.debug.set_name = before;
    assert_named(VK_OBJECT_TYPE_SHADER_MODULE, "core/advance");
    assert_named(VK_OBJECT_TYPE_DESCRIPTOR_SET_LAYOUT, "core/advance");
    assert_named(VK_OBJECT_TYPE_PIPELINE_LAYOUT, "core/advance");
    assert_named(VK_OBJECT_TYPE_PIPELINE, "core/advance");
    assert_named(VK_OBJECT_TYPE_BUFFER, "frames");
    assert_named(VK_OBJECT_TYPE_DEVICE_MEMORY, "frames");
    assert_int_equal(named_count, 6);
    vks_buffer_destroy(&gpu, &buffer);
    vks_pipeline_destroy(&gpu, &pipeline);
}

/* Without the extension nothing is formatted: the argument would crash. */
static void test_without_extension(void **state)
{
    (void)state;
    const struct vks_debug before = gpu.debug;
    const char *const nowhere = (const char *)(uintptr_t)1;
    gpu.debug = (struct vks_debug){0};
    vks_gpu_name(&gpu, VK_OBJECT_TYPE_QUEUE, (uint64_t)gpu.queue, "%s", nowhere);
    vks_gpu_label_begin(&gpu, VK_NULL_HANDLE, "%s", nowhere);
    vks_gpu_label_end(&gpu, VK_NULL_HANDLE);
    gpu.debug = before;
    /* Nor for an object that does not exist. */
    vks_gpu_name(&gpu, VK_OBJECT_TYPE_BUFFER, 0, "%s", nowhere);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_seeded_error),      cmocka_unit_test(test_head_of_message),
        cmocka_unit_test(test_setup_warnings),    cmocka_unit_test(test_every_object),
        cmocka_unit_test(test_without_extension),
    };
    open_gpu(&(struct vks_gpu_params){.no_disk_cache = true, .validation = VKS_VALIDATION_CORE});
    vks_message_to(VKS_LOG_WARNING, on_log, NULL);
    int failed = cmocka_run_group_tests_name("names", tests, NULL, NULL);
    vks_gpu_close(&gpu);
    return failed;
}
