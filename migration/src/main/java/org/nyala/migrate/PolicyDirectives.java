package org.nyala.migrate;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.nyala.core.slapd.SlapdConfiguration;
import org.nyala.core.slapd.SlapdDatabase;
import org.nyala.core.slapd.SlapdDirective;
import org.nyala.core.slapd.SlapdSection;
import org.nyala.migrate.MigrationNote.Kind;

/**
 * Passwords: {@code password-hash}, {@code lastbind} and the overlay {@code ppolicy}. Stateless.
 */
final class PolicyDirectives {
  static final Set<String> NAMES = Set.of("passwordhash", "lastbind", "lastbindprecision");

  private static final String POLICY = "ppolicy";

  /** The overlays that are translated. */
  static final Set<String> KINDS = Set.of(POLICY, "lastbind");

  private static final String SCHEME = "password.scheme";
  private static final String DEFAULT = "passwordPolicy.default";
  private static final String NETSCAPE = "passwordPolicy.netscapeControls";
  private static final String NOTE_CHANGE = "passwordPolicy.alwaysNoteChange";
  private static final String LAST_BIND = "passwordPolicy.lastBind";

  /** The most seconds of the precision. */
  private static final long YEAR = 31_536_000;

  /** The schemes of slapd that are also written here. */
  private static final Set<String> SCHEMES =
      Set.of("SSHA", "SSHA256", "SSHA384", "SSHA512", "ARGON2", "PBKDF2-SHA256", "PBKDF2-SHA512");

  /** The schemes that slapd checks with a module, by a word of the module's name. */
  private static final Map<String, Set<String>> BY_MODULE =
      Map.of(
          "sha2",
          Set.of("SHA256", "SSHA256", "SHA384", "SSHA384", "SHA512", "SSHA512"),
          "argon2",
          Set.of("ARGON2"),
          "pbkdf2",
          Set.of("PBKDF2", "PBKDF2-SHA1", "PBKDF2-SHA256", "PBKDF2-SHA512"),
          "bcrypt",
          Set.of("BCRYPT"),
          "scram",
          Set.of("SCRAM-SHA-256", "SCRAM-SHA-512"));

  private PolicyDirectives() {}

  /** Returns the schemes whose modules a configuration does not load. */
  static Set<String> newSchemes(SlapdConfiguration source) {
    Set<String> schemes = new TreeSet<>();
    List<SlapdDirective> loaded = source.global().directives("moduleload");
    BY_MODULE.forEach(
        (module, names) -> {
          if (loaded.stream()
              .noneMatch(each -> each.value().toLowerCase(Locale.ROOT).contains(module))) {
            schemes.addAll(names);
          }
        });
    return schemes;
  }

  static void translate(Translation translation) {
    List<SlapdDirective> hashes = translation.global().directives("passwordhash");
    hashes.forEach(each -> scheme(translation, each));
    if (hashes.isEmpty()) {
      translation.different(
          "password-hash",
          "new passwords are stored as ARGON2, those of logins too; slapd reads them with its"
              + " module argon2, or set "
              + SCHEME
              + " = SSHA until there is no way back");
    }
    lastBind(translation);
    policies(translation);
  }

  private static void scheme(Translation translation, SlapdDirective directive) {
    for (String word : directive.words()) {
      String name = word.replace("{", "").replace("}", "").toUpperCase(Locale.ROOT);
      if (SCHEMES.contains(name)) {
        translation.set(directive, SCHEME, name);
        return;
      }
    }
    translation.different(
        directive, SCHEME + " stays ARGON2: slapd reads it with its module argon2");
  }

  private static void lastBind(Translation translation) {
    translation.sections().stream()
        .flatMap(section -> section.directives("lastbind").stream())
        .filter(SlapdDirective::isOn)
        .findFirst()
        .ifPresent(each -> translation.set(each, LAST_BIND, "true"));
    for (SlapdSection overlay : translation.overlays("lastbind")) {
      translation.set(LAST_BIND, "true", "overlay lastbind");
      translation.different(
          overlay, LAST_BIND + ": the time is in pwdLastSuccess, not in authTimestamp");
    }
    List<SlapdSection> sections = new ArrayList<>(translation.stores());
    sections.addAll(translation.overlays("lastbind"));
    sections.forEach(section -> precision(translation, section));
  }

  private static void precision(Translation translation, SlapdSection section) {
    for (SlapdDirective each : section.directives("lastbindprecision")) {
      LimitDirectives.number(each.value())
          .ifPresent(
              seconds ->
                  LimitDirectives.bounded(
                      translation, each, LAST_BIND + "PrecisionSeconds", seconds, 0, YEAR));
    }
  }

  private static void policies(Translation translation) {
    Map<String, String> defaults = new LinkedHashMap<>();
    for (SlapdDatabase store : translation.stores()) {
      List<SlapdSection> above =
          new ArrayList<>(Translation.overlays(translation.global(), POLICY));
      above.addAll(Translation.overlays(store, POLICY));
      above.stream()
          .flatMap(overlay -> overlay.directive("ppolicydefault").stream())
          .forEach(each -> store.suffixes().forEach(suffix -> defaults.put(suffix, each.value())));
    }
    List<SlapdSection> overlays = translation.overlays(POLICY);
    if (!overlays.isEmpty()) {
      translation.set(NETSCAPE, "false", "As slapd's ppolicy unless told otherwise.");
      translation.set(NOTE_CHANGE, "true", "overlay ppolicy");
    }
    overlays.forEach(overlay -> overlay.directives().forEach(each -> policy(translation, each)));
    overlays.forEach(
        overlay ->
            translation.different(
                overlay,
                "policies and the state of accounts are taken over, for all naming contexts;"
                    + " lengths are in characters, administrators need manage on userPassword, and"
                    + " entries whose policy does not exist have the default one"));
    write(translation, defaults);
  }

  private static void policy(Translation translation, SlapdDirective directive) {
    switch (directive.name()) {
      case "ppolicydefault" -> translation.translated(directive, DEFAULT);
      case "ppolicyhashcleartext" -> {
        if (!directive.isOff()) {
          translation.set(directive, "password.hashClearText", "true");
        }
      }
      case "ppolicyuselockout" -> {
        if (!directive.isOff()) {
          translation.set(directive, "passwordPolicy.tellLocked", "true");
        }
      }
      case "ppolicysendnetscapecontrols" ->
          translation.set(directive, NETSCAPE, Boolean.toString(directive.isOn()));
      case "ppolicycheckmodule" ->
          translation.missing(
              directive,
              "the module is not loaded; policies with pwdUseCheckModule have the server's own"
                  + " checks (passwordPolicy.minimumGuessBits)");
      default ->
          translation.note(
              directive.isOff() ? Kind.NEEDLESS : Kind.MISSING,
              directive,
              "the state of accounts is always kept in the entries");
    }
  }

  private static void write(Translation translation, Map<String, String> defaults) {
    ConfigurationDraft draft = translation.draft();
    List<String> distinct = defaults.values().stream().distinct().toList();
    long suffixes = translation.stores().stream().mapToLong(store -> store.suffixes().size()).sum();
    if (distinct.size() == 1 && defaults.size() == suffixes) {
      draft.set(DEFAULT, ConfigurationDraft.text(distinct.getFirst()), "overlay ppolicy");
    } else if (!defaults.isEmpty()) {
      List<Map<String, String>> rules = new ArrayList<>();
      defaults.forEach(
          (suffix, policy) -> {
            Map<String, String> rule = new LinkedHashMap<>();
            rule.put("subtree", suffix);
            rule.put("policy", policy);
            rules.add(rule);
          });
      draft.set("passwordPolicy.rules", ConfigurationDraft.value(rules), "overlay ppolicy");
    }
  }
}
