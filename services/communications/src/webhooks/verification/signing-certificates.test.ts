/** Certificates of the cloud notification service: where they are fetched from, and which ones may sign. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import tls from "node:tls";
import { signCloudMessage, startCloudServer, type CloudMessage, type CloudServer } from "../../../../../test/support/providers/cloud-notifications.ts";
import { createSigningCertificate } from "../../../../../deploy/webhooks/certificate.ts";
import { confirmSubscription } from "../confirm-subscription.ts";
import { certificateUrl, confirmationUrl, parseCloudNotification, type CloudNotification } from "./cloud-notification.rules.ts";
import { hasCloudSignature } from "./cloud-signature.ts";
import { signingKeys, usableKey } from "./signing-certificates.ts";

const topicArn = "arn:aws:sns:us-east-1:123456789012:emails";
const DAY_MS = 86_400_000;
let server: CloudServer;

beforeAll(async () => {
  server = await startCloudServer();
  tls.setDefaultCACertificates([...tls.getCACertificates("default"), server.certificate.pem]);
});
beforeEach(() => {
  server.respondWith(undefined);
  server.requests.length = 0;
});
afterAll(() => server.close());

const aMessage = (changes: CloudMessage = {}): CloudMessage => ({
  Type: "Notification",
  MessageId: "m1",
  TopicArn: topicArn,
  Message: "{}",
  Timestamp: "2026-11-27T12:00:00.000Z",
  SigningCertURL: server.certificateUrl,
  ...changes,
});
/** Verifies a signed message with new certificates. */
async function verify(message: CloudMessage, { version = "2" as "1" | "2", acceptsVersion1 = false, keys = signingKeys({ requiresName: false }) } = {}) {
  const signed = signCloudMessage(message, server.certificate.privateKey, version);
  const request = { target: "/", headers: {}, body: Buffer.from(JSON.stringify(signed)), receivedAtMs: Date.now() };
  return hasCloudSignature({ topicArns: [topicArn], acceptsVersion1, hosts: [server.host], keys }, request);
}

describe("a cloud notification", () => {
  test("is accepted with signature version 2, and with version 1 only where the setting permits it", async () => {
    expect(await verify(aMessage({ Subject: "A subject" }))).toBe(true);
    expect(await verify(aMessage(), { version: "1" })).toBe(false);
    expect(await verify(aMessage(), { version: "1", acceptsVersion1: true })).toBe(true);
  });

  test("of another topic is refused before anything is fetched", async () => {
    expect(await verify(aMessage({ TopicArn: `${topicArn}-of-another` }))).toBe(false);
    expect(server.requests).toEqual([]);
  });

  test("fetches its certificate once for many messages, and again after a failure", async () => {
    const keys = signingKeys({ requiresName: false });
    server.respondWith((response) => void response.writeHead(500).end());
    await expect(verify(aMessage(), { keys })).rejects.toMatchObject({ status: 503 });
    server.respondWith(undefined);
    expect(await Promise.all(Array.from({ length: 10 }, () => verify(aMessage(), { keys })))).toEqual(Array(10).fill(true));
    expect(server.requests).toHaveLength(2);
  });

  test("with a certificate behind a redirect, of a huge size, or that is none, is refused, and nothing else is fetched", async () => {
    const responses: ((response: Parameters<Parameters<CloudServer["respondWith"]>[0] & object>[0]) => void)[] = [
      (response) => void response.writeHead(302, { Location: server.certificateUrl }).end(server.certificate.pem),
      (response) => void response.writeHead(200).end("x".repeat(10_000_000)),
      (response) => void response.writeHead(200).end("not a certificate"),
      (response) => void response.writeHead(404).end(server.certificate.pem),
    ];
    for (const respond of responses) {
      server.requests.length = 0;
      server.respondWith(respond);
      expect(await verify(aMessage())).toBe(false);
      expect(server.requests).toHaveLength(1);
    }
  });

  test("whose certificate does not arrive in time is answered 503, so that the service sends it again", async () => {
    server.respondWith((response) => void response.writeHead(200).write("-----BEGIN"));
    await expect(verify(aMessage(), { keys: signingKeys({ requiresName: false, timeoutMs: 300 }) })).rejects.toMatchObject({ status: 503 });
  });
});

describe("the URL of a certificate", () => {
  const hexName = `SimpleNotificationService-${"0a".repeat(16)}.pem`;
  const urlOf = (SigningCertURL: string, hosts?: string[], arn = topicArn) =>
    certificateUrl(
      parseCloudNotification(Buffer.from(JSON.stringify({ ...aMessage({ SigningCertURL, TopicArn: arn }), SignatureVersion: "2", Signature: "" })))!,
      { hosts },
    )?.href;

  test("is one of the provider in the region of the topic", () => {
    const url = `https://sns.us-east-1.amazonaws.com/${hexName}`;
    expect(urlOf(url)).toBe(url);
    expect(urlOf(`https://sns.cn-north-1.amazonaws.com.cn/${hexName}`, undefined, "arn:aws-cn:sns:cn-north-1:123456789012:emails")).toBeDefined();
  });

  test.each([
    "http://sns.us-east-1.amazonaws.com/NAME",
    "https://sns.us-east-1.amazonaws.com:8443/NAME",
    "https://sns.eu-west-1.amazonaws.com/NAME",
    "https://sns.s3-us-west-2.amazonaws.com/NAME",
    "https://sns.us-east-1.amazonaws.com.evil.example/NAME",
    "https://sns.us-east-1.amazonaws.com@evil.example/NAME",
    "https://evil.example#sns.us-east-1.amazonaws.com/NAME",
    "https://evil.example\\@sns.us-east-1.amazonaws.com/NAME",
    "https://user@sns.us-east-1.amazonaws.com/NAME",
    "https://user:secret@sns.us-east-1.amazonaws.com/NAME",
    "https://evil.example/sns.us-east-1.amazonaws.com/NAME",
    "https://sns.us-east-1.amazonaws.com/NAME?x=1",
    "https://sns.us-east-1.amazonaws.com/NAME#x",
    "https://sns.us-east-1.amazonaws.com/a/NAME",
    "https://sns.us-east-1.amazonaws.com/SimpleNotificationService-1.pem",
    "https://127.0.0.1/NAME",
    "https://[::1]/NAME",
    "https://localhost/NAME",
    "https://169.254.169.254/NAME",
    "file:///etc/NAME",
    "//sns.us-east-1.amazonaws.com/NAME",
    "not a url",
  ])("is not %s", (url) => expect(urlOf(url.replace("NAME", hexName))).toBeUndefined());

  test("is on a listed host and port where hosts are listed, and then on no other", () => {
    expect(urlOf("https://localhost:8443/cert.pem", ["localhost:8443"])).toBe("https://localhost:8443/cert.pem");
    for (const url of [
      "https://localhost/cert.pem",
      "https://localhost:8444/cert.pem",
      "http://localhost:8443/cert.pem",
      "https://localhost:8443/cert.txt",
      `https://sns.us-east-1.amazonaws.com/${hexName}`,
    ])
      expect([url, urlOf(url, ["localhost:8443"])]).toEqual([url, undefined]);
  });
});

describe("a certificate", () => {
  test("signs while it is valid, with an RSA key of 2,048 bits, and under one of the names", async () => {
    const now = new Date();
    const { pem } = await createSigningCertificate({ name: "sns.amazonaws.com" });
    expect(usableKey(pem, now, ["sns.amazonaws.com", "sns.us-east-1.amazonaws.com"])).toBeDefined();
    expect(usableKey(pem, now, ["sns.us-east-1.amazonaws.com"])).toBeUndefined();
    for (const time of [now.getTime() - 2 * DAY_MS, now.getTime() + 2 * DAY_MS]) expect(usableKey(pem, new Date(time), undefined)).toBeUndefined();
    expect(usableKey((await createSigningCertificate({ bits: 1_024 })).pem, now, undefined)).toBeUndefined();
    expect(usableKey("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----", now, undefined)).toBeUndefined();
  });
});

describe("a subscription", () => {
  const parse = (body: string | Buffer): CloudNotification => parseCloudNotification(Buffer.from(body))!;

  test("is confirmed with a URL that is built from the signed members, at the path of the API", async () => {
    const { body } = server.subscription("/", topicArn, { SubscribeURL: `https://${server.host}/admin/delete?Action=DeleteTopic` });
    expect(await confirmSubscription(Buffer.from(body), { hosts: [server.host] })).toBeNull();
    expect(server.requests).toEqual([`/?Action=ConfirmSubscription&TopicArn=${encodeURIComponent(topicArn)}&Token=token+of+the+subscription`]);
  });

  test("on another host is not confirmed", async () => {
    for (const SubscribeURL of ["https://evil.example/", `http://${server.host}/`, `https://user@${server.host}/`, "https://169.254.169.254/", ""]) {
      const { body } = server.subscription("/", topicArn, { SubscribeURL });
      expect(confirmationUrl(parse(body), { hosts: [server.host] })).toBeUndefined();
      expect(await confirmSubscription(Buffer.from(body), { hosts: [server.host] })).toBe("host_not_accepted");
    }
    expect(server.requests).toEqual([]);
  });

  test("that is redirected or does not respond fails, without another request", async () => {
    const { body } = server.subscription("/", topicArn);
    server.respondWith((response) => void response.writeHead(302, { Location: `https://${server.host}/other` }).end());
    await expect(confirmSubscription(Buffer.from(body), { hosts: [server.host] })).rejects.toThrow("302");
    server.respondWith(() => undefined);
    await expect(confirmSubscription(Buffer.from(body), { hosts: [server.host] }, 300)).rejects.toThrow();
    expect(server.requests).toHaveLength(2);
  });
});
