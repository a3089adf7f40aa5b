/** Creation of drafts from one row of a file, by the form and the mapping of the file. */
import { truncate } from "@freehold/kit/truncate";
import type { FieldError } from "@freehold/contract/errors";
import { parsePropertyHeading } from "../parsing/address.ts";
import { formatName, splitNames } from "../parsing/name.ts";
import { cleanCell, isProblem, isSpreadsheetError } from "../parsing/parsed.ts";
import { normalizeForMatching, parseChoice } from "../parsing/text.ts";
import { chargeTypeChoices, isErrorOfRow, isPlaceholderValue, parseField } from "../providers/fields.ts";
import type { Form, RowOutput } from "../providers/form.ts";
import { rowFieldOf } from "../providers/forms.ts";
import { entityFields } from "../providers/generic.ts";
import type { Draft, FieldValues } from "./draft.ts";
import { candidateReferences, deriveSourceId, displayNameOf } from "./entity.rules.ts";
import { isOfTenancy } from "./tenancies/tenancy-id.rules.ts";

/** Extra value of a balance whose day is that of its report, so that the next report does not change it. */
export const REPORT_DATE = "Date of the report";

export interface DraftContext {
  form: Form;
  header: readonly string[];
  mapping: Readonly<Record<string, string | null>>;
  /** Date of a report whose rows have no date; undefined when the report has none either. */
  reportDate: string | undefined;
}

/** Maximum number of cells beyond the header that are stored as extra values. */
const MAX_EXTRA_CELLS = 20;
const MAX_EXTRA_LENGTH = 4_000;
const MAX_NAME_LENGTH = 160;

interface MappedCells {
  fields: FieldValues;
  /** Values of unmapped columns by column name. */
  extra: FieldValues;
  /** Column name by field, for error messages. */
  columns: FieldValues;
}

/** Assigns the cells of a row to fields and to unmapped columns. The section heading supplies a missing property name. */
function mapCells({ form, header, mapping }: DraftContext, cells: readonly string[], heading: string | null): MappedCells {
  const [fields, extra, columns]: [FieldValues, FieldValues, FieldValues] = [{}, {}, {}];
  for (const [index, cell] of cells.slice(0, header.length + MAX_EXTRA_CELLS).entries()) {
    const column = header[index] ?? `Column ${index + 1}`;
    const field = mapping[column] ?? null;
    const text = cleanCell(cell, (each) => field !== null && (isErrorOfRow(field, each) || isValueOfForm(form, field, each)))
      .replaceAll("\0", "")
      .toWellFormed();
    if (text === "") continue;
    if (field === null) extra[column] = truncate(text, MAX_EXTRA_LENGTH);
    else {
      fields[field] = text;
      columns[field] = column;
    }
  }
  if (heading !== null && fields["property_name"] === undefined) fields["property_name"] = heading;
  return { fields, extra, columns };
}

/** Tells whether a placeholder is a value of a field of the row for one of the candidates. */
const isValueOfForm = ({ outputs }: Form, rowField: string, text: string): boolean =>
  outputs.some((output) =>
    entityFields(output.entityType).some((field) => rowFieldOf(output, field) === rowField && isPlaceholderValue(output.entityType, field, text)),
  );

/** Adds fields that derive from combined columns, from the names of several tenants, from the income account and from the report date. */
function addDerivedFields(fields: FieldValues, columns: FieldValues, { form, reportDate }: DraftContext): void {
  const bedBath = fields["bed_bath"] ?? "";
  const [bedrooms, bathrooms] = isSpreadsheetError(bedBath) ? [bedBath] : bedBath.split("/").map((text) => text.trim());
  if (bedrooms) fields["bedrooms"] ??= bedrooms;
  if (bathrooms) fields["bathrooms"] ??= bathrooms;
  form.prepare?.(fields);
  const [firstTenant, ...otherTenants] = splitNames(fields["tenant_names"] ?? "", form.isLastFirst);
  if (firstTenant !== undefined) {
    fields["primary_tenant_name"] ??= firstTenant;
    columns["primary_tenant_name"] ??= columns["tenant_names"]!;
    if (otherTenants.length > 0) fields["co_tenants"] ??= otherTenants.join("; ");
  }
  if (fields["gl_account"]) {
    const chargeType = parseChoice(fields["gl_account"], chargeTypeChoices);
    const otherType = isSpreadsheetError(fields["gl_account"]) ? fields["gl_account"] : "other";
    fields["type"] ??= isProblem(chargeType) ? otherType : chargeType.value;
  }
  if (reportDate !== undefined && form.outputs.some(({ asOfReportDate }) => asOfReportDate)) fields["as_of"] ??= reportDate;
}

/** Returns the drafts of a row in the order of the form's outputs. */
export function draftCandidates(context: DraftContext, row: { number: number; cells: readonly string[] }, heading: string | null): Draft[] {
  const { fields, extra, columns } = mapCells(context, row.cells, heading);
  const hasOwnDate = fields["as_of"] !== undefined;
  addDerivedFields(fields, columns, context);
  const { outputs, typeErrors } = selectOutputs(context.form, fields, columns);
  const drafts = outputs.flatMap((output, index) =>
    expandOutput(output, fields, context.form).map((values) =>
      createDraft(output, values, {
        extra: {
          ...(index === 0 && extra),
          ...(output.asOfReportDate && !hasOwnDate && fields["as_of"] !== undefined && { [REPORT_DATE]: fields["as_of"] }),
        },
        columns,
        typeErrors,
        firstDay: firstDayOf(context.form, output, values),
      }),
    ),
  );
  return linkDrafts(drafts);
}

/** Returns the draft of the property that a heading names with its address, or undefined for a heading without a complete address. */
export function draftHeading(heading: string): Draft | undefined {
  const fields = parsePropertyHeading(heading);
  return fields && createDraft({ entityType: "property" }, fields, { extra: {}, columns: {}, typeErrors: [] });
}

/** Selects the outputs of a row by its type. A row of an unsupported type produces the primary output with an error, so that it is neither written nor lost. */
function selectOutputs(
  { outputs, rowType, columns: formColumns }: Form,
  fields: FieldValues,
  columns: FieldValues,
): { outputs: readonly RowOutput[]; typeErrors: FieldError[] } {
  if (!rowType) return { outputs, typeErrors: [] };
  const { field, values, unsupported, suggestion } = rowType;
  const columnHeader = formColumns.find((column) => column.field === field)!.header;
  const text = fields[field] ?? "";
  const selected = unsupported.test(text) ? [] : outputs.filter(({ entityType }) => values[entityType]?.test(text));
  if (selected.length === 1) return { outputs: selected, typeErrors: [] };
  const remedy = `Set it to ${suggestion} in the file and upload the file again, or exclude the row and record the transaction by hand.`;
  const column = `Column ${columns[field] ?? columnHeader}`;
  const typeError: FieldError =
    text === ""
      ? { path: field, code: "required", message: `${column} is empty. ${remedy}` }
      : { path: field, code: "enum", message: `${column}: transactions of the type "${truncate(text, 80)}" are not imported. ${remedy}` };
  return { outputs: outputs.slice(0, 1), typeErrors: [typeError] };
}

/** Returns the fields of the row for each draft of an output: none, one, or one for each tenant. */
function expandOutput({ entityType, requires = [], nonZero, skipIf, tenants, splitBy }: RowOutput, fields: FieldValues, { isLastFirst }: Form): FieldValues[] {
  if (requires.some((field) => fields[field] === undefined)) return [];
  if (nonZero && nonZero.every((field) => isZeroAmount(entityType, field, fields[field] ?? "0"))) return [];
  if (skipIf && skipIf.matches.test(fields[skipIf.field] ?? "")) return [];
  if (splitBy)
    return (fields[splitBy] ?? "")
      .split(/[;\n|]/)
      .map((text) => text.trim())
      .filter(Boolean)
      .map((text) => ({ ...fields, [splitBy]: text }));
  if (!tenants || fields["primary_tenant_name"] === undefined) return [fields];
  const names = splitNames(fields["primary_tenant_name"], isLastFirst);
  const selected = tenants === "all" ? names : tenants === "first" ? names.slice(0, 1) : names.slice(1);
  // The lease keeps the names of everybody, by whom it is known when they come in another order.
  const others = entityType === "lease" && tenants === "first" && names.length > 1 ? { co_tenants: names.slice(1).join("; ") } : {};
  return selected.map((name) => ({ ...fields, primary_tenant_name: name, ...others }));
}

/** Tells whether a cell is an amount of zero. A text that is no amount, such as the error of a formula, is not. */
function isZeroAmount(entityType: RowOutput["entityType"], field: string, text: string): boolean {
  const parsed = parseField(entityType, field, text);
  return !isProblem(parsed) && Number(parsed.value) === 0;
}

/** Returns the first day of the tenancy in a row of leases: the first day of the lease for an occupant, and the move-in, which a renewal keeps, for money. */
function firstDayOf({ outputs }: Form, { entityType }: RowOutput, fields: FieldValues): string | undefined {
  const lease = outputs.find((output) => output.entityType === "lease");
  if (!lease || !isOfTenancy(entityType)) return undefined;
  for (const field of entityType === "occupant" ? ["start_date"] : ["move_in_date", "start_date"]) {
    const text = fields[rowFieldOf(lease, field) ?? ""];
    const parsed = text === undefined ? undefined : parseField("lease", field, text);
    if (parsed !== undefined && !isProblem(parsed) && parsed.value !== "") return parsed.value;
  }
  return undefined;
}

interface RowDetails {
  extra: FieldValues;
  columns: FieldValues;
  /** Errors of the row's type, in forms that have row types. */
  typeErrors: readonly FieldError[];
  firstDay?: string | undefined;
}

function createDraft(output: RowOutput, fields: FieldValues, { extra: rowExtra, columns, typeErrors, firstDay }: RowDetails): Draft {
  const { entityType } = output;
  const data: FieldValues = {};
  const extra: FieldValues = { ...rowExtra };
  const parseErrors: FieldError[] = [...typeErrors];
  for (const field of new Set([...entityFields(entityType), ...(output.extraFields ?? [])])) {
    const rowField = rowFieldOf(output, field);
    const text = rowField === undefined ? undefined : fields[rowField];
    if (rowField === undefined || text === undefined || followsLease(output, field)) continue;
    const parsed = parseField(entityType, field, text);
    if (isProblem(parsed)) parseErrors.push({ path: field, code: "format", message: `Column ${columns[rowField] ?? rowField}: ${parsed.problem}` });
    else {
      if (parsed.value !== "") data[field] = parsed.value;
      if (parsed.others) extra[`${columns[rowField] ?? field}, others`] = parsed.others.join(", ");
    }
  }
  const draft = completeDraft(entityType, data, extra, parseErrors, { noDefaults: output.noDefaults, firstDay });
  if (!output.isLeaseOptional) return draft;
  return { ...draft, refs: draft.refs.map((ref) => (ref.name === "lease" ? { ...ref, isRequired: false } : ref)) };
}

/** Tells whether a field of a co-tenant in a row of leases is that of the lease: co-tenants move in with the lease, also when its move-in date changes. */
const followsLease = ({ entityType, splitBy, tenants }: RowOutput, field: string): boolean =>
  entityType === "occupant" && field === "move_in_date" && (splitBy !== undefined || tenants !== undefined);

/** Creates a draft from parsed fields, with its defaults, source id, display name and references. */
export function completeDraft(
  entityType: Draft["entityType"],
  parsed: FieldValues,
  extra: FieldValues,
  parseErrors: FieldError[],
  { noDefaults = false, firstDay }: { noDefaults?: boolean | undefined; firstDay?: string | undefined } = {},
): Draft {
  const data = addDefaults(entityType, parsed, noDefaults);
  const ownId = data["source_id"];
  const sourceId = ownId ?? deriveSourceId(entityType, data, firstDay);
  const displayName = displayNameOf(entityType, data) || sourceId.replace(/^~/, "").replace(/\/$/, "");
  return { entityType, sourceId, isDerived: ownId === undefined, displayName, data, extra, parseErrors, refs: candidateReferences(entityType, data) };
}

/** Returns the term type of a lease without one: month-to-month unless the lease has an end date. */
export const defaultTermType = ({ end_date }: FieldValues): string => (end_date === undefined ? "month_to_month" : "fixed");

const isPositive = (amount: string | undefined): boolean => amount !== undefined && /[1-9]/.test(amount);

/** Returns the late fee type of a lease with a late fee and without its type: flat for an amount, percent for a percentage only. */
function defaultLateFeeType({ late_fee_type: type, late_fee_amount: amount, late_fee_percent: percent }: FieldValues): FieldValues {
  if (type !== undefined || !(isPositive(amount) || isPositive(percent))) return {};
  return { late_fee_type: isPositive(amount) ? "flat" : "percent" };
}

/** Adds the term type of a lease, the type of its late fee and the name of a property unless defaults are disabled, and the name of a person. */
function addDefaults(entityType: Draft["entityType"], data: FieldValues, noDefaults: boolean): FieldValues {
  if (entityType === "lease" && !noDefaults) return { ...data, term_type: data["term_type"] ?? defaultTermType(data), ...defaultLateFeeType(data) };
  if (entityType === "property" && data["name"] === undefined && data["street_line1"] !== undefined && !noDefaults)
    return { ...data, name: data["street_line1"] };
  if (entityType === "vendor" && data["name"] === undefined) {
    const name = formatName([data["first_name"], data["last_name"]].filter(Boolean).join(" ") || (data["contact_name"] ?? ""));
    return name === "" ? data : { ...data, name: truncate(name, MAX_NAME_LENGTH) };
  }
  if (entityType === "owner" || entityType === "tenant") {
    const name = data["full_name"] ?? [data["first_name"], data["last_name"]].filter(Boolean).join(" ");
    const fullName = name || data["company_name"];
    return fullName ? { ...data, full_name: fullName } : data;
  }
  return data;
}

/** Links the drafts of one row to each other by source id, which takes precedence over a match by name elsewhere. */
function linkDrafts(drafts: Draft[]): Draft[] {
  const find = (entityType: Draft["entityType"], name?: string) =>
    drafts.find(
      (draft) => draft.entityType === entityType && (name === undefined || normalizeForMatching(draft.data["full_name"] ?? "") === normalizeForMatching(name)),
    );
  for (const draft of drafts) {
    draft.refs = draft.refs.map((reference) => {
      const target =
        reference.entityType === "tenant" ? (reference.text === undefined ? undefined : find("tenant", reference.text)) : find(reference.entityType);
      return target && target !== draft && reference.id === undefined ? { ...reference, id: target.sourceId } : reference;
    });
  }
  return drafts;
}
