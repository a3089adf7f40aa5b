/** Diagnostics: checks of the trust accounts and the ledger on their current state. */
import { diagnosticKeys, MAX_DIAGNOSTIC_ITEMS, type Diagnostic, type DiagnosticItem } from "@freehold/contract/trust/diagnostics";
import { clampSumToSafeInteger } from "@freehold/domain/money";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";
import { today } from "@freehold/kit/time/clock";
import { getChart } from "../../chart/categories.ts";
import type { Clients } from "../../clients.ts";
import { findOwnedProperties } from "../../owners/owned-properties.ts";
import { getLedgerSettings } from "../../settings/ledger-settings.ts";
import { beneficiaryChecks } from "./beneficiary-checks.queries.ts";
import { bankChecks } from "./bank-checks.queries.ts";
import type { CheckContext } from "./check.ts";
import { diagnosticTexts } from "./diagnostic-texts.ts";
import { journalChecks } from "./journal-checks.queries.ts";
import { receivableChecks } from "./receivable-checks.queries.ts";

const checks = { ...beneficiaryChecks, ...bankChecks, ...receivableChecks, ...journalChecks };

type Findings = Pick<Diagnostic, "count" | "amountCents" | "items"> & { earliest: string | null };

/** Runs checks, by default all, on one snapshot of the ledger, and returns them in a fixed order. Calls portfolio for owners and vendors. */
export async function listDiagnostics(db: OrgDb, clients: Clients, keys: readonly Diagnostic["key"][] = diagnosticKeys): Promise<Diagnostic[]> {
  const context = await readContext(db, clients);
  const requested = diagnosticKeys.filter((key) => keys.includes(key));
  const results = await db.onSnapshot(...requested.map((key) => summarize(checks[key](db, context))));
  return requested.map((key, index) => diagnosticOf(key, results[index]![0]!, context.day));
}

async function readContext(db: OrgDb, clients: Clients): Promise<CheckContext> {
  const [{ timezone }, chart, properties] = await Promise.all([getLedgerSettings(db), getChart(db), findOwnedProperties(db, clients)]);
  const day = today(timezone);
  const [accounts, { vendors }] = await Promise.all([
    db.all(
      sql<
        CheckContext["accounts"][number]
      >`select id, name, category_id, account_type, is_active from bank_account where organization_id = ${db.organizationId} order by id`,
    ),
    clients.portfolio.listVendorsWithLapsedInsurance(db, { asOf: day }),
  ]);
  return { day, timezone, chart, accounts, properties: properties.filter(({ isDeleted }) => !isDeleted), vendors };
}

/** Selects the number and the sum of findings, and those with the largest amounts. */
const summarize = (findings: RawBuilder<DiagnosticItem>): RawBuilder<Findings> => sql<Findings>`
  with finding as materialized (${findings})
  select (select count(*) from finding) as count, (select ${clampSumToSafeInteger(sql`coalesce(sum(abs(amount_cents)), 0)`)} from finding) as amount_cents,
    (select min(date) from finding) as earliest,
    coalesce((select json_agg(json_build_object('entityType', entity_type, 'entityId', entity_id, 'name', name, 'propertyId', property_id, 'bankAccountId', bank_account_id,
        'date', date, 'amountCents', amount_cents) order by abs(amount_cents) desc nulls last, date, entity_id)
      from (select * from finding order by abs(amount_cents) desc nulls last, date, entity_id limit ${MAX_DIAGNOSTIC_ITEMS}) largest), '[]') as items`;

function diagnosticOf(key: Diagnostic["key"], { earliest, ...findings }: Findings, day: string): Diagnostic {
  const { severity, help } = diagnosticTexts[key];
  const isOverdue = key === "deposit_disposition_due" && earliest !== null && earliest < day;
  return { key, severity: isOverdue ? "critical" : severity, ...findings, help };
}
