/** What one row of a file would become: pure, from its cells, the mapping of the file and its form. */
import type { FieldError } from "@freehold/contract/errors";
import { normalized, parseChoice } from "../parsing/text.ts";
import { splitNames } from "../parsing/name.ts";
import { clean, isProblem } from "../parsing/parsed.ts";
import { chargeKinds, parseField } from "../providers/fields.ts";
import type { Feed, Form } from "../providers/form.ts";
import { fieldsOf } from "../providers/generic.ts";
import { rowField } from "../providers/forms.ts";
import { displayNameOf, derivedId, refsOf } from "./entity.rules.ts";
import type { Data, Draft } from "./draft.ts";

export interface DraftContext {
  form: Form;
  header: readonly string[];
  mapping: Readonly<Record<string, string | null>>;
  /** The day of a report that says none: the one in the file's name, or that of its upload. */
  reportDay: string;
}

const EXTRA_CELLS = 20;

/** The cells of a row by their fields, and those that mean nothing here by their columns. */
function fieldsOfRow({ header, mapping }: DraftContext, cells: readonly string[], heading: string | null): { fields: Data; extra: Data; columns: Data } {
  const [fields, extra, columns]: [Data, Data, Data] = [{}, {}, {}];
  for (const [index, cell] of cells.slice(0, header.length + EXTRA_CELLS).entries()) {
    const text = clean(cell).replaceAll("\0", "").toWellFormed();
    const column = header[index] ?? `Column ${index + 1}`;
    const field = mapping[column] ?? null;
    if (text === "") continue;
    if (field === null) extra[column] = text.slice(0, 4_000);
    else {
      fields[field] = text;
      columns[field] = column;
    }
  }
  if (heading !== null && fields["property_name"] === undefined) fields["property_name"] = heading;
  return { fields, extra, columns };
}

/** One column that says two things, and words that stand for several. */
function spread(fields: Data, { form, reportDay }: DraftContext): void {
  const [bedrooms, bathrooms] = (fields["bed_bath"] ?? "").split("/").map((text) => text.trim());
  if (bedrooms) fields["bedrooms"] ??= bedrooms;
  if (bathrooms) fields["bathrooms"] ??= bathrooms;
  if (fields["gl_account"]) {
    const kind = parseChoice(fields["gl_account"], chargeKinds);
    fields["type"] ??= isProblem(kind) ? "other" : kind.value;
  }
  if (form.feeds.some(({ asOfReport }) => asOfReport)) fields["as_of"] ??= reportDay;
}

/** Which candidates a row gives, each once for every person whom it is about. */
export function draftRow(context: DraftContext, row: { number: number; cells: readonly string[] }, heading: string | null): Draft[] {
  const { fields, extra, columns } = fieldsOfRow(context, row.cells, heading);
  spread(fields, context);
  const drafts = context.form.feeds.flatMap((feed, index) =>
    variants(feed, fields).map((variant) => draft(feed, variant, { extra: index === 0 ? extra : {}, columns, rowNumber: row.number })),
  );
  return tied(drafts);
}

/** The row as this feed reads it: not at all, once, or once for each person. */
function variants({ when = [], unlessZero = [], unless, each, eachOf }: Feed, fields: Data): Data[] {
  if (when.some((field) => fields[field] === undefined)) return [];
  if (unlessZero.some((field) => /^[^1-9]*$/.test(fields[field] ?? ""))) return [];
  if (unless && unless.matches.test(fields[unless.field] ?? "")) return [];
  if (eachOf)
    return (fields[eachOf] ?? "")
      .split(/[;\n|]/)
      .map((text) => text.trim())
      .filter(Boolean)
      .map((text) => ({ ...fields, [eachOf]: text }));
  if (!each || fields["primary_tenant_name"] === undefined) return [fields];
  const people = splitNames(fields["primary_tenant_name"]);
  const wanted = each === "everyone" ? people : each === "the first" ? people.slice(0, 1) : people.slice(1);
  return wanted.map((name) => ({ ...fields, primary_tenant_name: name }));
}

interface About {
  extra: Data;
  columns: Data;
  rowNumber: number;
}

function draft(feed: Feed, fields: Data, { extra, columns, rowNumber }: About): Draft {
  const { entityType } = feed;
  const data: Data = {};
  const kept: Data = { ...extra };
  const parseErrors: FieldError[] = [];
  for (const field of new Set([...fieldsOf(entityType), ...(feed.also ?? [])])) {
    const from = rowField(feed, field);
    const text = from === undefined ? undefined : fields[from];
    if (from === undefined || text === undefined) continue;
    const parsed = parseField(entityType, field, text);
    if (isProblem(parsed)) parseErrors.push({ path: field, code: "format", message: `Column ${columns[from] ?? from}: ${parsed.problem}` });
    else {
      if (parsed.value !== "") data[field] = parsed.value;
      if (parsed.others) kept[`${columns[from] ?? field}, others`] = parsed.others.join(", ");
    }
  }
  return finished(entityType, data, kept, parseErrors, rowNumber, feed.asSaid);
}

/** What follows from the fields: who it is, what it is called, and what it says of others. */
export function finished(entityType: Draft["entityType"], given: Data, extra: Data, parseErrors: FieldError[], rowNumber: number, asSaid = false): Draft {
  const data = completed(entityType, given, asSaid);
  const own = data["source_id"];
  const sourceId = own ?? derivedId(entityType, data, rowNumber);
  const displayName = displayNameOf(entityType, data) || sourceId.replace(/^~/, "");
  return { entityType, sourceId, isDerived: own === undefined, displayName, data, extra, parseErrors, refs: refsOf(entityType, data) };
}

/** What a lease is that says nothing of its term. */
export const usualTerm = ({ end_date }: Data): string => (end_date === undefined ? "month_to_month" : "fixed");

/** What goes without saying. */
function completed(entityType: Draft["entityType"], data: Data, asSaid: boolean): Data {
  if (entityType === "lease" && data["term_type"] === undefined && !asSaid) return { ...data, term_type: usualTerm(data) };
  if (entityType === "owner" || entityType === "tenant") {
    const name = data["full_name"] ?? [data["first_name"], data["last_name"]].filter(Boolean).join(" ");
    const full = name || data["company_name"];
    return full ? { ...data, full_name: full } : data;
  }
  return data;
}

/** Candidates of one row that belong together say so by each other's ids, whatever the names in it may fit elsewhere. */
function tied(drafts: Draft[]): Draft[] {
  const find = (entityType: Draft["entityType"], name?: string) =>
    drafts.find((each) => each.entityType === entityType && (name === undefined || normalized(each.data["full_name"] ?? "") === normalized(name)));
  for (const each of drafts) {
    each.refs = each.refs.map((ref) => {
      const other = ref.entityType === "tenant" ? (ref.text === undefined ? undefined : find("tenant", ref.text)) : find(ref.entityType);
      return other && other !== each && ref.id === undefined ? { ...ref, id: other.sourceId } : ref;
    });
  }
  return drafts;
}
