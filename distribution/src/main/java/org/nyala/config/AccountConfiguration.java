package org.nyala.config;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.nyala.core.access.AccessPolicy;
import org.nyala.core.directory.RootAccount;
import org.nyala.core.dn.Dn;
import org.nyala.core.password.HashBounds;
import org.nyala.core.password.PasswordHash;
import org.nyala.core.schema.Schema;
import org.nyala.error.ConfigurationException;

/** Turns what the configuration says of people into accounts and rights. */
public final class AccountConfiguration {
  /** What is wrong with a password that none can match. */
  static final String UNUSABLE_PASSWORD =
      "what follows the scheme is damaged, or the scheme is not known; {CLEARTEXT} may precede a"
          + " password that begins with a brace";

  private static final String ROOT = "nyala.root";
  private static final String WRITERS = "nyala.access.writers";

  private AccountConfiguration() {}

  /**
   * The account that no limit binds.
   *
   * @throws ConfigurationException when its name is no DN or its password cannot be used
   */
  public static Optional<RootAccount> root(NyalaConfig configuration, Schema schema) {
    if (configuration.root().isEmpty()) {
      return Optional.empty();
    }
    NyalaConfig.Root root = configuration.root().get();
    byte[] stored = root.password().getBytes(UTF_8);
    HashBounds bounds = configuration.updates().hashBounds();
    String excess = bounds.excess(stored);
    if (excess != null) {
      throw configuration.settings().problem(ROOT + ".password", "it asks for " + excess);
    }
    PasswordHash password = PasswordHash.parse(stored, bounds);
    if (!password.isUsable()) {
      throw configuration.settings().problem(ROOT + ".password", UNUSABLE_PASSWORD);
    }
    Dn dn = ConfiguredNames.dn(configuration, schema, ROOT + ".dn", root.dn());
    return Optional.of(new RootAccount(dn, password));
  }

  /**
   * Who may read and change what.
   *
   * @throws ConfigurationException when a writer's name is no DN
   */
  public static AccessPolicy access(NyalaConfig configuration, Schema schema) {
    Set<Dn> writers = new HashSet<>();
    for (String writer : configuration.updates().writers()) {
      writers.add(ConfiguredNames.dn(configuration, schema, WRITERS, writer));
    }
    return configuration.access().withWriters(writers);
  }
}
