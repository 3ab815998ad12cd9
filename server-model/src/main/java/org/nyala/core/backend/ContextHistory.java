package org.nyala.core.backend;

import static java.util.stream.Collectors.joining;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The identity of the history of a naming context in one store. Copies keep it beside the numbers
 * of their changes: a number proves nothing about a server whose data was replaced by older or
 * other data, as a restore, an import, or a refresh from nothing does. Each of these renews it.
 *
 * <p>Each run of the server continues it under another identity, from its first commit on, and
 * remembers the former ones with what the naming context had at their ends. A data file that was
 * copied back knows the runs before the copy was made alone: whoever names another run, or more
 * than its run had, has changes that are lost. Nothing but a run of a server changes a file, so
 * that none is copied back within one.
 *
 * <p>Immutable.
 *
 * @param id 16 hexadecimal digits, which no other history has
 * @param unproven the numbers up to which the journal need not have rows of the changes: they come
 *     from an import, or from the time before histories were kept
 * @param shared the numbers up to which the history before has the same changes
 * @param foreignUntil microseconds since 1970; changes after {@code shared} and not after this time
 *     may be of a history that is lost; 0 if none is
 * @param former the former runs, the oldest first, at most {@link #MOST_RUNS}
 */
public record ContextHistory(
    String id, CsnVector unproven, CsnVector shared, long foreignUntil, List<Run> former) {
  /** The number of characters of an identity. */
  public static final int ID_LENGTH = 16;

  /** The number of former runs that are remembered: copies of earlier ones begin from nothing. */
  public static final int MOST_RUNS = 100;

  private static final int PARTS = 5;
  private static final String NOTHING = "-";
  private static final String RUNS = ",";
  private static final char UNTIL = '@';

  /**
   * A former run of the server.
   *
   * @param id the identity of the history then
   * @param until the changes that the naming context had at its end
   */
  public record Run(String id, CsnVector until) {}

  /** Requires a well-formed identity, and copies the list. */
  public ContextHistory {
    if (!isId(id)) {
      throw new IllegalArgumentException("not the identity of a history: " + id);
    }
    former = List.copyOf(former);
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
    return new ContextHistory(newId(), present, CsnVector.EMPTY, 0, List.of());
  }

  /**
   * Returns the history of imported data.
   *
   * @param present the numbers that the data has
   */
  public static ContextHistory imported(CsnVector present, Instant now) {
    return new ContextHistory(newId(), present, present, lastForeign(now), List.of());
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
    return new ContextHistory(newId(), unproven, shared, lastForeign(now), List.of());
  }

  /** Returns the history of a copy that was refreshed from nothing: nothing before is shared. */
  public static ContextHistory refreshed(Instant now) {
    return new ContextHistory(
        newId(), CsnVector.EMPTY, CsnVector.EMPTY, lastForeign(now), List.of());
  }

  /**
   * Returns the same history in another run of the server.
   *
   * @param present the changes that the naming context has before the first one of that run
   */
  public ContextHistory continued(CsnVector present) {
    List<Run> runs = new ArrayList<>(former);
    runs.add(new Run(id, present.given()));
    int from = Math.max(0, runs.size() - MOST_RUNS);
    return new ContextHistory(
        newId(), unproven, shared, foreignUntil, runs.subList(from, runs.size()));
  }

  /**
   * Returns whether changes are of this history.
   *
   * @param named the identity that it had when they were learnt of
   * @param csns their numbers
   * @param present the changes that the naming context has: those of other servers do not count
   */
  public boolean has(String named, CsnVector csns, CsnVector present) {
    if (named.equals(id)) {
      return true;
    }
    for (Run run : former) {
      if (run.id.equals(named)) {
        return csns.csns().stream()
            .allMatch(csn -> present.of(csn.serverId()) == null || run.until.covers(csn));
      }
    }
    return false;
  }

  /** Returns whether the history has, or had, an identity. */
  public boolean hasBeen(String named) {
    return named.equals(id) || former.stream().anyMatch(run -> run.id.equals(named));
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
   * Reads the text that {@link #toString} returns, or that of a version that knew no runs.
   *
   * @return null if it is none
   */
  public static @Nullable ContextHistory parse(String text) {
    String[] parts = text.split(" ", -1);
    if (parts.length < PARTS - 1 || parts.length > PARTS || !isId(parts[0])) {
      return null;
    }
    CsnVector unproven = vector(parts[1]);
    CsnVector shared = vector(parts[2]);
    List<Run> former = runs(parts.length < PARTS ? NOTHING : parts[PARTS - 1]);
    try {
      return unproven == null || shared == null || former == null
          ? null
          : new ContextHistory(parts[0], unproven, shared, Long.parseLong(parts[3]), former);
    } catch (NumberFormatException _) {
      return null;
    }
  }

  private static @Nullable List<Run> runs(String text) {
    List<Run> runs = new ArrayList<>();
    for (String each : text.equals(NOTHING) ? new String[0] : text.split(RUNS, -1)) {
      int at = each.indexOf(UNTIL);
      String id = each.substring(0, Math.max(0, at));
      CsnVector until = vector(each.substring(at + 1));
      if (!isId(id) || until == null) {
        return null;
      }
      runs.add(new Run(id, until));
    }
    return runs;
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
    String runs =
        former.stream().map(run -> run.id + UNTIL + text(run.until)).collect(joining(RUNS));
    return String.join(
        " ",
        id,
        text(unproven),
        text(shared),
        Long.toString(foreignUntil),
        runs.isEmpty() ? NOTHING : runs);
  }

  private static String text(CsnVector vector) {
    return vector.csns().isEmpty()
        ? NOTHING
        : vector.csns().stream().map(Csn::toString).collect(joining(";"));
  }
}
