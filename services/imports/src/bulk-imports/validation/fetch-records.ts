/** Reads existing records from portfolio and ledger, for the references and the matches of bulk imports. */
import type { OrgDb } from "@freehold/kit/db/org-db";
import { ApiError } from "@freehold/kit/errors";
import { localDateOf } from "@freehold/kit/time/clock";
import type { MatchCriteria } from "@freehold/proto/portfolio/v1/portfolio";
import type { Clients } from "../../clients.ts";
import { onBehalfOf } from "../../import-bundles/started-by.ts";
import type { FieldValues } from "../../validation/draft.ts";
import type { Match } from "../../validation/match.rules.ts";
import { operationBatcher, type OperationService } from "../../writing/operation-batcher.ts";
import type { BulkRowType, BulkSettings } from "../bulk-import.rules.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
/** Tells whether a text has the format of a record id. */
export const isUuid = (text: string): boolean => UUID.test(text);

/** Matching records by the key of their criteria. */
export type MatchesByKey = ReadonlyMap<string, Match[]>;

/** Returns the records of a type that match any of the criteria, with one call to portfolio. All scores are 0; the caller weighs the reasons. */
export async function findPortfolioRecords(db: OrgDb, clients: Clients, entityType: BulkRowType, criteria: readonly MatchCriteria[]): Promise<MatchesByKey> {
  if (criteria.length === 0) return new Map();
  const { matches } = await clients.portfolio.findMatches(db, { kind: entityType, criteria: [...criteria] });
  const byKey = matches.map(({ key, id, name, fields, reasons }) => ({
    key,
    match: { entityId: id, displayName: name, score: 0, reasons: [...new Set(reasons)], fields },
  }));
  return new Map([...Map.groupBy(byKey, ({ key }) => key)].map(([key, group]) => [key, group.map(({ match }) => match)]));
}

/** Operation that reads a record by its id. */
interface ReadOperation {
  service: OperationService;
  operation: string;
  /** Member of the response that contains the record. */
  member: string;
  /** Statuses in which a record counts as missing. */
  endedStatuses: readonly string[];
  /** Converts the record to fields of the generic template. Days are those of the time zone. */
  toFields: (record: Record<string, unknown>, timezone: string) => Record<string, unknown>;
}
const toAmount = (cents: unknown) => (typeof cents === "number" ? (cents / 100).toFixed(2) : undefined);

/** Read operations of the types that portfolio does not match by fields. */
const readOperations: Partial<Record<BulkRowType, ReadOperation>> = {
  charge: {
    service: "ledger",
    operation: "getCharge",
    member: "charge",
    endedStatuses: ["voided"],
    toFields: (charge) => ({
      amount: toAmount(charge["amountCents"]),
      due_date: charge["dueDate"],
      type: charge["chargeType"],
      label: charge["name"],
      lease: charge["leaseId"],
    }),
  },
  payment: {
    service: "ledger",
    operation: "getPayment",
    member: "payment",
    endedStatuses: ["reversed", "failed"],
    toFields: (payment, timezone) => ({
      amount: toAmount(payment["amountCents"]),
      received_date: localDateOf(String(payment["receivedAt"]), timezone),
      method: payment["paymentMethod"],
      check_number: payment["checkNumber"],
      lease: payment["leaseId"],
    }),
  },
  expense: {
    service: "ledger",
    operation: "getExpense",
    member: "expense",
    endedStatuses: ["voided"],
    toFields: (expense) => ({
      amount: toAmount(expense["amountCents"]),
      date: expense["incurredOn"],
      due_date: expense["dueOn"],
      category: expense["category"],
      label: expense["name"],
      description: expense["description"],
      invoice_number: expense["invoiceNumber"],
      property: expense["propertyId"],
      unit: expense["unitId"],
    }),
  },
  recurring_charge: {
    service: "ledger",
    operation: "getRecurringCharge",
    member: "recurringChargeRule",
    endedStatuses: ["ended"],
    toFields: (rule) => ({
      amount: toAmount(rule["amountCents"]),
      label: rule["label"],
      kind: rule["kind"],
      day_of_month: String(rule["dayOfMonth"]),
      start_date: rule["startDate"],
      end_date: rule["endDate"],
      lease: rule["leaseId"],
    }),
  },
  work_order: {
    service: "portfolio",
    operation: "getWorkOrder",
    member: "workOrder",
    endedStatuses: ["cancelled"],
    toFields: (workOrder) => ({
      title: workOrder["title"],
      description: workOrder["description"],
      priority: workOrder["priority"],
      estimate: toAmount(workOrder["estimateCents"]),
      property: workOrder["propertyId"],
    }),
  },
};

/** Tells whether records of a type are matched by their ids only. */
export const isMatchedByIdOnly = (type: BulkRowType): boolean => type in readOperations;

const textFields = (fields: Record<string, unknown>): FieldValues =>
  Object.fromEntries(Object.entries(fields).flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : [])));

/** Reads records of a type that is matched by id only. Missing and ended records are omitted. */
export async function readRecordsById(
  db: OrgDb,
  clients: Clients,
  { startedBy }: BulkSettings,
  type: BulkRowType,
  ids: readonly string[],
): Promise<Map<string, Match>> {
  const { service, operation, member, endedStatuses, toFields } = readOperations[type]!;
  const execute = operationBatcher(onBehalfOf(db, startedBy), clients);
  const records = await Promise.all(
    [...new Set(ids)].map(async (id): Promise<[string, Match][]> => {
      try {
        const response = await execute<Record<string, Record<string, unknown>>>(service, operation, "read", { params: { id } });
        const record = response[member]!;
        if (endedStatuses.includes(String(record["status"]))) return [];
        const fields = textFields(toFields(record, startedBy.timezone));
        const displayName = fields["label"] ?? fields["title"] ?? [type, fields["amount"]].filter(Boolean).join(" of ");
        return [[id, { entityId: id, displayName, score: 1, reasons: ["id"], fields }]];
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) return [];
        throw error;
      }
    }),
  );
  return new Map(records.flat());
}
