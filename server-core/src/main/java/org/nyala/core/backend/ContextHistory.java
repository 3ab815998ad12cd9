package org.nyala.core.backend;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The identity of the history of a naming context in one store. Copies keep it beside the numbers
 * of their changes: a number proves nothing about a server whose data was replaced by older or
 * other data, as a restore, an import, or a refresh from nothing does. Each of these renews it.
 *
 * <p>Immutable.
 *
 * @param id 16 hexadecimal digits, which no other history has
 * @param unproven the numbers up to which the journal need not have rows of the changes: they come
 *     from an import, or from the time before histories were kept
 * @param shared the numbers up to which the history before has the same changes
 * @param foreignUntil microseconds since 1970; changes after {@code shared} and not after this time
 *     may be of a history that is lost; 0 if none is
 */
public record ContextHistory(String id, CsnVector unproven, CsnVector shared, long foreignUntil) {
  /** The number of characters of an identity. */
  public static final int ID_LENGTH = 16;

  private static final int PARTS = 4;
  private static final String NOTHING = "-";

  /** Requires a well-formed identity. */
  public ContextHistory {
    if (!isId(id)) {
      throw new IllegalArgumentException("not the identity of a history: " + id);
    }
  }

  /** Returns whether a text may be an identity. */
  public static boolean isId(String text) {
    return text.length() == ID_LENGTH && text.chars().allMatch(HexFormat::isHexDigit);
  }

  private static String newId() {
    return HexFormat.of().toHexDigits(UUID.randomUUID().getMostSignificantBits());
  }

  /**
   * Returns the history of a store that begins to keep it.
   *
   * @param present the changes that the naming context has already
   */
  public static ContextHistory begun(CsnVector present) {
    return new ContextHistory(newId(), present, CsnVector.EMPTY, 0);
  }

  /**
   * Returns the history of imported data.
   *
   * @param present the numbers that the data has
   */
  public static ContextHistory imported(CsnVector present, Instant now) {
    return new ContextHistory(newId(), present, present, lastForeign(now));
  }

  /**
   * Returns the history of a naming context whose backup is restored.
   *
   * @param before the history in the backup; null if it has none
   * @param present the changes that the backup has
   */
  public static ContextHistory restored(
      @Nullable ContextHistory before, CsnVector present, Instant now) {
    CsnVector unproven = before == null ? present : before.unproven;
    CsnVector shared =
        before == null || before.foreignUntil == 0 ? present : least(before.shared, present);
    return new ContextHistory(newId(), unproven, shared, lastForeign(now));
  }

  /** Returns the history of a copy that was refreshed from nothing: nothing before is shared. */
  public static ContextHistory refreshed(Instant now) {
    return new ContextHistory(newId(), CsnVector.EMPTY, CsnVector.EMPTY, lastForeign(now));
  }

  /** Numbers are not further ahead of the clock. */
  private static long lastForeign(Instant now) {
    return ChronoUnit.MICROS.between(Instant.EPOCH, now.plus(Csn.MOST_AHEAD));
  }

  /** Returns the smaller one of the numbers of each server, of servers that both vectors have. */
  private static CsnVector least(CsnVector one, CsnVector other) {
    List<Csn> least = new ArrayList<>();
    for (Csn csn : one.csns()) {
      Csn there = other.of(csn.serverId());
      if (there != null) {
        least.add(csn.isAfter(there) ? there : csn);
      }
    }
    return new CsnVector(least);
  }

  /** Returns whether a change may be one of a history that is lost, by its number alone. */
  public boolean mayBeForeign(Csn csn) {
    return csn.micros() <= foreignUntil && !shared.covers(csn);
  }

  /**
   * Reads the text that {@link #toString} returns.
   *
   * @return null if it is none
   */
  public static @Nullable ContextHistory parse(String text) {
    String[] parts = text.split(" ", -1);
    if (parts.length != PARTS || !isId(parts[0])) {
      return null;
    }
    CsnVector unproven = vector(parts[1]);
    CsnVector shared = vector(parts[2]);
    try {
      return unproven == null || shared == null
          ? null
          : new ContextHistory(parts[0], unproven, shared, Long.parseLong(parts[3]));
    } catch (NumberFormatException _) {
      return null;
    }
  }

  private static @Nullable CsnVector vector(String text) {
    CsnVector vector = CsnVector.EMPTY;
    for (String each : text.equals(NOTHING) ? new String[0] : text.split(";", -1)) {
      Csn csn = Csn.parse(each);
      if (csn == null) {
        return null;
      }
      vector = vector.with(csn);
    }
    return vector;
  }

  @Override
  public String toString() {
    return id + " " + text(unproven) + " " + text(shared) + " " + foreignUntil;
  }

  private static String text(CsnVector vector) {
    return vector.csns().isEmpty()
        ? NOTHING
        : vector.csns().stream().map(Csn::toString).collect(Collectors.joining(";"));
  }
}
