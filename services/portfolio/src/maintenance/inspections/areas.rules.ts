/** What is looked at: how what is sent becomes what is kept, and what may not be lost on the way. */
import type { FieldError } from "@freehold/contract/errors";
import type { InspectionArea, SentArea } from "@freehold/contract/maintenance/inspections";
import { conflict, invalid } from "@freehold/kit/errors";
import { omitUndefined } from "@freehold/kit/omit-undefined";

type Item = InspectionArea["items"][number];
export type StoredArea = Omit<InspectionArea, "items"> & { items: Omit<Item, "workOrderId">[] };
/** The work orders of items, by the items' ids. */
export type WorkOrderIdsByItem = Readonly<Record<string, string>>;

const itemsOf = (areas: readonly StoredArea[]) => areas.flatMap(({ name: area, items }) => items.map((item) => ({ ...item, area })));

interface Named {
  name: string;
  items: readonly { name: string }[];
}

/** Refuses two areas of one name, and two items of one name in an area: what was found is told apart, and compared, by names. */
export function requireUniqueNames(areas: readonly Named[]): void {
  const wrong = (things: readonly { name: string }[], within: string) =>
    repeats(things.map(({ name }) => name.toLowerCase())).map((place) => ({
      path: `${within}.${place}.name`,
      code: "unique",
      message: `${things[place]!.name} is there twice. Give each its own name.`,
    }));
  refuse([...wrong(areas, "areas"), ...areas.flatMap(({ items }, place) => wrong(items, `areas.${place}.items`))]);
}

/** The places at which something stands that stood before. */
function repeats(values: readonly (string | undefined)[]): number[] {
  const first = new Map<string, number>();
  for (const [place, value] of values.entries()) if (value !== undefined && !first.has(value)) first.set(value, place);
  return values.flatMap((value, place) => (value !== undefined && first.get(value) !== place ? [place] : []));
}

function refuse(wrong: FieldError[]): void {
  if (wrong.length > 0) throw invalid(wrong);
}

/** Refuses ids that the inspection does not have, or that are sent twice. */
function refuseWrongIds(before: readonly StoredArea[], sent: readonly SentArea[]): void {
  const areas = sent.map(({ id }, place) => ({ id, path: `areas.${place}.id` }));
  const items = sent.flatMap((area, at) => area.items.map(({ id }, place) => ({ id, path: `areas.${at}.items.${place}.id` })));
  refuse([...wrongIds("area", before, areas), ...wrongIds("item", itemsOf(before), items)]);
}

function wrongIds(what: string, before: readonly { id: string }[], sent: readonly { id?: string | undefined; path: string }[]): FieldError[] {
  const known = new Set(before.map(({ id }) => id));
  const unknown = sent.filter(({ id }) => id !== undefined && !known.has(id));
  const repeated = repeats(sent.map(({ id }) => (id !== undefined && known.has(id) ? id : undefined))).map((place) => sent[place]!);
  return [
    ...unknown.map(({ path }) => ({ path, code: "not_found", message: `The inspection has no ${what} with this id. Leave out ${path} to add one.` })),
    ...repeated.map(({ path }) => ({ path, code: "unique", message: `${path} was sent before. Send each id once.` })),
  ];
}

const unseen = { condition: "not_inspected", note: null, documentIds: [], estimatedCostCents: null } as const;

/** The areas as they are to be kept: what is sent with its id stays itself and keeps what is not sent of it, the rest is new. */
export function mergeAreas(before: readonly StoredArea[], sent: readonly SentArea[], newId: () => string): StoredArea[] {
  requireUniqueNames(sent);
  refuseWrongIds(before, sent);
  const known = new Map(before.flatMap(({ items }) => items).map((item) => [item.id, item]));
  const itemOf = (item: SentArea["items"][number]): StoredArea["items"][number] => {
    const id = item.id ?? newId();
    const { documentIds, workOrderId: _, ...rest } = { ...unseen, ...known.get(id), ...omitUndefined(item), id };
    return { ...rest, documentIds: [...new Set(documentIds)] };
  };
  return sent.map(({ id = newId(), name, items }) => ({ id, name, items: items.map(itemOf) }));
}

/** The documents that are sent with items, each with where. */
export const referencedDocuments = (sent: readonly SentArea[]): { id: string; path: string }[] =>
  sent.flatMap(({ items }, at) =>
    items.flatMap(({ documentIds = [] }, place) => documentIds.map((id, nth) => ({ id, path: `areas.${at}.items.${place}.documentIds.${nth}` }))),
  );

/** Refuses a work order that is not the item's: one comes to be from the item, and cannot be said. */
export function requireOwnWorkOrders(sent: readonly SentArea[], workOrders: WorkOrderIdsByItem): void {
  const wrong = sent.flatMap(({ items }, at) =>
    items.flatMap(({ id, workOrderId }, place) => (workOrderId && workOrderId !== workOrders[id ?? ""] ? [`areas.${at}.items.${place}.workOrderId`] : [])),
  );
  refuse(
    wrong.map((path) => ({
      path,
      code: "mismatch",
      message: `${path} is not the item's work order. Leave it out; POST …/items/{itemId}/work-order creates one.`,
    })),
  );
}

/** Refuses to lose an item on which work was ordered. */
export function requireOrderedItemsKept(before: readonly StoredArea[], after: readonly StoredArea[], workOrders: WorkOrderIdsByItem): void {
  const kept = new Set(itemsOf(after).map(({ id }) => id));
  const lost = itemsOf(before).find(({ id }) => workOrders[id] !== undefined && !kept.has(id));
  if (lost) throw conflict(`${lost.area}: ${lost.name} has a work order and cannot be removed. Send the item with its id.`, "resource_in_use");
}

/** The items that nobody has looked at, by area and name. */
export const uninspectedItems = (areas: readonly StoredArea[]): string[] =>
  itemsOf(areas).flatMap(({ area, name, condition }) => (condition === "not_inspected" ? [`${area}: ${name}`] : []));

/** All documents that items show. */
export const evidenceDocumentIds = (areas: readonly StoredArea[]): string[] => itemsOf(areas).flatMap(({ documentIds }) => documentIds);
