import type { leases } from "@freehold/contract/leases";
import type { BodyOf, Output } from "@freehold/contract/operation";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { conflict } from "@freehold/kit/errors";
import type { Clients } from "../../clients.ts";
import { moneyOf } from "../billing/lease-billing.ts";
import { announceUpdate } from "../lease-events.ts";
import { Lease } from "../lease.entity.ts";
import { refuseMoveOutBeforeStart, requireStatus } from "../lease.rules.ts";
import { leaseView } from "../lease.view.ts";
import { findLease } from "../leases.queries.ts";

type Operations = (typeof leases)["operations"];
type Answer = Output<Operations["giveNotice"]>;

/** Changes the notice on a locked lease and answers the lease. */
async function changeNotice(db: OrgDb, ask: Clients, id: string, change: (lease: Lease) => void): Promise<Answer> {
  const money = await moneyOf(db, ask, [id]);
  return transaction(db, async (tx) => {
    const lease = await tx.getForUpdate(Lease, id, "Lease", { deletedAt: null });
    change(lease);
    await announceUpdate(tx, lease);
    return { lease: leaseView(await findLease(tx, id), money.get(id)) };
  });
}

/** Records that somebody gave notice on an active lease; given again, the later one counts. */
export const giveNotice = (db: OrgDb, ask: Clients, id: string, terms: BodyOf<Operations["giveNotice"]>): Promise<Answer> =>
  changeNotice(db, ask, id, (lease) => {
    requireStatus(lease, "be given notice on");
    refuseMoveOutBeforeStart(lease, terms.plannedMoveOutDate);
    Object.assign(lease, terms);
  });

/** Takes the notice on an active lease back. */
export const withdrawNotice = (db: OrgDb, ask: Clients, id: string): Promise<Answer> =>
  changeNotice(db, ask, id, (lease) => {
    requireStatus(lease, "have its notice withdrawn");
    if (!lease.noticeGivenOn && !lease.plannedMoveOutDate) throw conflict("No notice was given on the lease, so none can be withdrawn.", "invalid_transition");
    lease.noticeGivenOn = null;
    lease.plannedMoveOutDate = null;
  });
