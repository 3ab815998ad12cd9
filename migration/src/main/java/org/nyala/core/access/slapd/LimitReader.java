package org.nyala.core.access.slapd;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.rule.Condition;
import org.nyala.core.access.rule.Condition.Plain;
import org.nyala.core.access.rule.DnPattern;
import org.nyala.core.access.rule.Group;
import org.nyala.core.access.rule.LimitStatement;
import org.nyala.core.access.rule.Place;
import org.nyala.core.access.rule.Scope;
import org.nyala.core.dn.Dn;
import org.nyala.core.rights.Limit;
import org.nyala.core.rights.Limit.Bound;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.ObjectClass;
import org.nyala.core.slapd.SlapdDirective;

/**
 * Reads limits of slapd: {@code limits WHO size.soft=...}.
 *
 * <p>Confined to one thread.
 */
final class LimitReader {
  private final Wording wording;
  private final SlapdDirective directive;
  private final List<String> reasons = new ArrayList<>();

  LimitReader(Wording wording, SlapdDirective directive) {
    this.wording = wording;
    this.directive = directive;
  }

  /** Returns the limit; null if there is none to say. */
  @Nullable LimitStatement read() {
    WordCursor words = new WordCursor(directive.words());
    List<Condition> who = who(words.next());
    LimitBounds read = new LimitBounds();
    while (words.hasNext()) {
      read.take(words.next());
    }
    Map<Bound, Integer> bounds = read.bounds();
    reasons.addAll(read.reasons());
    if (who == null || bounds.isEmpty()) {
      return null;
    }
    LimitStatement limit = new LimitStatement(who, bounds, directive.source());
    String refusal = wording.refusal(limit);
    if (refusal != null) {
      reasons.add(refusal);
    }
    return refusal == null ? limit : null;
  }

  /** The reasons why the limit is not quite slapd's, complete after {@link #read()}. */
  List<String> reasons() {
    return reasons;
  }

  private @Nullable List<Condition> who(String word) {
    return switch (word.toLowerCase(Locale.ROOT)) {
      case "*" -> List.of();
      case "anonymous" -> List.of(Plain.ANONYMOUS);
      case "users" -> List.of(Plain.USERS);
      default -> {
        WhoWord parts = WhoWord.of(word.replaceFirst("(?i)^dn[.]self([.=])", "dn$1"));
        Condition condition = parts.name().equals("dn") ? name(parts) : group(parts);
        boolean isAll = parts.text().equals("*") || parts.text().equals(".*");
        if (condition == null && !(isAll && parts.name().equals("dn"))) {
          reasons.add(word + ": users who cannot be said; the limit was left out");
          yield null;
        }
        yield condition == null ? List.of() : List.of(condition);
      }
    };
  }

  private @Nullable Condition name(WhoWord word) {
    return switch (word.style()) {
      case WhoWord.BASE -> named(Scope.ENTRY, word.text());
      case "one" -> named(Scope.DIRECTLY_BELOW, word.text());
      case "subtree" -> named(Scope.SUBTREE, word.text());
      case "children" -> named(Scope.BELOW, word.text());
      case "anonymous" -> Plain.ANONYMOUS;
      case "regex" -> {
        UserPattern users = NameExpression.ofLimit(wording, word.text());
        Place place = users.reasons().isEmpty() ? users.narrow() : null;
        if (place == null) {
          yield null;
        }
        for (String reason : users.allReasons()) {
          reasons.add(word.text() + ": " + reason + ", which have no limit here");
        }
        yield new Condition.Named(place);
      }
      default -> null;
    };
  }

  private @Nullable Condition named(Scope scope, String text) {
    Dn name = wording.name(text);
    return name == null || name.rdnCount() == 0
        ? null
        : new Condition.Named(new Place(scope, DnPattern.of(name)));
  }

  private @Nullable Condition group(WhoWord word) {
    String[] parts = word.key().split("/", -1);
    ObjectClass objectClass =
        wording.schema().objectClass(parts.length > 1 ? parts[1] : "groupOfNames");
    AttributeType member = wording.schema().attributeType(parts.length > 2 ? parts[2] : "member");
    Dn name = wording.name(word.text());
    boolean isGroup = parts[0].equals("group") && name != null && name.rdnCount() > 0;
    if (!isGroup || name == null || objectClass == null || member == null) {
      return null;
    }
    return new Condition.InGroup(new Group(DnPattern.of(name), false, objectClass, member));
  }

  /**
   * The bounds of a limit of slapd.
   *
   * <p>Confined to one thread.
   */
  private static final class LimitBounds {
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
      put(
          word,
          Bound.PAGE_SIZE,
          number != null && number == 0 ? Integer.valueOf(UNLIMITED) : number);
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
}
