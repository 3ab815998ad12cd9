package org.nyala.netty;

import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.lang.management.ManagementFactory;
import java.util.concurrent.atomic.LongAdder;

/**
 * The clients that there was no room for, and why. Also the last handler of listeners, which hears
 * of connections that could not be accepted: Netty has stopped accepting for a second then, so that
 * nothing is asked again and again for what it cannot do.
 *
 * <p>Thread-safe.
 */
@Sharable
final class RejectedConnections extends ChannelInboundHandlerAdapter {
  /**
   * What a server has open beside connections that are let in, later than when it is asked: logs,
   * backups, JMX, connections that wait for their notice.
   */
  private static final int OTHERS = 64 + AcceptHandler.REFUSED_AT_ONCE;

  private static final String OUT_OF_DESCRIPTORS = "Too many open files";
  private static final String OUT_OF_DESCRIPTORS_OF_MACHINE = "Too many open files in system";

  private final LongAdder count;
  private final long reserved = openDescriptors() + OTHERS;
  private volatile String reason = "";

  /**
   * Begins with none, in a server without connections.
   *
   * @param count counts them
   */
  RejectedConnections(LongAdder count) {
    this.count = count;
  }

  /** For how many connections the file descriptors of the process do, at least 1. */
  int connections() {
    return Math.clamp(mostDescriptors() - reserved, 1, Integer.MAX_VALUE);
  }

  /** Notes one for whom the file descriptors do not do. */
  void addForDescriptors() {
    add(
        "the process may have "
            + mostDescriptors()
            + " file descriptors and needs some for other things; raise the limit (LimitNOFILE of"
            + " the systemd unit, 'ulimit -n' before another start)");
  }

  /** Notes one. */
  void add(String why) {
    reason = why;
    count.increment();
  }

  /** Why the last one was; empty where there was none. */
  String reason() {
    return reason;
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    String said = NettyLdapServer.reason(cause);
    if (said.equals(OUT_OF_DESCRIPTORS)) {
      addForDescriptors();
    } else if (said.equals(OUT_OF_DESCRIPTORS_OF_MACHINE)) {
      add("the machine has no file descriptors left; raise fs.file-max (sysctl)");
    } else {
      add(said);
    }
  }

  private static long mostDescriptors() {
    return ManagementFactory.getOperatingSystemMXBean()
            instanceof com.sun.management.UnixOperatingSystemMXBean unix
        ? unix.getMaxFileDescriptorCount()
        : Long.MAX_VALUE;
  }

  private static long openDescriptors() {
    return ManagementFactory.getOperatingSystemMXBean()
            instanceof com.sun.management.UnixOperatingSystemMXBean unix
        ? unix.getOpenFileDescriptorCount()
        : 0;
  }
}
