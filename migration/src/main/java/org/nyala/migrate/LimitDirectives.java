package org.nyala.migrate;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.nyala.core.slapd.SlapdDatabase;
import org.nyala.core.slapd.SlapdDirective;
import org.nyala.migrate.MigrationNote.Kind;

/**
 * The directives that bound what clients get: {@code sizelimit}, {@code timelimit}, {@code
 * idletimeout} and others. Stateless.
 */
final class LimitDirectives {
  static final Set<String> NAMES =
      Set.of(
          "sizelimit",
          "timelimit",
          "idletimeout",
          "writetimeout",
          "connmaxpending",
          "connmaxpendingauth",
          "sockbufmaxincoming",
          "sockbufmaxincomingauth",
          "maxfilterdepth",
          "maxderefdepth");

  /** The limits of slapd without a directive ({@code SLAPD_DEFAULT_SIZELIMIT} and others). */
  private static final long DEFAULT_SIZE = 500;

  private static final long DEFAULT_TIME = 3_600;
  private static final String SIZE = "limits.sizeLimit";
  private static final String TIME = "limits.timeLimitSeconds";
  private static final String LOOK_THROUGH = "limits.lookThroughLimit";

  /** Words about searches by pages that say what is so anyway. */
  private static final Set<String> PAGES =
      Set.of("size.pr=noestimate", "size.pr=unlimited", "size.prtotal=hard");

  /** Values that slapd has without a directive, and writes into cn=config. */
  private static final Map<String, Set<String>> DEFAULTS =
      Map.of(
          "connmaxpending", Set.of("100"),
          "connmaxpendingauth", Set.of("1000"),
          "sockbufmaxincoming", Set.of("262143"),
          "sockbufmaxincomingauth", Set.of("4194303", "16777215"),
          "idletimeout", Set.of("0"),
          "writetimeout", Set.of("0"));

  private static final int MOST_DIGITS = 18;
  private static final long GREATEST = 999_999_999_999_999_999L;
  private static final String DEFAULT_FILTER_DEPTH = "1000";
  private static final long DEFAULT_ALIAS_DEPTH = 15;
  private static final String DEFERRED = "limits.deferredPerConnection";
  private static final String ANONYMOUS = "limits.pduLimitAnonymousBytes";
  private static final String BOUND = "limits.pduLimitBoundBytes";

  /** The bounds of the keys. */
  private static final long MANY = 1_000_000_000;

  private static final long DAY_SECONDS = 86_400;
  private static final long MOST_DEFERRED = 65_536;
  private static final long LEAST_BYTES = 1_024;
  private static final long MOST_ALIASES = 1_024;

  /** The defaults of the keys for requests. */
  private static final long DEFAULT_ANONYMOUS_BYTES = 64 << 10;

  private static final long DEFAULT_BOUND_BYTES = 16 << 20;

  private LimitDirectives() {}

  static void translate(Translation translation) {
    limit(translation, "sizelimit", "size", SIZE, DEFAULT_SIZE);
    limit(translation, "timelimit", "time", TIME, DEFAULT_TIME);
    number(translation, "idletimeout", "limits.idleTimeoutSeconds", 1, DAY_SECONDS);
    number(translation, "writetimeout", "limits.writeStallTimeoutSeconds", 1, DAY_SECONDS);
    // One key is for all clients: the greater one of slapd decides.
    if (number(translation, "connmaxpendingauth", DEFERRED, 1, MOST_DEFERRED).isEmpty()) {
      number(translation, "connmaxpending", DEFERRED, 1, MOST_DEFERRED);
    }
    requests(translation);
    filterDepth(translation);
    aliasDepth(translation);
  }

  /** Sets one limit for all databases: the largest of theirs, 0 being none. */
  private static void limit(
      Translation translation, String name, String word, String key, long otherwise) {
    List<Long> all =
        translation.stores().stream()
            .map(store -> translation.effective(store, name, d -> limit(d, word), otherwise))
            .distinct()
            .toList();
    long largest =
        all.contains(0L) ? 0 : all.stream().mapToLong(each -> each).max().orElse(otherwise);
    Optional<SlapdDirective> directive = last(translation, name);
    if (directive.isEmpty()) {
      translation.set(key, Long.toString(largest), "slapd's limit without " + name + ".");
      translation.note(Kind.TRANSLATED, name, key + " = " + largest + ", which is slapd's default");
    } else if (all.size() > 1) {
      translation.set(
          directive.get(),
          key,
          Long.toString(largest),
          "the largest of those of the databases, for all of them; access rules have limits by"
              + " identity");
    } else if (differs(directive.get(), word)) {
      translation.set(
          directive.get(), key, Long.toString(largest), "also for clients that ask for no limit");
    } else {
      translation.set(directive.get(), key, Long.toString(largest));
    }
    directive.ifPresent(each -> others(translation, each));
  }

  /* In slapd, the soft limit is that of clients that ask for none. */
  private static boolean differs(SlapdDirective directive, String word) {
    Optional<Long> soft = part(directive, word, false);
    Optional<Long> hard = part(directive, word, true);
    return hard.isPresent() && soft.isPresent() && !soft.equals(hard);
  }

  /* Words beside the soft and the hard limit. */
  private static void others(Translation translation, SlapdDirective directive) {
    for (String each : directive.words()) {
      String small = each.toLowerCase(Locale.ROOT);
      if (small.startsWith("size.unchecked=")) {
        OptionalLong number = number(small.substring(small.indexOf('=') + 1));
        if (number.orElse(0) > 0) {
          bounded(translation, directive, LOOK_THROUGH, number.getAsLong(), 1, MANY);
        }
      } else if (small.startsWith("size.pr") && !PAGES.contains(small)) {
        translation.missing(directive, each + ": searches by pages have the limits of others");
      }
    }
  }

  private static Optional<SlapdDirective> last(Translation translation, String name) {
    Optional<SlapdDirective> found = translation.global().directive(name);
    for (SlapdDatabase store : translation.stores()) {
      found = store.directive(name).or(() -> translation.global().directive(name));
      if (found.isPresent()) {
        return found;
      }
    }
    return found;
  }

  /* The hard limit bounds what clients may ask for; without one, the soft one does. */
  private static Optional<Long> limit(SlapdDirective directive, String word) {
    return part(directive, word, true).or(() -> part(directive, word, false));
  }

  private static Optional<Long> part(SlapdDirective directive, String word, boolean isHard) {
    Optional<Long> found = Optional.empty();
    for (String each : directive.words()) {
      String text = each.toLowerCase(Locale.ROOT);
      String value = text.substring(text.indexOf('=') + 1);
      if (isHard && text.startsWith(word + ".hard=")) {
        found = value.equals("soft") || value.equals("0") ? Optional.empty() : asLimit(value);
      } else if (!isHard && (text.startsWith(word + ".soft=") || !text.contains("."))) {
        found = asLimit(value);
      }
    }
    return found;
  }

  private static Optional<Long> asLimit(String value) {
    if (value.equals("unlimited") || value.equals("none") || value.equals("-1")) {
      return Optional.of(0L);
    }
    // 0 is no entry at all in slapd, but no limit here.
    OptionalLong number = number(value);
    return number.isPresent()
        ? Optional.of(Math.clamp(number.getAsLong(), 1, MANY))
        : Optional.empty();
  }

  /* Returns what it has set; nothing if the default stays. */
  private static OptionalLong number(
      Translation translation, String name, String key, long least, long most) {
    OptionalLong inForce = OptionalLong.empty();
    for (SlapdDirective directive : translation.global().directives(name)) {
      OptionalLong number = number(directive.value());
      boolean isDefault = DEFAULTS.getOrDefault(name, Set.of()).contains(directive.value());
      if (number.isPresent() && number.getAsLong() > 0 && !isDefault) {
        inForce =
            OptionalLong.of(bounded(translation, directive, key, number.getAsLong(), least, most));
      } else {
        translation.needless(directive, key + " stays as it is");
      }
    }
    return inForce;
  }

  /** Sets a key to a number, or to the one next to it that the key can have. */
  static long bounded(
      Translation translation,
      SlapdDirective directive,
      String key,
      long wanted,
      long least,
      long most) {
    long possible = Math.clamp(wanted, least, most);
    if (possible == wanted) {
      translation.set(directive, key, Long.toString(wanted));
    } else {
      String bound = possible < wanted ? "the most" : "the least";
      translation.set(
          directive, key, Long.toString(possible), bound + " that is possible, for " + wanted);
    }
    return possible;
  }

  private static void requests(Translation translation) {
    long anonymous =
        number(translation, "sockbufmaxincoming", ANONYMOUS, LEAST_BYTES, MANY)
            .orElse(DEFAULT_ANONYMOUS_BYTES);
    long bound =
        number(translation, "sockbufmaxincomingauth", BOUND, LEAST_BYTES, MANY)
            .orElse(DEFAULT_BOUND_BYTES);
    if (bound < anonymous) {
      translation.set(
          BOUND, Long.toString(anonymous), "Not less than for clients that have not bound.");
    }
  }

  private static void filterDepth(Translation translation) {
    for (SlapdDirective directive : translation.global().directives("maxfilterdepth")) {
      translation.note(
          directive.value().equals(DEFAULT_FILTER_DEPTH) ? Kind.NEEDLESS : Kind.DIFFERENT,
          directive,
          "limits.filterDepth stays as it is, 64: deeper filters are mistakes or attacks");
    }
  }

  private static void aliasDepth(Translation translation) {
    long deepest = 0;
    SlapdDirective directive = null;
    for (SlapdDatabase store : translation.stores()) {
      for (SlapdDirective each : store.directives("maxderefdepth")) {
        OptionalLong number = number(each.value());
        if (number.isPresent() && number.getAsLong() > deepest) {
          deepest = number.getAsLong();
          directive = each;
        }
      }
    }
    if (directive != null && deepest != DEFAULT_ALIAS_DEPTH) {
      bounded(translation, directive, "limits.aliasDepth", deepest, 1, MOST_ALIASES);
    }
  }

  /** Returns a number; one of more than 18 digits is the greatest of those. */
  static OptionalLong number(String text) {
    if (!text.matches("[0-9]+")) {
      return OptionalLong.empty();
    }
    return OptionalLong.of(text.length() > MOST_DIGITS ? GREATEST : Long.parseLong(text));
  }
}
