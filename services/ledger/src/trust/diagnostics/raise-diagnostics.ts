/** Daily check that publishes which diagnostics have got findings or have none anymore. */
import type { OrgDb } from "@freehold/kit/db/org-db";
import { newId } from "@freehold/kit/db/entity";
import { eventPublisher } from "@freehold/kit/db/outbox";
import { transaction } from "@freehold/kit/db/transaction";
import type { Clients } from "../../clients.ts";
import { nextMidnight } from "../../receivables/charges/overdue-charges.ts";
import { getLedgerSettings } from "../../settings/ledger-settings.ts";
import { RaisedDiagnostic } from "./diagnostic.entity.ts";
import { listDiagnostics } from "./diagnostics.ts";

export const RAISE_DIAGNOSTICS_JOB = "raiseDiagnostics";
const publish = eventPublisher("ledger");

/** Publishes each diagnostic once when it gets findings, and once when it has none anymore. Returns the time of the next check. */
export async function raiseDiagnostics(db: OrgDb, clients: Clients): Promise<Date> {
  const diagnostics = await listDiagnostics(db, clients);
  await transaction(db, async (tx) => {
    const known = new Map((await tx.find(RaisedDiagnostic, {})).map((row) => [row.key, row]));
    for (const { key, severity, count } of diagnostics) {
      const row = known.get(key);
      const isRaised = count > 0;
      if (isRaised === (row?.isRaised ?? false)) continue;
      const id = row?.id ?? newId();
      if (row) tx.assign(row, { isRaised });
      else tx.create(RaisedDiagnostic, { id, key, isRaised });
      if (isRaised) await publish(tx, "trust.diagnostic_raised", { entityId: id, data: { key, severity, count } });
      else await publish(tx, "trust.diagnostic_cleared", { entityId: id, data: { key } });
    }
  });
  const { timezone } = await getLedgerSettings(db);
  return nextMidnight(timezone);
}
