package org.nyala.core.backend;

import java.util.Comparator;
import java.util.HexFormat;
import java.util.Locale;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The time during which one server changes a naming context. Each promotion begins the next one.
 * Two servers that were promoted apart may give theirs the same number: the mark tells them apart,
 * even if both have the same number of a server.
 *
 * <p>Immutable.
 *
 * @param number 0 as long as no server was promoted, else at most {@link #LAST}
 * @param serverId the number of the server that changes the naming context; 0 in {@link #NONE}
 * @param mark 16 hexadecimal digits, which no other epoch has; empty in {@link #NONE}
 */
public record Epoch(int number, int serverId, String mark) {
  /** The epoch of a naming context for which no server was promoted. */
  public static final Epoch NONE = new Epoch(0, 0, "");

  /** The last number: more promotions than there will be. */
  public static final int LAST = 999_999_999;

  private static final Comparator<Epoch> ORDER =
      Comparator.comparingInt(Epoch::number)
          .thenComparingInt(Epoch::serverId)
          .thenComparing(Epoch::mark);

  private static final int MOST_DIGITS = 9;
  private static final int PARTS = 3;
  private static final int SERVER_DIGITS = 3;
  private static final int HEXADECIMAL = 16;

  /** Checks the parts. */
  public Epoch {
    boolean isNone = number == 0 && serverId == 0 && mark.isEmpty();
    boolean isOne = number > 0 && number <= LAST && ContextHistory.isId(mark);
    if (!isNone && !isOne || serverId < 0 || serverId > Csn.LAST_SERVER) {
      throw new IllegalArgumentException(
          "no epoch: " + number + ", server " + serverId + ", " + mark);
    }
  }

  /**
   * Returns the next epoch, which nobody else has begun.
   *
   * @param serverId the number of the server that changes the naming context in it
   * @throws IllegalStateException after the last one
   */
  Epoch next(int serverId) {
    if (number == LAST) {
      throw new IllegalStateException("there is no epoch after " + this);
    }
    String mark = HexFormat.of().toHexDigits(UUID.randomUUID().getMostSignificantBits());
    return new Epoch(number + 1, serverId, mark);
  }

  /** Returns whether no server was promoted yet. */
  public boolean isNone() {
    return number == 0;
  }

  /**
   * Returns whether this epoch counts, and not another one. Of two with the same number it is the
   * same one at all servers, so that in the end all of them know of one alone.
   */
  public boolean isAfter(Epoch other) {
    return ORDER.compare(this, other) > 0;
  }

  /** Returns whether data of another epoch may be taken for a sequel of data of this one. */
  public boolean isContinuedBy(Epoch other) {
    return other.number > number || other.equals(this);
  }

  /**
   * Reads the text that {@link #toString} returns.
   *
   * @return null if it is none
   */
  public static @Nullable Epoch parse(String text) {
    String[] parts = text.split("#", -1);
    if (parts.length != PARTS
        || !isNumber(parts[0], MOST_DIGITS, 10)
        || !isNumber(parts[1], SERVER_DIGITS, HEXADECIMAL)
        || !ContextHistory.isId(parts[2])) {
      return null;
    }
    int number = Integer.parseInt(parts[0]);
    return number == 0
        ? null
        : new Epoch(number, Integer.parseInt(parts[1], HEXADECIMAL), parts[2]);
  }

  private static boolean isNumber(String text, int mostDigits, int radix) {
    return !text.isEmpty()
        && text.length() <= mostDigits
        && text.chars().allMatch(each -> each < 0x80 && Character.digit(each, radix) >= 0);
  }

  @Override
  public String toString() {
    return String.format(Locale.ROOT, "%d#%03x#%s", number, serverId, mark);
  }
}
