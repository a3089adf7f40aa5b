import type { DatabaseDefinition } from "@freehold/kit/db/database";
import { conflict } from "@freehold/kit/errors";
import { PortfolioTables } from "../migrations/202611211200-portfolio.ts";
import { LeaseStatusIndex } from "../migrations/202611211600-growth.ts";
import { WorkOrders } from "../migrations/202611211810-work-orders.ts";
import { Documents } from "../migrations/202611211811-documents.ts";
import { LeaseLifecycle } from "../migrations/202611211812-lease-lifecycle.ts";
import { ListTotals } from "../migrations/202611211813-list-totals.ts";
import { PeopleAndOwnership } from "../migrations/202611211814-people-and-ownership.ts";
import { Search } from "../migrations/202611211816-search.ts";
import { LeaseTerms } from "../migrations/202611211817-lease-terms.ts";
import { WorkOrderAcceptance } from "../migrations/202611211817-work-order-acceptance.ts";
import { Inspections } from "../migrations/202611211818-inspections.ts";
import { ActivityTable } from "../migrations/202611212130-activity.ts";
import { DashboardIndexes } from "../migrations/202611212130-dashboard.ts";
import { Balances } from "../migrations/202611212140-balances.ts";
import { InviteExpiry } from "../migrations/202611212140-invites-running-out.ts";
import { MergedTenants } from "../migrations/202611212140-merged-tenants.ts";
import { StatementLevelTriggers } from "../migrations/202611220430-found-in-lots.ts";
import { ShardsByTransaction } from "../migrations/202611212300-own-shards.ts";
import { UnitByNumber } from "../migrations/202611220105-unit-by-number.ts";
import { SearchByKind } from "../migrations/202611220110-search-by-kind.ts";
import { DuplicateTenantColumns } from "../migrations/202611220111-tenants-alike.ts";
import { LeaseBillFrom } from "../migrations/202611212231-lease-bill-from.ts";
import { SearchCounts } from "../migrations/202611220440-search-counted.ts";
import { SearchPathsOfFunctions } from "../migrations/202611230660-search-paths-of-functions.ts";
import { Activity } from "./overview/activity/activity.entity.ts";
import { BillingSchedule, BillingStep } from "./leases/billing-schedules/billing-schedule.entity.ts";
import { Document } from "./documents/document.entity.ts";
import { Inspection, InspectionTemplate } from "./maintenance/inspections/inspection.entity.ts";
import { workOrderExistsError, templateNameTakenError } from "./maintenance/inspections/inspection.rules.ts";
import { Invite } from "./people/invites/invite.entity.ts";
import { Lease, LeaseOccupant } from "./leases/lease.entity.ts";
import { leaseOverlapError } from "./leases/lifecycle/unit-holds.ts";
import { ListTotal } from "./db/list-total.entity.ts";
import { Note } from "./documents/notes/note.entity.ts";
import { Owner } from "./people/owners/owner.entity.ts";
import { ParkingRight } from "./leases/parking-rights/parking-right.entity.ts";
import { PropertyShare } from "./properties/ownership/property-share.entity.ts";
import { Property, PropertyOwner } from "./properties/property.entity.ts";
import { RentChange } from "./leases/rent-changes/rent-change.entity.ts";
import { Tenant } from "./people/tenants/tenant.entity.ts";
import { Unit, UnitFeeTemplate } from "./properties/units/unit.entity.ts";
import { Vendor, VendorInsurance } from "./people/vendors/vendor.entity.ts";
import { WorkOrderEstimate } from "./maintenance/work-orders/estimates/estimate.entity.ts";
import { WorkOrder, WorkOrderChange } from "./maintenance/work-orders/work-order.entity.ts";

/** Database definition of portfolio: entities, migrations, errors of violated constraints, columns with tax ids, and the append-only table. */
export const database: DatabaseDefinition = {
  service: "portfolio",
  entities: [
    Property,
    PropertyOwner,
    Unit,
    UnitFeeTemplate,
    Owner,
    Tenant,
    Vendor,
    Lease,
    LeaseOccupant,
    Invite,
    ListTotal,
    PropertyShare,
    VendorInsurance,
    Note,
    Document,
    WorkOrder,
    WorkOrderChange,
    WorkOrderEstimate,
    RentChange,
    BillingSchedule,
    BillingStep,
    ParkingRight,
    Inspection,
    InspectionTemplate,
    Activity,
  ],
  migrations: {
    "202611211200-portfolio": PortfolioTables,
    "202611211600-growth": LeaseStatusIndex,
    "202611211810-work-orders": WorkOrders,
    "202611211811-documents": Documents,
    "202611211812-lease-lifecycle": LeaseLifecycle,
    "202611211813-list-totals": ListTotals,
    "202611211814-people-and-ownership": PeopleAndOwnership,
    "202611211816-search": Search,
    "202611211817-lease-terms": LeaseTerms,
    "202611211817-work-order-acceptance": WorkOrderAcceptance,
    "202611211818-inspections": Inspections,
    "202611212130-activity": ActivityTable,
    "202611212130-dashboard": DashboardIndexes,
    "202611212140-balances": Balances,
    "202611212140-invites-running-out": InviteExpiry,
    "202611212140-merged-tenants": MergedTenants,
    "202611212231-lease-bill-from": LeaseBillFrom,
    "202611212300-own-shards": ShardsByTransaction,
    "202611220105-unit-by-number": UnitByNumber,
    "202611220110-search-by-kind": SearchByKind,
    "202611220111-tenants-alike": DuplicateTenantColumns,
    "202611220430-found-in-lots": StatementLevelTriggers,
    "202611220440-search-counted": SearchCounts,
    "202611230660-search-paths-of-functions": SearchPathsOfFunctions,
  },
  constraints: {
    lease_alone_in_its_unit: leaseOverlapError,
    lease_renewed_once: () => conflict("The lease already has a renewal. Change or cancel that renewal.", "duplicate"),
    rent_change_once_a_day: () =>
      conflict("The lease already has a rent change on that date. Delete that rent change first, or choose another effectiveDate.", "duplicate", [
        { path: "effectiveDate", code: "unique", message: "effectiveDate is taken by another rent change." },
      ]),
    invite_pending_once: () => conflict("Another invite was created at the same time. Try again.", "duplicate"),
    work_order_once_for_inspection_item: workOrderExistsError,
    inspection_template_name_once: templateNameTakenError,
    unit_number_once_in_property: () =>
      conflict("The property already has a unit with this number. Choose another unitNumber.", "duplicate", [
        { path: "unitNumber", code: "unique", message: "unitNumber is taken in this property." },
      ]),
  },
  secrets: { owner: ["tax_id_sealed"], vendor: ["tax_id_sealed"] },
  tracksChanges: true,
  appendOnly: { work_order_change: [] },
  ownerOnly: { tables: [], functions: ["refresh_search"] },
};
