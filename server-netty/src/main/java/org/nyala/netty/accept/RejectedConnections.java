package org.nyala.netty.accept;

import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.lang.management.ManagementFactory;
import java.net.UnknownHostException;
import java.nio.channels.UnresolvedAddressException;
import java.util.concurrent.atomic.LongAdder;
import org.nyala.core.budget.OwnedSlots;

/**
 * The connections that were rejected for lack of room, and the reason. Also the last handler of
 * listeners, which is notified of connections that could not be accepted: Netty then stops
 * accepting for a second, so that a call that must fail is not repeated all the time.
 *
 * <p>Thread-safe.
 */
@Sharable
public final class RejectedConnections extends ChannelInboundHandlerAdapter {
  /**
   * The number of descriptors that a server has open beside admitted connections, in excess of
   * those open when it is created: logs, backups, JMX, connections that wait for their notice or
   * make way for others.
   */
  private static final int OTHERS = 64 + AcceptHandler.REFUSED_AT_ONCE + OwnedSlots.LEAVING;

  private static final String OUT_OF_DESCRIPTORS = "Too many open files";
  private static final String OUT_OF_DESCRIPTORS_OF_MACHINE = "Too many open files in system";

  private final LongAdder count;
  private final long reserved = openDescriptors() + OTHERS;
  private volatile String reason = "";
  private volatile Runnable relief = () -> {};

  /**
   * Begins without rejections, in a server without connections.
   *
   * @param count counts them
   */
  public RejectedConnections(LongAdder count) {
    this.count = count;
  }

  /**
   * Returns the number of connections for which the file descriptors of the process suffice, at
   * least 1.
   */
  public int connections() {
    return Math.clamp(room(), 1, Integer.MAX_VALUE);
  }

  /**
   * Returns the number of connections for which the file descriptors of the process suffice; 0 or
   * less if they do not suffice for what the server needs beside connections.
   */
  public long room() {
    return mostDescriptors() - reserved;
  }

  /** Counts a connection for which the file descriptors do not suffice. */
  public void addForDescriptors() {
    add(
        "the process may have "
            + mostDescriptors()
            + " file descriptors and needs some for other things; raise the limit (LimitNOFILE of"
            + " the systemd unit, 'ulimit -n' before another start)");
  }

  /** Counts a rejected connection. */
  public void add(String why) {
    reason = why;
    count.increment();
  }

  /** Sets the action to run when file descriptors have run out all the same; quick. */
  public void relieveBy(Runnable action) {
    relief = action;
  }

  /** Returns the reason of the last rejection; empty if there was none. */
  public String reason() {
    return reason;
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    String said = reasonOf(cause);
    if (said.equals(OUT_OF_DESCRIPTORS)) {
      addForDescriptors();
      relief.run();
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

  /**
   * Returns the message of the operating system; native transports put the name of a call before
   * it.
   */
  public static String reasonOf(Throwable cause) {
    if (cause instanceof UnknownHostException || cause instanceof UnresolvedAddressException) {
      return "no address is known for the name";
    }
    String message = String.valueOf(cause.getMessage());
    int call = message.lastIndexOf("): ");
    return call < 0 ? message : message.substring(call + 3);
  }
}
