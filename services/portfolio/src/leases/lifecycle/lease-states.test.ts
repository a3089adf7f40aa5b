/** Every operation on a lease in every status. */
import { describe, expect, test } from "@jest/globals";
import { leaseStatuses, type Lease } from "@freehold/contract/leases/leases";
import { anOffice } from "../../../../../test/support/office.ts";
import { followingYearTerms, aLeaseInStatus, inDays, currentDate } from "../../../test/fixtures.ts";

const office = await anOffice();
type Status = Lease["status"];
interface Operation {
  allowedIn: readonly Status[];
  send: (lease: Lease) => Promise<{ status: number; body: { code?: string | undefined; message?: string } }>;
  /** Statuses in which the operation is rejected because another record depends on the lease. */
  inUse?: readonly Status[];
}

const coTenantOf = ({ occupants }: Lease) => ({ id: occupants.find(({ role }) => role === "co_tenant")!.id });
const notice = () => ({ noticeGivenOn: currentDate(), plannedMoveOutDate: inDays(30) });

const operations: Record<string, Operation> = {
  updateLease: {
    allowedIn: ["draft", "pending", "active"],
    send: ({ id }) => office.attempt("updateLease", { params: { id }, body: { lateFeeGraceDays: 3 } }),
  },
  activateLease: { allowedIn: ["draft"], send: ({ id }) => office.attempt("activateLease", { params: { id }, body: {} }) },
  renewLease: { allowedIn: ["active"], send: ({ id }) => office.attempt("renewLease", { params: { id }, body: followingYearTerms() }) },
  terminateLease: {
    allowedIn: ["active", "expired"],
    send: ({ id }) => office.attempt("terminateLease", { params: { id }, body: { terminationDate: inDays(1) } }),
  },
  cancelLease: { allowedIn: ["draft", "pending"], send: ({ id }) => office.attempt("cancelLease", { params: { id } }) },
  giveNotice: { allowedIn: ["active"], send: ({ id }) => office.attempt("giveNotice", { params: { id }, body: notice() }) },
  withdrawNotice: {
    allowedIn: ["active"],
    send: async ({ id }) => {
      await office.attempt("giveNotice", { params: { id }, body: notice() });
      return office.attempt("withdrawNotice", { params: { id } });
    },
  },
  deleteLease: {
    allowedIn: ["draft", "pending", "active", "expired", "terminated", "cancelled"],
    inUse: ["renewed"],
    send: ({ id }) => office.attempt("deleteLease", { params: { id } }),
  },
  createOccupant: {
    allowedIn: ["draft", "pending", "active"],
    send: ({ id }) => office.attempt("createOccupant", { params: { leaseId: id }, body: { fullName: "A child", role: "occupant" } }),
  },
  updateOccupant: { allowedIn: leaseStatuses, send: (lease) => office.attempt("updateOccupant", { params: coTenantOf(lease), body: { notes: "Has a dog" } }) },
  releaseOccupant: {
    allowedIn: ["active", "expired"],
    send: (lease) => office.attempt("releaseOccupant", { params: coTenantOf(lease), body: { releasedOn: currentDate() } }),
  },
  deleteOccupant: {
    allowedIn: ["draft", "pending", "active", "expired"],
    send: (lease) => office.attempt("deleteOccupant", { params: coTenantOf(lease) }),
  },
};

describe.each(Object.entries(operations))("%s", (_name, { allowedIn, inUse = [], send }) => {
  const outcomes = leaseStatuses.map((status) => [status, allowedIn.includes(status) ? "succeeds" : "is refused and changes nothing"] as const);
  test.each(outcomes)("on a lease that is %s %s", async (status) => {
    const lease = await aLeaseInStatus(office, status);
    expect(lease.status).toBe(status);
    const { status: responseStatus, body } = await send(lease);
    if (allowedIn.includes(status)) {
      expect([responseStatus, body.message]).toEqual([200, undefined]);
      return;
    }
    const code = inUse.includes(status) ? "resource_in_use" : "invalid_transition";
    expect([responseStatus, body.code]).toEqual([409, code]);
    if (code !== "resource_in_use") expect(body.message).toContain(`The lease is ${status}`);
    const { lease: after } = await office.call("getLease", { params: { id: lease.id } });
    expect(after).toEqual(lease);
  });
});
