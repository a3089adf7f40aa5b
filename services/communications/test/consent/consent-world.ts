/** Organization of a random history of consent, with the model that judges its messages. */
import { systemPrincipal } from "@freehold/kit/auth/principal";
import { OrgDb, type Database } from "@freehold/kit/db/org-db";
import { aConfirmedOffice, anEmail, type Colleague, type Office } from "../../../../test/support/office.ts";
import { createRandom, type Random } from "../../../../test/systems/faults/random.ts";
import type { Clients } from "../../src/clients.ts";
import type { SendResult } from "../../src/messages/mailer.ts";
import type { MessageTransports } from "../../src/messages/transports.ts";
import { testClients } from "../clients.ts";
import { ConsentModel, type ModelTenant } from "./consent.model.ts";

const NUMBER_COUNT = 5;
const TENANT_COUNT = 6;
const USER_COUNT = 3;

export interface ConsentWorld {
  office: Office;
  db: OrgDb;
  clients: Clients;
  model: ConsentModel;
  random: Random;
  /** Portal users by their ids. */
  users: Map<string, Colleague>;
  /** Phone numbers, which the people share. */
  numbers: readonly string[];
  transports: MessageTransports;
  /** Attempts since the last judgement. */
  attempted: { id: string; to: string }[];
}

/** Creates the organization with six tenants, three of them with portal users. */
export async function createConsentWorld(database: Database, seed: number): Promise<ConsentWorld> {
  const random = createRandom(seed);
  const office = await aConfirmedOffice();
  const attempted: ConsentWorld["attempted"] = [];
  const world: ConsentWorld = {
    office,
    db: new OrgDb(database, { ...systemPrincipal(office.organizationId), userId: office.userId, role: "admin" }),
    clients: testClients(),
    model: new ConsentModel(),
    random,
    users: new Map(),
    numbers: Array.from({ length: NUMBER_COUNT }, () => `+1518${2_000_000 + random.integerBelow(7_999_999)}`),
    transports: randomTransports(random, attempted),
    attempted,
  };
  for (let count = 0; count < TENANT_COUNT; count += 1) await addTenant(world);
  for (const tenant of [...world.model.tenants.values()].slice(0, USER_COUNT)) await addUser(world, tenant);
  return world;
}

/** Transports that accept most messages, delay others until the next attempt, and refuse a few. */
function randomTransports(random: Random, attempted: ConsentWorld["attempted"]): MessageTransports {
  const send = ({ id, to }: { id: string; to: string }): Promise<SendResult> => {
    attempted.push({ id, to });
    const outcome = random.integerBelow(10);
    return Promise.resolve(outcome < 6 ? { status: "sent", error: null } : { status: outcome < 9 ? "delayed" : "failed", error: "refused_500" });
  };
  return {
    from: "Freehold <no-reply@freehold.example>",
    mailer: { send, close: () => undefined },
    sms: { from: "+15185550100", send },
    devOutbox: undefined,
  };
}

export async function addTenant({ office, model, numbers, random }: ConsentWorld): Promise<void> {
  const phone = pick(random, numbers);
  const { tenant } = await office.call("createTenant", { body: { fullName: "Ana Ruiz", email: anEmail(), phone } });
  model.tenants.set(tenant.id, { id: tenant.id, phone });
}

async function addUser({ office, users }: ConsentWorld, tenant: ModelTenant): Promise<void> {
  const user = await office.tenantUser(tenant.id);
  const preferences = [{ type: "payment.received" as const, channels: ["sms" as const, "email" as const], deliveryMode: "immediate" as const }];
  await user.call("updateNotificationPreferences", { body: { preferences } });
  users.set(user.userId, user);
  tenant.user = { id: user.userId, hasWithdrawnEmail: false };
}

export const pick = <T>(random: Random, items: readonly T[]): T => items[random.integerBelow(items.length)]!;
