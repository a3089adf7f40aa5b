import type { leases } from "@freehold/contract/leases/leases";
import type { BodyOf, Output } from "@freehold/contract/operation";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { conflict } from "@freehold/kit/errors";
import type { Clients } from "../../clients.ts";
import { findLeaseBalances } from "../lease-billing.ts";
import { publishLeaseUpdated } from "../lease-events.ts";
import { Lease } from "../lease.entity.ts";
import { requireLeaseStatus, requireMoveOutAfterStart } from "../lease.rules.ts";
import { leaseView } from "../lease.view.ts";
import { getLeaseRow } from "../leases.queries.ts";

type Operations = (typeof leases)["operations"];
type Result = Output<Operations["giveNotice"]>;

async function changeNotice(db: OrgDb, clients: Clients, id: string, change: (lease: Lease) => void): Promise<Result> {
  const balances = await findLeaseBalances(db, clients, [id]);
  return transaction(db, async (tx) => {
    const lease = await tx.getForUpdate(Lease, id, "Lease", { deletedAt: null });
    change(lease);
    await publishLeaseUpdated(tx, lease);
    return { lease: leaseView(await getLeaseRow(tx, id), balances.get(id)) };
  });
}

/** Records a notice on an active lease. A repeated notice replaces the former. */
export const giveNotice = (db: OrgDb, clients: Clients, id: string, notice: BodyOf<Operations["giveNotice"]>): Promise<Result> =>
  changeNotice(db, clients, id, (lease) => {
    requireLeaseStatus(lease, "have a notice recorded");
    requireMoveOutAfterStart(lease, notice.plannedMoveOutDate);
    Object.assign(lease, notice);
  });

/** Removes the notice from an active lease. */
export const withdrawNotice = (db: OrgDb, clients: Clients, id: string): Promise<Result> =>
  changeNotice(db, clients, id, (lease) => {
    requireLeaseStatus(lease, "have its notice withdrawn");
    if (!lease.noticeGivenOn && !lease.plannedMoveOutDate) throw conflict("No notice was given on the lease, so none can be withdrawn.", "invalid_transition");
    lease.noticeGivenOn = null;
    lease.plannedMoveOutDate = null;
  });
