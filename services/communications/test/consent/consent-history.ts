/** Random history of consent: decisions, changes of people, and messages of every kind, with each attempt judged by the model. */
import { newId } from "@freehold/kit/db/entity";
import { ApiError } from "@freehold/kit/errors";
import { systemPrincipal } from "@freehold/kit/auth/principal";
import { OrgDb, type Database } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import { transaction } from "@freehold/kit/db/transaction";
import { eventually } from "../../../../test/support/eventually.ts";
import { aConfirmedOffice, anEmail, password, type Colleague } from "../../../../test/support/office.ts";
import { createRandom } from "../../../../test/systems/faults/random.ts";
import { sendBlasts } from "../../src/blasts/send-blasts.ts";
import { createConversation } from "../../src/conversations/conversations.ts";
import { deliver, deliverQueued } from "../../src/messages/deliver-messages.ts";
import type { SendResult } from "../../src/messages/mailer.ts";
import { claimDueMessages } from "../../src/messages/message.queries.ts";
import { sendMessages } from "../../src/messages/messages.ts";
import type { MessageTransports } from "../../src/messages/transports.ts";
import { deliverNotifications } from "../../src/notifications/deliveries/deliver-notifications.ts";
import { insertNotifications } from "../../src/notifications/insert-notifications.ts";
import { optIn, optOut } from "../../src/recipients/opt-outs.ts";
import { testClients } from "../clients.ts";
import { ConsentModel, type ModelTenant } from "./consent.model.ts";

type AttemptedRow = { channel: string; template: string; recipientType: string; recipientId: string; toAddress: string };

/** Result of a history: attempts by template, and those that no consent permits. */
export interface HistoryResult {
  attempts: Map<string, number>;
  violations: string[];
}

/** Plays a history of the given length. Without the check, messages are delivered past it, as a control. */
export async function playConsentHistory(database: Database, { seed, length, isChecked }: { seed: number; length: number; isChecked: boolean }) {
  const clients = testClients();
  const random = createRandom(seed);
  const office = await aConfirmedOffice();
  const db = new OrgDb(database, { ...systemPrincipal(office.organizationId), userId: office.userId, role: "admin" });
  const model = new ConsentModel();
  const users = new Map<string, Colleague>();
  const result: HistoryResult = { attempts: new Map(), violations: [] };
  const numbers = Array.from({ length: 5 }, () => `+1518${2_000_000 + random.integerBelow(7_999_999)}`);
  const pick = <T>(items: readonly T[]): T => items[random.integerBelow(items.length)]!;
  const otherNumber = (current?: string) => pick(numbers.filter((each) => each !== current));
  const isHeads = () => random.integerBelow(2) === 0;
  const aTenant = () => pick([...model.tenants.values()]);
  const aTenantWithUser = () => pick([...model.tenants.values()].filter(({ user }) => user));

  const attempted: { id: string; to: string }[] = [];
  /** Accepts most messages, delays others until the next attempt, and refuses a few. */
  const attempt = ({ id, to }: { id: string; to: string }): Promise<SendResult> => {
    attempted.push({ id, to });
    const outcome = random.integerBelow(10);
    return Promise.resolve(outcome < 6 ? { status: "sent", error: null } : { status: outcome < 9 ? "delayed" : "failed", error: "refused_500" });
  };
  const transports: MessageTransports = {
    from: "Freehold <no-reply@freehold.example>",
    mailer: { send: attempt, close: () => undefined },
    sms: { from: "+15185550100", send: attempt },
    devOutbox: undefined,
  };

  const addTenant = async () => {
    const phone = otherNumber();
    const { tenant } = await office.call("createTenant", { body: { fullName: "Ana Ruiz", email: anEmail(), phone } });
    const added: ModelTenant = { id: tenant.id, phone };
    model.tenants.set(tenant.id, added);
    return added;
  };
  const addUser = async (tenant: ModelTenant) => {
    const user = await office.tenantUser(tenant.id);
    const preferences = [{ type: "payment.received" as const, channels: ["sms" as const, "email" as const], deliveryMode: "immediate" as const }];
    await user.call("updateNotificationPreferences", { body: { preferences } });
    users.set(user.userId, user);
    tenant.user = { id: user.userId, hasWithdrawnEmail: false };
  };

  /** Judges the attempts of the last event by the consent at that time. */
  const judge = async () => {
    for (const { id, to } of attempted.splice(0)) {
      const row = (await db.first(sql<AttemptedRow>`select channel, template, recipient_type, recipient_id, to_address from message
        where organization_id = ${db.organizationId} and id = ${id}`))!;
      const tenantId = row.recipientType === "user" ? model.tenantOf(row.recipientId)?.id : row.recipientId;
      const dependsOnConsent = row.channel === "sms" || row.template !== "conversation-message";
      const isPermitted = !dependsOnConsent || (row.channel === "sms" ? model.permitsSms(tenantId!, to) : model.permitsEmail(tenantId!));
      result.attempts.set(`${row.channel} ${row.template}`, (result.attempts.get(`${row.channel} ${row.template}`) ?? 0) + 1);
      if (!isPermitted) result.violations.push(`${row.channel} ${row.template} to ${to}`);
    }
  };

  const deliverDue = async () => {
    await db.all(sql`update message set next_attempt_at = now() - interval '1 second' where organization_id = ${db.organizationId} and status = 'queued'`);
    if (isChecked) return void (await deliverQueued(db, transports, clients));
    await Promise.all((await claimDueMessages(db, ["email", "sms"], 20)).map((message) => deliver(db, transports, message)));
  };

  const events: readonly (readonly [weight: number, play: () => Promise<unknown>])[] = [
    [
      4,
      async () => {
        const [tenant, granted] = [aTenant(), random.integerBelow(3) > 0];
        await office.call("updateTenant", { params: { id: tenant.id }, body: { smsConsent: { granted, source: "phone call" } } });
        tenant.recorded = model.decide(granted);
      },
    ],
    [
      3,
      async () => {
        const [{ user }, smsConsent] = [aTenantWithUser(), isHeads()];
        const { status } = await users.get(user!.id)!.attempt("changeMyConsent", { body: { smsConsent } });
        if (status === 200) user!.sms = model.decide(smsConsent);
      },
    ],
    [
      2,
      async () => {
        const [{ user }, emailConsent] = [aTenantWithUser(), isHeads()];
        await users.get(user!.id)!.call("changeMyConsent", { body: { emailConsent } });
        user!.hasWithdrawnEmail = !emailConsent;
      },
    ],
    [
      1,
      async () => {
        const tenant = aTenant();
        const phone = otherNumber(tenant.phone);
        await office.call("updateTenant", { params: { id: tenant.id }, body: { phone } });
        model.changePhone(tenant, phone);
      },
    ],
    [
      1,
      async () => {
        const { user } = aTenantWithUser();
        const phone = otherNumber(user!.phone);
        await users.get(user!.id)!.call("changeMyPhone", { body: { phone } });
        model.changeUserPhone(user!, phone);
      },
    ],
    [
      1,
      async () => {
        const number = pick(numbers);
        await transaction(db, (tx) => optOut(tx, number, "STOP"));
        model.stopped.add(number);
      },
    ],
    [
      2,
      async () => {
        const number = pick(numbers);
        await transaction(db, (tx) => optIn(tx, number));
        model.stopped.delete(number);
      },
    ],
    [
      0.5,
      async () => {
        const [survivor, duplicate] = random.shuffle([...model.tenants.values()]);
        const { status } = await office.attempt("mergeTenants", { params: { id: survivor!.id }, body: { duplicateTenantId: duplicate!.id } });
        if (status !== 200) return;
        model.merge(survivor!, duplicate!);
        await addTenant();
        if (!duplicate!.user) return;
        // The portal user follows the merge by an event.
        await eventually("portal user of the survivor", async () => {
          const { users: found } = await clients.identity.listRecipients(db, { roles: [], subjectIds: [survivor!.id], userIds: [] });
          return found.length > 0;
        });
        // The change of the subject ended the session.
        const user = users.get(duplicate!.user.id)!;
        user.token = (await user.call("login", { body: { email: user.email, password } })).accessToken;
      },
    ],
    [
      2,
      async () => {
        const tenantIds = random.shuffle([...model.tenants.keys()]).slice(0, 3);
        const { blast } = await office.call("createBlast", {
          body: { title: "Water", body: "Off at noon.", channels: ["sms", "email"], target: { tenantIds } },
        });
        await db.all(sql`update blast set status = 'queued', queued_at = now() where organization_id = ${db.organizationId} and id = ${blast.id}`);
        await sendBlasts(db, { clients, transports });
      },
    ],
    [
      4,
      async () => {
        const message = { body: "Hello", channel: isHeads() ? ("sms" as const) : ("email" as const) };
        const conversation = { participantType: "tenant" as const, participantId: aTenant().id, message, forceNew: false };
        await createConversation(db, { clients, transports }, { channels: ["in_app", "sms", "email"], ...conversation }).catch((error: unknown) => {
          if (!(error instanceof ApiError) || error.status !== 412) throw error;
        });
      },
    ],
    [
      4,
      async () => {
        const { id: userId } = aTenantWithUser().user!;
        const content = { type: "payment.received", title: "Payment", body: "Received.", priority: "normal", entityType: null, entityId: null } as const;
        await transaction(db, async (tx) => {
          await insertNotifications(tx, [
            { ...content, userId, actorUserId: null, actorName: null, channels: [isHeads() ? "sms" : "email"], deliveryMode: "immediate" },
          ]);
          // The system under test has no transports of its own, and would write the message to the development outbox.
          await tx.all(sql`delete from work_request where organization_id = ${tx.organizationId} and job = 'deliver_notifications'`);
        });
        await deliverNotifications(db, { clients, transports });
      },
    ],
    [
      4,
      async () => {
        const { id, phone } = aTenant();
        const person = { type: "tenant", id, address: isHeads() ? phone : pick(numbers) };
        const fields = { link: "https://freehold.example/invites/abc123" };
        await sendMessages(db, { clients, transports }, [{ id: newId(), channel: "sms", to: "", person, template: "invite", fields }]);
      },
    ],
    [6, deliverDue],
  ];
  const total = events.reduce((sum, [weight]) => sum + weight, 0);
  const anEvent = () => {
    let position = random.next() * total;
    return events.find(([weight]) => (position -= weight) < 0)![1];
  };

  for (let count = 0; count < 6; count += 1) await addTenant();
  for (const tenant of [...model.tenants.values()].slice(0, 3)) await addUser(tenant);
  for (let count = 0; count < length; count += 1) {
    await anEvent()();
    await judge();
  }
  return result;
}
