/* SPDX-License-Identifier: MIT */
#include "ui/viewport.h"

#include <math.h>

#include "ui/panel.h"
#include "ui/strip.h"

static const double min_zoom = 0.125, max_zoom = 64;
static const double max_copies = VKS_MAX_COVERS - 4; /* of a picture that continues */

static int32_t pixels(const struct vks_viewport *port, int points)
{
    return (int32_t)floorf((float)points * port->scale + 0.5F);
}

struct vks_rect vks_viewport_panel(const struct vks_viewport *port)
{
    const int32_t width = (int32_t)port->width, height = (int32_t)port->height;
    const int32_t wanted = pixels(port, VKS_PANEL_WIDTH);
    const int32_t taken = !port->panel ? 0 : wanted < width ? wanted : width;
    return (struct vks_rect){width - taken, 0, taken, height};
}

struct vks_rect vks_viewport_strip(const struct vks_viewport *port)
{
    const struct vks_rect panel = vks_viewport_panel(port);
    const int32_t height = pixels(port, VKS_STRIP_HEIGHT), all = (int32_t)port->height;
    const bool fits = port->strip && panel.x > 0 && height < all;
    return (struct vks_rect){0, fits ? all - height : all, fits ? panel.x : 0, fits ? height : 0};
}

struct vks_rect vks_viewport_notice(const struct vks_viewport *port)
{
    const int32_t width = vks_viewport_panel(port).x, below = vks_viewport_strip(port).y;
    const int32_t wanted = pixels(port, port->notice), most = below / 2;
    const int32_t height = width == 0 ? 0 : wanted < most ? wanted : most;
    return (struct vks_rect){0, below - height, height > 0 ? width : 0, height};
}

struct vks_rect vks_viewport_area(const struct vks_viewport *port)
{
    return (struct vks_rect){0, 0, vks_viewport_panel(port).x, vks_viewport_notice(port).y};
}

struct vks_place vks_viewport_place(const struct vks_viewport *port)
{
    const struct vks_rect area = vks_viewport_area(port);
    return port->magnified ? vks_place_zoomed(port->picture, area, port->zoom, port->x, port->y,
                                              area.x + area.width / 2.0, area.y + area.height / 2.0,
                                              port->wraps)
                           : vks_place_whole(port->picture, area);
}

/* Takes the middle from a place, which has kept the picture within the window. */
static void settle(struct vks_viewport *port, const struct vks_place *place)
{
    port->magnified = true;
    port->zoom = place->across;
    port->x = place->left + place->area.width / 2.0 / place->across;
    port->y = place->top + place->area.height / 2.0 / place->down;
}

/* Large pictures are whole at less than an eighth; small ones would be too many. */
static double least_zoom(const struct vks_viewport *port)
{
    const struct vks_rect area = vks_viewport_area(port);
    const double whole = vks_place_whole(port->picture, area).across;
    const double copies = fmax(area.width / max_copies / port->picture.width,
                               area.height / max_copies / port->picture.height);
    return fmin(whole, fmax(min_zoom, copies));
}

void vks_viewport_zoom(struct vks_viewport *port, double factor, double at_x, double at_y)
{
    const struct vks_place now = vks_viewport_place(port);
    const double zoom = fmin(fmax(now.across * factor, least_zoom(port)), max_zoom);
    const double x = now.left + (at_x - now.area.x) / now.across;
    const double y = now.top + (at_y - now.area.y) / now.down;
    const struct vks_place next = vks_place_zoomed(port->picture, vks_viewport_area(port), zoom, x,
                                                   y, at_x, at_y, port->wraps);
    settle(port, &next);
}

void vks_viewport_pan(struct vks_viewport *port, double across, double down)
{
    const struct vks_place now = vks_viewport_place(port);
    port->x -= across / now.across;
    port->y -= down / now.down;
    if (port->magnified) {
        const struct vks_place next = vks_viewport_place(port);
        settle(port, &next);
    }
}

void vks_viewport_centre(struct vks_viewport *port, double at_x, double at_y)
{
    const struct vks_rect area = vks_viewport_area(port);
    const struct vks_place now = vks_viewport_place(port);
    settle(port, &now);
    vks_viewport_pan(port, area.x + area.width / 2.0 - at_x, area.y + area.height / 2.0 - at_y);
}

void vks_viewport_to_pixels(struct vks_viewport *port)
{
    const struct vks_place now = vks_viewport_place(port);
    settle(port, &now);
    port->zoom = 1;
    const struct vks_place next = vks_viewport_place(port);
    settle(port, &next);
}

void vks_viewport_to_whole(struct vks_viewport *port)
{
    port->magnified = false;
}
