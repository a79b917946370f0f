/* SPDX-License-Identifier: MIT */
/* What an exchange between ranks does with items. */
#ifndef VKS_GRAPH_MIGRATE_H
#define VKS_GRAPH_MIGRATE_H

#include "graph/internal.h"
#include "ranks/transport.h"

struct vks_migration;
/* NULL if the exchange has no items. */
enum vks_result vks_migration_create(struct vks_graph *graph, struct vks_migration **migration);
void vks_migration_destroy(struct vks_migration *migration);
/* Of the items in a message; 0 without items. */
uint64_t vks_migration_bytes(const struct vks_migration *migration);
/* Makes the copies to and from the messages of a turn. */
enum vks_result vks_migration_bind(struct vks_graph *graph, struct vks_migration *migration,
                                   const struct vks_pipeline *copy, uint32_t turn, uint32_t side,
                                   const struct vks_pieces_at *sent,
                                   const struct vks_pieces_at *received);
/* Of an item in a message. */
uint64_t vks_migration_item_bytes(const struct vks_migration *migration);
/* All fields of the items have been written. */
void vks_migration_restart(struct vks_migration *migration);
/* VKS_ERROR_USAGE if some have not been written since the positions were, on all ranks alike. */
enum vks_result vks_migration_check(const struct vks_graph *graph,
                                    const struct vks_migration *migration);
/* Takes over the items of the same graph with less room. */
void vks_migration_inherit(struct vks_migration *migration, struct vks_migration *from);
/* The crowding (struct vks_slab) that there has to be room for: with these numbers of items in
 * messages, after items have been placed, and for an upload. */
uint64_t vks_migration_crowding(const struct vks_graph *graph,
                                const struct vks_migration *migration,
                                const uint32_t sent[VKS_SIDES], const uint32_t received[VKS_SIDES]);
enum vks_result vks_migration_placed(struct vks_graph *graph, const struct vks_migration *migration,
                                     uint64_t *crowding);
uint64_t vks_migration_upload_crowding(const struct vks_graph *graph,
                                       const struct vks_migration *migration, int field,
                                       const void *data);
/* Copies the items that the neighbours need, or that move there, to messages on the device, and
 * counts them. */
enum vks_result vks_migration_leave(struct vks_graph *graph, struct vks_migration *migration,
                                    uint32_t sent[VKS_SIDES]);
/* Records the copies of these items to the messages of a turn, or `from` there. */
void vks_migration_record(struct vks_migration *migration, VkCommandBuffer commands, bool from,
                          uint32_t turn, const uint32_t counts[VKS_SIDES]);
/* Records how many items are in memory once these have arrived. */
void vks_migration_set(const struct vks_graph *graph, struct vks_migration *migration,
                       VkCommandBuffer commands, const uint32_t received[VKS_SIDES]);
/* The same as before the exchange, so that it can begin again. */
void vks_migration_undo(const struct vks_graph *graph, struct vks_migration *migration,
                        VkCommandBuffer commands);
/* Finds the order in which downloads have the items, and forgets it: they stay as they are in
 * between. */
enum vks_result vks_migration_order(struct vks_graph *graph, struct vks_migration *migration);
bool vks_migration_is_ordered(const struct vks_migration *migration);
void vks_migration_end_order(struct vks_migration *migration); /* NULL is fine */
/* As vks_graph_download(), once there is an order, and vks_graph_upload(), of a field of items. */
enum vks_result vks_migration_download(struct vks_graph *graph,
                                       const struct vks_migration *migration, int field,
                                       vks_bytes_fn *sink, void *user);
enum vks_result vks_migration_upload(struct vks_graph *graph, struct vks_migration *migration,
                                     int field, const void *data);
/* Notes which items are own, if passes that run when the state is complete write their positions.
 */
enum vks_result vks_migration_note(struct vks_graph *graph, const struct vks_migration *migration,
                                   struct vks_relocation *relocation);
/* After these passes, which may have moved items to the rows of any rank: takes own items from the
 * device and from other ranks. Nothing is taken if none has left its rank. */
enum vks_result vks_migration_relocate(struct vks_graph *graph,
                                       const struct vks_migration *migration,
                                       struct vks_relocation *relocation);
uint64_t vks_migration_relocation_crowding(const struct vks_graph *graph,
                                           const struct vks_migration *migration,
                                           const struct vks_relocation *relocation);
/* Makes them the items in memory. */
enum vks_result vks_migration_put(struct vks_graph *graph, const struct vks_migration *migration,
                                  const struct vks_relocation *relocation);
/* Whether the field is of items of which each rank has some. */
bool vks_is_shared(const struct vks_declaration *declaration, const struct vks_field *field);
/* Bytes of an item in a message; 0 without items. */
uint64_t vks_shared_item_bytes(const struct vks_declaration *declaration);
/* Declares what an exchange of items needs. */
void vks_declare_migration(struct vks_declaration *declaration, const char *items,
                           const char *position);

#endif
