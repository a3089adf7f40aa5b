/** Verifiers of webhooks, compared with the published libraries of the schemes and, where there is no maintained one, with a plain implementation. */
import { beforeAll, describe, expect, test } from "@jest/globals";
import { createHash, createHmac, createPublicKey, createVerify, randomBytes, randomUUID, X509Certificate } from "node:crypto";
import { parse as parseForm } from "node:querystring";
import { Webhook } from "standardwebhooks";
import Stripe from "stripe";
import twilio from "twilio";
import { signCloudMessage, type CloudMessage } from "../../../../../test/support/providers/cloud-notifications.ts";
import { createSigningCertificate, type SigningCertificate } from "../../../../../deploy/webhooks/certificate.ts";
import { isFullProof, sized } from "../../../../../test/support/proof.ts";
import { createRandom, type Random } from "../../../../../test/systems/faults/random.ts";
import { parseCloudNotification } from "./cloud-notification.rules.ts";
import { hasCloudSignature } from "./cloud-signature.ts";
import { hasPaymentSignature } from "./payment-signature.rules.ts";
import { hasPushToken } from "./push-token.rules.ts";
import { hasSmsSignature } from "./sms-signature.rules.ts";
import { hasStandardSignature } from "./standard-signature.rules.ts";
import type { WebhookRequest } from "./webhook-request.ts";

const CASES = sized(170, 2_600);
const SEED = 20_261_127;
const now = Math.floor(Date.now() / 1_000);

type Headers = Record<string, string>;
/** Request that a provider signed, or a change of one. */
interface Case {
  target: string;
  headers: Headers;
  body: Buffer;
  isChanged: boolean;
}

const texts = ["", "a", "Grüße 👋🏽", '{"a":1}', "line\r\nline", "\u2028", "%41+b&c=d", "x".repeat(2_000), "\u0000", "t=1,v1=2"];
const pick = <T>(random: Random, items: readonly T[]): T => items[random.integerBelow(items.length)]!;

/** Replaces, deletes or inserts one character. */
function changeText(random: Random, text: string): string {
  const at = random.integerBelow(text.length + 1);
  const replacement = pick(random, ["", "0", "f", "A", "=", ",", " ", ".", "é"]);
  return text.slice(0, at) + replacement + text.slice(at + random.integerBelow(2));
}

/** Changes a bit of the body, a header, or the path and query of a request. */
function change(random: Random, { target, headers, body }: Case): Case {
  const kind = random.integerBelow(4);
  if (kind === 0 && body.length > 0) {
    const changed = Buffer.from(body);
    const at = random.integerBelow(body.length);
    changed[at] = changed[at]! ^ (1 << random.integerBelow(8));
    return { target, headers, body: changed, isChanged: true };
  }
  if (kind === 1) return { target: changeText(random, target).replaceAll(/[^!-~]/g, ""), headers, body, isChanged: true };
  const name = pick(random, Object.keys(headers));
  return { target, headers: { ...headers, [name]: changeText(random, headers[name]!) }, body, isChanged: true };
}

/** Counts the cases in which a verifier and another implementation differ. A stricter one refuses a changed request that the other accepts. */
async function compare(
  name: string,
  make: (random: Random) => Case,
  ours: (request: WebhookRequest) => boolean | Promise<boolean>,
  theirs: (request: Case) => boolean,
) {
  const random = createRandom(SEED);
  const counts = { cases: 0, accepted: 0, refused: 0, differences: 0, stricter: 0 };
  for (; counts.cases < CASES; counts.cases++) {
    const signed = make(random);
    const given = random.next() < 0.3 ? signed : change(random, random.next() < 0.2 ? change(random, signed) : signed);
    const [isOurs, isTheirs] = [await ours({ ...given, receivedAtMs: now * 1_000 }), theirs(given)];
    counts[isOurs ? "accepted" : "refused"]++;
    if (isOurs === isTheirs) continue;
    if (isTheirs && given.isChanged) counts.stricter++;
    else counts.differences++;
  }
  if (isFullProof)
    process.stdout.write(
      `webhooks=${name} ${Object.entries(counts)
        .map(([key, value]) => `${key}=${value}`)
        .join(" ")}\n`,
    );
  expect(counts.differences).toBe(0);
  expect(counts.accepted).toBeGreaterThan(CASES / 20);
  expect(counts.refused).toBeGreaterThan(CASES / 5);
}

const isTrue = (verify: () => boolean): boolean => {
  try {
    return verify();
  } catch {
    return false;
  }
};
const accepts = (verify: () => unknown): boolean => isTrue(() => (verify(), true));
const bodyOf = (random: Random) => Buffer.from(JSON.stringify({ id: randomUUID(), text: pick(random, texts), other: pick(random, texts) }));
/** Age of a signature in seconds, around the tolerance but not at its end. */
const ageOf = (random: Random) => pick(random, [0, 1, 60, 290, 310, 5_000, -1, -290, -310, -5_000]);

describe("a verifier decides like the published implementation, also about changed requests", () => {
  test("of the payment processor", async () => {
    const secrets = ["whsec_first", "whsec_zweites_ü"];
    await compare(
      "payment",
      (random) => {
        const [body, timestamp, secret] = [bodyOf(random), now - ageOf(random), pick(random, [...secrets, "whsec_other"])];
        const sign = (key: string) => createHmac("sha256", key).update(`${timestamp}.`).update(body).digest("hex");
        const extra = pick(random, ["", `,v1=${sign("whsec_rotated")}`, ",v0=abc"]);
        const header = random.next() < 0.5 ? `t=${timestamp},v1=${sign(secret)}${extra}` : `t=${timestamp}${extra},v1=${sign(secret)}`;
        return { target: "/api/webhooks/payment-provider", headers: { "payment-signature": header }, body, isChanged: false };
      },
      (request) => hasPaymentSignature(secrets, request),
      ({ headers, body }) => {
        const header = headers["payment-signature"]!;
        // The library does not refuse signatures of the future.
        const isFuture = Number.parseInt(/(?:^|,)t=(\d+)/.exec(header)?.[1] ?? "0") - now > 300;
        // It also fails for a malformed signature beside a valid one, so each is verified by itself.
        const items = header.split(",");
        const headersOfOne = items.filter((item) => item.startsWith("v1=")).map((item) => [...items.filter((each) => !each.startsWith("v1=")), item].join());
        const verify = (single: string, secret: string) => Stripe.webhooks.signature!.verifyHeader(body, single, secret, 300, undefined, now * 1_000);
        return !isFuture && secrets.some((secret) => headersOfOne.some((single) => accepts(() => verify(single, secret))));
      },
    );
  });

  test("of Standard Webhooks", async () => {
    const secrets = [0, 1].map(() => `whsec_${randomBytes(24).toString("base64")}`);
    const id = `msg_${randomUUID()}`;
    await compare(
      "standard",
      (random) => {
        const [body, timestamp, secret] = [bodyOf(random), now - ageOf(random), pick(random, [...secrets, `whsec_${randomBytes(24).toString("base64")}`])];
        const signature = createHmac("sha256", Buffer.from(secret.slice(6), "base64"))
          .update(`${id}.${timestamp}.`)
          .update(body)
          .digest("base64");
        const value = pick(random, [`v1,${signature}`, `v1,${randomBytes(32).toString("base64")} v1,${signature}`, `v1a,xyz v1,${signature} v2,abc`]);
        return {
          target: "/api/webhooks/email/inbound",
          headers: { "webhook-id": id, "webhook-timestamp": String(timestamp), "webhook-signature": value },
          body,
          isChanged: false,
        };
      },
      (request) => hasStandardSignature(secrets, request),
      ({ headers, body }) => secrets.some((secret) => accepts(() => new Webhook(secret).verify(body, headers, { jsonParse: false }))),
    );
  });

  test("of the SMS provider", async () => {
    const [authToken, publicUrl] = ["auth token ü", "https://office.example:8443"];
    const bodyDigestOf = (body: Buffer) => createHash("sha256").update(body).digest("hex");
    await compare(
      "sms",
      (random) => {
        const isForm = random.next() < 0.8;
        const form = new URLSearchParams([
          ["MessageSid", randomUUID()],
          ["Body", pick(random, texts)],
          ["From", "+15185550199"],
          ...(random.next() < 0.3
            ? [
                ["Media", "b"],
                ["Media", "a"],
                ["Media", "b"],
              ]
            : []),
        ]);
        const body = Buffer.from(isForm ? form.toString() : JSON.stringify({ a: pick(random, texts) }));
        const target = `/api/webhooks/sms/inbound${isForm ? pick(random, ["", "?a=1&b=%20", "?"]) : `?bodySHA256=${bodyDigestOf(body)}`}`;
        const url = `${random.next() < 0.8 ? publicUrl : "https://office.example"}${target}`;
        const params = isForm ? Object.fromEntries([...new Set(form.keys())].map((name) => [name, form.getAll(name)])) : {};
        const secret = random.next() < 0.9 ? authToken : "another";
        return { target, headers: { "x-sms-signature": twilio.getExpectedTwilioSignature(secret, url, params) }, body, isChanged: false };
      },
      (request) => hasSmsSignature(authToken, publicUrl, request),
      ({ target, headers, body }) => {
        const url = `${publicUrl}${target}`;
        const signature = headers["x-sms-signature"]!;
        // The library throws for an invalid URL.
        return isTrue(() =>
          new URLSearchParams(target.split("?")[1]).has("bodySHA256")
            ? twilio.validateRequestWithBody(authToken, signature, url, body.toString())
            : twilio.validateRequest(authToken, signature, url, parseForm(body.toString())),
        );
      },
    );
  });

  describe("of the cloud notification service", () => {
    const topicArn = "arn:aws:sns:us-east-1:123456789012:emails";
    let certificate: SigningCertificate;
    let other: SigningCertificate;
    beforeAll(async () => {
      [certificate, other] = [await createSigningCertificate(), await createSigningCertificate()];
    });

    /** Verifies a notification in the plainest way. */
    function verifyPlainly(body: Buffer): boolean {
      const message = JSON.parse(body.toString()) as CloudMessage;
      const names =
        message["Type"] === "Notification"
          ? ["Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"]
          : ["Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"];
      const verifier = createVerify("RSA-SHA256");
      for (const name of names) if (name in message) verifier.update(`${name}\n${message[name]}\n`);
      if (message["SignatureVersion"] !== "2" || message["TopicArn"] !== topicArn || URL.parse(message["SigningCertURL"]!)?.href !== certificateUrl)
        return false;
      return verifier.verify(
        createPublicKey(new X509Certificate(certificate.pem).publicKey.export({ type: "spki", format: "pem" })),
        message["Signature"]!,
        "base64",
      );
    }
    const certificateUrl = `https://localhost:9/SimpleNotificationService-${"0".repeat(32)}.pem`;

    test("with signature version 2", async () => {
      await compare(
        "cloud",
        (random) => {
          const type = pick(random, ["Notification", "Notification", "SubscriptionConfirmation", "UnsubscribeConfirmation"]);
          const message = {
            Type: type,
            MessageId: randomUUID(),
            TopicArn: pick(random, [topicArn, topicArn, topicArn, `${topicArn}2`]),
            Message: pick(random, texts),
            Timestamp: new Date().toISOString(),
            SigningCertURL: certificateUrl,
            ...(type === "Notification"
              ? random.next() < 0.5 && { Subject: pick(random, texts.slice(0, 6)) }
              : { Token: "token", SubscribeURL: "https://localhost:9/" }),
          };
          const signed = signCloudMessage(message, random.next() < 0.9 ? certificate.privateKey : other.privateKey, random.next() < 0.9 ? "2" : "1");
          return {
            target: "/api/webhooks/email/cloud-inbound",
            headers: { "content-type": "text/plain" },
            body: Buffer.from(JSON.stringify(signed)),
            isChanged: false,
          };
        },
        (request) =>
          hasCloudSignature(
            {
              topicArns: [topicArn],
              acceptsVersion1: false,
              hosts: ["localhost:9"],
              keys: (url) => Promise.resolve(url.href === certificateUrl ? new X509Certificate(certificate.pem).publicKey : undefined),
            },
            request,
          ),
        // A changed target or header is not signed.
        ({ body }) => parseCloudNotification(body) !== undefined && verifyPlainly(body),
      );
    });
  });

  test("of mailbox push notifications: only the exact token, once", () => {
    const has = (target: string) =>
      hasPushToken(["first-token-of-two", "second-token-of-two"], { target, headers: {}, body: Buffer.alloc(0), receivedAtMs: 0 });
    const path = "/api/webhooks/mailbox/push";
    expect(["?token=first-token-of-two", "?a=1&token=second-token-of-two", "?token=first%2Dtoken%2dof-two"].map((query) => has(path + query))).toEqual([
      true,
      true,
      true,
    ]);
    for (const query of ["", "?token=", "?token=first-token-of-tw", "?token=first-token-of-two2", "?token=FIRST-TOKEN-OF-TWO", "?Token=first-token-of-two"])
      expect([query, has(path + query)]).toEqual([query, false]);
    expect(has(`${path}?token=first-token-of-two&token=first-token-of-two`)).toBe(false);
  });
});
