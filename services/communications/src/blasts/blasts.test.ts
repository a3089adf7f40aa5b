import { describe, expect, test } from "@jest/globals";
import { newId } from "@freehold/kit/db/entity";
import { anEmail, anOffice, type Office } from "../../../../test/support/office.ts";
import { eventually } from "../../../../test/support/eventually.ts";
import { aTenancy } from "../../../../test/support/tenancy.ts";

const aTenant = async (office: Office, terms: object = {}) => {
  const { tenant } = await office.call("createTenant", { body: { fullName: "Ana Ruiz", email: anEmail(), ...terms } });
  return { id: tenant.id, email: tenant.email! };
};
const create = async (office: Office, terms: object) =>
  (await office.call("createBlast", { body: { title: "Water", body: "Off at noon.", channels: ["email"], ...terms } as never })).blast;
const read = async (office: Office, id: string) => (await office.call("getBlast", { params: { id } })).blast;
const send = (office: Office, id: string, headers: Record<string, string> = {}) => office.attempt("sendBlast", { params: { id }, headers });
const ended = (office: Office, id: string) =>
  eventually("ended blast", async () => {
    const blast = await read(office, id);
    return blast.completedAt !== null && blast;
  });
const outboxOf = async (office: Office, to: string) => (await office.call("listDevOutbox", { query: { to } })).messages;

describe("previewBlast", () => {
  test("counts each tenant once, by language, without those whom no channel reaches, and the segments of text messages", async () => {
    const office = await anOffice();
    const tenancy = await aTenancy(office);
    const [spanish, unreachable] = [await aTenant(office, { preferredLanguage: "es-MX" }), await aTenant(office, { email: null })];
    await office.call("updateTenant", { params: { id: tenancy.tenantId }, body: { email: anEmail() } });
    const target = { propertyIds: [tenancy.propertyId], unitIds: [tenancy.unitId], tenantIds: [tenancy.tenantId, spanish.id, unreachable.id] };
    const body = { title: "Water", body: "x".repeat(155), channels: ["email" as const, "sms" as const], target };
    const { preview } = await office.call("previewBlast", { body });
    expect(preview).toEqual({
      recipientCount: 2,
      skippedUnlinkedTenantCount: 1,
      languageCounts: { en: 1, es: 1 },
      versions: [{ language: "en", title: "Water", body: body.body, aiTranslated: false }],
      smsSegments: [{ language: "en", segments: 2, encoding: "gsm_7" }],
    });
  });

  test("refuses an empty target, unknown targets by name, and too long text messages", async () => {
    const [office, other] = [await anOffice(), await anOffice()];
    const [tenant, foreign] = [await aTenant(office), await aTenant(other)];
    const errors = async (terms: object) => {
      const body = { title: "Water", body: "Off at noon.", channels: ["sms"], target: { tenantIds: [tenant.id] }, ...terms };
      return (await office.attempt("previewBlast", { body: body as never })).body.errors?.map(({ path, code }) => [path, code]);
    };
    expect(await errors({ target: {} })).toEqual([["target", "required"]]);
    expect(await errors({ target: { propertyIds: [newId()], unitIds: [newId()], tenantIds: [tenant.id, foreign.id] } })).toEqual([
      ["target.propertyIds.0", "not_found"],
      ["target.unitIds.0", "not_found"],
      ["target.tenantIds.1", "not_found"],
    ]);
    expect(await errors({ body: "x".repeat(4_001) })).toEqual([["body", "too_long"]]);
    expect(await errors({ body: "x".repeat(4_000) })).toBeUndefined();
  });

  test("refuses translations without a translation service, by the names of its settings", async () => {
    const office = await anOffice();
    const tenant = await aTenant(office);
    const body = { title: "Water", body: "Off.", channels: ["email" as const], target: { tenantIds: [tenant.id] }, autoTranslate: true };
    const { status, headers, body: error } = await office.attempt("previewBlast", { body });
    expect([status, error.code, error.message]).toEqual([503, "not_configured", expect.stringContaining("TRANSLATION_URL")]);
    expect(headers.get("retry-after")).toBe("3600");
  });
});

describe("sendBlast", () => {
  test("reaches each tenant once over each channel, in the tenant's language, and skips the others with a reason", async () => {
    const office = await anOffice();
    const [ana, luis, silent] = [
      await aTenant(office),
      await aTenant(office, { preferredLanguage: "es" }),
      await aTenant(office, { email: null, phone: "2175550111" }),
    ];
    const user = await office.tenantUser(ana.id);
    const blast = await create(office, {
      channels: ["in_app", "email", "sms"],
      target: { tenantIds: [ana.id, luis.id, silent.id, ana.id] },
      versions: [{ language: "es", title: "Agua", body: "Sin agua al mediodía." }],
    });
    expect(blast).toMatchObject({
      status: "draft",
      recipientCount: 2,
      recipientCountIsEstimate: true,
      skippedUnlinkedTenantCount: 1,
      languageCounts: { en: 1, es: 1 },
    });
    expect(blast.targetSummary.tenants[0]).toEqual({ id: ana.id, label: "Ana Ruiz" });
    expect((await send(office, blast.id)).body.blast.status).toBe("queued");
    expect(await ended(office, blast.id)).toMatchObject({
      status: "completed",
      recipientCount: 2,
      recipientCountIsEstimate: false,
      recipientStats: { dispatched: 3, failed: 0, pending: 0, total: 3 },
    });
    expect(await outboxOf(office, ana.email)).toMatchObject([{ subject: "Water", text: expect.stringContaining("Off at noon.") }]);
    expect(await outboxOf(office, luis.email)).toMatchObject([{ subject: "Agua" }]);
    expect((await user.call("listNotifications", { query: { type: "blast" } })).notifications).toMatchObject([
      { title: "Water", body: "Off at noon.", entityId: blast.id },
    ]);
    const { recipients } = await office.call("listBlastRecipients", { params: { id: blast.id }, query: { status: "skipped" } });
    expect(new Set(recipients.map(({ tenantId, channel, skipReason }) => `${tenantId} ${channel} ${skipReason}`))).toEqual(
      new Set([
        `${ana.id} sms no_phone`,
        `${luis.id} in_app no_user`,
        `${luis.id} sms no_phone`,
        `${silent.id} in_app no_user`,
        `${silent.id} email no_email`,
        `${silent.id} sms no_consent`,
      ]),
    );
  });

  test("skips the e-mail to a tenant who has withdrawn the consent to e-mails, but not the message in the portal and conversations", async () => {
    const office = await anOffice();
    const tenant = await aTenant(office);
    const user = await office.tenantUser(tenant.id);
    await user.call("changeMyConsent", { body: { emailConsent: false } });
    const blast = await create(office, { channels: ["in_app", "email"], target: { tenantIds: [tenant.id] } });
    await send(office, blast.id);
    expect(await ended(office, blast.id)).toMatchObject({ recipientStats: { dispatched: 1, total: 1 } });
    const { recipients } = await office.call("listBlastRecipients", { params: { id: blast.id }, query: { status: "skipped" } });
    expect(recipients).toMatchObject([{ channel: "email", skipReason: "no_consent" }]);
    expect(await outboxOf(office, tenant.email)).toEqual([]);
    await office.call("createConversation", {
      body: { participantType: "tenant", participantId: tenant.id, message: { body: "The keys are ready.", channel: "email" } },
    });
    expect(await outboxOf(office, tenant.email)).toHaveLength(1);
  });

  test("sends a blast once, whatever races", async () => {
    const office = await anOffice();
    const tenant = await aTenant(office);
    const blast = await create(office, { target: { tenantIds: [tenant.id] } });
    const key = { "Idempotency-Key": newId() };
    const responses = await Promise.all([send(office, blast.id, key), send(office, blast.id, key), send(office, blast.id), send(office, blast.id)]);
    const accepted = responses.filter(({ status }) => status === 200);
    expect(accepted.length).toBeGreaterThan(0);
    for (const { status, body } of responses) if (status !== 200) expect([status, body.code]).toEqual([409, "invalid_transition"]);
    await ended(office, blast.id);
    expect(await outboxOf(office, tenant.email)).toHaveLength(1);
    expect((await send(office, blast.id)).status).toBe(409);
  });

  test("reaches the residents of a property", async () => {
    const office = await anOffice();
    const tenancy = await aTenancy(office);
    const email = anEmail();
    await office.call("updateTenant", { params: { id: tenancy.tenantId }, body: { email } });
    const blast = await create(office, { target: { propertyIds: [tenancy.propertyId] } });
    await send(office, blast.id);
    await ended(office, blast.id);
    expect(await outboxOf(office, email)).toHaveLength(1);
  });

  test("of a draft skips tenants deleted since and reaches the surviving tenant of a merged one once, while a change to them is refused", async () => {
    const office = await anOffice();
    const [deleted, duplicate, survivor] = [await aTenant(office), await aTenant(office), await aTenant(office)];
    const target = { propertyIds: [], unitIds: [], tenantIds: [deleted.id, duplicate.id, survivor.id] };
    const blast = await create(office, { target });
    await office.call("deleteTenant", { params: { id: deleted.id } });
    await office.call("mergeTenants", { params: { id: survivor.id }, body: { duplicateTenantId: duplicate.id } });
    const changed = await office.attempt("updateBlast", { params: { id: blast.id }, body: { target } });
    expect(changed.body.errors?.map(({ path }) => path)).toEqual(["target.tenantIds.0", "target.tenantIds.1"]);
    await office.call("updateBlast", { params: { id: blast.id }, body: { title: "No water" } });
    expect((await send(office, blast.id)).status).toBe(200);
    const { status, recipientCount, skippedUnlinkedTenantCount, targetSummary } = await ended(office, blast.id);
    expect([status, recipientCount, skippedUnlinkedTenantCount]).toEqual(["completed", 1, 1]);
    expect(targetSummary).toEqual(blast.targetSummary);
    expect(await outboxOf(office, survivor.email)).toHaveLength(1);
    for (const { email } of [deleted, duplicate]) expect(await outboxOf(office, email)).toEqual([]);
  });

  test("fails when nothing can be sent", async () => {
    const office = await anOffice();
    const tenant = await aTenant(office, { email: null });
    const blast = await create(office, { target: { tenantIds: [tenant.id] } });
    await send(office, blast.id);
    expect(await ended(office, blast.id)).toMatchObject({ status: "failed", error: expect.any(String), recipientCount: 0, skippedUnlinkedTenantCount: 1 });
  });
});

describe("a scheduled blast", () => {
  test("is sent when its time has come", async () => {
    const office = await anOffice();
    const tenant = await aTenant(office);
    const blast = await create(office, { target: { tenantIds: [tenant.id] }, scheduledAt: new Date(Date.now() + 1_500).toISOString() });
    expect(blast.status).toBe("scheduled");
    expect(await ended(office, blast.id)).toMatchObject({ status: "completed" });
    expect(await outboxOf(office, tenant.email)).toHaveLength(1);
  });

  test("becomes a draft again, and can be changed, but neither sent nor deleted", async () => {
    const office = await anOffice();
    const tenant = await aTenant(office);
    const blast = await create(office, { target: { tenantIds: [tenant.id] } });
    const params = { id: blast.id };
    const past = await office.attempt("scheduleBlast", { params, body: { scheduledAt: "2020-01-01T12:00:00.000Z" } });
    expect(past.body.errors).toMatchObject([{ path: "scheduledAt", code: "min" }]);
    const scheduledAt = "2190-01-01T12:00:00.000Z";
    expect((await office.call("scheduleBlast", { params, body: { scheduledAt } })).blast).toMatchObject({ status: "scheduled", scheduledAt });
    expect((await office.call("updateBlast", { params, body: { title: "No water" } })).blast).toMatchObject({ status: "scheduled", title: "No water" });
    for (const operation of ["sendBlast", "deleteBlast", "retryBlast"] as const)
      expect((await office.attempt(operation, { params })).body.code).toBe("invalid_transition");
    expect((await office.call("unscheduleBlast", { params })).blast).toMatchObject({ status: "draft", scheduledAt: null });
    expect((await office.attempt("unscheduleBlast", { params })).status).toBe(409);
    const { blast: deleted } = await office.call("deleteBlast", { params });
    expect([blast.deletedAt, deleted.status, deleted.deletedAt]).toEqual([null, "draft", expect.any(String)]);
    expect((await office.attempt("getBlast", { params })).status).toBe(404);
    expect((await office.call("listBlasts")).total).toBe(0);
    expect((await office.call("listBlasts", { query: { includeDeleted: true } })).blasts).toEqual([deleted]);
  });

  test("is scheduled, moved and made a draft by a change of its time", async () => {
    const office = await anOffice();
    const tenant = await aTenant(office);
    const { id } = await create(office, { target: { tenantIds: [tenant.id] } });
    const update = async (body: object) => (await office.call("updateBlast", { params: { id }, body })).blast;
    const [first, second] = ["2190-01-01T12:00:00.000Z", "2190-01-02T12:00:00.000Z"];
    expect(await update({ scheduledAt: null })).toMatchObject({ status: "draft", scheduledAt: null });
    expect(await update({ scheduledAt: first, title: "No water" })).toMatchObject({ status: "scheduled", scheduledAt: first, title: "No water" });
    expect(await update({ scheduledAt: second })).toMatchObject({ status: "scheduled", scheduledAt: second, title: "No water" });
    const past = await office.attempt("updateBlast", { params: { id }, body: { scheduledAt: "2020-01-01T12:00:00.000Z" } });
    expect(past.body.errors).toMatchObject([{ path: "scheduledAt", code: "min" }]);
    expect(await update({ scheduledAt: null })).toMatchObject({ status: "draft", scheduledAt: null });
    expect(await update({ scheduledAt: new Date(Date.now() + 1_500).toISOString() })).toMatchObject({ status: "scheduled" });
    await ended(office, id);
    expect(await outboxOf(office, tenant.email)).toHaveLength(1);
    for (const scheduledAt of [first, null])
      expect((await office.attempt("updateBlast", { params: { id }, body: { scheduledAt } })).body.code).toBe("invalid_transition");
  });
});

test("of changes at the same time, each is kept or refused", async () => {
  const office = await anOffice();
  const [first, second] = [await aTenant(office), await aTenant(office)];
  for (let round = 0; round < 10; round++) {
    const { id } = await create(office, { target: { tenantIds: [first.id] } });
    const update = (body: object) => office.attempt("updateBlast", { params: { id }, body: body as never });
    const target = { propertyIds: [], unitIds: [], tenantIds: [second.id] };
    const [title, audience, sent] = await Promise.all([update({ title: "Heating" }), update({ target }), send(office, id)]);
    const blast = await read(office, id);
    expect([title.status, audience.status, sent.status].filter((status) => status !== 200 && status !== 409)).toEqual([]);
    if (title.status === 200) expect(blast.title).toBe("Heating");
    if (audience.status === 200) expect(blast.target).toEqual(target);
  }
});

test("changes at the same time are all made, unless they name an earlier version", async () => {
  const office = await anOffice();
  const { id } = await create(office, { target: { tenantIds: [(await aTenant(office)).id] } });
  const update = (body: object, headers: Record<string, string> = {}) => office.attempt("updateBlast", { params: { id }, body, headers });
  const { headers } = await office.attempt("getBlast", { params: { id } });
  const titles = Array.from({ length: 10 }, (_, index) => `Title ${index}`);
  const responses = await Promise.all([update({ body: "Off at one." }), ...titles.map((title) => update({ title }))]);
  expect(responses.map(({ status, body }) => [status, body.code])).toEqual(responses.map(() => [200, undefined]));
  const blast = await read(office, id);
  expect([titles.includes(blast.title), blast.body]).toEqual([true, "Off at one."]);
  expect((await update({ title: "Late" }, { "If-Match": headers.get("ETag")! })).body.code).toBe("version_conflict");
});

describe("listBlasts", () => {
  test("filters by text, status and days", async () => {
    const office = await anOffice();
    const tenant = await aTenant(office);
    const target = { tenantIds: [tenant.id] };
    const [draft, scheduled] = [
      await create(office, { target }),
      await create(office, { target, title: "Fire drill", scheduledAt: "2190-01-02T02:00:00.000Z" }),
    ];
    const ids = async (query: object) => (await office.call("listBlasts", { query: query as never })).blasts.map(({ id }) => id);
    expect(await ids({})).toEqual([scheduled.id, draft.id]);
    expect(await ids({ search: "DRILL" })).toEqual([scheduled.id]);
    expect(await ids({ status: "draft,completed" })).toEqual([draft.id]);
    // The office is in New York.
    expect(await ids({ scheduledAfter: "2190-01-01", scheduledBefore: "2190-01-01" })).toEqual([scheduled.id]);
    expect(await ids({ scheduledAfter: "2190-01-02" })).toEqual([]);
    expect(await ids({ sortBy: "scheduledAt" })).toEqual([scheduled.id, draft.id]);
  });
});
