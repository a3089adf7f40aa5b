/** The forms of every provider, and the questions that are asked of them. */
import type { ImportEntityType, ImportProvider } from "@freehold/contract/import-bundles";
import { appfolio } from "./appfolio.ts";
import { buildium } from "./buildium.ts";
import { needs } from "./fields.ts";
import type { Feed, Form } from "./form.ts";
import { fieldsOf, genericForms } from "./generic.ts";

export const forms: Record<ImportProvider, readonly Form[]> = { generic: genericForms, appfolio: [...appfolio], buildium: [...buildium] };

/** The forms that a bundle of a provider may hold: its own, and our templates for what it has no export for. */
export const formsOf = (provider: ImportProvider): readonly Form[] => (provider === "generic" ? genericForms : [...forms[provider], ...genericForms]);

export const findForm = (provider: ImportProvider, name: string): Form | undefined => formsOf(provider).find((form) => form.name === name);

/** The first form of a provider that is about an entity. */
export const formAbout = (provider: ImportProvider, entityType: ImportEntityType): Form =>
  formsOf(provider).find(({ feeds }) => feeds[0]!.entityType === entityType)!;

/** The name under which a field of an entity stands in the rows of a form; a row has one `source_id`, and not every entity's. */
export const rowField = ({ from = {} }: Feed, field: string): string | undefined => from[field] ?? (field === "source_id" ? undefined : field);

/** Every field that a column of a form may be mapped to. */
export function targetsOf({ feeds, columns }: Form): Set<string> {
  const ofFeeds = feeds.flatMap((feed) => fieldsOf(feed.entityType).flatMap((field) => rowField(feed, field) ?? []));
  return new Set([...columns.flatMap(({ field }) => field ?? []), ...ofFeeds]);
}

/** What a file of a form cannot do without: of several names in one line one is enough. A heading may name the property. */
export function requiredOf(form: Form): string[][] {
  const wanted = form.feeds
    .filter(({ isOptional, when }, index) => index === 0 || (!isOptional && !when))
    .flatMap((feed) =>
      needs[feed.entityType].filter(([name]) => !feed.asOfReport || name !== "as_of").map((names) => names.flatMap((field) => rowField(feed, field) ?? [])),
    );
  const own = form.columns.some(({ header, field }) => header === "source_id" && field === "source_id") ? [["source_id"]] : [];
  const asked = [...own, ...wanted].filter((names) => !form.hasSections || !names.includes("property_name"));
  return [...new Map(asked.map((names) => [names.join("|"), names])).values()];
}

/** What is required and no column gives. */
export function missingIn(form: Form, mapping: Record<string, string | null>): string[] {
  const given = new Set(Object.values(mapping));
  // One column may say both how many bedrooms and how many baths there are, and nothing requires those.
  return requiredOf(form).flatMap((names) => (names.some((name) => given.has(name)) ? [] : [names.join("|")]));
}
