/** Records of other services, asked for by whatever a file may say of them, many in one question. */
import { OrgDb } from "@freehold/kit/db/org-db";
import { ApiError } from "@freehold/kit/errors";
import type { MatchCriteria } from "@freehold/proto/portfolio/v1/portfolio";
import type { Clients } from "../../clients.ts";
import type { Data } from "../../validation/draft.ts";
import type { Match } from "../../validation/match.rules.ts";
import { performing, type Owner } from "../../writing/operation-batcher.ts";
import type { Bulk, RowEntityType } from "../bulk-import.rules.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
/** Whether a text could be an id of ours. */
export const isUuid = (text: string): boolean => UUID.test(text);

/** What was found, by the key of who seeks it: all that has something in common with it. */
export type Found = ReadonlyMap<string, Match[]>;

/** Asks portfolio for records of a kind. Nothing weighs anything here: that is for whoever asks to say. */
export async function askPortfolio(db: OrgDb, ask: Clients, kind: RowEntityType, sought: readonly MatchCriteria[]): Promise<Found> {
  if (sought.length === 0) return new Map();
  const { matches } = await ask.portfolio.findMatches(db, { kind, criteria: [...sought] });
  const found = matches.map(({ key, id, name, fields, reasons }) => ({
    key,
    match: { entityId: id, displayName: name, score: 0, reasons: [...new Set(reasons)], fields },
  }));
  return new Map([...Map.groupBy(found, ({ key }) => key)].map(([key, all]) => [key, all.map(({ match }) => match)]));
}

interface Kept {
  service: Owner;
  operation: string;
  view: string;
  /** As such it counts as not there. */
  gone: readonly string[];
  fields: (view: Record<string, unknown>) => Record<string, unknown>;
}
const amount = (cents: unknown) => (typeof cents === "number" ? (cents / 100).toFixed(2) : undefined);

/** What is recognised by its id alone, and read one by one. */
const kept: Partial<Record<RowEntityType, Kept>> = {
  charge: {
    service: "ledger",
    operation: "getCharge",
    view: "charge",
    gone: ["voided"],
    fields: (charge) => ({
      amount: amount(charge["amountCents"]),
      due_date: charge["dueDate"],
      type: charge["chargeType"],
      label: charge["name"],
      lease: charge["leaseId"],
    }),
  },
  payment: {
    service: "ledger",
    operation: "getPayment",
    view: "payment",
    gone: ["reversed", "failed"],
    fields: (payment) => ({
      amount: amount(payment["amountCents"]),
      received_date: String(payment["receivedAt"]).slice(0, 10),
      method: payment["paymentMethod"],
      check_number: payment["checkNumber"],
      lease: payment["leaseId"],
    }),
  },
  recurring_charge: {
    service: "ledger",
    operation: "getRecurringCharge",
    view: "recurringChargeRule",
    gone: ["ended"],
    fields: (rule) => ({
      amount: amount(rule["amountCents"]),
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
    view: "workOrder",
    gone: ["cancelled"],
    fields: (order) => ({
      title: order["title"],
      description: order["description"],
      priority: order["priority"],
      estimate: amount(order["estimateCents"]),
      property: order["propertyId"],
    }),
  },
};

/** Whether records of a type are recognised by more than their ids. */
export const isKeptById = (type: RowEntityType): boolean => type in kept;

const texts = (fields: Record<string, unknown>): Data =>
  Object.fromEntries(Object.entries(fields).flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : [])));

/** Reads records that are recognised by their ids alone; what is not there, or as good as gone, is left out. */
export async function readKept(db: OrgDb, ask: Clients, { by }: Bulk, type: RowEntityType, ids: readonly string[]): Promise<Map<string, Match>> {
  const { service, operation, view, gone, fields } = kept[type]!;
  const asker = new OrgDb(db.database, { organizationId: db.organizationId, userId: by.userId, role: by.role, subjectId: null, timezone: by.timezone });
  const perform = performing(asker, ask);
  const found = await Promise.all(
    [...new Set(ids)].map(async (id): Promise<[string, Match][]> => {
      try {
        const answer = await perform<Record<string, Record<string, unknown>>>(service, operation, "read", { params: { id } });
        const record = answer[view]!;
        if (gone.includes(String(record["status"]))) return [];
        const said = texts(fields(record));
        const displayName = said["label"] ?? said["title"] ?? [type, said["amount"]].filter(Boolean).join(" of ");
        return [[id, { entityId: id, displayName, score: 1, reasons: ["id"], fields: said }]];
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) return [];
        throw error;
      }
    }),
  );
  return new Map(found.flat());
}
