/** Webhooks of a process that is killed: each event that was acknowledged is processed once. */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { eventually } from "../../../../test/support/eventually.ts";
import { anEmail, anOffice } from "../../../../test/support/office.ts";
import { sized } from "../../../../test/support/proof.ts";
import { smsForm, sendWebhook } from "../../../../test/support/providers/webhooks.ts";
import { createRandom } from "../../../../test/systems/faults/random.ts";
import { publicUrl, smsAuthToken, startWebhookProcess } from "../../test/webhook-process.ts";

const ROUNDS = sized(3, 20);
const EVENTS_PER_ROUND = 20;
let receiving: Awaited<ReturnType<typeof startWebhookProcess>>;

beforeAll(async () => {
  receiving = await startWebhookProcess();
});
afterAll(() => receiving.end("SIGTERM"));

test("acknowledged events are processed once while processes are killed and events are repeated", async () => {
  const random = createRandom(1);
  const office = await anOffice();
  const phone = `+1518${String(randomUUID().replaceAll(/\D/g, "").slice(0, 7)).padEnd(7, "2")}`;
  const { tenant } = await office.call("createTenant", { body: { fullName: "Ana Ruiz", email: anEmail(), phone } });
  await office.call("updateTenant", { params: { id: tenant.id }, body: { smsConsent: { granted: true, source: "signed lease" } } });
  const { conversation } = await office.call("createConversation", {
    body: { participantType: "tenant", participantId: tenant.id, message: { body: "Hello", channel: "sms" } },
  });
  const acknowledged = new Set<string>();
  for (let round = 0; round < ROUNDS; round++) {
    const killed = await startWebhookProcess();
    const sending = Promise.all(
      Array.from({ length: EVENTS_PER_ROUND }, async () => {
        const sid = `SM${randomUUID()}`;
        const request = smsForm("inbound", { MessageSid: sid, From: tenant.phone!, To: "+15185550100", Body: sid }, { authToken: smsAuthToken, publicUrl });
        const first = await sendWebhook(killed.baseUrl, request).catch(() => undefined);
        // The provider repeats what was not acknowledged.
        if (first?.status !== 200) expect(await sendWebhook(receiving.baseUrl, request)).toMatchObject({ status: 200 });
        acknowledged.add(sid);
      }),
    );
    await sleep(random.integerBelow(400));
    await killed.end("SIGKILL");
    await sending;
  }
  expect(acknowledged.size).toBe(ROUNDS * EVENTS_PER_ROUND);
  await eventually(
    "processed events",
    async () => (await office.call("listWebhookEvents", { query: { status: "processed", pageSize: 1 } })).total === acknowledged.size,
  );
  const bodies: string[] = [];
  for (let page = 1; bodies.length < page * 100 - 99 || page === 1; page++) {
    const { messages, totalPages } = await office.call("listConversationMessages", { params: { id: conversation.id }, query: { page, pageSize: 100 } });
    bodies.push(...messages.filter(({ senderType }) => senderType === "tenant").map(({ body }) => body));
    if (page >= totalPages) break;
  }
  expect(bodies.toSorted()).toEqual([...acknowledged].toSorted());
});
