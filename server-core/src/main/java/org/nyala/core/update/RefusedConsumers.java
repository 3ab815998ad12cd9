package org.nyala.core.update;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.nyala.core.dn.Dn;

/**
 * The consumers of content synchronization that were refused because of what they have, until they
 * are refreshed: they try again, and nobody who looks at this server alone would know.
 *
 * <p>Thread-safe.
 */
public final class RefusedConsumers {
  /** The consumers that are remembered; more are refused as well. */
  private static final int MOST = 64;

  /** Those of one identity: others keep their places, whatever numbers it makes up. */
  private static final int MOST_OF_ONE = 8;

  /** The time after which one counts as given up: as long as the longest usual pause of slapd. */
  private static final long KEPT_NANOS = TimeUnit.HOURS.toNanos(1);

  /**
   * A consumer, known by its address, identity and number.
   *
   * @param address the address of the client, without its port
   * @param dn the identity
   * @param base the base of the search
   * @param replicaId the number in its cookie
   */
  public record Consumer(String address, Dn dn, Dn base, int replicaId) {
    @Override
    public String toString() {
      return String.format(
          Locale.ROOT, "rid=%03d at %s as %s, of %s", replicaId, address, dn, base);
    }
  }

  private record Refusal(String reason, long nanoTime) {}

  private final Map<Consumer, Refusal> refusals = new LinkedHashMap<>();

  /** True while there are any: those who are served need not look. */
  private volatile boolean hasAny;

  /**
   * Notes that a consumer was refused.
   *
   * @param nanoTime the server's clock, in nanoseconds
   */
  public synchronized void refused(Consumer consumer, @Nullable String reason, long nanoTime) {
    forgetOld(nanoTime);
    if (refusals.containsKey(consumer) || hasRoom(consumer.dn())) {
      refusals.put(consumer, new Refusal(String.valueOf(reason), nanoTime));
      hasAny = true;
    }
  }

  private boolean hasRoom(Dn dn) {
    return refusals.size() < MOST
        && refusals.keySet().stream().filter(each -> each.dn().equals(dn)).count() < MOST_OF_ONE;
  }

  /** Notes that a consumer has been refreshed. */
  public void refreshed(Consumer consumer) {
    synchronized (this) {
      refusals.remove(consumer);
      hasAny = !refusals.isEmpty();
    }
  }

  /** Returns whether any was refused. */
  public boolean hasAny() {
    return hasAny;
  }

  /**
   * Returns a line on each, with the reason.
   *
   * @param nanoTime the server's clock, in nanoseconds
   */
  public synchronized List<String> lines(long nanoTime) {
    forgetOld(nanoTime);
    List<String> lines = new ArrayList<>();
    refusals.forEach((consumer, refusal) -> lines.add(consumer + ": " + refusal.reason()));
    return lines;
  }

  private void forgetOld(long nanoTime) {
    refusals.values().removeIf(each -> nanoTime - each.nanoTime() > KEPT_NANOS);
    hasAny = !refusals.isEmpty();
  }
}
