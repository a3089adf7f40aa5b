import { describe, expect, test } from "@jest/globals";
import { Client } from "../../../../../test/support/client.ts";
import { anOffice, password } from "../../../../../test/support/office.ts";
import { running } from "../../../../../test/support/running.ts";
import { eventually } from "../../../../../test/support/eventually.ts";
import { ageInvites, findPublishedEvents, makeJobsDue, expireInvites, readRows, setPasswordHash, readTableAsJson } from "../../../test/database.ts";
import { anInvitedUser } from "../../../test/invite.ts";

const expiryEvents = async (organizationId: string) => (await findPublishedEvents(organizationId)).filter(({ type }) => type === "invite.expired");

/** Expires every pending invite of the organization and waits until `count` expiry events are published. */
async function expireAndWait(organizationId: string, count: number) {
  await expireInvites(organizationId);
  await makeJobsDue(organizationId);
  return eventually(`${count} expiry events`, async () => {
    const events = await expiryEvents(organizationId);
    return events.length >= count ? events : undefined;
  });
}

describe("expireUserInvites", () => {
  test("publishes the expiry of an invite once, to the office", async () => {
    const office = await anOffice();
    const { user } = await anInvitedUser(office);
    const [event] = await expireAndWait(office.organizationId, 1);
    const [invite] = await readRows(office.organizationId, "user_invite");
    expect(event).toMatchObject({
      entityType: "invite",
      entityId: invite!["id"],
      actorUserId: null,
      data: { kind: "user", subjectId: null, userId: user.id },
      audience: { roles: ["admin", "manager", "staff"], tenantIds: [], ownerIds: [], vendorIds: [] },
    });
    const other = await anInvitedUser(office);
    const events = await expireAndWait(office.organizationId, 2);
    expect(events.map(({ data }) => data["userId"])).toEqual([user.id, other.user.id]);
  });

  test("publishes the expiry of a resent invite again", async () => {
    const office = await anOffice();
    const { user } = await anInvitedUser(office);
    await expireAndWait(office.organizationId, 1);
    await office.call("resendUserInvite", { params: { id: user.id } });
    const events = await expireAndWait(office.organizationId, 2);
    expect(events.map(({ data }) => data["userId"])).toEqual([user.id, user.id]);
    expect(new Set(events.map(({ entityId }) => entityId)).size).toBe(2);
  });

  test("publishes nothing for an accepted invite, a deleted user, or a user with a password", async () => {
    const office = await anOffice();
    const [accepted, deleted, signedIn, replaced, last] = [
      await anInvitedUser(office),
      await anInvitedUser(office),
      await anInvitedUser(office),
      await anInvitedUser(office),
      await anInvitedUser(office),
    ];
    await new Client(running().baseUrl).call("acceptInvite", { params: { token: accepted.token }, body: { password } });
    await office.call("deleteUser", { params: { id: deleted.user.id } });
    await setPasswordHash(office.organizationId, signedIn.user.id, "a hash");
    await office.call("resendUserInvite", { params: { id: replaced.user.id } });
    const events = await expireAndWait(office.organizationId, 2);
    await makeJobsDue(office.organizationId);
    expect(new Set(events.map(({ data }) => data["userId"]))).toEqual(new Set([replaced.user.id, last.user.id]));
    expect(await expiryEvents(office.organizationId)).toHaveLength(2);
  });

  test("publishes nothing before the expiry, and schedules the next run for the earliest expiry", async () => {
    const office = await anOffice();
    for (let index = 0; index < 2; index++) await anInvitedUser(office);
    const [first] = await readRows(office.organizationId, "user_invite");
    await ageInvites(office.organizationId, 6.5 * 86_400);
    await makeJobsDue(office.organizationId);
    const job = await eventually("next run", async () => {
      const rows = JSON.parse(await readTableAsJson(office.organizationId, "scheduled_work")) as { job: string; next_run_at: string }[];
      return rows.find((row) => row.job === "expireUserInvites" && Date.parse(row.next_run_at) > Date.now() + 3_600_000);
    });
    const minutesAfterExpiry = (Date.parse(job.next_run_at) - (first!["expires_at"] as Date).getTime() + 6.5 * 86_400_000) / 60_000;
    expect(Math.round(minutesAfterExpiry)).toBe(0);
    expect(await expiryEvents(office.organizationId)).toEqual([]);
  });
});
