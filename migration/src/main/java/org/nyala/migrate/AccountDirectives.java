package org.nyala.migrate;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.dn.InvalidDnException;
import org.nyala.core.password.PasswordHash;
import org.nyala.core.schema.Schema;
import org.nyala.core.slapd.SlapdDatabase;
import org.nyala.core.slapd.SlapdDirective;

/** The accounts that slapd names {@code rootdn}, one a database. Stateless. */
final class AccountDirectives {
  static final Set<String> NAMES = Set.of("rootdn", "rootpw");

  private static final String ACCOUNTS = "rootAccounts";
  private static final String SHARED = "as that of the other database";

  private AccountDirectives() {}

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
