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
          "sockbufmaxincoming",
          "sockbufmaxincomingauth",
          "maxfilterdepth",
          "maxderefdepth");

  /** The limits of slapd without a directive ({@code SLAPD_DEFAULT_SIZELIMIT} and others). */
  private static final long DEFAULT_SIZE = 500;

  private static final long DEFAULT_TIME = 3_600;
  private static final String SIZE = "limits.sizeLimit";
  private static final String TIME = "limits.timeLimitSeconds";

  /** Values that slapd has without a directive, and writes into cn=config. */
  private static final Map<String, Set<String>> DEFAULTS =
      Map.of(
          "connmaxpending", Set.of("100"),
          "sockbufmaxincoming", Set.of("262143"),
          "sockbufmaxincomingauth", Set.of("4194303", "16777215"),
          "idletimeout", Set.of("0"),
          "writetimeout", Set.of("0"));

  private static final String DEFAULT_FILTER_DEPTH = "1000";
  private static final long DEFAULT_ALIAS_DEPTH = 15;

  private LimitDirectives() {}

  static void translate(Translation translation) {
    limit(translation, "sizelimit", "size", SIZE, DEFAULT_SIZE);
    limit(translation, "timelimit", "time", TIME, DEFAULT_TIME);
    number(translation, "idletimeout", "limits.idleTimeoutSeconds", 0);
    number(translation, "writetimeout", "limits.writeStallTimeoutSeconds", 1);
    number(translation, "connmaxpending", "limits.deferredPerConnection", 1);
    number(translation, "sockbufmaxincoming", "limits.pduLimitAnonymousBytes", 1);
    number(translation, "sockbufmaxincomingauth", "limits.pduLimitBoundBytes", 1);
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
      translation.draft().set(key, Long.toString(largest), "slapd's limit without " + name + ".");
      translation.note(Kind.TRANSLATED, name, key + " = " + largest + ", which is slapd's default");
    } else if (all.size() > 1) {
      translation.set(
          directive.get(),
          key,
          Long.toString(largest),
          "the largest of those of the databases, for all of them; access rules have limits by"
              + " identity");
    } else {
      translation.set(directive.get(), key, Long.toString(largest));
    }
    unchecked(translation, directive);
  }

  private static void unchecked(Translation translation, Optional<SlapdDirective> directive) {
    for (String each : directive.map(SlapdDirective::words).orElse(List.of())) {
      OptionalLong number = OptionalLong.empty();
      if (each.toLowerCase(Locale.ROOT).startsWith("size.unchecked=")) {
        number = number(each.substring(each.indexOf('=') + 1));
      }
      if (number.isPresent() && number.getAsLong() > 0) {
        translation.set(
            directive.orElseThrow(), "limits.lookThroughLimit", Long.toString(number.getAsLong()));
      }
    }
  }

  private static Optional<SlapdDirective> last(Translation translation, String name) {
    Optional<SlapdDirective> found = translation.source().global().directive(name);
    for (SlapdDatabase store : translation.stores()) {
      found = store.directive(name).or(() -> translation.source().global().directive(name));
      if (found.isPresent()) {
        return found;
      }
    }
    return found;
  }

  /* The hard limit bounds what clients may ask for; without one, the soft one does. */
  private static Optional<Long> limit(SlapdDirective directive, String word) {
    Optional<Long> soft = Optional.empty();
    Optional<Long> hard = Optional.empty();
    for (String each : directive.words()) {
      String text = each.toLowerCase(Locale.ROOT);
      String value = text.substring(text.indexOf('=') + 1);
      if (text.startsWith(word + ".hard=")) {
        hard = value.equals("soft") || value.equals("0") ? Optional.empty() : asLimit(value);
      } else if (text.startsWith(word + ".soft=") || !text.contains(".")) {
        soft = asLimit(value);
      }
    }
    return hard.isPresent() ? hard : soft;
  }

  private static Optional<Long> asLimit(String value) {
    if (value.equals("unlimited") || value.equals("none") || value.equals("-1")) {
      return Optional.of(0L);
    }
    // 0 is no entry at all in slapd, but no limit here.
    OptionalLong number = number(value);
    return number.isPresent() ? Optional.of(Math.max(1, number.getAsLong())) : Optional.empty();
  }

  private static void number(Translation translation, String name, String key, long least) {
    for (SlapdDirective directive : translation.source().global().directives(name)) {
      OptionalLong number = number(directive.value());
      boolean isDefault = DEFAULTS.getOrDefault(name, Set.of()).contains(directive.value());
      if (number.isPresent() && number.getAsLong() >= least && !isDefault) {
        translation.set(directive, key, Long.toString(number.getAsLong()));
      } else {
        translation.note(Kind.NEEDLESS, directive, key + " stays as it is");
      }
    }
  }

  private static void filterDepth(Translation translation) {
    for (SlapdDirective directive : translation.source().global().directives("maxfilterdepth")) {
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
      translation.set(directive, "limits.aliasDepth", Long.toString(deepest));
    }
  }

  /** Returns a number of up to nine digits. */
  static OptionalLong number(String text) {
    return text.matches("[0-9]{1,9}")
        ? OptionalLong.of(Long.parseLong(text))
        : OptionalLong.empty();
  }
}
