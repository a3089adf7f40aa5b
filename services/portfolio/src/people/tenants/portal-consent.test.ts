import { describe, expect, test } from "@jest/globals";
import { eventually } from "../../../../../test/support/eventually.ts";
import { Client } from "../../../../../test/support/client.ts";
import { anEmail, anOffice, password, type Office } from "../../../../../test/support/office.ts";
import { aTenant } from "../../../test/fixtures.ts";

const phone = "+15185550142";
const consentOf = async (office: Office, id: string) => (await office.call("getTenant", { params: { id } })).tenant.smsConsent;
const waitForConsent = (office: Office, id: string, granted: boolean) =>
  eventually("consent of the tenant", async () => {
    const consent = await consentOf(office, id);
    return consent.granted === granted && consent;
  });

describe("the consent of a tenant to text messages", () => {
  test("is the last decision, made by the tenant in the portal or recorded by the office", async () => {
    const office = await anOffice();
    const { id } = await aTenant(office, { phone });
    const tenant = await office.tenantUser(id);
    await tenant.call("changeMyPhone", { body: { phone } });
    await tenant.call("changeMyConsent", { body: { smsConsent: true } });
    expect(await waitForConsent(office, id, true)).toMatchObject({ source: "portal" });
    expect((await tenant.call("getTenantPortalMe")).tenant.smsConsent).toMatchObject({ granted: true });
    await tenant.call("changeMyConsent", { body: { smsConsent: false } });
    await waitForConsent(office, id, false);
    await office.call("updateTenant", { params: { id }, body: { smsConsent: { granted: true, source: "Signed lease" } } });
    // A later change of the account does not repeat the former decision.
    await tenant.call("updateMe", { body: { fullName: "Tess Tenant" } });
    await tenant.call("changeMyConsent", { body: { emailConsent: true } });
    expect(await consentOf(office, id)).toMatchObject({ granted: true, source: "Signed lease" });
  });

  test("is given on accepting the invite", async () => {
    const office = await anOffice();
    const { id } = await aTenant(office, { phone });
    const { invite } = await office.call("createTenantInvite", { body: { tenantId: id, email: anEmail(), channels: ["email"] } });
    const body = { password, phone, smsConsent: true };
    await new Client(office.baseUrl).call("acceptInvite", { params: { token: invite.token! }, body });
    expect(await waitForConsent(office, id, true)).toMatchObject({ source: "portal" });
  });

  test.each(["another phone number of the account", "its deactivation", "its deletion"] as const)(
    "is withdrawn in the portal for the recorded number, and stays withdrawn after %s",
    async (event) => {
      const office = await anOffice();
      const { id } = await aTenant(office, { phone });
      await office.call("updateTenant", { params: { id }, body: { smsConsent: { granted: true, source: "Signed lease" } } });
      const tenant = await office.tenantUser(id);
      await tenant.call("changeMyConsent", { body: { smsConsent: false } });
      expect(await waitForConsent(office, id, false)).toMatchObject({ source: "portal" });
      const params = { id: tenant.userId };
      if (event === "its deactivation") await office.call("updateUser", { params, body: { isActive: false } });
      else if (event === "its deletion") await office.call("deleteUser", { params });
      else await tenant.call("changeMyPhone", { body: { phone } });
      const message = { body: "Hello", channel: "sms" as const };
      const sent = await office.attempt("createConversation", { body: { participantType: "tenant", participantId: id, message } });
      expect(sent).toMatchObject({ status: 412, body: { code: "sms_consent_missing" } });
      expect(await consentOf(office, id)).toMatchObject({ granted: false, source: "portal" });
    },
  );

  test("is the one given in the portal to the number of the account, without a recorded number and after the office records it", async () => {
    const office = await anOffice();
    const { id } = await aTenant(office);
    const tenant = await office.tenantUser(id);
    await tenant.call("changeMyPhone", { body: { phone } });
    await tenant.call("changeMyConsent", { body: { smsConsent: true } });
    await waitForConsent(office, id, true);
    for (const [recorded, granted] of [
      [phone, true],
      ["+15185550149", false],
      [phone, true],
    ] as const)
      expect((await office.call("updateTenant", { params: { id }, body: { phone: recorded } })).tenant.smsConsent).toMatchObject({ granted });
    await office.call("updateTenant", { params: { id }, body: { phone: null } });
    await tenant.call("changeMyPhone", { body: { phone: "+15185550148" } });
    await waitForConsent(office, id, false);
  });

  test("is not that of another phone number", async () => {
    const office = await anOffice();
    const [tenant, other] = [await aTenant(office, { phone }), await aTenant(office, { phone: "+15185550143" })];
    const [first, second] = [await office.tenantUser(tenant.id), await office.tenantUser(other.id)];
    for (const user of [second, first]) {
      await user.call("changeMyPhone", { body: { phone } });
      await user.call("changeMyConsent", { body: { smsConsent: true } });
    }
    await waitForConsent(office, tenant.id, true);
    expect(await consentOf(office, other.id)).toMatchObject({ granted: false });
  });
});
