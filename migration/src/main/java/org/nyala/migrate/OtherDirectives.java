package org.nyala.migrate;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.nyala.core.slapd.SlapdDatabase;
import org.nyala.core.slapd.SlapdDirective;
import org.nyala.core.slapd.SlapdSection;

/** Naming contexts, server numbers, logs, and databases of other kinds. Stateless. */
final class OtherDirectives {
  static final Set<String> NAMES = Set.of("attributeoptions", "serverid", "loglevel", "readonly");

  /** The overlays that are translated. */
  static final Set<String> KINDS = Set.of("auditlog", "dds");

  private static final List<String> DEFAULT_OPTIONS = List.of("lang-");
  private static final int SERVER_IDS = 4096;
  private static final long STATS = 256;

  /** The other words for a level of the log with that bit. */
  private static final Set<String> ALL_STATS = Set.of("stats", "any", "-1");

  /** The keys of {@code dds} by their directives. */
  private static final Map<String, String> DYNAMIC =
      Map.of(
          "ddsmaxttl", "maximumTtlSeconds",
          "ddsminttl", "minimumTtlSeconds",
          "ddsdefaultttl", "defaultTtlSeconds",
          "ddsinterval", "checkIntervalSeconds",
          "ddsmaxdynamicobjects", "entries");

  private OtherDirectives() {}

  static void translate(Translation translation, MovedSuffixes suffixes) {
    suffixes(translation, suffixes);
    others(translation);
    serverId(translation);
    options(translation);
    readOnly(translation);
    for (SlapdDirective each : translation.global().directives("loglevel")) {
      log(translation, each);
    }
    for (SlapdSection overlay : translation.overlays("auditlog")) {
      translation.set("log.audit.enabled", "true", "overlay auditlog");
      translation.translated(overlay, "log.audit.enabled = true");
    }
    translation.overlays("dds").forEach(overlay -> dynamic(translation, overlay));
  }

  /** Returns suffixes as messages have them; the empty one in quotes. */
  static String shown(List<String> suffixes) {
    return suffixes.stream()
        .map(suffix -> suffix.isEmpty() ? "''" : suffix)
        .collect(Collectors.joining(" and "));
  }

  private static void suffixes(Translation translation, MovedSuffixes suffixes) {
    for (SlapdDatabase store : translation.stores()) {
      boolean isPart = store.suffixes().stream().allMatch(suffixes::isPart);
      store.directives("suffix").forEach(each -> suffix(translation, each, isPart));
      if (isPart) {
        store
            .directives("subordinate")
            .forEach(
                each ->
                    translation.different(
                        each,
                        "both databases are served as one naming context: one contextCSN, and"
                            + " copies take them together"));
      }
    }
    translation.set(
        "suffixes",
        ConfigurationDraft.list(suffixes.contexts()),
        "Those of all databases, in one store.");
  }

  private static void suffix(Translation translation, SlapdDirective directive, boolean isPart) {
    if (isPart) {
      translation.different(
          directive, "part of the naming context above it: searches there find its entries, too");
    } else {
      translation.translated(directive, "suffixes");
    }
  }

  private static String monitor(Translation translation, SlapdDatabase database) {
    if (!database.access().isEmpty()) {
      return "cn=Monitor is always there, for root.dn and whom the rules of this database let read"
          + " it; nobody changes it";
    }
    boolean isOpen = translation.global().access().isEmpty();
    return "cn=Monitor is always there, for root.dn alone; slapd lets "
        + (isOpen ? "everybody read it" : "those read it whom the rules of all databases let")
        + ": for others than root, add a rule to subtree \"cn=Monitor\" to access.rules, or let"
        + " programs read management.http";
  }

  private static void others(Translation translation) {
    for (SlapdDatabase database : translation.source().databases()) {
      switch (database.kind()) {
        case "monitor" -> translation.different(database, monitor(translation, database));
        case SlapdDatabase.CONFIG ->
            translation.different(
                database, "the configuration is a file, which 'nyala reload' reads again");
        default -> {
          if (!translation.isStore(database)) {
            translation.missing(
                database,
                (database.isDisabled() ? "it is disabled: " : "")
                    + (database.suffixes().isEmpty()
                        ? "its entries"
                        : "entries below " + shown(database.suffixes()))
                    + " are not there: noSuchObject (32)");
          }
        }
      }
    }
  }

  /* Another than those of slapd: both write their numbers into the data while one follows the other. */
  private static void serverId(Translation translation) {
    Set<Integer> taken = new TreeSet<>(translation.taken());
    taken.add(0);
    for (SlapdDirective each : translation.global().directives("serverid")) {
      String text = each.words().isEmpty() ? "" : each.words().getFirst();
      OptionalLong number = number(text);
      number.ifPresent(found -> taken.add((int) found));
      translation.different(
          each, "serverId is another number, as both servers write theirs into data");
    }
    int free = 1;
    while (taken.contains(free) && free < SERVER_IDS - 1) {
      free++;
    }
    translation.set(
        "serverId", Integer.toString(free), "One that no server of this directory has.");
  }

  private static OptionalLong number(String text) {
    return text.matches("0[xX][0-9a-fA-F]{1,8}")
        ? OptionalLong.of(Long.parseLong(text.substring(2), 16))
        : LimitDirectives.number(text);
  }

  private static void options(Translation translation) {
    for (SlapdDirective each : translation.global().directives("attributeoptions")) {
      if (each.words().equals(DEFAULT_OPTIONS)) {
        translation.needless(each, "the default");
      } else {
        translation.set(each, "attributeOptions", ConfigurationDraft.list(each.words()));
      }
    }
  }

  private static void readOnly(Translation translation) {
    List<SlapdDirective> all = new ArrayList<>();
    List<SlapdDatabase> stores = translation.stores();
    for (SlapdDatabase store : stores) {
      store.directive("readonly").filter(SlapdDirective::isOn).ifPresent(all::add);
    }
    List<SlapdDirective> global =
        translation.global().directives("readonly").stream().filter(SlapdDirective::isOn).toList();
    if (!global.isEmpty() || !all.isEmpty() && all.size() == stores.size()) {
      all.addAll(global);
      translation.set(all.getFirst(), "readOnly", "true");
    } else {
      all.forEach(
          each ->
              translation.missing(
                  each,
                  "changes are accepted there: take the rights to write away in access.rules"));
    }
  }

  private static void log(Translation translation, SlapdDirective directive) {
    boolean isStats = false;
    for (String word : directive.words()) {
      OptionalLong number = number(word);
      boolean hasBit = number.isPresent() && (number.getAsLong() & STATS) != 0;
      isStats |= hasBit || ALL_STATS.contains(word.toLowerCase(Locale.ROOT));
    }
    if (isStats) {
      translation.set(directive, "log.access.format", "stats");
    } else {
      translation.needless(directive, "the server logs to run/nyala.log and the security log");
    }
  }

  private static void dynamic(Translation translation, SlapdSection overlay) {
    translation.set("dynamicEntries.enabled", "true", "overlay dds");
    translation.translated(overlay, "dynamicEntries.enabled = true");
    for (SlapdDirective each : overlay.directives()) {
      String key = DYNAMIC.get(each.name());
      OptionalLong seconds = seconds(each);
      boolean isBound = seconds.orElse(0) > 0 || each.name().equals("ddsminttl");
      if (key != null && seconds.isPresent() && !isBound) {
        translation.needless(each, "dynamicEntries." + key + " stays as it is");
      } else if (key != null && seconds.isPresent()) {
        translation.set(each, "dynamicEntries." + key, Long.toString(seconds.getAsLong()));
      } else if (!each.name().equals("ddsstate")) {
        translation.missing(each, "see dynamicEntries");
      }
    }
  }

  /* In the unit that a letter behind a number names. */
  private static OptionalLong seconds(SlapdDirective directive) {
    String text = String.join("", directive.words());
    if (!text.matches("[0-9]{1,9}[smhd]?")) {
      return OptionalLong.empty();
    }
    long factor =
        switch (text.charAt(text.length() - 1)) {
          case 'm' -> 60;
          case 'h' -> 3_600;
          case 'd' -> 86_400;
          default -> 1;
        };
    return OptionalLong.of(Long.parseLong(text.replaceAll("[smhd]", "")) * factor);
  }
}
