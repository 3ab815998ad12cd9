package org.nyala.log;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLongArray;
import org.nyala.core.session.ClientSource;

/**
 * The lines that each source may have: no single one fills the files of the log, and so erases what
 * they hold, by failing as often as possible. A source is an IPv4 address, an IPv6 network of 64
 * bits, or a user of this machine.
 *
 * <p>Thread-safe, without locks. Its memory is fixed: sources share places by chance, which nobody
 * can aim at, as they are shuffled by a number of this process.
 */
final class SourceQuota {
  private static final int PLACES = 1 << 12;
  private static final int NETWORK_BYTES = 8;
  private static final int MAPPED_AT = 12;
  private static final long MAPPED = 0xffffL;

  /** The time whose lines may come at once. */
  private static final long BURST_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final long intervalNanos;
  private final long shuffle = ThreadLocalRandom.current().nextLong();

  /** The time at which the lines of a place are paid for (the generic cell rate algorithm). */
  private final AtomicLongArray paid = new AtomicLongArray(PLACES);

  private final AtomicIntegerArray leftOut = new AtomicIntegerArray(PLACES);

  SourceQuota(int linesPerSecond, long nowNanos) {
    this.intervalNanos = TimeUnit.SECONDS.toNanos(1) / linesPerSecond;
    for (int i = 0; i < PLACES; i++) {
      paid.set(i, nowNanos);
    }
  }

  int place(ClientSource source) {
    long mixed = (key(source) ^ shuffle) * 0x9e3779b97f4a7c15L;
    mixed = (mixed ^ mixed >>> 32) * 0xbf58476d1ce4e5b9L;
    return (int) (mixed >>> 52);
  }

  private static long key(ClientSource source) {
    ClientSource.LocalProcess process = source.process();
    if (process != null) {
      return -1L - process.uid();
    }
    InetSocketAddress client = source.client();
    InetAddress address = client == null ? null : client.getAddress();
    return address == null ? Long.MIN_VALUE : key(address);
  }

  private static long key(InetAddress address) {
    ByteBuffer bytes = ByteBuffer.wrap(address.getAddress());
    if (!(address instanceof Inet6Address)) {
      return bytes.getInt() & 0xffff_ffffL;
    }
    boolean isMapped = bytes.getLong(0) == 0 && bytes.getInt(NETWORK_BYTES) == MAPPED;
    return isMapped ? bytes.getInt(MAPPED_AT) & 0xffff_ffffL : bytes.getLong(0);
  }

  /** Takes a line of a place; false if it has none at this time, which is counted. */
  boolean take(int place, long nowNanos) {
    while (true) {
      long before = paid.get(place);
      long from = before - nowNanos > 0 ? before : nowNanos;
      if (from - nowNanos > BURST_NANOS - intervalNanos) {
        return false;
      }
      if (paid.compareAndSet(place, before, from + intervalNanos)) {
        return true;
      }
    }
  }

  /**
   * Counts a line that was left out.
   *
   * @return true if it is the first since {@link #leftOut}
   */
  boolean isFirstLeftOut(int place) {
    return leftOut.getAndIncrement(place) == 0;
  }

  /** Returns the number of lines left out since the last call. */
  int leftOut(int place) {
    return leftOut.get(place) == 0 ? 0 : leftOut.getAndSet(place, 0);
  }
}
