import type { DatabaseDefinition } from "@freehold/kit/db/database";
import { conflict } from "@freehold/kit/errors";
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
  migrations: new URL("../migrations/", import.meta.url),
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
