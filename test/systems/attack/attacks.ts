/** Attacks on the gateway by somebody without rights, or with those of one user. Each returns when its requests are sent, or answered where it reads the responses. */
import { randomUUID } from "node:crypto";
import { password, type Office } from "../../support/office.ts";
import { requestText, type Connections } from "./sockets.ts";

export interface Attacker {
  baseUrl: string;
  connections: Connections;
  /** Organization of the attacker, with an access token. */
  office: Office;
  /** E-mail address of the admin of another organization. */
  victimEmail: string;
}

/** Header by which the trusted proxy in front of the gateway names the attacker's address. */
const attackerAddress = (index = 0) => ({ "X-Forwarded-For": `198.51.100.${index % 250}` });

const announced = (path: string, headers: Record<string, string> = {}) =>
  requestText("POST", path, { ...attackerAddress(), "Content-Type": "application/json", "Content-Length": "1000", ...headers }, "{");

export const attacks: Record<string, (attacker: Attacker) => Promise<void> | void> = {
  "500 pipelined documents on a connection that does not read": ({ connections }) => {
    connections.open(1, () => requestText("GET", "/api/openapi.json", attackerAddress()).repeat(500));
  },

  "300 connections with 20 pipelined documents each that do not read": ({ connections }) => {
    connections.open(300, () => requestText("GET", "/api/openapi.json", attackerAddress()).repeat(20));
  },

  "300 sign-ins that announce a body and send one byte": ({ connections }) => {
    connections.open(300, () => announced("/api/auth/login"));
  },

  "300 writes of a user that announce a body and send one byte": ({ connections, office }) => {
    connections.open(300, () => announced("/api/properties", { Authorization: `Bearer ${office.token}` }));
  },

  "60 bodies of one mebibyte of a user that are never completed": ({ connections, office }) => {
    const size = 1_048_576;
    const headers = { Authorization: `Bearer ${office.token}`, "Content-Type": "application/json", "Content-Length": String(size) };
    connections.open(60, () => requestText("POST", "/api/vendors", headers, "x".repeat(size - 1)));
  },

  "a sign-in of 400,000 chunks of a byte": ({ connections }) => {
    const headers = { ...attackerAddress(), "Content-Type": "application/json", "Transfer-Encoding": "chunked" };
    connections.open(2, () => requestText("POST", "/api/auth/login", headers, "1\r\nx\r\n".repeat(400_000)));
  },

  "a valid token in 1,620 spellings": async ({ connections, office }) => {
    const token = office.token!;
    const variants = (index: number) => [`${token}${" ".repeat(index)}`, `${token}${"=".repeat(index)}`, `${token}.${index}`, `${" ".repeat(index)}${token}`];
    const request = (authorization: string) => requestText("GET", "/api/auth/me", { Authorization: `Bearer ${authorization}` });
    for (let round = 0; round < 20; round++)
      connections.open(
        20,
        (index) =>
          variants(round * 20 + index + 1)
            .map(request)
            .join(""),
        { isReading: true },
      );
    await Promise.all(Array.from({ length: 20 }, (_, index) => fetch(`${office.baseUrl}/api/events/stream?token=${token}${"=".repeat(index + 1)}`)));
  },

  "3,000 forged tokens from one address": ({ connections }) => {
    const payload = Buffer.from(JSON.stringify({ sub: randomUUID(), exp: 4_000_000_000 })).toString("base64url");
    const signature = (index: number) => Buffer.alloc(64, index).toString("base64url");
    const forged = (index: number) => `eyJhbGciOiJFZERTQSIsInR5cCI6ImF0K2p3dCJ9.${payload}${index}.${signature(index)}`;
    const request = (index: number) => requestText("GET", "/api/auth/me", { ...attackerAddress(3), Authorization: `Bearer ${forged(index)}` });
    connections.open(30, (connection) => Array.from({ length: 100 }, (_, index) => request(connection * 100 + index)).join(""), { isReading: true });
  },

  "120 sign-ins with wrong passwords from 60 addresses": async ({ baseUrl, victimEmail }) => {
    const guess = (index: number) =>
      fetch(`${baseUrl}/api/auth/login`, {
        method: "POST",
        headers: { "Content-Type": "application/json", ...attackerAddress(index % 60) },
        body: JSON.stringify({ email: victimEmail, password: `${password}${index}` }),
      });
    await Promise.all(Array.from({ length: 120 }, (_, index) => guess(index)));
  },

  "500 health checks and unknown paths from one address": ({ connections }) => {
    const paths = ["/api/health", "/api/version", `/${randomUUID()}`, "/invites/x", "/api/docs/assets/swagger-ui-bundle.js"];
    const headers = { ...attackerAddress(1), Connection: "close" };
    connections.open(500, (index) => requestText("GET", paths[index % paths.length]!, headers), { isReading: true });
  },
};
