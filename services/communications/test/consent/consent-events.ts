/** Events of a random history of consent, each with its weight: decisions, changes of people, and messages of every kind. */
import { newId } from "@freehold/kit/db/entity";
import { sql } from "@freehold/kit/db/statement";
import { transaction } from "@freehold/kit/db/transaction";
import { ApiError } from "@freehold/kit/errors";
import { eventually } from "../../../../test/support/eventually.ts";
import { password, type Colleague } from "../../../../test/support/office.ts";
import { sendBlasts } from "../../src/blasts/send-blasts.ts";
import { createConversation } from "../../src/conversations/conversations.ts";
import { sendMessages } from "../../src/messages/messages.ts";
import { deliverNotifications } from "../../src/notifications/deliveries/deliver-notifications.ts";
import { insertNotifications } from "../../src/notifications/insert-notifications.ts";
import { optIn, optOut } from "../../src/recipients/opt-outs.ts";
import { addTenant, pick, type ConsentWorld } from "./consent-world.ts";
import type { ModelTenant, ModelUser } from "./consent.model.ts";

type ConsentEvent = (world: ConsentWorld) => Promise<void>;

const isHeads = ({ random }: ConsentWorld): boolean => random.integerBelow(2) === 0;
const aTenant = ({ random, model }: ConsentWorld): ModelTenant => pick(random, [...model.tenants.values()]);
const aNumberBesides = ({ random, numbers }: ConsentWorld, current: string | undefined): string =>
  pick(
    random,
    numbers.filter((each) => each !== current),
  );

/** Returns a portal user in the model, with the client that acts as the user. */
function aUser({ random, model, users }: ConsentWorld): { inModel: ModelUser; client: Colleague } {
  const inModel = pick(
    random,
    [...model.tenants.values()].flatMap(({ user }) => (user ? [user] : [])),
  );
  return { inModel, client: users.get(inModel.id)! };
}

const recordConsent: ConsentEvent = async (world) => {
  const [tenant, granted] = [aTenant(world), world.random.integerBelow(3) > 0];
  const { status } = await world.office.attempt("updateTenant", { params: { id: tenant.id }, body: { smsConsent: { granted, source: "phone call" } } });
  if (status === 200) tenant.recorded = world.model.decide(granted);
};

const changeOwnSmsConsent: ConsentEvent = async (world) => {
  const [{ inModel, client }, smsConsent] = [aUser(world), world.random.integerBelow(4) > 0];
  const { status } = await client.attempt("changeMyConsent", { body: { smsConsent } });
  if (status === 200) world.model.decideOwn(inModel, smsConsent);
};

const changeOwnEmailConsent: ConsentEvent = async (world) => {
  const [{ inModel, client }, emailConsent] = [aUser(world), isHeads(world)];
  await client.call("changeMyConsent", { body: { emailConsent } });
  inModel.hasWithdrawnEmail = !emailConsent;
};

const changePhone: ConsentEvent = async (world) => {
  const tenant = aTenant(world);
  const phone = aNumberBesides(world, tenant.phone);
  await world.office.call("updateTenant", { params: { id: tenant.id }, body: { phone } });
  world.model.changePhone(tenant, phone);
};

const changeOwnPhone: ConsentEvent = async (world) => {
  const { inModel, client } = aUser(world);
  const phone = aNumberBesides(world, inModel.phone);
  await client.call("changeMyPhone", { body: { phone } });
  world.model.changeUserPhone(inModel, phone);
};

const stop: ConsentEvent = async ({ db, model, random, numbers }) => {
  const number = pick(random, numbers);
  await transaction(db, (tx) => optOut(tx, number, "STOP"));
  model.stopped.add(number);
};

const start: ConsentEvent = async ({ db, model, random, numbers }) => {
  const number = pick(random, numbers);
  await transaction(db, (tx) => optIn(tx, number));
  model.stopped.delete(number);
};

const mergeTenants: ConsentEvent = async (world) => {
  const { office, db, clients, model, random, users } = world;
  const [survivor, duplicate] = random.shuffle([...model.tenants.values()]);
  const { status } = await office.attempt("mergeTenants", { params: { id: survivor!.id }, body: { duplicateTenantId: duplicate!.id } });
  if (status !== 200) return;
  model.merge(survivor!, duplicate!);
  await addTenant(world);
  if (!duplicate!.user) return;
  // The portal user follows the merge by an event.
  await eventually("portal user of the survivor", async () => {
    const { users: found } = await clients.identity.listRecipients(db, { roles: [], subjectIds: [survivor!.id], userIds: [] });
    return found.length > 0;
  });
  // The change of the subject ended the session.
  const user = users.get(duplicate!.user.id)!;
  user.token = (await user.call("login", { body: { email: user.email, password } })).accessToken;
};

const sendBlast: ConsentEvent = async ({ office, db, clients, transports, model, random }) => {
  const tenantIds = random.shuffle([...model.tenants.keys()]).slice(0, 3);
  const { blast } = await office.call("createBlast", { body: { title: "Water", body: "Off at noon.", channels: ["sms", "email"], target: { tenantIds } } });
  await db.all(sql`update blast set status = 'queued', queued_at = now() where organization_id = ${db.organizationId} and id = ${blast.id}`);
  await sendBlasts(db, { clients, transports });
};

const sendConversationMessage: ConsentEvent = async (world) => {
  const { db, clients, transports } = world;
  const message = { body: "Hello", channel: isHeads(world) ? ("sms" as const) : ("email" as const) };
  const conversation = { participantType: "tenant" as const, participantId: aTenant(world).id, message, forceNew: false };
  await createConversation(db, { clients, transports }, { channels: ["in_app", "sms", "email"], ...conversation }).catch((error: unknown) => {
    if (!(error instanceof ApiError) || error.status !== 412) throw error;
  });
};

const sendNotification: ConsentEvent = async (world) => {
  const { db, clients, transports } = world;
  const userId = aUser(world).inModel.id;
  const content = { type: "payment.received", title: "Payment", body: "Received.", priority: "normal", entityType: null, entityId: null } as const;
  const delivery = { channels: [isHeads(world) ? ("sms" as const) : ("email" as const)], deliveryMode: "immediate" as const };
  await transaction(db, async (tx) => {
    await insertNotifications(tx, [{ ...content, ...delivery, userId, actorUserId: null, actorName: null }]);
    // The system under test has no transports of its own, and would write the message to the development outbox.
    await tx.all(sql`delete from work_request where organization_id = ${tx.organizationId} and job = 'deliver_notifications'`);
  });
  await deliverNotifications(db, { clients, transports });
};

const sendInvite: ConsentEvent = async (world) => {
  const { db, clients, transports, random, numbers } = world;
  const { id, phone } = aTenant(world);
  const person = { type: "tenant", id, address: isHeads(world) ? phone : pick(random, numbers) };
  const fields = { link: "https://freehold.example/invites/abc123" };
  await sendMessages(db, { clients, transports }, [{ id: newId(), channel: "sms", to: "", person, template: "invite", fields }]);
};

export const consentEvents: readonly (readonly [weight: number, play: ConsentEvent])[] = [
  [6, recordConsent],
  [3, changeOwnSmsConsent],
  [2, changeOwnEmailConsent],
  [1, changePhone],
  [1, changeOwnPhone],
  [1, stop],
  [3, start],
  [0.5, mergeTenants],
  [2, sendBlast],
  [4, sendConversationMessage],
  [4, sendNotification],
  [4, sendInvite],
];
