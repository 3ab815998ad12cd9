package org.nyala.config;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.nyala.core.access.RootAccount;
import org.nyala.core.directory.RootAccounts;
import org.nyala.core.dn.Dn;
import org.nyala.core.password.HashBounds;
import org.nyala.core.password.PasswordHash;
import org.nyala.core.schema.Schema;

/** Reads the root accounts: that of everything, and those of single naming contexts. */
public final class RootConfiguration {
  /** The key of the accounts of single naming contexts. */
  public static final String ACCOUNTS = "rootAccounts";

  private static final String ROOT = "nyala.root";
  private static final String QUALIFIED = "nyala." + ACCOUNTS;

  private RootConfiguration() {}

  /** Reads the account of everything; nothing if there is none. */
  static Optional<NyalaConfig.Root> root(ConfigSection root) {
    ConfigSection section = root.section("root");
    Optional<String> dn = section.text("dn");
    Optional<String> password = section.password("password");
    if (dn.isEmpty()) {
      if (password.isPresent()) {
        throw root.problem("root", "a password needs a dn beside it");
      }
      return Optional.empty();
    }
    if (password.isEmpty()) {
      throw section.problem("dn", "expected either password or passwordFile beside it");
    }
    return Optional.of(new NyalaConfig.Root(dn.get(), password.get()));
  }

  /** Reads the accounts of single naming contexts. */
  static List<NyalaConfig.Root> accounts(ConfigSection root) {
    List<NyalaConfig.Root> accounts = new ArrayList<>();
    for (ConfigSection section : root.sections(ACCOUNTS)) {
      String dn =
          section
              .text("dn")
              .orElseThrow(() -> section.problem("dn", "expected the name of the account"));
      String password =
          section
              .password("password")
              .orElseThrow(
                  () ->
                      section.problem("dn", "expected either password or passwordFile beside it"));
      List<String> suffixes = section.texts("suffixes", List.of());
      if (suffixes.isEmpty()) {
        throw section.problem(
            "suffixes", "expected at least one naming context; the account of all is nyala.root");
      }
      section.rejectUnknownKeys();
      accounts.add(new NyalaConfig.Root(dn, password, suffixes));
    }
    return accounts;
  }

  /**
   * Returns the accounts.
   *
   * @param contexts the naming contexts of the store
   * @throws org.nyala.error.ConfigurationException if a name is no DN or there twice, a password
   *     cannot be used, or an account is not root of whole naming contexts
   */
  public static RootAccounts of(NyalaConfig configuration, Schema schema, List<Dn> contexts) {
    List<RootAccount> accounts = new ArrayList<>();
    configuration.root().ifPresent(root -> accounts.add(account(configuration, schema, root)));
    for (int i = 0; i < configuration.rootAccounts().size(); i++) {
      NyalaConfig.Root each = configuration.rootAccounts().get(i);
      accounts.add(account(configuration, schema, each, contexts, QUALIFIED + "[" + i + "]"));
    }
    try {
      return RootAccounts.of(accounts);
    } catch (IllegalArgumentException _) {
      throw configuration.problem(QUALIFIED, "expected names that no other root account has");
    }
  }

  /** Returns the keys of passwords that differ, which are not shown and may be in other files. */
  public static List<String> changedPasswords(NyalaConfig before, NyalaConfig after) {
    List<String> changed = new ArrayList<>();
    if (!before
        .root()
        .map(NyalaConfig.Root::password)
        .equals(after.root().map(NyalaConfig.Root::password))) {
      changed.add(ROOT + ".password");
    }
    List<String> old = before.rootAccounts().stream().map(NyalaConfig.Root::password).toList();
    if (!old.equals(after.rootAccounts().stream().map(NyalaConfig.Root::password).toList())) {
      changed.add(QUALIFIED + ": passwords");
    }
    return changed;
  }

  private static RootAccount account(
      NyalaConfig configuration, Schema schema, NyalaConfig.Root root) {
    PasswordHash password = password(configuration, root, ROOT + ".password", "");
    return new RootAccount(configuration.dn(schema, ROOT + ".dn", root.dn()), password);
  }

  private static RootAccount account(
      NyalaConfig configuration,
      Schema schema,
      NyalaConfig.Root root,
      List<Dn> contexts,
      String place) {
    Set<Dn> suffixes = new HashSet<>();
    for (String text : root.suffixes()) {
      Dn suffix = configuration.dn(schema, QUALIFIED, text);
      if (!contexts.contains(suffix)) {
        throw configuration.problem(
            QUALIFIED,
            place + ": expected naming contexts of this server, " + contexts + ", found " + suffix);
      }
      suffixes.add(suffix);
    }
    requireWhole(configuration, suffixes, contexts, place);
    Dn dn = configuration.dn(schema, QUALIFIED, root.dn());
    if (dn.rdnCount() == 0) {
      throw configuration.problem(
          QUALIFIED, place + ": the empty name is that of clients that have not bound");
    }
    PasswordHash password = password(configuration, root, QUALIFIED, place + ".password: ");
    return new RootAccount(dn, password, suffixes);
  }

  /** Requires that no naming context of others is below one of the account. */
  private static void requireWhole(
      NyalaConfig configuration, Set<Dn> suffixes, List<Dn> contexts, String place) {
    for (Dn context : contexts) {
      boolean isBelow = suffixes.stream().anyMatch(context::isWithin);
      if (isBelow && !suffixes.contains(context)) {
        throw configuration.problem(
            QUALIFIED,
            place + ": the naming context " + context + " is below one of these: add it");
      }
    }
  }

  private static PasswordHash password(
      NyalaConfig configuration, NyalaConfig.Root root, String key, String place) {
    byte[] stored = root.password().getBytes(UTF_8);
    HashBounds bounds = configuration.updates().hashBounds();
    String excess = bounds.excess(stored);
    if (excess != null) {
      throw configuration.problem(key, place + "it asks for " + excess);
    }
    PasswordHash password = PasswordHash.parse(stored, bounds);
    if (!password.isUsable()) {
      throw configuration.problem(key, place + AccountConfiguration.UNUSABLE_PASSWORD);
    }
    return password;
  }
}
