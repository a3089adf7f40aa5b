/** Rules of the areas and items of an inspection: unique names, known ids, and items that cannot be removed. */
import type { FieldError } from "@freehold/contract/errors";
import type { InspectionArea, SentArea } from "@freehold/contract/maintenance/inspections";
import { conflict, invalid } from "@freehold/kit/errors";
import { omitUndefined } from "@freehold/kit/omit-undefined";

type Item = InspectionArea["items"][number];
/**
 * Stored item. `origin` identifies it in comparisons, also after it is renamed: the id of the template's item, or area and name under which it
 * was created. Absent for items that were stored without one and not saved since.
 */
export type StoredItem = Omit<Item, "workOrderId"> & { origin?: string };
export type StoredArea = Omit<InspectionArea, "items"> & { items: StoredItem[] };

/** Returns the key of a name within an area, regardless of case. */
export const nameKey = (area: string, name: string): string => JSON.stringify([area.toLowerCase(), name.toLowerCase()]);
/** Ids of the work orders created from items, keyed by item id. */
export type WorkOrderIdsByItem = Readonly<Record<string, string>>;

const itemsOf = (areas: readonly StoredArea[]) => areas.flatMap(({ name: area, items }) => items.map((item) => ({ ...item, area })));

interface Named {
  name: string;
  items: readonly { name: string }[];
}

/**
 * Throws 400 when two areas, or two items of an area, have the same name. Items of two inspections are matched by these names, so case is
 * ignored.
 */
export function requireUniqueNames(areas: readonly Named[]): void {
  const duplicateErrors = (entries: readonly { name: string }[], path: string) =>
    findRepeatedIndexes(entries.map(({ name }) => name.toLowerCase())).map((index) => ({
      path: `${path}.${index}.name`,
      code: "unique" as const,
      message: `${entries[index]!.name} is used twice. Give each its own name.`,
    }));
  throwIfAny([...duplicateErrors(areas, "areas"), ...areas.flatMap(({ items }, index) => duplicateErrors(items, `areas.${index}.items`))]);
}

/** Returns the indexes of the values that also occur earlier in the list. Undefined values are ignored. */
function findRepeatedIndexes(values: readonly (string | undefined)[]): number[] {
  const firstIndexes = new Map<string, number>();
  for (const [index, value] of values.entries()) if (value !== undefined && !firstIndexes.has(value)) firstIndexes.set(value, index);
  return values.flatMap((value, index) => (value !== undefined && firstIndexes.get(value) !== index ? [index] : []));
}

function throwIfAny(errors: FieldError[]): void {
  if (errors.length > 0) throw invalid(errors);
}

interface WithItemIds {
  items: readonly { id?: string | undefined }[];
}

/** Throws 400 for ids that the inspection does not have and for ids that occur twice. */
function requireKnownIds(storedAreas: readonly StoredArea[], sentAreas: readonly SentArea[]): void {
  const areas = sentAreas.map(({ id }, index) => ({ id, path: `areas.${index}.id` }));
  throwIfAny([...idErrors("inspection", "area", storedAreas, areas), ...itemIdErrors("inspection", storedAreas, sentAreas)]);
}

/** Throws 400 for ids of items that an inspection or a template does not have and for ids that occur twice. */
export const requireKnownItemIds = (owner: string, storedAreas: readonly WithItemIds[], sentAreas: readonly WithItemIds[]): void =>
  throwIfAny(itemIdErrors(owner, storedAreas, sentAreas));

function itemIdErrors(owner: string, storedAreas: readonly WithItemIds[], sentAreas: readonly WithItemIds[]): FieldError[] {
  const items = sentAreas.flatMap((area, areaIndex) => area.items.map(({ id }, index) => ({ id, path: `areas.${areaIndex}.items.${index}.id` })));
  return idErrors(
    owner,
    "item",
    storedAreas.flatMap((area) => area.items),
    items,
  );
}

function idErrors(
  owner: string,
  noun: string,
  existing: readonly { id?: string | undefined }[],
  references: readonly { id?: string | undefined; path: string }[],
): FieldError[] {
  const existingIds = new Set(existing.map(({ id }) => id));
  const unknownReferences = references.filter(({ id }) => id !== undefined && !existingIds.has(id));
  const repeatedReferences = findRepeatedIndexes(references.map(({ id }) => (id !== undefined && existingIds.has(id) ? id : undefined))).map(
    (index) => references[index]!,
  );
  return [
    ...unknownReferences.map(({ path }) => ({
      path,
      code: "not_found" as const,
      message: `The ${owner} has no ${noun} with this id. Leave out ${path} to add one.`,
    })),
    ...repeatedReferences.map(({ path }) => ({ path, code: "unique" as const, message: `${path} was sent before. Send each id once.` })),
  ];
}

/** Members of an item that was not inspected yet. */
export const newItemDefaults = { condition: "not_inspected", note: null, documentIds: [], estimatedCostCents: null } as const;

/**
 * Returns the areas to store. An area or item sent with its id keeps that id, and an item keeps the members that are not
 * sent; entries without an id are new. Throws 400 for duplicate names and for unknown or repeated ids.
 */
export function mergeAreas(storedAreas: readonly StoredArea[], sentAreas: readonly SentArea[], newId: () => string): StoredArea[] {
  requireUniqueNames(sentAreas);
  requireKnownIds(storedAreas, sentAreas);
  const existingItems = new Map(
    storedAreas.flatMap(({ name: area, items }) => items.map((item) => [item.id, { ...item, origin: item.origin ?? nameKey(area, item.name) }])),
  );
  const keptOrigins = new Set(sentAreas.flatMap(({ items }) => items.flatMap(({ id }) => existingItems.get(id ?? "")?.origin ?? [])));
  const mergeItem = (area: string, item: SentArea["items"][number]): StoredItem => {
    const id = item.id ?? newId();
    const key = nameKey(area, item.name);
    // A new item with the former name of a renamed one is another item.
    const created = { ...newItemDefaults, origin: keptOrigins.has(key) ? id : key };
    const { documentIds, workOrderId: _, ...rest } = { ...created, ...existingItems.get(id), ...omitUndefined(item), id };
    return { ...rest, documentIds: [...new Set(documentIds)] };
  };
  return sentAreas.map(({ id = newId(), name, items }) => ({ id, name, items: items.map((item) => mergeItem(name, item)) }));
}

/** Returns the document ids of all items, each with its path in the request body. */
export const referencedDocuments = (sentAreas: readonly SentArea[]): { id: string; path: string }[] =>
  sentAreas.flatMap(({ items }, areaIndex) =>
    items.flatMap(({ documentIds = [] }, itemIndex) =>
      documentIds.map((id, index) => ({ id, path: `areas.${areaIndex}.items.${itemIndex}.documentIds.${index}` })),
    ),
  );

/** Throws 400 when an item is sent with a workOrderId other than its own. Only createInspectionItemWorkOrder sets the work order of an item. */
export function requireOwnWorkOrders(sentAreas: readonly SentArea[], workOrders: WorkOrderIdsByItem): void {
  const mismatchedPaths = sentAreas.flatMap(({ items }, areaIndex) =>
    items.flatMap(({ id, workOrderId }, index) =>
      workOrderId && workOrderId !== workOrders[id ?? ""] ? [`areas.${areaIndex}.items.${index}.workOrderId`] : [],
    ),
  );
  throwIfAny(
    mismatchedPaths.map((path) => ({
      path,
      code: "mismatch",
      message: `${path} is not the item's work order. Leave it out; POST …/items/{itemId}/work-order creates one.`,
    })),
  );
}

/** Throws 409 when an item that has a work order would be removed. */
export function requireItemsWithWorkOrdersRetained(
  storedAreas: readonly StoredArea[],
  mergedAreas: readonly StoredArea[],
  workOrders: WorkOrderIdsByItem,
): void {
  const remainingIds = new Set(itemsOf(mergedAreas).map(({ id }) => id));
  const removedItem = itemsOf(storedAreas).find(({ id }) => workOrders[id] !== undefined && !remainingIds.has(id));
  if (removedItem)
    throw conflict(`${removedItem.area}: ${removedItem.name} has a work order and cannot be removed. Send the item with its id.`, "resource_in_use");
}

/** Returns the ids of all documents attached to items. */
export const attachedDocumentIds = (areas: readonly StoredArea[]): string[] => itemsOf(areas).flatMap(({ documentIds }) => documentIds);
