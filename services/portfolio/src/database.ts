import type { DatabaseDefinition } from "@freehold/kit/database";
import { conflict } from "@freehold/kit/errors";
import { portfolioMigration } from "../migrations/202611211200-portfolio.ts";
import { Growth } from "../migrations/202611211600-growth.ts";
import { ListTotals } from "../migrations/202611211813-list-totals.ts";
import { Invite } from "./invites/invite.entity.ts";
import { Lease, LeaseOccupant } from "./leases/lease.entity.ts";
import { overlap } from "./leases/unit-hold.queries.ts";
import { ListTotal } from "./list-total.entity.ts";
import { Note } from "./notes/note.entity.ts";
import { Owner } from "./owners/owner.entity.ts";
import { Property, PropertyOwner } from "./properties/property.entity.ts";
import { Tenant } from "./tenants/tenant.entity.ts";
import { Unit, UnitFeeTemplate } from "./units/unit.entity.ts";
import { Vendor } from "./vendors/vendor.entity.ts";

export const database: DatabaseDefinition = {
  service: "portfolio",
  entities: [Property, PropertyOwner, Unit, UnitFeeTemplate, Owner, Tenant, Vendor, Lease, LeaseOccupant, Invite, ListTotal, Note],
  migrations: { "202611211200-portfolio": portfolioMigration, "202611211600-growth": Growth, "202611211813-list-totals": ListTotals },
  constraints: {
    lease_alone_in_its_unit: overlap,
    lease_renewed_once: () => conflict("The lease already has a renewal. Change or cancel that one.", "duplicate"),
    invite_pending_once: () => conflict("Another invite was made at the same moment. Try again.", "duplicate"),
    unit_number_once_in_property: () =>
      conflict("The property already has a unit with this number. Choose another unitNumber.", "duplicate", [
        { path: "unitNumber", code: "unique", message: "unitNumber is taken in this property." },
      ]),
  },
};
