package org.nyala.core.backend;

import org.jspecify.annotations.Nullable;

/**
 * The history that a copy was made from: that of its provider when it last sent a cookie.
 *
 * <p>Immutable.
 *
 * @param provider the address of the provider, without spaces
 * @param history the identity of its history; empty if its cookies name none
 */
public record CopySource(String provider, String history) {
  private static final String NONE = "-";

  /** Requires a well-formed identity. */
  public CopySource {
    if (!history.isEmpty() && !ContextHistory.isId(history)) {
      throw new IllegalArgumentException("not the identity of a history: " + history);
    }
  }

  /**
   * Reads the text that {@link #toString} returns.
   *
   * @return null if it is none
   */
  public static @Nullable CopySource parse(String text) {
    int space = text.indexOf(' ');
    String history = text.substring(0, Math.max(0, space));
    boolean isNone = history.equals(NONE);
    return isNone || ContextHistory.isId(history)
        ? new CopySource(text.substring(space + 1), isNone ? "" : history)
        : null;
  }

  @Override
  public String toString() {
    return (history.isEmpty() ? NONE : history) + " " + provider;
  }
}
