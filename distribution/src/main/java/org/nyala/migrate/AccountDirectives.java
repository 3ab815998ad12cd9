package org.nyala.migrate;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.nyala.core.slapd.SlapdDatabase;
import org.nyala.core.slapd.SlapdDirective;
import org.nyala.migrate.MigrationNote.Kind;

/** The accounts that slapd names {@code rootdn}, one a database. Stateless. */
final class AccountDirectives {
  static final Set<String> NAMES = Set.of("rootdn", "rootpw");

  private static final String ACCOUNTS = "rootAccounts";

  private AccountDirectives() {}

  /** An account of some databases. */
  private record Account(SlapdDirective name, SlapdDirective password, List<String> suffixes) {
    boolean isSameAs(SlapdDirective otherName, SlapdDirective otherPassword) {
      return name.value().equalsIgnoreCase(otherName.value())
          && password.value().equals(otherPassword.value());
    }
  }

  static void translate(Translation translation) {
    List<Account> accounts = new ArrayList<>();
    translation
        .source()
        .global()
        .directives("rootdn")
        .forEach(
            each ->
                translation.note(
                    Kind.MISSING, each, "an account of no database, which has no rights here"));
    for (SlapdDatabase store : translation.stores()) {
      collect(translation, store, accounts);
    }
    long suffixes = translation.stores().stream().mapToLong(store -> store.suffixes().size()).sum();
    if (accounts.size() == 1 && accounts.getFirst().suffixes().size() == suffixes) {
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
    for (SlapdDatabase other : translation.source().databases()) {
      if (!Translation.isStore(other)) {
        other
            .directives("rootdn")
            .forEach(
                each ->
                    translation.note(
                        Kind.NEEDLESS, each, "the account of a database that is not moved"));
      }
    }
  }

  private static void collect(
      Translation translation, SlapdDatabase store, List<Account> accounts) {
    SlapdDirective name = store.directive("rootdn").orElse(null);
    SlapdDirective password = store.directive("rootpw").orElse(null);
    if (name == null) {
      return;
    }
    if (password == null || password.value().isEmpty()) {
      translation.note(
          Kind.MISSING,
          name,
          "'"
              + name.value()
              + "' has no rootpw: it stays an entry without rights of its own; give it"
              + " root.dn and root.passwordFile, or rules in access.rules");
      return;
    }
    if (password.value().chars().anyMatch(each -> each < ' ')) {
      translation.note(
          Kind.MISSING,
          password,
          "a password with control characters, which no file of passwords can have");
      return;
    }
    for (Account each : accounts) {
      if (each.isSameAs(name, password)) {
        translation.note(Kind.TRANSLATED, name, "as that of the other database");
        translation.note(Kind.TRANSLATED, password, "as that of the other database");
        each.suffixes().addAll(store.suffixes());
        return;
      }
    }
    accounts.add(new Account(name, password, new ArrayList<>(store.suffixes())));
  }

  private static void several(Translation translation, List<Account> accounts) {
    List<String> objects = new ArrayList<>();
    for (Account account : accounts) {
      Map<String, String> members = new LinkedHashMap<>();
      members.put("dn", ConfigurationDraft.text(account.name().value()));
      String file = secret(translation, account, objects.size() + 1);
      members.put("passwordFile", ConfigurationDraft.text(file));
      members.put("suffixes", ConfigurationDraft.list(account.suffixes()));
      objects.add(ConfigurationDraft.object(members));
      translation.note(
          Kind.TRANSLATED, account.name(), ACCOUNTS + ", root within its suffixes alone");
      translation.note(Kind.TRANSLATED, account.password(), ACCOUNTS + ", in a file of its own");
    }
    translation
        .draft()
        .set(
            ACCOUNTS,
            "[\n    " + String.join(",\n    ", objects) + "\n  ]",
            "Each is root within its suffixes alone. cn=Monitor and the schema take root.dn.");
  }

  /* Beside the configuration, for that is read by more people. */
  private static String secret(Translation translation, Account account, int number) {
    String file = number == 1 ? "root-password" : "root-password-" + number;
    translation.secrets().put(file, account.password().value() + "\n");
    return Migration.FOLDER + file;
  }
}
