/** Commands of a random history: each calls the API once and, if the request is accepted, applies the same change to the model's state. */
import { addDays } from "@freehold/kit/time/plain-date";
import { waitForIdleJobs } from "../../../../test/support/jobs.ts";
import { aPdf } from "../files.ts";
import { randomDayNear, randomEnd, randomStart, send, type Building, type Change, type Random } from "./building-context.ts";
import type { ModelLease, ModelOccupant, Role, Share } from "./building-state.ts";

interface Outcome {
  /** Request in words, for the message of a failure. */
  text: string;
  /** Change of an accepted request. */
  change?: Change | undefined;
}
/** Returns undefined when no record exists to which the command applies. */
type Command = (building: Building, random: Random) => Promise<Outcome | undefined>;

type LeaseView = { id: string; unitId: string; termType: string; startDate: string; endDate: string | null; renewedFromLeaseId: string | null };
type OccupantView = { id: string; tenantId: string | null; role: Role };
type OccupantDates = Pick<ModelOccupant, "moveInDate" | "moveOutDate" | "releasedOn">;

/** Returns a drafted lease as the model knows it. Only ids come from the response; `datesOf` returns the requested dates of a tenant. */
const modelLease = (lease: LeaseView & { occupants: readonly OccupantView[] }, datesOf: (tenantId: string) => OccupantDates): ModelLease => ({
  id: lease.id,
  unitId: lease.unitId,
  status: "draft",
  termType: lease.termType as ModelLease["termType"],
  startDate: lease.startDate,
  endDate: lease.endDate,
  terminatedOn: null,
  renewalOf: lease.renewedFromLeaseId,
  renewedTo: null,
  supersededFrom: null,
  occupants: lease.occupants.map(({ id, tenantId, role }) => ({ id, tenantId: tenantId!, role, ...datesOf(tenantId!) })),
});

const leasesIn = ({ state }: Building, ...statuses: ModelLease["status"][]) => [...state.leases.values()].filter(({ status }) => statuses.includes(status));
/** Picks an occupant, by preference one who can be released. */
const pickOccupant = (building: Building, { pick }: Random) => {
  const lease = pick(leasesIn(building, "draft", "agreed"));
  const occupant = lease && (pick(lease.occupants.filter(({ role, releasedOn }) => role !== "primary" && releasedOn === null)) ?? pick(lease.occupants));
  return occupant && { lease, occupant };
};
const short = (id: string) => id.slice(-4);
const liveTenantIds = ({ tenantIds, state }: Building) => tenantIds.filter((id) => !state.deletedTenantIds.has(id));

const createLease: Command = async (building, random) => {
  const { pick, chance } = random;
  const [tenantId, ...others] = liveTenantIds(building).toSorted(() => (chance(0.5) ? 1 : -1));
  if (tenantId === undefined) return undefined;
  const startDate = randomStart(random, building.state);
  const termType = pick(["fixed", "fixed", "fixed_with_rollover", "month_to_month"] as const)!;
  const endDate = termType === "month_to_month" ? undefined : randomEnd(random, startDate);
  const roles = (["co_tenant", "occupant", "guarantor"] as const).filter(() => chance(0.4));
  const moveInDate = chance(0.3) ? randomDayNear(random, startDate) : undefined;
  const occupants = roles.flatMap((role, index) => {
    const ownMoveIn = chance(0.3) ? randomDayNear(random, startDate) : undefined;
    return others[index] === undefined ? [] : [{ tenantId: others[index], role, ...(ownMoveIn && { moveInDate: ownMoveIn }) }];
  });
  const activate = chance(0.7);
  const unitId = pick(building.state.unitIds)!;
  const { status, body } = await send(building.office, "createLease", {
    body: {
      propertyId: building.propertyId,
      unitId,
      tenantId,
      startDate,
      ...(endDate && { endDate }),
      ...(moveInDate && { moveInDate }),
      termType,
      rentCents: 100_000,
      createRecurringRent: false,
      occupants,
      activate,
    },
  });
  const text = `lease ${termType} ${startDate}..${endDate ?? ""} move-in ${moveInDate ?? "-"} ${JSON.stringify(occupants.map((each) => [each.role, each.moveInDate]))} activate ${activate}`;
  if (status !== 200) return { text };
  const moveInOf = (id: string) => occupants.find((each) => each.tenantId === id)?.moveInDate ?? moveInDate ?? startDate;
  const datesOf = (id: string) => ({ moveInDate: moveInOf(id), moveOutDate: null, releasedOn: null });
  return {
    text: `${text} -> ${short(body.lease.id)} in ${short(unitId)}`,
    change: (state) => {
      state.addLease(modelLease(body.lease, datesOf));
      if (activate) state.activate(body.lease.id, startDate);
    },
  };
};

const activateLease: Command = async (building, random) => {
  const drafts = leasesIn(building, "draft");
  const renewals = drafts.filter(({ renewalOf }) => renewalOf !== null && random.chance(0.8));
  const lease = random.pick(renewals) ?? random.pick(drafts) ?? random.pick(leasesIn(building, "agreed"));
  if (!lease) return undefined;
  const activateOn = random.chance(0.3) ? randomDayNear(random, lease.startDate) : undefined;
  const { status } = await send(building.office, "activateLease", { params: { id: lease.id }, body: activateOn ? { activateOn } : {} });
  return {
    text: `activate ${short(lease.id)} on ${activateOn ?? lease.startDate}`,
    change: status === 200 ? (state) => state.activate(lease.id, activateOn ?? lease.startDate) : undefined,
  };
};

/** Renews an active lease, by preference, and sometimes activates the renewal at once. */
const renewLease: Command = async (building, random) => {
  const { today } = building.state;
  const isActive = ({ startDate, endDate, terminatedOn }: ModelLease) => startDate <= today && terminatedOn === null && (endDate ?? today) >= today;
  const lease = random.pick(leasesIn(building, "agreed").filter((candidate) => candidate.renewedTo === null && (isActive(candidate) || random.chance(0.1))));
  if (!lease) return undefined;
  const startDate = addDays(lease.endDate ?? today, lease.endDate && random.chance(0.7) ? 1 : random.integerBelow(25) - 8);
  const endDate = randomEnd(random, startDate);
  const moveInDate = random.chance(0.3) ? startDate : undefined;
  const { status, body } = await send(building.office, "renewLease", {
    params: { id: lease.id },
    body: { startDate, endDate, ...(moveInDate && { moveInDate }) },
  });
  const text = `renew ${short(lease.id)} ${startDate}..${endDate} move-in ${moveInDate ?? "-"}`;
  if (status !== 200) return { text };
  const isActivated = random.chance(0.7) && (await send(building.office, "activateLease", { params: { id: body.lease.id }, body: {} })).status === 200;
  return {
    text: `${text} -> ${short(body.lease.id)}${isActivated ? ", activated" : ""}`,
    change: (state) => {
      const { occupants } = state.leases.get(lease.id)!;
      const renewed = modelLease(body.lease, (id) => {
        const { moveOutDate, releasedOn, ...previous } = occupants.find(({ tenantId }) => tenantId === id)!;
        const isLater = moveInDate !== undefined && (previous.moveInDate === null || previous.moveInDate < moveInDate);
        return { moveInDate: isLater && !moveOutDate ? moveInDate : previous.moveInDate, moveOutDate, releasedOn };
      });
      state.addLease(renewed);
      if (isActivated) state.activate(renewed.id, startDate);
    },
  };
};

const terminateLease: Command = async (building, random) => {
  const running = leasesIn(building, "agreed").filter(({ startDate, terminatedOn }) => terminatedOn === null && startDate <= building.state.today);
  const lease = random.pick(running.filter(({ renewedTo }) => renewedTo !== null && random.chance(0.7))) ?? random.pick(running);
  if (!lease) return undefined;
  const terminationDate = random.chance(0.15) ? lease.startDate : randomDayNear(random, random.pick([lease.startDate, building.state.today])!);
  const { status } = await send(building.office, "terminateLease", { params: { id: lease.id }, body: { terminationDate, finalRent: "none" } });
  return {
    text: `terminate ${short(lease.id)} on ${terminationDate}`,
    change: status === 200 ? (state) => state.terminate(lease.id, terminationDate) : undefined,
  };
};

const withdraw =
  (operation: "cancelLease" | "deleteLease"): Command =>
  async (building, random) => {
    const notBegun = leasesIn(building, "draft", "agreed").filter(({ status, startDate }) => status === "draft" || startDate > building.state.today);
    const any = leasesIn(building, "draft", "agreed", "cancelled");
    const renewals = notBegun.filter(({ status, renewalOf }) => status === "agreed" && renewalOf !== null && random.chance(0.7));
    const lease = random.pick(renewals) ?? random.pick(random.chance(operation === "cancelLease" ? 0.9 : 0.4) ? notBegun : any);
    if (!lease) return undefined;
    const { status } = await send(building.office, operation, { params: { id: lease.id } });
    return {
      text: `${operation} ${short(lease.id)}`,
      change: status === 200 ? (state) => state.withdraw(lease.id, operation === "cancelLease" ? "cancelled" : "deleted") : undefined,
    };
  };
const cancelLease = withdraw("cancelLease");
const deleteLease = withdraw("deleteLease");

const findOccupantId = async ({ office }: Building, leaseId: string, tenantId: string): Promise<string | undefined> => {
  const { status, body } = await send(office, "listOccupants", { params: { leaseId } });
  return status === 200 ? body.occupants.find((occupant) => occupant.tenantId === tenantId)?.id : undefined;
};

const addOccupant: Command = async (building, random) => {
  const { today } = building.state;
  const leases = leasesIn(building, "draft", "agreed");
  // By preference to a lease that is being renewed, or to its renewal.
  const renewing = leases.filter(({ renewedTo, renewalOf, startDate }) => renewedTo !== null || (renewalOf !== null && startDate > today));
  const lease = (random.chance(0.7) ? random.pick(renewing) : undefined) ?? random.pick(leases);
  const tenantId = random.pick(liveTenantIds(building));
  if (!lease || tenantId === undefined) return undefined;
  const role = random.pick(["co_tenant", "occupant", "guarantor"] as const)!;
  const moveInDate = randomDayNear(random, lease.startDate);
  const { status, body } = await send(building.office, "createOccupant", { params: { leaseId: lease.id }, body: { tenantId, role, moveInDate } });
  const occupant = { tenantId, role, moveInDate, moveOutDate: null, releasedOn: null };
  const onRenewal = status === 200 && lease.renewedTo !== null ? await findOccupantId(building, lease.renewedTo, tenantId) : undefined;
  return {
    text: `add ${role} ${short(tenantId)} to ${short(lease.id)} from ${moveInDate}`,
    change: status === 200 ? (state) => state.join(lease.id, { id: body.occupant.id, ...occupant }, onRenewal) : undefined,
  };
};

const releaseOccupant: Command = async (building, random) => {
  const { lease, occupant } = pickOccupant(building, random) ?? {};
  if (!lease) return undefined;
  const releasedOn = randomDayNear(random, random.pick([lease.startDate, building.state.today])!);
  const moveOutDate = random.chance(0.3) ? randomDayNear(random, releasedOn) : undefined;
  const { status } = await send(building.office, "releaseOccupant", {
    params: { id: occupant!.id },
    body: { releasedOn, ...(moveOutDate && { moveOutDate }) },
  });
  return {
    text: `release ${occupant!.role} ${short(occupant!.tenantId)} from ${short(lease.id)} on ${releasedOn} moving out ${moveOutDate ?? "-"}`,
    change: status === 200 ? (state) => state.leave(lease.id, occupant!.id, moveOutDate ?? null, releasedOn) : undefined,
  };
};

const moveOut: Command = async (building, random) => {
  const { lease, occupant } = pickOccupant(building, random) ?? {};
  if (!lease) return undefined;
  const moveOutDate = randomDayNear(random, random.pick([lease.startDate, building.state.today])!);
  const { status } = await send(building.office, "updateOccupant", { params: { id: occupant!.id }, body: { moveOutDate } });
  return {
    text: `${occupant!.role} ${short(occupant!.tenantId)} of ${short(lease.id)} moves out ${moveOutDate}`,
    change: status === 200 ? (state) => state.leave(lease.id, occupant!.id, moveOutDate, null) : undefined,
  };
};

const removeOccupant: Command = async (building, random) => {
  const { lease, occupant } = pickOccupant(building, random) ?? {};
  if (!lease) return undefined;
  const { status } = await send(building.office, "deleteOccupant", { params: { id: occupant!.id } });
  return {
    text: `remove ${occupant!.role} ${short(occupant!.tenantId)} from ${short(lease.id)}`,
    change: status === 200 ? (state) => state.remove(lease.id, occupant!.id) : undefined,
  };
};

const visibilities = ["organization_only", "tenant_shared", "tenant_shared", "vendor_shared", "tenant_vendor_shared"] as const;

const share: Command = async (building, random) => {
  const { office, propertyId, state } = building;
  const entities: Pick<Share, "entityType" | "entityId">[] = [
    { entityType: "property", entityId: propertyId },
    { entityType: "unit", entityId: random.pick(state.unitIds)! },
    { entityType: "tenant", entityId: random.pick(building.tenantIds)! },
    ...leasesIn(building, "draft", "agreed").map(({ id }) => ({ entityType: "lease" as const, entityId: id })),
  ];
  const fields = { ...random.pick(entities)!, visibility: random.pick(visibilities)! };
  const kind = random.pick(["note", "document"] as const)!;
  const { status, body } =
    kind === "note"
      ? await send(office, "createNote", { body: { ...fields, body: "A note" } })
      : await send(office, "uploadDocument", { body: { ...fields, file: aPdf() } });
  const id = "note" in body ? body.note?.id : body.document?.id;
  return {
    text: `${kind} ${fields.visibility} on ${fields.entityType} ${short(fields.entityId)}`,
    change: status === 200 ? (changed) => void changed.shares.set(id, { id, kind, ...fields }) : undefined,
  };
};

const changeShare: Command = async ({ office, state }, random) => {
  const { id, kind } = random.pick(state.shares.values()) ?? {};
  if (!id) return undefined;
  const isDeletion = random.chance(0.3);
  const visibility = random.pick(visibilities)!;
  const params = { id };
  const { status } = isDeletion
    ? await send(office, kind === "note" ? "deleteNote" : "deleteDocument", { params })
    : await send(office, kind === "note" ? "updateNote" : "updateDocument", { params, body: { visibility } });
  const change: Change = ({ shares }) => void (isDeletion ? shares.delete(id) : shares.set(id, { ...shares.get(id)!, visibility }));
  return { text: `${isDeletion ? "delete" : `share as ${visibility}`} ${kind} ${short(id)}`, change: status === 200 ? change : undefined };
};

const invite: Command = async (building, random) => {
  const tenantId = random.pick(building.tenantIds.slice(0, 3))!;
  const recipient = { email: `${short(tenantId)}@example.com`, channels: ["email" as const] };
  const { status, body } = await send(building.office, "createTenantInvite", { body: { tenantId, ...recipient } });
  const change: Change = (state) => state.addInvite(body.invite.id, tenantId);
  return { text: `invite ${short(tenantId)}`, change: status === 200 ? change : undefined };
};

const revokeInvite: Command = async ({ office, state }, random) => {
  const id = random.pick(state.inviteStatuses.keys());
  if (id === undefined) return undefined;
  const { status } = await send(office, "revokeTenantInvite", { params: { id } });
  return { text: `revoke ${short(id)}`, change: status === 200 ? ({ inviteStatuses }) => void inviteStatuses.set(id, "revoked") : undefined };
};

/** Deletes a tenant. Somebody who lives in the building cannot be deleted. */
const deleteTenant: Command = async (building, random) => {
  const id = random.pick(liveTenantIds(building));
  if (id === undefined) return undefined;
  const { status } = await send(building.office, "deleteTenant", { params: { id } });
  return { text: `delete tenant ${short(id)}`, change: status === 200 ? (state) => state.deleteTenant(id) : undefined };
};

const weightedCommands: [weight: number, name: string, command: Command][] = [
  [20, "createLease", createLease],
  [10, "activateLease", activateLease],
  [14, "renewLease", renewLease],
  [12, "terminateLease", terminateLease],
  [6, "cancelLease", cancelLease],
  [4, "deleteLease", deleteLease],
  [8, "addOccupant", addOccupant],
  [8, "releaseOccupant", releaseOccupant],
  [6, "moveOut", moveOut],
  [4, "removeOccupant", removeOccupant],
  [10, "share", share],
  [5, "changeShare", changeShare],
  [5, "invite", invite],
  [1, "revokeInvite", revokeInvite],
  [1, "deleteTenant", deleteTenant],
];
const commands = weightedCommands.flatMap(([weight, , command]) => Array.from({ length: weight }, () => command));

const changesLeases = new Set([createLease, activateLease, renewLease, cancelLease, deleteLease]);

export const COMMAND_COUNT = commands.length;

/** Runs a command and applies its change to the state. Returns the request in words, or undefined when the command does not apply. */
export async function runCommand(building: Building, command: number, random: Random): Promise<string | undefined> {
  const outcome = await commands[command]!(building, random);
  if (!outcome?.change) return outcome && `${outcome.text} (refused)`;
  outcome.change(building.state);
  building.changes.push(outcome.change);
  // A lease whose last day has passed expires after a change of leases, which decides what the next command can do.
  if (changesLeases.has(commands[command]!)) await waitForIdleJobs("portfolio", building.office);
  return outcome.text;
}
