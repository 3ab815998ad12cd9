package org.nyala.core.backend;

import org.jspecify.annotations.Nullable;

/**
 * The history that a copy was made from: that of its provider when it last sent a cookie.
 *
 * <p>Immutable.
 *
 * @param provider the address of the provider, without spaces
 * @param history the identity of its history
 */
public record CopySource(String provider, String history) {
  /** Requires a well-formed identity. */
  public CopySource {
    if (!ContextHistory.isId(history)) {
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
    return ContextHistory.isId(history) ? new CopySource(text.substring(space + 1), history) : null;
  }

  @Override
  public String toString() {
    return history + " " + provider;
  }
}
