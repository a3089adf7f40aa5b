/** Rules of the areas of a template, whose items keep their ids when they are renamed or moved to another area. */
import { createHash } from "node:crypto";
import type { SentTemplateArea, TemplateArea } from "@freehold/contract/maintenance/inspections";
import { uuidFromBytes } from "@freehold/kit/uuid";
import { nameKey, newItemDefaults, requireKnownItemIds, requireUniqueNames, type StoredArea } from "../areas.rules.ts";

/** Stored area. Items of templates that were last saved without ids have none. */
export type StoredTemplateArea = Omit<TemplateArea, "items"> & { items: { id?: string; name: string }[] };

/** Returns the id of an item without one: always the same for its template, area and name. */
function derivedItemId(templateId: string, area: string, name: string): string {
  const bytes = createHash("sha256")
    .update(`${templateId} ${nameKey(area, name)}`)
    .digest()
    .subarray(0, 16);
  // Version and variant of a UUID whose other bits are the application's (RFC 9562, version 8).
  bytes[6] = (bytes[6]! & 0x0f) | 0x80;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  return uuidFromBytes(bytes);
}

/** Returns the areas of a template with the ids of all items. */
export const identifyItems = (templateId: string, areas: readonly StoredTemplateArea[]): TemplateArea[] =>
  areas.map(({ name: area, items }) => ({ name: area, items: items.map(({ id, name }) => ({ id: id ?? derivedItemId(templateId, area, name), name })) }));

/**
 * Returns the areas to store. An item sent without its id keeps that of the item with its area and name, unless another one was sent with it.
 * Throws 400 for duplicate names and for unknown or repeated ids.
 */
export function mergeTemplateAreas(storedAreas: readonly TemplateArea[], sentAreas: readonly SentTemplateArea[], newId: () => string): TemplateArea[] {
  requireUniqueNames(sentAreas);
  requireKnownItemIds("template", storedAreas, sentAreas);
  const sentIds = new Set(sentAreas.flatMap(({ items }) => items.map(({ id }) => id)));
  const idsByName = new Map(
    storedAreas.flatMap(({ name: area, items }) => items.flatMap(({ id, name }) => (sentIds.has(id) ? [] : [[nameKey(area, name), id] as const]))),
  );
  return sentAreas.map(({ name: area, items }) => ({
    name: area,
    items: items.map(({ id, name }) => ({ id: id ?? idsByName.get(nameKey(area, name)) ?? newId(), name })),
  }));
}

/** Returns the areas of an inspection that is created from a template. Comparisons identify its items by the template's. */
export const copyTemplateAreas = (areas: readonly TemplateArea[], newId: () => string): StoredArea[] =>
  areas.map(({ name: area, items }) => ({
    id: newId(),
    name: area,
    items: items.map(({ id, name }) => ({ ...newItemDefaults, documentIds: [], id: newId(), name, origin: id })),
  }));
