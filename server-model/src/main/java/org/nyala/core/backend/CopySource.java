package org.nyala.core.backend;

import org.jspecify.annotations.Nullable;

/**
 * The history that a copy was made from: that of its provider when it last sent a cookie; and that
 * of a refresh that has begun and not ended. Such a refresh has brought changes of which the
 * numbers of the copy do not tell: if the provider has lost them, nothing else would.
 *
 * <p>Immutable.
 *
 * @param provider the address of the provider, without spaces
 * @param history the identity of its history; empty if its cookies name none
 * @param refresh the identity of the history that an unfinished refresh is from, empty if the
 *     provider names none; null if the last refresh has ended
 */
public record CopySource(String provider, String history, @Nullable String refresh) {
  private static final String NONE = "-";
  private static final int PARTS = 2;

  /** Requires well-formed identities. */
  public CopySource {
    requireId(history);
    requireId(refresh == null ? "" : refresh);
  }

  /** Creates the note of a copy whose last refresh has ended. */
  public CopySource(String provider, String history) {
    this(provider, history, null);
  }

  private static void requireId(String id) {
    if (!id.isEmpty() && !ContextHistory.isId(id)) {
      throw new IllegalArgumentException("not the identity of a history: " + id);
    }
  }

  /** Returns whether a refresh has begun and not ended: the copy has a part of it. */
  public boolean isHalf() {
    return refresh != null;
  }

  /** Returns whether no refresh has ended yet. */
  public boolean isFirst() {
    return isHalf() && history.isEmpty();
  }

  /**
   * Returns the same copy in a refresh.
   *
   * @param from the identity of the provider's history; empty if it names none
   */
  public CopySource refreshing(String from) {
    return new CopySource(provider, history, from);
  }

  /** Returns the same copy, of which no refresh is unfinished. */
  public CopySource ended() {
    return new CopySource(provider, history);
  }

  /**
   * Returns whether an unfinished refresh can be continued: the provider has not been started
   * since, so that it still has all that it has sent. One that names no history does not tell.
   *
   * @param asked the address of the provider
   * @param now the identity of its history; empty if it names none
   */
  public boolean isContinuedBy(String asked, String now) {
    return refresh == null || refresh.equals(now) && (!now.isEmpty() || provider.equals(asked));
  }

  /**
   * Reads the text that {@link #toString} returns.
   *
   * @return null if it is none
   */
  public static @Nullable CopySource parse(String text) {
    String[] parts = text.split(" ", -1);
    boolean isOne =
        (parts.length == PARTS || parts.length == PARTS + 1)
            && isOrNone(parts[0])
            && isOrNone(parts.length > PARTS ? parts[PARTS] : NONE);
    return isOne
        ? new CopySource(parts[1], id(parts[0]), parts.length > PARTS ? id(parts[PARTS]) : null)
        : null;
  }

  private static boolean isOrNone(String text) {
    return text.equals(NONE) || ContextHistory.isId(text);
  }

  private static String id(String text) {
    return text.equals(NONE) ? "" : text;
  }

  private static String text(String id) {
    return id.isEmpty() ? NONE : id;
  }

  @Override
  public String toString() {
    String ended = text(history) + " " + provider;
    return refresh == null ? ended : ended + " " + text(refresh);
  }
}
