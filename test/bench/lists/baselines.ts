/** Lists of the portfolio service with equivalent handwritten SQL: the visible columns, filters and order of each list. */

/** Values for the filters. */
export interface FilterValues {
  propertyId: string;
  tenantId: string;
  fullName: string;
  ownerId: string;
  vendorId: string;
}

/** Query parameters of the API and the equivalent SQL condition. */
interface Filter {
  query: Record<string, string>;
  where: string;
}

export interface ListBaseline {
  name: string;
  path: string;
  /** Response member that holds the rows. */
  key: string;
  columns: string;
  /** Listed table with its alias; `joins` adds the tables of the displayed columns. */
  from: string;
  joins: string;
  /** Condition in addition to the organization's. */
  where: string;
  order: string;
  /** Statement for the ledger's database that returns the balances of the ids in $2. */
  balances?: string;
  filters: (values: FilterValues) => Record<string, Filter>;
}

const today = "(now() at time zone 'America/New_York')::date";
const tableById = (table: string, alias: string, id: string) => `${table} ${alias} on ${alias}.organization_id = $1 and ${alias}.id = ${id}`;

/** SQL condition: the unit `u` is occupied. */
const isOccupied = `exists (select 1 from lease l join lease_occupant c on c.organization_id = $1 and c.lease_id = l.id
  where l.organization_id = $1 and l.unit_id = u.id and l.status in ('active', 'expired', 'terminated') and l.deleted_at is null and c.role <> 'guarantor' and c.removed_at is null
    and (c.move_out_date is null or c.move_out_date > ${today}) and (l.superseded_from is null or l.superseded_from > ${today}) and coalesce(c.move_in_date, l.start_date) <= ${today})`;

const occupants = `(select json_agg(json_build_object('id', c.id, 'tenantId', c.tenant_id, 'fullName', coalesce(t.full_name, c.full_name), 'role', c.role, 'isPrimary', c.is_primary))
  from lease_occupant c left join ${tableById("tenant", "t", "c.tenant_id")} where c.organization_id = $1 and c.lease_id = l.id and c.removed_at is null) as occupants`;

const currentLease = (
  entity: "unit" | "tenant",
) => `(select l.id from lease l where l.organization_id = $1 and l.${entity}_id = ${entity[0]}.id and l.status = 'active' and l.deleted_at is null
  order by l.start_date desc limit 1) as current_lease_id`;

const receivableBalances = (entity: "lease" | "tenant") => `select requested.id,
    coalesce((select sum(c.balance_cents) from charge c where c.organization_id = $1 and c.${entity}_id = requested.id and c.balance_cents > 0), 0)
    - coalesce((select sum(p.unallocated_cents) from payment p where p.organization_id = $1 and p.${entity}_id = requested.id and p.unallocated_cents > 0), 0) as balance_cents
  from unnest($2::uuid[]) as requested (id)`;
const ownerBalances = `select owner_id as id, sum(credit_cents - debit_cents) as balance_cents from journal_line
  where organization_id = $1 and owner_id = any($2::uuid[]) and account_id = (select id from category where organization_id = $1 and code = '2200') group by 1`;

const containsText = (text: string) => `ilike '%${text}%'`;
/** Partial address that matches many rows. */
const STREET = "1 Elm";

export const listBaselines: ListBaseline[] = [
  {
    name: "properties",
    path: "/api/properties",
    key: "properties",
    columns: `p.*, (select count(*) from unit u where u.organization_id = $1 and u.property_id = p.id and u.deleted_at is null) as unit_count,
      (select count(*) from unit u where u.organization_id = $1 and u.property_id = p.id and u.deleted_at is null and ${isOccupied}) as occupied,
      (select json_agg(o.full_name) from property_owner po join ${tableById("owner", "o", "po.owner_id")} where po.organization_id = $1 and po.property_id = p.id) as owners,
      (select count(*) from work_order w where w.organization_id = $1 and w.property_id = p.id and w.status in ('open', 'in_progress')) as open_work_orders`,
    from: "property p",
    joins: "",
    where: "p.deleted_at is null",
    order: "p.name, p.id",
    filters: ({ ownerId }) => ({
      "by a street": {
        query: { search: STREET },
        where: `(p.name ${containsText(STREET)} or p.street_line1 ${containsText(STREET)} or p.city ${containsText(STREET)} or p.postal_code ${containsText(STREET)})`,
      },
      "of an owner": {
        query: { ownerId },
        where: `exists (select 1 from property_owner po where po.organization_id = $1 and po.property_id = p.id and po.owner_id = '${ownerId}')`,
      },
      residential: { query: { assetClass: "residential" }, where: "p.asset_class = 'residential'" },
      "in a state": { query: { state: "NY" }, where: "p.state = 'NY'" },
      "in a city": { query: { city: "Albany" }, where: "lower(p.city) = 'albany'" },
      "with no vacancy": {
        query: { hasVacancy: "false" },
        where: `not exists (select 1 from unit u where u.organization_id = $1 and u.property_id = p.id and u.deleted_at is null and not ${isOccupied})`,
      },
    }),
  },
  {
    name: "units",
    path: "/api/units",
    key: "units",
    columns: `u.*, p.name as property_name, ${isOccupied} as is_occupied, ${currentLease("unit")},
      (select json_agg(f.*) from unit_fee_template f where f.organization_id = $1 and f.unit_id = u.id) as fees`,
    from: "unit u",
    joins: `join ${tableById("property", "p", "u.property_id")}`,
    where: "u.deleted_at is null",
    order: "u.unit_number, u.id",
    filters: ({ propertyId }) => ({
      "by a name": { query: { search: "House 19" }, where: `(u.unit_number ${containsText("House 19")} or p.name ${containsText("House 19")})` },
      "of a property": { query: { propertyId }, where: `u.property_id = '${propertyId}'` },
      occupied: { query: { status: "occupied" }, where: `u.status <> 'maintenance' and ${isOccupied}` },
      residential: { query: { unitType: "residential" }, where: "u.unit_type = 'residential'" },
      "with two bedrooms": { query: { bedroomsMin: "2" }, where: "u.bedrooms >= 2" },
    }),
  },
  {
    name: "tenants",
    path: "/api/tenants",
    key: "tenants",
    columns: `t.*, ${currentLease("tenant")}`,
    from: "tenant t",
    joins: "",
    where: "t.deleted_at is null",
    balances: receivableBalances("tenant"),
    order: "t.full_name, t.id",
    filters: ({ propertyId, fullName }) => ({
      "by a name": {
        query: { search: fullName },
        where: `(t.full_name ${containsText(fullName)} or t.company_name ${containsText(fullName)} or t.email ${containsText(fullName)} or t.phone ${containsText(fullName)})`,
      },
      "of a property": {
        query: { propertyId },
        where: `exists (select 1 from lease_occupant c join lease l on l.organization_id = $1 and l.id = c.lease_id
          where c.organization_id = $1 and c.tenant_id = t.id and c.removed_at is null and c.released_on is null and l.status in ('pending', 'active', 'expired') and l.property_id = '${propertyId}')`,
      },
      "without a portal": { query: { portalStatus: "none" }, where: "t.portal_status = 'none'" },
    }),
  },
  {
    name: "owners",
    path: "/api/owners",
    key: "owners",
    columns: "o.*",
    from: "owner o",
    joins: "",
    where: "o.deleted_at is null",
    balances: ownerBalances,
    order: "o.full_name, o.id",
    filters: ({ propertyId }) => ({
      active: { query: { isActive: "true" }, where: "o.is_active" },
      "by a name": {
        query: { search: "Owner 1" },
        where: `(o.full_name ${containsText("Owner 1")} or o.email ${containsText("Owner 1")} or o.company_name ${containsText("Owner 1")})`,
      },
      "of a property": {
        query: { propertyId },
        where: `exists (select 1 from property_owner po where po.organization_id = $1 and po.owner_id = o.id and po.property_id = '${propertyId}')`,
      },
    }),
  },
  {
    name: "leases",
    path: "/api/leases",
    key: "leases",
    columns: `l.*, p.name as property_name, u.unit_number, t.full_name as tenant_name, ${occupants}`,
    from: "lease l",
    joins: `join ${tableById("property", "p", "l.property_id")} join ${tableById("unit", "u", "l.unit_id")} join ${tableById("tenant", "t", "l.tenant_id")}`,
    where: "l.deleted_at is null",
    balances: receivableBalances("lease"),
    order: "l.start_date desc, l.id desc",
    filters: ({ propertyId, tenantId, ownerId, fullName }) => ({
      active: { query: { status: "active" }, where: "l.status = 'active'" },
      expired: { query: { status: "expired" }, where: "l.status = 'expired'" },
      "by a name": {
        query: { search: fullName },
        where: `(t.full_name ${containsText(fullName)} or p.name ${containsText(fullName)} or u.unit_number ${containsText(fullName)})`,
      },
      "of a property": { query: { propertyId }, where: `l.property_id = '${propertyId}'` },
      "of a tenant": {
        query: { tenantId },
        where: `exists (select 1 from lease_occupant c where c.organization_id = $1 and c.lease_id = l.id and c.tenant_id = '${tenantId}' and c.removed_at is null)`,
      },
      "of an owner": {
        query: { ownerId },
        where: `exists (select 1 from property_owner po where po.organization_id = $1 and po.property_id = l.property_id and po.owner_id = '${ownerId}')`,
      },
      "that started in a quarter": {
        query: { startAfter: "2025-01-01", startBefore: "2025-03-31" },
        where: "l.start_date between '2025-01-01' and '2025-03-31'",
      },
      "of a kind": { query: { leaseKind: "residential" }, where: "l.lease_kind = 'residential'" },
      "that expire soon": { query: { expiringWithinDays: "365" }, where: `l.status = 'active' and l.end_date between ${today} and ${today} + 365` },
    }),
  },
  {
    name: "work orders",
    path: "/api/work-orders",
    key: "workOrders",
    columns: "w.*, p.name as property_name, u.unit_number, t.full_name as tenant_name, v.name as vendor_name",
    from: "work_order w",
    joins: `join ${tableById("property", "p", "w.property_id")} left join ${tableById("unit", "u", "w.unit_id")} left join ${tableById("tenant", "t", "w.tenant_id")}
      left join ${tableById("vendor", "v", "w.vendor_id")}`,
    where: "true",
    order: "w.number desc, w.id desc",
    filters: ({ propertyId, tenantId, vendorId }) => ({
      open: { query: { status: "open,in_progress" }, where: "w.status in ('open', 'in_progress')" },
      "by a title": {
        query: { search: "window" },
        where: `(w.title ${containsText("window")} or w.description ${containsText("window")} or p.name ${containsText("window")} or u.unit_number ${containsText("window")} or v.name ${containsText("window")})`,
      },
      "of a property": { query: { propertyId }, where: `w.property_id = '${propertyId}'` },
      "of a tenant": { query: { tenantId }, where: `w.tenant_id = '${tenantId}'` },
      "of a vendor": { query: { vendorId }, where: `w.vendor_id = '${vendorId}'` },
      urgent: { query: { priority: "high,emergency" }, where: "w.priority in ('high', 'emergency')" },
      "of a category": { query: { category: "plumbing" }, where: "w.category = 'plumbing'" },
      overdue: { query: { overdue: "true" }, where: `w.status in ('open', 'in_progress') and w.due_on < ${today}` },
    }),
  },
];
