import { describe, expect, test } from "@jest/globals";
import { anOffice } from "../../../../../test/support/office.ts";

const immediate = (type: string, channels: string[]) => ({ type, channels, deliveryMode: "immediate" });

describe("updateNotificationPreferences", () => {
  test("stores the preferences and quiet hours of the caller alone, and gives types that are left out their defaults again", async () => {
    const office = await anOffice();
    const manager = await office.colleague("manager");
    const defaults = await office.call("getNotificationPreferences");
    expect(defaults.quietHours).toBeNull();
    expect(defaults.preferences).toContainEqual(immediate("payment.received", ["in_app"]));
    expect(defaults.types.map(({ type }) => type)).toEqual(defaults.preferences.map(({ type }) => type));
    const quietHours = { start: "22:00", end: "07:00", timeZone: "America/Chicago" };
    const chosen = { type: "payment.received", channels: ["in_app", "email"], deliveryMode: "daily_digest" } as const;
    const stored = await office.call("updateNotificationPreferences", { body: { preferences: [{ ...chosen, channels: [...chosen.channels] }], quietHours } });
    expect(stored).toMatchObject({ quietHours, preferences: expect.arrayContaining([chosen]) });
    expect(await office.call("getNotificationPreferences")).toEqual(stored);
    expect(await manager.call("getNotificationPreferences")).toMatchObject({ quietHours: null, preferences: defaults.preferences });
    const kept = await office.call("updateNotificationPreferences", { body: { preferences: [] } });
    expect(kept).toMatchObject({ quietHours, preferences: defaults.preferences });
    expect(await office.call("updateNotificationPreferences", { body: { preferences: [], quietHours: null } })).toEqual(defaults);
  });

  test("accepts what it returned", async () => {
    const office = await anOffice();
    const { preferences } = await office.call("getNotificationPreferences");
    expect((await office.call("updateNotificationPreferences", { body: { preferences } })).preferences).toEqual(preferences);
  });

  test("offers a portal user the types of the role only, and stores them", async () => {
    const office = await anOffice();
    const { tenant } = await office.call("createTenant", { body: { fullName: "Ana Ruiz" } });
    const ana = await office.tenantUser(tenant.id);
    const { types } = await ana.call("getNotificationPreferences");
    expect(types.map(({ type }) => type)).toContain("payment.received");
    expect(types.map(({ type }) => type)).not.toContain("charge.overdue");
    const preferences = [{ type: "payment.received" as const, channels: ["email" as const], deliveryMode: "immediate" as const }];
    expect((await ana.call("updateNotificationPreferences", { body: { preferences } })).preferences).toEqual(expect.arrayContaining(preferences));
  });

  test("keeps the last of twenty concurrent changes whole", async () => {
    const office = await anOffice();
    const hours = Array.from({ length: 20 }, (_, index) => ({ start: `${String(index).padStart(2, "0")}:00`, end: `${String(index).padStart(2, "0")}:30` }));
    await Promise.all(hours.map((quietHours) => office.call("updateNotificationPreferences", { body: { preferences: [], quietHours } })));
    const { quietHours } = await office.call("getNotificationPreferences");
    expect(hours.map((each) => ({ ...each, timeZone: null }))).toContainEqual(quietHours);
  });

  const preference = { type: "payment.received", channels: ["in_app"], deliveryMode: "immediate" };
  test.each([
    ["an unknown type", { preferences: [{ ...preference, type: "no.such" }] }, "preferences.0.type"],
    ["a type twice", { preferences: [preference, preference] }, "preferences.1.type"],
    ["a channel without a provider", { preferences: [{ ...preference, channels: ["in_app", "push"] }] }, "preferences.0.channels.1"],
    ["a channel twice", { preferences: [{ ...preference, channels: ["sms", "sms"] }] }, "preferences.0.channels.1"],
    ["turning off a type that is required", { preferences: [{ ...preference, type: "work_order.assigned", channels: ["email"] }] }, "preferences.0.channels"],
    ["a digest of text messages", { preferences: [{ ...preference, channels: ["sms"], deliveryMode: "daily_digest" }] }, "preferences.0.deliveryMode"],
    ["an hour that does not exist", { preferences: [], quietHours: { start: "24:00", end: "07:00" } }, "quietHours.start"],
    ["quiet hours that end when they start", { preferences: [], quietHours: { start: "07:00", end: "07:00" } }, "quietHours.end"],
    ["an unknown time zone", { preferences: [], quietHours: { start: "22:00", end: "07:00", timeZone: "Mars/Base" } }, "quietHours.timeZone"],
    ["an unknown member", { preferences: [], mute: true }, "mute"],
  ])("refuses %s", async (_, body, path) => {
    const office = await anOffice();
    const response = await office.attempt("updateNotificationPreferences", { body: body as never });
    expect(response.status).toBe(400);
    expect(response.body.errors).toMatchObject([{ path }]);
  });
});
