package org.nyala.migrate;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.dn.InvalidDnException;
import org.nyala.core.password.PasswordHash;
import org.nyala.core.schema.Schema;
import org.nyala.core.slapd.SlapdConfiguration;
import org.nyala.core.slapd.SlapdDatabase;
import org.nyala.core.slapd.SlapdDirective;
import org.nyala.core.slapd.SlapdSection;
import org.nyala.migrate.MigrationNote.Kind;

/**
 * The accounts that slapd names {@code rootdn}, one a database, and passwords: {@code
 * password-hash}, {@code lastbind} and the overlay {@code ppolicy}. Stateless.
 */
final class AccountDirectives {
  static final Set<String> NAMES =
      Set.of("rootdn", "rootpw", "passwordhash", "lastbind", "lastbindprecision");

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

  private static final String ACCOUNTS = "rootAccounts";
  private static final String SHARED = "as that of the other database";

  private AccountDirectives() {}

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

  static void translatePasswords(Translation translation) {
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

  /** An account of some databases. */
  private record Account(
      SlapdDirective name, Optional<Dn> dn, SlapdDirective password, List<String> suffixes) {
    boolean isNamed(SlapdDirective otherName, Optional<Dn> otherDn) {
      return dn.isPresent() ? dn.equals(otherDn) : name.value().equals(otherName.value());
    }
  }

  static void translate(Translation translation, Schema schema, MovedSuffixes suffixes) {
    List<Account> accounts = new ArrayList<>();
    translation
        .global()
        .directives("rootdn")
        .forEach(
            each ->
                translation.missing(each, "an account of no database, which has no rights here"));
    for (SlapdDatabase store : translation.stores()) {
      collect(translation, schema, store, accounts);
    }
    for (SlapdDatabase store : translation.stores()) {
      share(translation, schema, store, accounts);
    }
    accounts.removeIf(each -> isOfPart(translation, each, suffixes));
    if (accounts.size() == 1 && accounts.getFirst().suffixes().containsAll(suffixes.contexts())) {
      Account only = accounts.getFirst();
      translation.set(
          only.name(),
          "root.dn",
          ConfigurationDraft.text(only.name().value()),
          "it is root of cn=Monitor and the schema, too");
      String file = secret(translation, only, 1);
      translation.set(only.password(), "root.passwordFile", ConfigurationDraft.text(file));
    } else if (!accounts.isEmpty()) {
      several(translation, accounts);
    }
    if (!translation.draft().has("root.dn")) {
      translation.different(
          "root of everything",
          "none: access.rules alone says who reads cn=Monitor, and who changes the schema by"
              + " writing cn=Subschema. For an account that may do both, add root { dn ="
              + " \"cn=config\", passwordFile = \"FILE\" } with a line of 'nyala password' in"
              + " FILE");
    }
    for (SlapdDatabase other : translation.source().databases()) {
      if (!translation.isStore(other)) {
        other.directives("rootdn").forEach(each -> leaveOut(translation, other, each));
      }
    }
  }

  private static void leaveOut(
      Translation translation, SlapdDatabase database, SlapdDirective name) {
    boolean isOfMonitor = database.suffixes().contains(SlapdDatabase.MONITOR_SUFFIX);
    boolean logsIn =
        database.directive("rootpw").filter(each -> !each.value().isEmpty()).isPresent();
    if (isOfMonitor && logsIn) {
      translation.different(
          name,
          "this account cannot log in here: cn=Monitor is read as root.dn, or by whom access.rules"
              + " lets");
    } else {
      translation.needless(name, "the account of a database that is not moved");
    }
  }

  private static void collect(
      Translation translation, Schema schema, SlapdDatabase store, List<Account> accounts) {
    SlapdDirective name = store.directive("rootdn").orElse(null);
    SlapdDirective password = store.directive("rootpw").orElse(null);
    if (name == null
        || password == null
        || password.value().isEmpty()
        || isImpossible(translation, password)) {
      return;
    }
    Optional<Dn> dn = dn(schema, name);
    for (Account each : accounts) {
      if (each.isNamed(name, dn) && each.password().value().equals(password.value())) {
        translation.translated(name, SHARED);
        translation.translated(password, SHARED);
        each.suffixes().addAll(store.suffixes());
        return;
      }
    }
    accounts.add(new Account(name, dn, password, new ArrayList<>(store.suffixes())));
  }

  private static boolean isImpossible(Translation translation, SlapdDirective password) {
    if (password.value().chars().anyMatch(each -> each < ' ')) {
      translation.missing(
          password, "a password with control characters, which no file of passwords can have");
      return true;
    }
    if (!PasswordHash.parse(password.value().getBytes(UTF_8)).isUsable()) {
      translation.missing(
          password,
          "a password of a scheme that is not known, or malformed: set root.dn and"
              + " root.passwordFile");
      return true;
    }
    return false;
  }

  private static Optional<Dn> dn(Schema schema, SlapdDirective name) {
    try {
      return Optional.of(DnParser.parse(schema, name.value()));
    } catch (InvalidDnException _) {
      return Optional.empty(); // The check of the configuration tells.
    }
  }

  /* One of several databases has the entry, and so the password, of an account that all name. */
  private static void share(
      Translation translation, Schema schema, SlapdDatabase store, List<Account> accounts) {
    SlapdDirective name = store.directive("rootdn").orElse(null);
    boolean hasPassword =
        store.directive("rootpw").filter(each -> !each.value().isEmpty()).isPresent();
    if (name == null || hasPassword) {
      return;
    }
    Optional<Dn> dn = dn(schema, name);
    for (Account each : accounts) {
      if (each.isNamed(name, dn)) {
        translation.translated(name, SHARED);
        each.suffixes().addAll(store.suffixes());
        return;
      }
    }
    translation.missing(
        name,
        "'"
            + name.value()
            + "' has no rootpw: it stays an entry without rights of its own; give it"
            + " root.dn and root.passwordFile, or rules in access.rules");
  }

  /* An account is root of whole naming contexts. */
  private static boolean isOfPart(
      Translation translation, Account account, MovedSuffixes suffixes) {
    List<String> before = List.copyOf(account.suffixes());
    account.suffixes().removeIf(suffixes::isPart);
    if (account.suffixes().isEmpty()) {
      for (SlapdDirective each : List.of(account.name(), account.password())) {
        translation.missing(
            each, "root of a part of a naming context: give it rights in access.rules");
      }
    }
    for (String context : account.suffixes()) {
      for (String part : suffixes.partsOf(context)) {
        if (!before.contains(part)) {
          translation.different(account.name(), "root below " + part + ", too");
        }
      }
    }
    return account.suffixes().isEmpty();
  }

  private static void several(Translation translation, List<Account> accounts) {
    List<Map<String, Object>> objects = new ArrayList<>();
    for (Account account : accounts) {
      Map<String, Object> members = new LinkedHashMap<>();
      members.put("dn", account.name().value());
      members.put("passwordFile", secret(translation, account, objects.size() + 1));
      members.put("suffixes", account.suffixes());
      objects.add(members);
      translation.translated(account.name(), ACCOUNTS + ", root within its suffixes alone");
      translation.translated(account.password(), ACCOUNTS + ", in a file of its own");
    }
    translation.set(
        ACCOUNTS,
        ConfigurationDraft.value(objects),
        "Each is root within its suffixes alone. cn=Monitor and the schema take root.dn.");
  }

  /* Beside the configuration, for that is read by more people. */
  private static String secret(Translation translation, Account account, int number) {
    String file = number == 1 ? "root-password" : "root-password-" + number;
    translation.secrets().put(file, account.password().value() + "\n");
    return Migration.FOLDER + file;
  }
}
