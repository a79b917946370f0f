/* SPDX-License-Identifier: MIT */
/* Makes untrusted text safe to print on a terminal. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"

/* Decodes the UTF-8 character at `text`; returns its length, 0 if it is malformed. */
static size_t decode(const unsigned char *text, uint32_t *character)
{
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char head = text[0];
    const size_t length = head < 0x80             ? 1
                          : (head & 0xe0) == 0xc0 ? 2
                          : (head & 0xf0) == 0xe0 ? 3
                          : (head & 0xf8) == 0xf0 ? 4
                                                  : 0;
    if (length <= 1) {
        *character = head;
        return length;
    }
    uint32_t value = head & (0xffU >> (length + 1));
    for (size_t i = 1; i < length; i++) {
        if ((text[i] & 0xc0) != 0x80) { /* also the NUL at the end */
            return 0;
        }
        value = value << 6 | (text[i] & 0x3f);
    }
    *character = value;
    const bool surrogate = value >= 0xd800 && value <= 0xdfff;
    return value >= smallest[length] && value <= 0x10ffff && !surrogate ? length : 0;
}

/* Characters that control a terminal or change how the text around them is displayed. */
static bool is_harmful(uint32_t character)
{
    return character < 0x20 || (character >= 0x7f && character < 0xa0) || character == 0x61c ||
           (character >= 0x200e && character <= 0x200f) ||
           (character >= 0x2028 && character <= 0x202e) ||
           (character >= 0x2066 && character <= 0x2069);
}

bool vks_is_utf8(const char *text)
{
    const unsigned char *at = (const unsigned char *)text;
    uint32_t character;
    size_t length = 1;
    while (*at && length > 0) {
        length = decode(at, &character);
        at += length;
    }
    return length > 0;
}

const char *vks_escape(const char *text, char *buffer, size_t size)
{
    const unsigned char *from = (const unsigned char *)text;
    size_t used = 0;
    while (*from) {
        uint32_t character;
        char piece[16];
        size_t length = decode(from, &character);
        size_t room = length;
        if (length > 0 && !is_harmful(character)) {
            memcpy(piece, from, length);
        } else if (length == 1 && character == '\n') {
            room = (size_t)snprintf(piece, sizeof(piece), "\\n");
        } else {
            room = (size_t)snprintf(piece, sizeof(piece), length > 1 ? "\\u{%x}" : "\\x%02x",
                                    (unsigned)(length > 1 ? character : *from));
        }
        if (used + room >= size) {
            break;
        }
        memcpy(buffer + used, piece, room);
        used += room;
        from += length > 0 ? length : 1;
    }
    buffer[used] = '\0';
    return buffer;
}
