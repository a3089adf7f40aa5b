/** Which form a file has, and what its columns mean: by their names, and by what stands in them. */
import type { ImportProvider } from "@freehold/contract/import-bundles";
import { normalized } from "../parsing/text.ts";
import { clean } from "../parsing/parsed.ts";
import { fitOf } from "../providers/fields.ts";
import type { Form, FormColumn } from "../providers/form.ts";
import { fieldsOf } from "../providers/generic.ts";
import { forms, formsOf, missingIn, requiredOf, rowField } from "../providers/forms.ts";

export interface Mapped {
  mapping: Record<string, string | null>;
  columnConfidence: Record<string, number>;
  mappingConfidence: number;
}

/** Names of fields in other systems, which people's own tables often bear. */
const elsewhere = Map.groupBy(
  [...forms.appfolio, ...forms.buildium].flatMap(({ columns }) =>
    columns.flatMap(({ field, header, aliases = [] }) => (field ? [header, ...aliases].map((name) => ({ field, name: normalized(name) })) : [])),
  ),
  ({ field }) => field,
);

const LEAST = 0.5;
const rounded = (number: number): number => Math.round(number * 100) / 100;

/** How much two names have in common, word by word. */
function alike(one: string, other: string): number {
  const [a, b] = [new Set(one.split(" ")), new Set(other.split(" "))];
  const common = [...a].filter((word) => b.has(word)).length;
  return common / (a.size + b.size - common);
}

/** How well the name of a column fits a column of a form. A name in one word, such as `UnitNumber`, is read as its words too. */
function nameScore(name: string, { header, aliases = [], field }: FormColumn): number {
  const is = normalized(name);
  const wanted = normalized(header);
  if (is === wanted) return 1;
  if (is.replaceAll(" ", "") === wanted.replaceAll(" ", "")) return 0.98;
  if (aliases.some((alias) => normalized(alias).replaceAll(" ", "") === is.replaceAll(" ", ""))) return 0.95;
  if (field && (field.replaceAll("_", " ") === is || elsewhere.get(field)?.some((each) => each.name === is))) return 0.8;
  const likeness = alike(is, wanted);
  return likeness >= 0.5 ? 0.75 * likeness : 0;
}

/** The values of a column as they stand in the first rows. */
export type Samples = readonly (readonly string[])[];

const samplesOf = (samples: Samples, index: number): string[] => samples.map((cells) => clean(cells[index] ?? "")).filter((text) => text !== "");

/** How well the values of a column fit a field, in whichever of the form's entities has it. */
function valueScore({ feeds }: Form, field: string, values: readonly string[]): number | undefined {
  const fits = feeds.flatMap((feed) =>
    fieldsOf(feed.entityType).flatMap((name) => (rowField(feed, name) === field ? (fitOf(feed.entityType, name, values) ?? []) : [])),
  );
  return fits.length > 0 ? Math.max(...fits) : undefined;
}

/** What the columns mean if the file has this form: each column one field, each field one column, the surest first. */
export function mapColumns(form: Form, header: readonly string[], samples: Samples): Mapped {
  const pairs = header.flatMap((name, index) => {
    const values = samplesOf(samples, index);
    return form.columns.flatMap((column) => {
      const byName = nameScore(name, column);
      if (byName === 0) return [];
      const byValue = column.field ? valueScore(form, column.field, values) : undefined;
      // A name that is the very one stays, though what stands in the column is no such thing: its rows will say so.
      const least = byName >= 0.95 ? 0.55 : 0.4;
      const score = byName * (byValue === undefined ? 1 : least + (1 - least) * byValue) - (values.length === 0 ? 0.02 : 0);
      return score >= LEAST ? [{ name, column, score }] : [];
    });
  });
  const mapping: Record<string, string | null> = Object.fromEntries(header.map((name) => [name, null]));
  const columnConfidence: Record<string, number> = {};
  const taken = new Set<string>();
  for (const { name, column, score } of pairs.toSorted((a, b) => b.score - a.score)) {
    if (columnConfidence[name] !== undefined || (column.field && taken.has(column.field))) continue;
    columnConfidence[name] = rounded(score);
    mapping[name] = column.field;
    if (column.field) taken.add(column.field);
  }
  return { mapping, columnConfidence, mappingConfidence: confidenceOf(form, mapping, columnConfidence) };
}

/** How sure a whole mapping is: the mean of its columns, less what is missing. */
export function confidenceOf(form: Form, mapping: Record<string, string | null>, columnConfidence: Record<string, number>): number {
  const sure = Object.entries(mapping).flatMap(([name, field]) => (field ? [columnConfidence[name] ?? 0] : []));
  if (sure.length === 0) return 0;
  const asked = requiredOf(form).length;
  return rounded((sure.reduce((sum, each) => sum + each, 0) / sure.length) * (1 - missingIn(form, mapping).length / Math.max(1, asked)));
}

/** The form that the most columns belong to, if enough of them do; the file's name says something as well. */
export function findForm(provider: ImportProvider, fileName: string, header: readonly string[], samples: Samples): { form: Form; mapped: Mapped } | undefined {
  const base = normalized(fileName.replace(/^.*[\\/]/, ""));
  const judged = formsOf(provider).map((form) => {
    const mapped = mapColumns(form, header, samples);
    const known = Object.values(mapped.columnConfidence).reduce((sum, each) => sum + each, 0);
    const isNamed = base.includes(normalized(form.name)) || base.includes(normalized(form.name).replace(/s$/, ""));
    const required = requiredOf(form);
    const there = 1 - missingIn(form, mapped.mapping).length / Math.max(1, required.length);
    const isOwn = forms[provider].includes(form);
    return { form, mapped, score: 0.55 * (known / header.length) + 0.35 * there + (isNamed ? 0.25 : 0) + (isOwn ? 0.05 : 0) };
  });
  const best = judged.reduce((one, other) => (other.score > one.score ? other : one));
  return best.score >= 0.4 && Object.values(best.mapped.mapping).some((field) => field !== null) ? best : undefined;
}

/** Whether a cell of a header is the name of a column that any form of the provider knows. */
export const knownNames = (provider: ImportProvider): ((name: string) => boolean) => namesIn(formsOf(provider));

/** Whether a cell of a header is the name of a column that any of these forms knows. */
export function namesIn(forms: readonly Form[]): (name: string) => boolean {
  const names = new Set(forms.flatMap(({ columns }) => columns.flatMap(({ header, aliases = [] }) => [header, ...aliases].map(normalized))));
  return (name) => name !== "" && names.has(name);
}
