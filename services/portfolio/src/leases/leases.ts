import type { Lease as LeaseView, leases } from "@freehold/contract/leases";
import type { BodyOf, Output, QueryOf } from "@freehold/contract/operation";
import { transaction, type OrgDb, type OrgTx } from "@freehold/kit/db";
import { invalid } from "@freehold/kit/errors";
import { given } from "@freehold/kit/given";
import { completed } from "@freehold/kit/idempotency";
import { announce } from "../announce.ts";
import type { Clients } from "../clients.ts";
import { notesOf } from "../notes/notes.ts";
import { parkingRightsOf } from "../parking-rights/parking-rights.ts";
import { holdReference, holdReferences } from "../references.ts";
import { Tenant } from "../tenants/tenant.entity.ts";
import { Unit } from "../units/unit.entity.ts";
import { activate, startBilling } from "./activate-lease.ts";
import { ofLease } from "./lease-events.ts";
import { askMoney, moneyOf, noMoney, rulesOf } from "./lease-billing.ts";
import { Lease, LeaseOccupant } from "./lease.entity.ts";
import { occupantsOf, type OccupantTerms } from "./lease.rules.ts";
import { leaseView } from "./lease.view.ts";
import { findLease, findLeasesOfTenant, pageOfLeases, type LeaseRow } from "./leases.queries.ts";
import { holdNamedUnit } from "./unit-hold.queries.ts";

type Operations = (typeof leases)["operations"];
type Terms = BodyOf<Operations["createLease"]>;

async function views(db: OrgDb, ask: Clients, rows: LeaseRow[]): Promise<LeaseView[]> {
  const money = await moneyOf(
    db,
    ask,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => leaseView(row, money.get(row.id)));
}

export async function listLeases(db: OrgDb, ask: Clients, query: QueryOf<Operations["listLeases"]>): Promise<Output<Operations["listLeases"]>> {
  const { leaseIds } = query.hasBalance === undefined ? { leaseIds: [] } : await ask.ledger.listLeasesWithBalance(db, {});
  const { rows, paging } = await pageOfLeases(db, query, leaseIds);
  return { leases: await views(db, ask, rows), ...paging };
}

/** The leases that name a tenant, newest first: at most a hundred. */
export const leasesOfTenant = async (db: OrgDb, ask: Clients, tenantId: string): Promise<LeaseView[]> => views(db, ask, await findLeasesOfTenant(db, tenantId));

export async function getLease(db: OrgDb, ask: Clients, id: string): Promise<Output<Operations["getLease"]>> {
  const [row, notes, recurringChargeRules] = await Promise.all([findLease(db, id), notesOf(db, ask, "lease", id), rulesOf(db, ask, id)]);
  const [[lease], parkingRights] = await Promise.all([views(db, ask, [row]), parkingRightsOf(db, id, recurringChargeRules)]);
  return { lease: lease!, notes, recurringChargeRules, parkingRights };
}

/** Writes a draft, and activates it in the same transaction when asked to: then either both happened or nothing did. */
export async function createLease(db: OrgDb, ask: Clients, { activate: andActivate, ...terms }: Terms): Promise<Output<Operations["createLease"]>> {
  const occupants = occupantsOf(terms);
  if (andActivate) await askMoney(db, ask, []);
  const work = transaction(db, async (tx) => {
    await holdPlace(tx, terms);
    const lease = await writeDraft(tx, terms, occupants);
    if (andActivate) await activate(tx, lease);
    const answer: Output<Operations["createLease"]> = {
      lease: leaseView(await findLease(tx, lease.id), noMoney(lease.id)),
      notes: [],
      recurringChargeRules: [],
    };
    return answer;
  });
  if (!andActivate) return work;
  return completed(work, async (answer) => {
    const { recurringChargeRules } = await startBilling(db, ask, answer.lease, terms.prorateFirstMonth);
    return { ...answer, recurringChargeRules };
  });
}

/** Holds the property, the unit in it and the tenant that a lease is about. */
async function holdPlace(tx: OrgTx, { propertyId, unitId, tenantId }: Pick<Terms, "propertyId" | "unitId" | "tenantId">): Promise<void> {
  await holdReference(tx, "property", propertyId, "propertyId");
  await holdNamedUnit(tx, unitId);
  const unit = await tx.findOne(Unit, { id: unitId, propertyId });
  if (!unit) throw invalid([{ path: "unitId", code: "mismatch", message: "The unit belongs to another property. Check propertyId and unitId." }]);
  await holdReference(tx, "tenant", tenantId, "tenantId");
}

async function writeDraft(tx: OrgTx, { occupants: named, ...terms }: Omit<Terms, "activate">, occupants: OccupantTerms[]): Promise<Lease> {
  await holdReferences(
    tx,
    "tenant",
    named.flatMap(({ tenantId }, index) => (tenantId ? [{ id: tenantId, path: `occupants.${index}.tenantId` }] : [])),
  );
  const lease = tx.create(Lease, {
    lateFeeType: "none",
    ...given(terms),
    depositRequiredCents: terms.depositRequiredCents ?? (0 as Lease["depositRequiredCents"]),
    signedAt: terms.signedAt ? new Date(terms.signedAt) : null,
    status: "draft",
  });
  await tx.flush();
  const tenants = await tx.find(Tenant, { id: { $in: occupants.flatMap(({ tenantId }) => tenantId ?? []) } });
  for (const [position, occupant] of occupants.entries()) {
    const tenant = tenants.find(({ id }) => id === occupant.tenantId?.toLowerCase());
    tx.create(LeaseOccupant, { ...occupant, tenantId: tenant?.id ?? null, fullName: occupant.fullName ?? tenant!.fullName, leaseId: lease.id, position });
  }
  await announce(tx, "lease.created", { entityId: lease.id, data: ofLease(lease) });
  return lease;
}
