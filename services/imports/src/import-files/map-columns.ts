/** Detection of a file's form and mapping of its columns to fields, by column names and sampled values. */
import type { ImportProvider } from "@freehold/contract/imports/import-bundles";
import { normalizeForMatching } from "../parsing/text.ts";
import { cleanCell } from "../parsing/parsed.ts";
import { validRatio } from "../providers/fields.ts";
import type { Form, FormColumn } from "../providers/form.ts";
import { availableForms, forms, missingFields, requiredFieldsOf, rowFieldOf } from "../providers/forms.ts";
import { columnNameKey } from "../providers/column-name.ts";
import { entityFields } from "../providers/generic.ts";
import { namesForm, synonymScores } from "../providers/known-names.ts";

export interface MappedColumns {
  mapping: Record<string, string | null>;
  columnConfidence: Record<string, number>;
  mappingConfidence: number;
}

/** Column names of all providers by field; users' own spreadsheets often have them too. */
const columnNamesByField = Map.groupBy(
  [...forms.appfolio, ...forms.buildium].flatMap(({ columns }) =>
    columns.flatMap(({ field, header, aliases = [] }) => (field ? [header, ...aliases].map((name) => ({ field, name: normalizeForMatching(name) })) : [])),
  ),
  ({ field }) => field,
);

/** Score of the name that another provider gives to a field. */
const KNOWN_ELSEWHERE_SCORE = 0.7;
const MIN_COLUMN_SCORE = 0.5;
const MIN_FORM_SCORE = 0.4;
const round = (number: number): number => Math.round(number * 100) / 100;

/** Jaccard similarity of the words of two names. */
function wordSimilarity(left: string, right: string): number {
  const [a, b] = [new Set(left.split(" ")), new Set(right.split(" "))];
  const common = [...a].filter((word) => b.has(word)).length;
  return common / (a.size + b.size - common);
}

/** Scores the name of a column against a column of a form from 0 to 1: by the names of the provider, ignoring spaces as in `UnitNumber`, then by synonyms. */
function nameScore(form: Form, name: string, nameKey: string, { header, aliases = [], field }: FormColumn): number {
  const actual = normalizeForMatching(name);
  const expected = normalizeForMatching(header);
  if (actual === expected) return 1;
  if (actual.replaceAll(" ", "") === expected.replaceAll(" ", "")) return 0.98;
  if (aliases.some((alias) => normalizeForMatching(alias).replaceAll(" ", "") === actual.replaceAll(" ", ""))) return 0.95;
  const synonymScore = (field && synonymScores(form).get(field)?.get(nameKey)) || 0;
  const isKnownElsewhere = field && (field.replaceAll("_", " ") === actual || columnNamesByField.get(field)?.some((known) => known.name === actual));
  const similarity = wordSimilarity(actual, expected);
  return Math.max(synonymScore, isKnownElsewhere ? KNOWN_ELSEWHERE_SCORE : 0, similarity >= 0.5 ? 0.75 * similarity : 0);
}

/** Cells of the first rows of a file. */
export type Samples = readonly (readonly string[])[];

const columnValues = (samples: Samples, index: number): string[] => samples.map((cells) => cleanCell(cells[index] ?? "")).filter((text) => text !== "");

/** Returns the ratio of values that are valid for a field, the highest over the entities of the form, or undefined without values and for free text. */
function valueScore({ outputs }: Form, field: string, values: readonly string[]): number | undefined {
  const ratios = outputs.flatMap((output) =>
    entityFields(output.entityType).flatMap((name) => (rowFieldOf(output, name) === field ? (validRatio(output.entityType, name, values) ?? []) : [])),
  );
  return ratios.length > 0 ? Math.max(...ratios) : undefined;
}

interface ScoredPair {
  name: string;
  column: FormColumn;
  score: number;
}

/** Fields of money, of which a wrong column would post a wrong amount. */
const MONEY_FIELDS = new Set(["amount_held", "balance", "prepaid", "amount", "rent"]);

/** Returns the fields of money that two columns could mean equally well, such as `Deposit` and `Deposit Held`: a person has to choose. */
function tiedFields(pairs: readonly ScoredPair[]): Set<string> {
  const byField = Map.groupBy(pairs, ({ column }) => column.field ?? "");
  const isTied = (own: readonly ScoredPair[]) => {
    const [best, next] = own.toSorted((a, b) => b.score - a.score);
    return next !== undefined && best!.score < 0.95 && best!.score - next.score < 0.05;
  };
  return new Set([...byField].flatMap(([field, own]) => (MONEY_FIELDS.has(field) && isTied(own) ? [field] : [])));
}

/** Maps the columns of a file that has the form. Each column has at most one field and each field one column; pairs with a higher score win. */
export function mapColumns(form: Form, header: readonly string[], samples: Samples): MappedColumns {
  const pairs = header.flatMap((name, index) => {
    const [values, nameKey] = [columnValues(samples, index), columnNameKey(name)];
    return form.columns.flatMap((column) => {
      const scoreByName = nameScore(form, name, nameKey, column);
      if (scoreByName === 0) return [];
      const scoreByValues = column.field ? valueScore(form, column.field, values) : undefined;
      // A column with the exact name stays mapped even if no value is valid, so that its rows report the errors.
      const minFactor = scoreByName >= 0.95 ? 0.55 : 0.4;
      const score = scoreByName * (scoreByValues === undefined ? 1 : minFactor + (1 - minFactor) * scoreByValues) - (values.length === 0 ? 0.02 : 0);
      return score >= MIN_COLUMN_SCORE ? [{ name, column, score }] : [];
    });
  });
  const mapping: Record<string, string | null> = Object.fromEntries(header.map((name) => [name, null]));
  const columnConfidence: Record<string, number> = {};
  const mappedFields = new Set<string>();
  const tied = tiedFields(pairs);
  for (const { name, column, score } of pairs.toSorted((a, b) => b.score - a.score)) {
    if (columnConfidence[name] !== undefined || (column.field && (mappedFields.has(column.field) || tied.has(column.field)))) continue;
    columnConfidence[name] = round(score);
    mapping[name] = column.field;
    if (column.field) mappedFields.add(column.field);
  }
  return { mapping, columnConfidence, mappingConfidence: mappingConfidenceOf(form, mapping, columnConfidence) };
}

/** Returns the confidence of a whole mapping: the mean of its columns, reduced by the missing required fields. */
export function mappingConfidenceOf(form: Form, mapping: Record<string, string | null>, columnConfidence: Record<string, number>): number {
  const confidences = Object.entries(mapping).flatMap(([name, field]) => (field ? [columnConfidence[name] ?? 0] : []));
  if (confidences.length === 0) return 0;
  const required = requiredFieldsOf(form).length;
  return round((confidences.reduce((sum, each) => sum + each, 0) / confidences.length) * (1 - missingFields(form, mapping).length / Math.max(1, required)));
}

/** Fields of money whose form is that of a file only if the file or the column says so: an amount can be a payment as well. */
const HELD_OR_OWED = new Set(["amount_held", "balance"]);

/** Tells whether neither the name of a file nor a column says that its amounts are deposits or balances. */
function isOfUnnamedAmounts(fileName: string, form: Form, mapping: Record<string, string | null>): boolean {
  if (form.name !== "deposits" && form.name !== "opening_balances") return false;
  const named = Object.entries(mapping).filter(([, field]) => field !== null && HELD_OR_OWED.has(field));
  return named.every(([name]) => columnNameKey(name) === "amount") && !namesForm(fileName, form);
}

/** Detects the form of a file by its columns, its required fields and its file name. Returns undefined when no form reaches the minimum score. */
export function detectForm(
  provider: ImportProvider,
  fileName: string,
  header: readonly string[],
  samples: Samples,
): { form: Form; mapped: MappedColumns } | undefined {
  const scored = availableForms(provider).map((form) => {
    const mapped = mapColumns(form, header, samples);
    const confidence = Object.values(mapped.columnConfidence).reduce((sum, each) => sum + each, 0);
    const required = requiredFieldsOf(form);
    const completeness = 1 - missingFields(form, mapped.mapping).length / Math.max(1, required.length);
    const isOwnForm = forms[provider].includes(form);
    const missing = new Set(missingFields(form, mapped.mapping));
    if (form.requires?.some((names) => missing.has(names.join("|")))) return { form, mapped, score: 0 };
    if (isOfUnnamedAmounts(fileName, form, mapped.mapping)) return { form, mapped, score: 0 };
    return { form, mapped, score: 0.55 * (confidence / header.length) + 0.35 * completeness + (namesForm(fileName, form) ? 0.25 : 0) + (isOwnForm ? 0.05 : 0) };
  });
  const best = scored.reduce((left, right) => (right.score > left.score ? right : left));
  return best.score >= MIN_FORM_SCORE && Object.values(best.mapped.mapping).some((field) => field !== null) ? best : undefined;
}

/** Returns a function that tells whether a normalized name is the name of a column of one of the forms, or a synonym. */
export function columnNameMatcher(possibleForms: readonly Form[]): (name: string) => boolean {
  const names = new Set(possibleForms.flatMap(({ columns }) => columns.flatMap(({ header, aliases = [] }) => [header, ...aliases].map(normalizeForMatching))));
  const keys = new Set(possibleForms.flatMap((form) => [...synonymScores(form).values()].flatMap((byKey) => [...byKey.keys()])));
  return (name) => name !== "" && (names.has(name) || keys.has(columnNameKey(name)));
}
