/** Suppressed e-mail addresses: their suppression, and its list and end for admins. */
import { suppressions, type Suppression as View } from "@freehold/contract/communications/suppressions";
import type { Output, QueryOf } from "@freehold/contract/operation";
import { columnsOf, newId } from "@freehold/kit/db/entity";
import { listConditions, listPage } from "@freehold/kit/db/list";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { eventPublisher } from "@freehold/kit/db/outbox";
import { sql } from "@freehold/kit/db/statement";
import { transaction } from "@freehold/kit/db/transaction";
import { withVersion } from "@freehold/kit/http/etag";
import { routes } from "@freehold/kit/http/routes";
import { containsPattern } from "@freehold/kit/like-pattern";
import { now } from "@freehold/kit/time/clock";
import { SuppressedAddress } from "./opt-out.entity.ts";

type Operations = typeof suppressions.operations;
type Row = View & { version: number };

const columns = columnsOf(SuppressedAddress, "s");
const suppressionView = ({ version, ...row }: Row): View => withVersion(row, version);

const publish = eventPublisher("communications");

/** Publishes that an address was suppressed, or that its suppression was lifted, to admins. */
const publishSuppression = (
  tx: OrgTx,
  type: "suppression.created" | "suppression.deleted",
  { id, reason }: Pick<SuppressedAddress, "id" | "reason">,
): Promise<void> => publish(tx, type, { entityId: id, data: { reason }, audience: { roles: ["admin"] } });

/**
 * Ends e-mails to an address that returned one for good or complained about one, also if an earlier suppression was lifted. A bounce of an address
 * that has complained is the reason from then on.
 */
export async function suppressAddress(tx: OrgTx, address: string, reason: SuppressedAddress["reason"]): Promise<void> {
  const suppressed = await tx.first(sql<{
    id: string;
  }>`insert into suppressed_address as s (organization_id, id, created_at, updated_at, address, reason, suppressed_at)
    values (${tx.organizationId}, ${newId()}, now(), now(), lower(${address}), ${reason}, now())
    on conflict (organization_id, address) do update set reason = excluded.reason, suppressed_at = now(), deleted_at = null, deleted_by_user_id = null,
      updated_at = now(), version = s.version + 1
    where s.deleted_at is not null or (s.reason = 'complained' and excluded.reason = 'bounced') returning id`);
  if (suppressed) await publishSuppression(tx, "suppression.created", { id: suppressed.id, reason });
}

/** Returns a page of the suppressions, by default the latest first. */
async function listSuppressions(db: OrgDb, query: QueryOf<Operations["listSuppressions"]>): Promise<Output<Operations["listSuppressions"]>> {
  const { search, reason } = query;
  const { rows, paging } = await listPage<Row>(db, query, {
    select: columns,
    from: sql`suppressed_address s`,
    where: [
      ...listConditions(db, "s", query),
      search !== undefined && sql`s.address ilike ${containsPattern(search)}`,
      reason && sql`s.reason = any(${reason})`,
    ],
    sorts: { suppressedAt: sql`s.suppressed_at`, address: sql`s.address` },
    table: "s",
  });
  return { suppressions: rows.map(suppressionView), ...paging };
}

/** Lifts the suppression of an address. Throws 404 for an unknown or lifted one. */
const deleteSuppression = (db: OrgDb, id: string): Promise<Output<Operations["deleteSuppression"]>> =>
  transaction(db, async (tx) => {
    const suppression = await tx.getForUpdate(SuppressedAddress, id, "Suppression", { deletedAt: null });
    tx.assign(suppression, { deletedAt: now(), deletedByUserId: tx.principal.userId });
    await publishSuppression(tx, "suppression.deleted", suppression);
    const row = await tx.first(sql<Row>`select ${columns} from suppressed_address s where s.organization_id = ${tx.organizationId} and s.id = ${id}`);
    return { suppression: suppressionView(row!) };
  });

/** Routes of suppressions. */
export const suppressionRoutes = routes(suppressions, {
  listSuppressions: ({ db, query }) => listSuppressions(db, query),
  deleteSuppression: ({ db, params }) => deleteSuppression(db, params.id),
});
