/** Messages of the cloud notification service (Amazon SNS): their format, the text that they sign, and the URLs that are fetched for them. */
import { z } from "zod";

const text = z.string().max(1_048_576);

/** Message as it is sent, with the members that are used. Others are not signed and therefore ignored. */
const CloudNotification = z.object({
  Type: z.enum(["Notification", "SubscriptionConfirmation", "UnsubscribeConfirmation"]),
  MessageId: z.string().min(1).max(255),
  TopicArn: z.string().max(512),
  Message: text,
  Timestamp: z.string().max(64),
  Subject: z.string().max(1_024).optional(),
  Token: z.string().max(4_096).optional(),
  SubscribeURL: z.string().max(8_192).optional(),
  SignatureVersion: z.enum(["1", "2"]),
  Signature: z.string().max(4_096),
  SigningCertURL: z.string().max(2_048),
});
export type CloudNotification = z.output<typeof CloudNotification>;

/** Returns the message in a body, or undefined for another content. */
export function parseCloudNotification(body: Buffer): CloudNotification | undefined {
  try {
    return CloudNotification.safeParse(JSON.parse(body.toString())).data;
  } catch {
    return undefined;
  }
}

const signedMembers = {
  Notification: ["Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"],
  SubscriptionConfirmation: ["Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"],
  UnsubscribeConfirmation: ["Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"],
} as const;

/** Returns the text that is signed: name and value of each member, each on a line of its own. */
export const signedText = (notification: CloudNotification): string =>
  signedMembers[notification.Type].flatMap((name) => (notification[name] === undefined ? [] : `${name}\n${notification[name]}\n`)).join("");

/** Hosts of certificates and of the API: the listed ones, or those of the provider in the region of a topic. */
export interface CloudHosts {
  hosts: readonly string[] | undefined;
}

const CERTIFICATE_PATH = /^\/SimpleNotificationService-[0-9a-f]{32}\.pem$/;

/** Returns the host of the provider for a topic, such as `sns.us-east-1.amazonaws.com`. */
export function providerHost(topicArn: string): string {
  const [, partition, , region] = topicArn.split(":");
  return `sns.${region}.amazonaws.com${partition === "aws-cn" ? ".cn" : ""}`;
}

/** Returns an https URL without credentials on an accepted host, or undefined. */
function acceptedUrl(text: string, topicArn: string, { hosts }: CloudHosts): URL | undefined {
  const url = URL.parse(text);
  if (!url || url.protocol !== "https:" || url.username !== "" || url.password !== "") return undefined;
  return (hosts ?? [providerHost(topicArn)]).includes(url.host) ? url : undefined;
}

/** Returns the URL of the certificate of a message, or undefined unless its host and path are those of certificates. */
export function certificateUrl({ SigningCertURL, TopicArn }: CloudNotification, accepted: CloudHosts): URL | undefined {
  const url = acceptedUrl(SigningCertURL, TopicArn, accepted);
  if (!url || url.search !== "" || url.hash !== "") return undefined;
  return (accepted.hosts ? /\.pem$/ : CERTIFICATE_PATH).test(url.pathname) ? url : undefined;
}

/** Returns the URL that confirms a subscription, built from signed members and never with another path than that of the API; undefined unless its host is accepted. */
export function confirmationUrl({ SubscribeURL = "", TopicArn, Token = "" }: CloudNotification, accepted: CloudHosts): URL | undefined {
  const host = acceptedUrl(SubscribeURL, TopicArn, accepted)?.host;
  if (host === undefined || Token === "") return undefined;
  return new URL(`https://${host}/?${new URLSearchParams({ Action: "ConfirmSubscription", TopicArn, Token }).toString()}`);
}
