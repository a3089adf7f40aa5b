/** gRPC service of communications, called by the other services. */
import { grpcService } from "@freehold/kit/rpc/grpc";
import { CommunicationsServiceService, type CommunicationsServiceServer } from "@freehold/proto/communications/v1/communications";
import { sendMessages } from "./messages/messages.ts";
import type { MessageTransports } from "./messages/transports.ts";

export const communicationsService = (transports: MessageTransports) =>
  grpcService<CommunicationsServiceServer>(CommunicationsServiceService, ["identity", "portfolio"], {
    sendMessages: async ({ messages }, db) => ({ deliveries: await sendMessages(db, transports, messages) }),
  });
