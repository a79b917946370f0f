/* SPDX-License-Identifier: MIT */
/* How far the wheel zooms out, and what a double click has in the middle. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ui/viewport.h"

static struct vks_viewport make_port(uint32_t width, uint32_t height, bool wraps)
{
    return (struct vks_viewport){.picture = {.width = width, .height = height},
                                 .wraps = wraps,
                                 .strip = true,
                                 .panel = true,
                                 .width = 1000,
                                 .height = 780,
                                 .scale = 1};
}

static double zoom_out(struct vks_viewport *port)
{
    for (int i = 0; i < 100; i++) {
        vks_viewport_zoom(port, 1 / 1.25, 100, 100);
    }
    return vks_viewport_place(port).across;
}

static void test_zoom(void **state)
{
    (void)state;
    struct vks_viewport port = make_port(512, 512, true);
    assert_true(zoom_out(&port) == 0.125);
    /* Large pictures are whole at less. */
    port = make_port(16384, 8192, false);
    const double whole = vks_viewport_place(&port).across;
    assert_true(whole < 0.05);
    vks_viewport_zoom(&port, 1.25, 100, 100);
    assert_true(vks_viewport_place(&port).across < 1.3 * whole);
    assert_true(zoom_out(&port) == whole);
    /* Small ones fill the window with as many copies as can be drawn. */
    port = make_port(20, 30, true);
    (void)zoom_out(&port);
    const struct vks_place place = vks_viewport_place(&port);
    struct vks_cover covers[VKS_MAX_COVERS];
    const size_t count = vks_place_covers(place.left, place.across, 20, true, place.area.x,
                                          place.area.width, covers);
    assert_true(count > 30 && count < VKS_MAX_COVERS);
    assert_int_equal(covers[count - 1].end, place.area.x + place.area.width);
}

/* The point of the picture at a point of the window. */
static void find(const struct vks_viewport *port, double at_x, double at_y, double *x, double *y)
{
    const struct vks_place place = vks_viewport_place(port);
    assert_true(vks_place_find(&place, port->picture, at_x, at_y, x, y));
}

static void test_centre(void **state)
{
    (void)state;
    for (int magnified = 0; magnified < 2; magnified++) {
        struct vks_viewport port = make_port(512, 512, true);
        const struct vks_rect area = vks_viewport_area(&port);
        double x, y, middle_x, middle_y;
        if (magnified) {
            vks_viewport_zoom(&port, 5, 300, 200);
        }
        find(&port, 120, 150, &x, &y);
        vks_viewport_centre(&port, 120, 150);
        find(&port, area.x + area.width / 2.0, area.y + area.height / 2.0, &middle_x, &middle_y);
        assert_true(x - middle_x > -0.01 && x - middle_x < 0.01);
        assert_true(y - middle_y > -1 && y - middle_y < 1);
    }
    /* A whole one that does not continue stays. */
    struct vks_viewport port = make_port(512, 512, false);
    const double left = vks_viewport_place(&port).area.x;
    double x, y;
    vks_viewport_centre(&port, 120, 150);
    find(&port, left + 0.5, 300, &x, &y);
    assert_true(x < 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_zoom), cmocka_unit_test(test_centre)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
