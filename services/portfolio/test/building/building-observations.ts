/** Observations of a building through the API, each with the answer that a model expects. */
import { addDays } from "@freehold/kit/time/plain-date";
import type { BuildingModel } from "./building.model.ts";
import type { Building, Random } from "./building-context.ts";
import type { BuildingState, Share } from "./building-state.ts";

export interface Observation {
  question: string;
  answer: unknown;
  expected(model: BuildingModel): unknown;
}

/** Returns the days around each date of the history and around today. */
export function boundaryDays({ leases, today }: BuildingState): string[] {
  const dates = [...leases.values()].flatMap(({ startDate, endDate, terminatedOn, occupants }) => [
    startDate,
    endDate,
    terminatedOn,
    ...occupants.flatMap(({ moveInDate, moveOutDate, releasedOn }) => [moveInDate, moveOutDate, releasedOn]),
  ]);
  const days = [today, ...dates].flatMap((date) => (date === null ? [] : [addDays(date, -1), date, addDays(date, 1)]));
  return [...new Set(days)].sort();
}

const unique = (ids: Iterable<string>) => [...new Set(ids)].sort();
const residentIds = (model: BuildingModel, unitIds: readonly string[], day: string) =>
  unique(unitIds.flatMap((unitId) => model.residents(unitId, day).map(({ tenantId }) => tenantId)));
const liveTenants = (model: BuildingModel, unitIds: readonly string[]) =>
  residentIds(model, unitIds, model.today).filter((id) => !model.state.deletedTenantIds.has(id));
const idsOf = (rows: readonly { id: string }[]) => unique(rows.map(({ id }) => id));
const all = { pageSize: 100 };

async function observeVacancy({ office }: Building, vacantAsOf: string): Promise<Observation> {
  const { units } = await office.call("listUnits", { query: { vacantAsOf, ...all } });
  return {
    question: `units that are vacant as of ${vacantAsOf}`,
    answer: idsOf(units),
    expected: (model) => unique(model.state.unitIds.filter((unitId) => model.isVacant(unitId, vacantAsOf))),
  };
}

async function observeOccupancy({ office }: Building, asOf: string): Promise<Observation> {
  const { dashboard } = await office.call("getDashboard", { query: { asOf } });
  return {
    question: `occupied units as of ${asOf}`,
    answer: dashboard.occupancy.occupied,
    expected: (model) => model.state.unitIds.filter((unitId) => model.residents(unitId, asOf).length > 0).length,
  };
}

async function observeStatuses({ office }: Building): Promise<Observation> {
  const { units } = await office.call("listUnits", { query: all });
  const statusOf = (model: BuildingModel, unitId: string) => (model.residents(unitId, model.today).length > 0 ? "occupied" : "vacant");
  return {
    question: "statuses of the units",
    answer: Object.fromEntries(units.map(({ id, status }) => [id, status])),
    expected: (model) => Object.fromEntries(model.state.unitIds.map((unitId) => [unitId, statusOf(model, unitId)])),
  };
}

async function observeUnitTenants({ office }: Building, unitId: string): Promise<Observation> {
  const { tenants } = await office.call("listTenants", { query: { unitId, ...all } });
  return { question: `tenants of the unit ${unitId}`, answer: idsOf(tenants), expected: (model) => liveTenants(model, [unitId]) };
}

async function observePropertyTenants({ office, propertyId }: Building): Promise<Observation> {
  const { tenants } = await office.call("listTenants", { query: { propertyId, ...all } });
  return { question: "tenants of the property", answer: idsOf(tenants), expected: (model) => liveTenants(model, model.state.unitIds) };
}

async function observePortalLeases({ portals }: Building, tenantId: string): Promise<Observation> {
  const { leases } = await portals.get(tenantId)!.call("listTenantPortalLeases");
  return { question: `leases that ${tenantId} reads`, answer: idsOf(leases), expected: (model) => idsOf(model.leasesReadBy(tenantId)) };
}

async function observePortalDocuments({ portals }: Building, tenantId: string): Promise<Observation> {
  const { documents } = await portals.get(tenantId)!.call("listTenantPortalDocuments", { query: all });
  return {
    question: `documents that ${tenantId} reads`,
    answer: idsOf(documents),
    expected: (model) => idsOf(model.sharesReadBy(tenantId).filter(({ kind }) => kind === "document")),
  };
}

async function observePortalNotes(
  { portals }: Building,
  tenantId: string,
  { entityType, entityId }: Pick<Share, "entityType" | "entityId">,
): Promise<Observation> {
  const { notes } = await portals.get(tenantId)!.call("listNotes", { query: { entityType, entityId, ...all } });
  return {
    question: `notes of the ${entityType} ${entityId} that ${tenantId} reads`,
    answer: idsOf(notes),
    expected: (model) => idsOf(model.sharesReadBy(tenantId).filter((share) => share.kind === "note" && share.entityId === entityId)),
  };
}

async function observeInvites({ office }: Building): Promise<Observation> {
  const { invites } = await office.call("listTenantInvites", { query: all });
  return {
    question: "statuses of the invites",
    answer: Object.fromEntries(invites.map(({ id, status }) => [id, status])),
    expected: ({ state }) => Object.fromEntries(state.inviteStatuses),
  };
}

/** The accepted requests never give a unit to two leases on a day, and never delete somebody who lives in the building. */
const observeConflicts = (day: string): Observation => ({
  question: `units held by two leases, and deleted residents, on ${day}`,
  answer: [[], []],
  expected: (model) => [
    model.state.unitIds.filter((unitId) => model.leasesOf(unitId).filter((lease) => model.holdsUnit(lease, day)).length > 1),
    day === model.today ? residentIds(model, model.state.unitIds, day).filter((id) => model.state.deletedTenantIds.has(id)) : [],
  ],
});

const readers = ({ portals, state }: Building) => [...portals.keys()].filter((id) => !state.deletedTenantIds.has(id));
const notedEntities = ({ shares }: BuildingState) => [
  ...new Map([...shares.values()].filter(({ kind }) => kind === "note").map((share) => [share.entityId, share])).values(),
];

/** Observes a few random answers. */
export async function observeSome(building: Building, { pick }: Random): Promise<Observation[]> {
  const days = boundaryDays(building.state);
  const [tenantId, entity] = [pick(readers(building)), pick(notedEntities(building.state))];
  const office = [
    observeVacancy(building, pick(days)!),
    observeVacancy(building, pick(days)!),
    observeOccupancy(building, pick(days)!),
    observeUnitTenants(building, pick(building.state.unitIds)!),
  ];
  const portal = tenantId === undefined ? [] : [observePortalLeases(building, tenantId), observePortalDocuments(building, tenantId)];
  const notes = tenantId === undefined || !entity ? [] : [observePortalNotes(building, tenantId, entity)];
  return [...(await Promise.all([...office, ...portal, ...notes])), observeConflicts(pick(days)!)];
}

/** Dashboards are computed with the ledger, so a complete observation reads them for every fourth day only. */
const DAYS_BETWEEN_DASHBOARDS = 4;

/** Observes every answer, and vacancy on every day. */
export async function observeAll(building: Building): Promise<Observation[]> {
  const days = boundaryDays(building.state);
  const observations: Observation[] = days.map(observeConflicts);
  for (const [index, day] of days.entries()) {
    observations.push(await observeVacancy(building, day));
    if (index % DAYS_BETWEEN_DASHBOARDS === 0) observations.push(await observeOccupancy(building, day));
  }
  observations.push(...(await Promise.all([observeStatuses(building), observeInvites(building), observePropertyTenants(building)])));
  observations.push(...(await Promise.all(building.state.unitIds.map((unitId) => observeUnitTenants(building, unitId)))));
  for (const tenantId of readers(building)) {
    const notes = notedEntities(building.state).map((entity) => observePortalNotes(building, tenantId, entity));
    observations.push(...(await Promise.all([observePortalLeases(building, tenantId), observePortalDocuments(building, tenantId), ...notes])));
  }
  return observations;
}
