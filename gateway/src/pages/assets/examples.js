/** Replaces the examples of the reference by ones that succeed in the demo: its ids, dates near today, and only members that do not depend on others. */

/** Day and time around which the examples of the document lie. */
const EXAMPLE_TIME = Date.parse("2026-06-01T12:00:00.000Z");
const ID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;
const DATE = /^\d{4}-\d{2}-\d{2}$/;
const TIME = /^\d{4}-\d{2}-\d{2}T/;
/** Members by preference: the example of a PATCH contains the first of these that the resource has. */
const CHANGED_MEMBERS = ["notes", "reason", "description", "title", "memo", "body", "streetLine2", "phone", "fullName", "label", "name"];

/** Path of the list that contains the resources of a path: `/api/leases/{id}/renew` belongs to `/api/leases`. */
const collectionOf = (path) => path.split("/{")[0];
const firstItem = (list) => Object.values(list ?? {}).find(Array.isArray)?.[0];
const DAY_MS = 86_400_000;
const daysFrom = (days) => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);

/** Reports whether a role may read the list at a path, without parameters. */
const canList = ({ paths }, path, role) => {
  const { description = "", parameters = [] } = paths[path]?.get ?? {};
  return new RegExp(`^Roles: .*\\b${role}\\b`, "m").test(description) && !parameters.some(({ required }) => required);
};

/** Reads one resource of each kind that a role may read. `read` returns the response of a GET, or undefined if it fails. */
export async function readDemo(document, role, read) {
  const withIds = Object.keys(document.paths).filter((path) => path.includes("{"));
  const collections = [...new Set(withIds.map(collectionOf))].filter((path) => canList(document, path, role));
  const lists = await Promise.all(collections.map((path) => read(path)));
  const ids = Object.fromEntries(collections.flatMap((path, index) => (firstItem(lists[index])?.id ? [[path, firstItem(lists[index]).id]] : [])));
  const readIfAllowed = (path) => (canList(document, path.split("?")[0], role) ? read(path) : undefined);
  const [active, vacant, accounts] = await Promise.all([
    readIfAllowed("/api/leases?status=active&sortBy=createdAt&sortDirection=asc&pageSize=1"),
    readIfAllowed("/api/units?status=vacant&pageSize=1"),
    readIfAllowed("/api/accounting/categories"),
  ]);
  return {
    ids,
    lease: firstItem(active) ?? firstItem(lists[collections.indexOf("/api/leases")]) ?? {},
    vacantUnit: firstItem(vacant),
    accounts: accounts?.categories ?? [],
  };
}

/** Bodies of operations whose members depend on each other, by operation id. */
function bodiesFor({ ids, lease, vacantUnit, accounts }, login) {
  const { propertyId, unitId, tenantId, id: leaseId } = lease;
  const accountId = (matches) => accounts.find(matches)?.id;
  const income = accountId(({ accountType }) => accountType === "income");
  const bank = accountId(({ isBank }) => isBank);
  // Names and addresses are new with each sign-in, so that an example can be sent again.
  const unique = crypto.randomUUID?.().slice(0, 8) ?? String(Date.now()).slice(-8);
  const now = new Date().toISOString();
  const vendorId = ids["/api/vendors"];
  return {
    login,
    updateMe: { locale: "en-US" },
    createUser: { email: `sky-${unique}@example.com`, fullName: "Sky Staff", role: "staff" },
    createTenant: { fullName: "Ana Díaz", email: `ana-${unique}@example.com` },
    createOwner: { fullName: "Olga Owner", email: `olga-${unique}@example.com` },
    createVendor: { name: "Elm Roofing", email: `roofing-${unique}@example.com`, trade: "roofing" },
    createUnit: { propertyId, unitNumber: `T-${unique}`, bedrooms: 2, bathrooms: 1, monthlyRentCents: 150_000 },
    createUnits: { propertyId, units: [{ unitNumber: `U-${unique}`, monthlyRentCents: 150_000 }] },
    createUnitFeeTemplate: { label: "Parking", amountCents: 5_000, categoryId: income },
    createLease: { propertyId, unitId: vacantUnit?.id, tenantId, startDate: daysFrom(30), endDate: daysFrom(394), termType: "fixed", rentCents: 155_000 },
    updateLease: { lateFeeGraceDays: 5 },
    renewLease: { startDate: daysAfter(lease.endDate, 1), endDate: daysAfter(lease.endDate, 365), rentCents: 155_000, termType: "fixed" },
    createRentChange: { effectiveDate: `${daysFrom(62).slice(0, 7)}-01`, rentCents: 155_000 },
    createOccupant: { fullName: "Ana Díaz", role: "occupant" },
    createBillingSchedule: {
      label: "Common area",
      chargeType: "cam",
      categoryId: income,
      frequency: "monthly",
      steps: [{ startDate: daysFrom(1), amountCents: 5_000 }],
    },
    createWorkOrder: { propertyId, unitId, title: "Leaking tap", description: "The kitchen tap drips day and night.", priority: "normal" },
    assignWorkOrder: { vendorId },
    transitionWorkOrder: { status: "in_progress" },
    createInspection: { propertyId, type: "routine", scheduledAt: `${daysFrom(7)}T15:00:00.000Z` },
    createInspectionTemplate: { name: `Walk-through ${unique}`, areas: [{ name: "Kitchen", items: [{ name: "Tap" }] }] },
    createNote: { entityType: "property", entityId: propertyId, body: "The key is with the neighbour.", visibility: "organization_only" },
    createCharge: { leaseId, amountCents: 4_500, dueDate: daysFrom(0), chargeType: "other", name: "Key replacement" },
    createCharges: { charges: [{ leaseId, amountCents: 4_500, dueDate: daysFrom(0), chargeType: "other", name: "Key replacement" }] },
    creditCharge: { amountCents: 100, reason: "waive" },
    createRecurringCharge: { leaseId, amountCents: 5_000, categoryId: income, dayOfMonth: 1, startDate: daysFrom(1), kind: "fee", label: "Parking" },
    recordPayment: {
      tenantId,
      leaseId,
      amountCents: 10_000,
      paymentMethod: "check",
      checkNumber: "1042",
      receivedAt: now,
      idempotencyKey: `try-it-${unique}`,
      autoAllocate: true,
    },
    createDeposit: { bankAccountId: bank, depositedOn: daysFrom(0), paymentIds: [ids["/api/payments"]] },
    refundPayment: { amountCents: 100, method: "check", bankAccountId: bank },
    createJournalEntry: {
      memo: "Office supplies",
      occurredAt: now,
      lines: [
        { accountId: accountId(({ accountType }) => accountType === "expense"), debitCents: 1_500 },
        { accountId: bank, creditCents: 1_500 },
      ],
    },
    createImportMappingProfile: { name: `Owners ${unique}`, provider: "generic", entityType: "owner", mapping: {} },
  };
}

const daysAfter = (date, days) => (date ? new Date(Date.parse(date) + days * DAY_MS).toISOString().slice(0, 10) : daysFrom(365 + days));

/** Keeps the required members of a new resource, and one member of a change. */
function shorten(method, example, required) {
  if (example === null || typeof example !== "object" || Array.isArray(example)) return example;
  const names = Object.keys(example);
  if (method !== "patch") return Object.fromEntries(names.filter((name) => required.includes(name)).map((name) => [name, example[name]]));
  const changed = CHANGED_MEMBERS.find((name) => names.includes(name)) ?? names[0];
  return changed === undefined ? {} : { [changed]: example[changed] };
}

/** Replaces the ids of an example by those of the demo, and moves its dates and times to those around today. */
function fill(value, name, members) {
  if (Array.isArray(value)) return value.map((item) => fill(item, name, members));
  if (value !== null && typeof value === "object") return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fill(item, key, members)]));
  if (typeof value !== "string") return value;
  if (ID.test(value)) return members[name] ?? value;
  if (DATE.test(value)) return daysFrom(Math.round((Date.parse(`${value}T12:00:00.000Z`) - EXAMPLE_TIME) / DAY_MS));
  return TIME.test(value) ? new Date(Date.now() + Date.parse(value) - EXAMPLE_TIME).toISOString() : value;
}

/** Values of required query parameters, by name. */
const queryValues = (lease) => ({
  entityType: "property",
  entityId: lease.propertyId,
  q: "maple",
  from: daysFrom(-60),
  to: daysFrom(0),
  startDate: daysFrom(-60),
  endDate: daysFrom(0),
});

/** Values of path parameters that are no ids, by operation id. */
const pathValues = { getBulkImportTemplate: "tenants", getImportTemplate: "generic" };

/** Changes the examples of a document to those of the demo. `login` is the body of the sign-in. */
export function useDemo(document, demo, login) {
  const { ids, lease } = demo;
  const members = {
    propertyId: lease.propertyId,
    unitId: lease.unitId,
    tenantId: lease.tenantId,
    leaseId: lease.id,
    ownerId: ids["/api/owners"],
    vendorId: ids["/api/vendors"],
    chargeId: ids["/api/charges"],
    paymentId: ids["/api/payments"],
  };
  const [bodies, queries] = [bodiesFor(demo, login), queryValues(lease)];
  const schemaOf = (schema) => (schema.$ref ? document.components.schemas[schema.$ref.split("/").at(-1)] : schema);
  for (const [path, item] of Object.entries(document.paths))
    for (const [method, { operationId, parameters = [], requestBody }] of Object.entries(item)) {
      for (const parameter of parameters) {
        if (parameter.in === "path") parameter.example = pathValues[operationId] ?? (collectionOf(path) === "/api/leases" ? lease.id : ids[collectionOf(path)]);
        else if (parameter.in === "query" && parameter.required) parameter.example = queries[parameter.name];
        if (parameter.example === undefined) delete parameter.example;
      }
      const json = requestBody?.content["application/json"];
      if (json) json.example = bodies[operationId] ?? fill(shorten(method, json.example, schemaOf(json.schema).required ?? []), "", members);
    }
  return document;
}
