import { describe, expect, test } from "@jest/globals";
import { Client } from "../../../../../test/support/client.ts";
import { anOffice, password } from "../../../../../test/support/office.ts";
import { running } from "../../../../../test/support/running.ts";
import { eventually } from "../../../../../test/support/world.ts";
import { ageInvites, findPublishedEvents, doScheduledWork, expireInvites, rowsIn, setPasswordHash, storedIn } from "../../../test/database.ts";
import { anInvited } from "../../../test/invite.ts";

const told = async (organizationId: string) => (await findPublishedEvents(organizationId)).filter(({ type }) => type === "invite.expired");

/** Has every open invite of the office run out, and waits until those that are to be told of have been. */
async function runOut(organizationId: string, times: number) {
  await expireInvites(organizationId);
  await doScheduledWork(organizationId);
  return eventually(`${times} told of`, async () => {
    const events = await told(organizationId);
    return events.length >= times ? events : undefined;
  });
}

describe("an invite of a user of the office that runs out", () => {
  test("is told of once, to the office", async () => {
    const office = await anOffice();
    const { user } = await anInvited(office);
    const [event] = await runOut(office.organizationId, 1);
    const [invite] = await rowsIn(office.organizationId, "user_invite");
    expect(event).toMatchObject({
      entityType: "invite",
      entityId: invite!["id"],
      actorUserId: null,
      data: { kind: "user", subjectId: null, userId: user.id },
      audience: { roles: ["admin", "manager", "staff"], tenantIds: [], ownerIds: [], vendorIds: [] },
    });
    const other = await anInvited(office);
    const events = await runOut(office.organizationId, 2);
    expect(events.map(({ data }) => data["userId"])).toEqual([user.id, other.user.id]);
  });

  test("and is sent again runs out once more", async () => {
    const office = await anOffice();
    const { user } = await anInvited(office);
    await runOut(office.organizationId, 1);
    await office.call("resendUserInvite", { params: { id: user.id } });
    const events = await runOut(office.organizationId, 2);
    expect(events.map(({ data }) => data["userId"])).toEqual([user.id, user.id]);
    expect(new Set(events.map(({ entityId }) => entityId)).size).toBe(2);
  });

  test("after it was accepted, or its user is gone or can sign in, is not told of", async () => {
    const office = await anOffice();
    const [accepted, deleted, signedIn, replaced, last] = [
      await anInvited(office),
      await anInvited(office),
      await anInvited(office),
      await anInvited(office),
      await anInvited(office),
    ];
    await new Client(running().baseUrl).call("acceptInvite", { params: { token: accepted.token }, body: { password } });
    await office.call("deleteUser", { params: { id: deleted.user.id } });
    await setPasswordHash(office.organizationId, signedIn.user.id, "a hash");
    await office.call("resendUserInvite", { params: { id: replaced.user.id } });
    const events = await runOut(office.organizationId, 2);
    await doScheduledWork(office.organizationId);
    expect(new Set(events.map(({ data }) => data["userId"]))).toEqual(new Set([replaced.user.id, last.user.id]));
    expect(await told(office.organizationId)).toHaveLength(2);
  });

  test("is not told of a moment before: the work comes again when the first of them does", async () => {
    const office = await anOffice();
    for (let invited = 0; invited < 2; invited++) await anInvited(office);
    const [first] = await rowsIn(office.organizationId, "user_invite");
    await ageInvites(office.organizationId, 6.5 * 86_400);
    await doScheduledWork(office.organizationId);
    const work = await eventually("the next time", async () => {
      const all = JSON.parse(await storedIn(office.organizationId, "scheduled_work")) as { job: string; next_run_at: string }[];
      return all.find(({ job, next_run_at: at }) => job === "expireUserInvites" && Date.parse(at) > Date.now() + 3_600_000);
    });
    expect(Date.parse(work.next_run_at)).toBe((first!["expires_at"] as Date).getTime() - 6.5 * 86_400_000);
    expect(await told(office.organizationId)).toEqual([]);
  });
});
