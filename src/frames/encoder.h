/* SPDX-License-Identifier: MIT */
/* The video encoders, for the option table and the sinks. */
#ifndef VKS_FRAMES_ENCODER_H
#define VKS_FRAMES_ENCODER_H

/* In the order of vks_encoder_names. */
enum vks_encoder {
    VKS_ENCODER_AUTO, /* vp9 in .webm, else h264, or h265 with 10 bits */
    VKS_ENCODER_H264,
    VKS_ENCODER_H265,
    VKS_ENCODER_VP9,
    VKS_ENCODER_AV1,
};
extern const char *const vks_encoder_names[]; /* NULL-terminated */

#endif
