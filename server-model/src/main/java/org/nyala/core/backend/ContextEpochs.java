package org.nyala.core.backend;

import org.jspecify.annotations.Nullable;

/**
 * The epochs that a server knows of a naming context: that of its data, and another one of which it
 * has heard. The first is copied with the data; the second is told to all neighbours, so that it
 * comes to a server that was away when another one was promoted, and ends its changes.
 *
 * <p>Immutable.
 *
 * @param ours the epoch of the data
 * @param heard the one that counts after that; {@link Epoch#NONE} if there is none
 */
public record ContextEpochs(Epoch ours, Epoch heard) {
  /** The epochs of a naming context for which no server was promoted. */
  public static final ContextEpochs NONE = new ContextEpochs(Epoch.NONE, Epoch.NONE);

  private static final String NOTHING = "-";

  /**
   * Not a semicolon: slapd looks for one behind the last number of a cookie ({@link SyncCookie}).
   */
  private static final String SEPARATOR = "/";

  /**
   * Returns whether another server was promoted: the one with the data here must change nothing.
   */
  public boolean isSuperseded() {
    return !heard.isNone();
  }

  /** Returns whether there are two servers that were promoted apart, to epochs of one number. */
  public boolean isConflict() {
    return isSuperseded() && heard.number() == ours.number();
  }

  /** Returns the same with an epoch that another server knows; this if that is no news. */
  public ContextEpochs hear(Epoch other) {
    return other.isAfter(ours) && other.isAfter(heard) ? new ContextEpochs(ours, other) : this;
  }

  /** Returns the same with the epochs that another server knows. */
  public ContextEpochs hear(ContextEpochs other) {
    return hear(other.ours).hear(other.heard);
  }

  /** Returns those of a copy whose data has become that of a provider. */
  public ContextEpochs follow(ContextEpochs provider) {
    return new ContextEpochs(provider.ours, Epoch.NONE).hear(heard).hear(provider.heard);
  }

  /**
   * Returns those after a promotion: the next epoch, after all that are known.
   *
   * @param serverId the number of the server that is promoted
   */
  public ContextEpochs promoted(int serverId) {
    Epoch last = heard.number() > ours.number() ? heard : ours;
    return new ContextEpochs(last.next(serverId), Epoch.NONE);
  }

  /**
   * Reads the text that {@link #toString} returns.
   *
   * @return null if it is none
   */
  public static @Nullable ContextEpochs parse(String text) {
    int separator = text.indexOf(SEPARATOR);
    Epoch ours = epoch(text.substring(0, Math.max(0, separator)));
    Epoch heard = epoch(text.substring(separator + 1));
    return ours == null || heard == null ? null : new ContextEpochs(ours, heard);
  }

  private static @Nullable Epoch epoch(String text) {
    return text.equals(NOTHING) ? Epoch.NONE : Epoch.parse(text);
  }

  @Override
  public String toString() {
    return text(ours) + SEPARATOR + text(heard);
  }

  private static String text(Epoch epoch) {
    return epoch.isNone() ? NOTHING : epoch.toString();
  }
}
