package org.nyala.core.access.slapd;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.nyala.core.rights.Limit;
import org.nyala.core.rights.Limit.Bound;

/**
 * The bounds of a limit of slapd.
 *
 * <p>Confined to one thread.
 */
final class LimitBounds {
  private static final int UNLIMITED = -1;

  private final Map<Bound, Integer> bounds = new EnumMap<>(Bound.class);
  private final List<String> reasons = new ArrayList<>();
  private final Pair size = new Pair("size");
  private final Pair time = new Pair("time");

  /** A bound for searches without a limit of their own, and the one for those that have one. */
  private static final class Pair {
    private final String name;
    private @Nullable Integer soft;
    private @Nullable Integer hard;

    Pair(String name) {
      this.name = name;
    }

    /** Returns the larger of the two as slapd has it; null without any. */
    @Nullable Integer largest() {
      Integer least = soft;
      Integer most = hard;
      if (most == null || most == 0) {
        return least;
      }
      boolean isBelow = least != null && (least == UNLIMITED || most < least);
      return most > 0 && isBelow ? least : most;
    }

    boolean hasTwo() {
      Integer largest = largest();
      return soft != null && largest != null && !largest.equals(soft);
    }
  }

  /** Takes a word such as {@code size.soft=500}. */
  void take(String word) {
    int equals = word.indexOf('=');
    String key = (equals < 0 ? word : word.substring(0, equals)).toLowerCase(Locale.ROOT);
    String value = equals < 0 ? "" : word.substring(equals + 1).toLowerCase(Locale.ROOT);
    switch (key) {
      case "size", "size.soft" -> size.soft = number(word, value);
      case "size.hard" ->
          size.hard = value.equals("soft") ? Integer.valueOf(0) : number(word, value);
      case "time", "time.soft" -> time.soft = number(word, value);
      case "time.hard" ->
          time.hard = value.equals("soft") ? Integer.valueOf(0) : number(word, value);
      case "size.unchecked" -> unchecked(word, value);
      case "size.pr" -> page(word, value);
      case "size.prtotal" -> allPages(word, value);
      default -> reasons.add(word + ": slapd has no such bound");
    }
    if (key.equals("size")) {
      size.hard = null;
    } else if (key.equals("time")) {
      time.hard = null;
    }
  }

  private @Nullable Integer number(String word, String value) {
    if (value.equals("unlimited") || value.equals("none") || value.equals("-1")) {
      return UNLIMITED;
    }
    boolean isNumber = value.matches("[0-9]{1,10}") && Long.parseLong(value) < Limit.UNLIMITED;
    if (!isNumber) {
      reasons.add(word + ": not a number");
    }
    return isNumber ? Integer.valueOf(value) : null;
  }

  private void unchecked(String word, String value) {
    boolean isNever = value.equals("disabled") || value.equals("0");
    if (isNever) {
      reasons.add(word + ": searches are possible, of one entry");
    }
    put(word, Bound.LOOK_THROUGH, isNever ? Integer.valueOf(1) : number(word, value));
  }

  private void page(String word, String value) {
    if (value.equals("noestimate")) {
      // slapd never has one.
      return;
    }
    Integer number = number(word, value);
    put(word, Bound.PAGE_SIZE, number != null && number == 0 ? Integer.valueOf(UNLIMITED) : number);
  }

  /** Takes the bound for all pages together, which is {@code size.hard} unless it is named. */
  private void allPages(String word, String value) {
    boolean isNever = value.equals("disabled");
    if (isNever) {
      reasons.add(word + ": pages are possible, of one entry in all");
    }
    if (value.equals("hard")) {
      bounds.remove(Bound.PAGED_ENTRIES);
      return;
    }
    put(word, Bound.PAGED_ENTRIES, isNever ? Integer.valueOf(1) : number(word, value));
  }

  private void put(String word, Bound bound, @Nullable Integer number) {
    if (number == null) {
      return;
    }
    if (number == 0) {
      reasons.add(word + ": a bound of 0, which is 1 here");
    }
    bounds.put(bound, number == UNLIMITED ? Limit.UNLIMITED : Math.max(1, number));
  }

  private void put(Bound bound, Pair pair) {
    put(pair.name, bound, pair.largest());
    if (pair.hasTwo()) {
      reasons.add(pair.name + ".soft: there is one bound, for searches with a limit as well");
    }
  }

  /** Returns the bounds; to be asked for once. */
  Map<Bound, Integer> bounds() {
    put(Bound.ENTRIES, size);
    put(Bound.SECONDS, time);
    return bounds;
  }

  /** The reasons why they are not quite slapd's, complete after {@link #bounds()}. */
  List<String> reasons() {
    return reasons;
  }
}
