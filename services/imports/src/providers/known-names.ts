/** Known column names of each form: those of the provider's exports, and those of people's own spreadsheets. */
import { columnNameKey } from "./column-name.ts";
import type { Form } from "./form.ts";
import { rowFieldOf } from "./forms.ts";
import { entityFields } from "./generic.ts";
import { type Synonyms, synonyms } from "./synonyms.ts";

/** Scores of a name that means a field, and of one that probably does. */
const SYNONYM_SCORE = 0.9;
const LIKELY_SCORE = 0.7;

const namesIn = (list: string | undefined): string[] => (list === undefined ? [] : list.split(",").map(columnNameKey).filter(Boolean));

/** Returns the scores of the synonyms of a field by key. Names that need their context count only in a file of the entity. */
function scoredNames({ names, ownNames, likelyNames }: Synonyms, isPrimary: boolean): [key: string, score: number][] {
  return [
    ...namesIn(likelyNames).map((key): [string, number] => [key, LIKELY_SCORE]),
    ...[...namesIn(names), ...(isPrimary ? namesIn(ownNames) : [])].map((key): [string, number] => [key, SYNONYM_SCORE]),
  ];
}

/** Scores by the key of a name, by field of the row. */
export type NameScores = ReadonlyMap<string, ReadonlyMap<string, number>>;

function createScores({ outputs, columns }: Form): NameScores {
  const mappable = new Set(columns.flatMap(({ field }) => field ?? []));
  const scores = new Map<string, Map<string, number>>();
  for (const [index, output] of outputs.entries()) {
    // The names of one person are not those of a column with several.
    if (output.splitBy) continue;
    for (const [field, fieldSynonyms] of Object.entries(synonyms[output.entityType] ?? {})) {
      // Fields that supply others, such as the names of several tenants, are fields of the row only.
      const rowField = entityFields(output.entityType).includes(field) ? rowFieldOf(output, field) : field;
      if (rowField === undefined || !mappable.has(rowField)) continue;
      const byKey = scores.get(rowField) ?? new Map<string, number>();
      for (const [key, score] of scoredNames(fieldSynonyms, index === 0)) byKey.set(key, Math.max(score, byKey.get(key) ?? 0));
      scores.set(rowField, byKey);
    }
  }
  return scores;
}

const cache = new WeakMap<Form, NameScores>();

/** Returns the scores of the synonyms of a form's fields. */
export function synonymScores(form: Form): NameScores {
  const known = cache.get(form) ?? createScores(form);
  cache.set(form, known);
  return known;
}

const MAX_ACCEPTED_NAMES = 4;

/** Returns names of columns that are mapped to a field: those of the form, then those that people use. */
export function acceptedNames(form: Form, field: string): string[] {
  const own = form.columns.flatMap(({ header, field: mapped, aliases = [] }) => (mapped === field ? [header, ...aliases] : []));
  const others = form.outputs.flatMap((output) =>
    Object.entries(synonyms[output.entityType] ?? {}).flatMap(([name, { names = "" }]) => (rowFieldOf(output, name) === field ? names.split(", ") : [])),
  );
  const byKey = new Map([...own, ...others].filter(Boolean).map((name) => [columnNameKey(name), name]));
  return [...new Set([...own.slice(0, 1), ...byKey.values()])].slice(0, MAX_ACCEPTED_NAMES);
}

/** Names of files by form, besides the name of the form itself. */
const fileNames: Readonly<Record<string, string>> = {
  properties: "Property, Building",
  units: "Unit",
  owners: "Owner",
  vendors: "Vendor",
  tenants: "Tenant",
  leases: "Lease, Tenancy",
  recurring_charges: "Recurring Charge, Monthly Charge",
  deposits: "Deposit",
  opening_balances: "Balance, Arrears, Delinquency, Owed, Owes",
  charges: "Charge",
  payments: "Payment, Receipt",
  expenses: "Expense, Bill, Payable",
  work_orders: "Work Order, Maintenance",
  rent_roll: "Rent Roll",
};

const wordsOf = (name: string): string[] => columnNameKey(name).replace("tenants", "tenant").split(" ");

/** Tells whether the name of a file contains the name of a form, or another name for its rows. */
export function namesForm(fileName: string, { name }: Form): boolean {
  const words = new Set(wordsOf(fileName.replace(/^.*[\\/]/, "").replace(/\.\w+$/, "")));
  return [name, ...(fileNames[name]?.split(",") ?? [])].some((each) => wordsOf(each).every((word) => words.has(word)));
}
