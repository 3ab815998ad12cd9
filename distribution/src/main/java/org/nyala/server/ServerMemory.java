package org.nyala.server;

import org.nyala.core.budget.MemoryBounds;
import org.nyala.core.limits.ServerLimits;
import org.nyala.netty.NettyLdapServer;

/** The memory that clients may make the server hold. Stateless. */
final class ServerMemory {
  private ServerMemory() {}

  /** Returns the limits as they are in this process, with derived ones. */
  static MemoryBounds bounds(ServerLimits limits) {
    return limits.memory().bounds(Runtime.getRuntime().maxMemory(), NettyLdapServer.bufferBytes());
  }
}
