package org.nyala.server;

import org.nyala.core.budget.MemoryBounds;
import org.nyala.core.limits.ServerLimits;
import org.nyala.netty.NettyLdapServer;

/** The memory that there is for what clients make the server hold. Stateless. */
final class ServerMemory {
  private ServerMemory() {}

  /** The limits as they are in this process, derived ones included. */
  static MemoryBounds bounds(ServerLimits limits) {
    return limits.memory().bounds(Runtime.getRuntime().maxMemory(), NettyLdapServer.bufferBytes());
  }
}
