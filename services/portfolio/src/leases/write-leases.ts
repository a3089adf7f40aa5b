/** New leases with the people on them. Several that come at once are written together: what they name is held for all of them. */
import type { leases } from "@freehold/contract/leases";
import type { BodyOf, Output } from "@freehold/contract/operation";
import type { BatchWriter } from "@freehold/kit/db/batch-write";
import { today } from "@freehold/kit/time/clock";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { newId } from "@freehold/kit/db/entity";
import { invalid } from "@freehold/kit/errors";
import { omitUndefined } from "@freehold/kit/omit-undefined";
import { announce } from "../announce.ts";
import { holdReferences } from "../references.ts";
import { Tenant } from "../people/tenants/tenant.entity.ts";
import { ofLease } from "./lease-events.ts";
import { noMoney } from "./billing/lease-billing.ts";
import { Lease, LeaseOccupant } from "./lease.entity.ts";
import { statusOnceActivated, type OccupantTerms } from "./lease.rules.ts";
import { leaseView } from "./lease.view.ts";
import { findLeases } from "./leases.queries.ts";
import { putInForce } from "./lifecycle/put-in-force.ts";
import { holdNamedUnits, refuseHeldByTerminated } from "./lifecycle/unit-hold.queries.ts";

type Operation = (typeof leases)["operations"]["createLease"];

export interface NewLease {
  terms: BodyOf<Operation>;
  /** Everyone who is to live there, the lease's tenant among them. */
  occupants: readonly OccupantTerms[];
}

/** Writes drafts, and in the same transaction puts those in force that are to be: then either both happened or nothing did. */
export const writeLeases: BatchWriter<NewLease, Output<Operation>> = async (tx, asked) => {
  await holdPlaces(tx, asked);
  const written = asked.map(({ terms: { activate, occupants: _people, ...terms } }) => {
    const status = activate ? statusOnceActivated(terms.startDate, today(tx.principal.timezone)) : ("draft" as const);
    return { id: newId(), status, terms };
  });
  const inForce = written.filter(({ status }) => status !== "draft").map(({ id, terms: { unitId, startDate } }) => ({ id, unitId, startDate }));
  if (inForce.length > 0) await refuseHeldByTerminated(tx, inForce);
  const leases = written.map(({ id, status, terms }) =>
    tx.create(Lease, {
      lateFeeType: "none",
      ...omitUndefined(terms),
      id,
      depositRequiredCents: terms.depositRequiredCents ?? (0 as Lease["depositRequiredCents"]),
      signedAt: terms.signedAt ? new Date(terms.signedAt) : null,
      status,
    }),
  );
  await tx.flush();
  await writeOccupants(tx, asked, leases);
  await announce(tx, "lease.created", ...leases.map((lease) => ({ entityId: lease.id, data: ofLease(lease) })));
  await putInForce(
    tx,
    leases.filter(({ status }) => status !== "draft"),
  );
  const rows = await findLeases(
    tx,
    leases.map(({ id }) => id),
  );
  return leases.map(({ id }) => ({ lease: leaseView(rows.get(id)!, noMoney(id)), notes: [], recurringChargeRules: [] }));
};

/** Holds the properties, the units in them and the tenants that leases are about. */
async function holdPlaces(tx: OrgTx, asked: readonly NewLease[]): Promise<void> {
  const named = (pick: (terms: NewLease["terms"]) => string, path: string) => asked.map(({ terms }) => ({ id: pick(terms), path }));
  await holdReferences(
    tx,
    "property",
    named(({ propertyId }) => propertyId, "propertyId"),
  );
  const propertyOf = await holdNamedUnits(
    tx,
    asked.map(({ terms }) => terms.unitId),
  );
  if (asked.some(({ terms }) => propertyOf.get(terms.unitId.toLowerCase()) !== terms.propertyId.toLowerCase()))
    throw invalid([{ path: "unitId", code: "mismatch", message: "The unit belongs to another property. Check propertyId and unitId." }]);
  await holdReferences(
    tx,
    "tenant",
    named(({ tenantId }) => tenantId, "tenantId"),
  );
}

async function writeOccupants(tx: OrgTx, asked: readonly NewLease[], leases: readonly Lease[]): Promise<void> {
  const named = asked.flatMap(({ terms }) =>
    terms.occupants.flatMap(({ tenantId }, index) => (tenantId ? [{ id: tenantId, path: `occupants.${index}.tenantId` }] : [])),
  );
  await holdReferences(tx, "tenant", named);
  const tenants = await tx.find(Tenant, { id: { $in: asked.flatMap(({ occupants }) => occupants.flatMap(({ tenantId }) => tenantId ?? [])) } });
  const known = new Map(tenants.map((tenant) => [tenant.id, tenant]));
  for (const [place, { occupants }] of asked.entries())
    for (const [position, occupant] of occupants.entries()) {
      const tenant = known.get(occupant.tenantId?.toLowerCase() ?? "");
      const fullName = occupant.fullName ?? tenant!.fullName;
      tx.create(LeaseOccupant, { ...occupant, tenantId: tenant?.id ?? null, fullName, leaseId: leases[place]!.id, position });
    }
}
