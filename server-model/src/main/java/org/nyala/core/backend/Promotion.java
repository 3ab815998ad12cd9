package org.nyala.core.backend;

import java.time.DateTimeException;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The note of a store that one of its naming contexts, a copy of another server's, became writable
 * here; kept after it has become a copy again, because it tells which server number was ours.
 *
 * <p>Immutable.
 *
 * @param isInForce true if the naming context is changed here, false if it is a copy again
 * @param serverId the number of this server in the changes that it has made since
 * @param time the time at which that began
 * @param provider the address of the server that changed it before
 */
public record Promotion(boolean isInForce, int serverId, Instant time, String provider) {
  private static final String IN_FORCE = "promoted";
  private static final String ENDED = "copied";
  private static final int PARTS = 4;

  /** A time after all changes. */
  private static final Instant NEVER = Instant.parse("9999-12-31T23:59:59Z");

  /**
   * Returns the note of a naming context that this server has changed before it became a copy for
   * the first time.
   *
   * @param serverId the number of this server in its changes
   */
  public static Promotion ofFormerWriter(int serverId, String provider) {
    return new Promotion(false, serverId, NEVER, provider);
  }

  /** Returns the same for a naming context that is a copy again. */
  public Promotion ended() {
    return ended(serverId);
  }

  /**
   * Returns the same for a naming context that is a copy again.
   *
   * @param lastServerId the last number of this server, if that has changed meanwhile
   */
  public Promotion ended(int lastServerId) {
    return new Promotion(false, lastServerId, time, provider);
  }

  /**
   * Returns whether a change is this server's: it has the number that is noted here, or was made
   * later, when no other server changed the naming context.
   */
  public boolean covers(Csn change) {
    return change.serverId() == serverId || !change.time().isBefore(time);
  }

  /**
   * Reads the text that {@link #toString} returns.
   *
   * @return null if it is none
   */
  public static @Nullable Promotion parse(String text) {
    String[] parts = text.split(" ", PARTS);
    boolean isInForce = parts[0].equals(IN_FORCE);
    if (parts.length < PARTS || !isInForce && !parts[0].equals(ENDED)) {
      return null;
    }
    try {
      return new Promotion(
          isInForce, Integer.parseInt(parts[1]), Instant.parse(parts[2]), parts[3]);
    } catch (NumberFormatException | DateTimeException _) {
      return null;
    }
  }

  @Override
  public String toString() {
    return (isInForce ? IN_FORCE : ENDED) + " " + serverId + " " + time + " " + provider;
  }
}
