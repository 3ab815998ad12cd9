package org.nyala.config;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.AccessPolicy;
import org.nyala.core.access.PolicyRule;
import org.nyala.core.access.RulesText;
import org.nyala.core.access.rule.AccessRules;
import org.nyala.core.dn.Dn;
import org.nyala.core.operation.sync.ModificationLogs;
import org.nyala.core.policy.PolicyChoice;
import org.nyala.core.quality.BreachedPasswords;
import org.nyala.core.quality.PasswordChecks;
import org.nyala.core.quality.QualitySettings;
import org.nyala.core.sasl.NameRule;
import org.nyala.core.schema.Schema;
import org.nyala.error.ConfigurationException;

/** Turns the accounts of the configuration into credentials and rights. */
public final class AccountConfiguration {
  /** The problem of a password that cannot be matched. */
  static final String UNUSABLE_PASSWORD =
      "the text after the scheme is malformed, or the scheme is unknown; {CLEARTEXT} "
          + "may precede a password that begins with a brace";

  private static final String LOG_BASE = "nyala.modificationLog.base";
  private static final String BREACHED = "nyala.passwordPolicy.breachedPasswords";
  private static final String POLICY_RULES = "nyala.passwordPolicy.rules";
  private static final String PASSWORD_POLICY = "nyala.passwordPolicy.default";
  private static final String WRITERS = "nyala.access.writers";

  private AccountConfiguration() {}

  private static List<PolicyRule> rules(NyalaConfig configuration, Schema schema) {
    List<PolicyRule> rules = new ArrayList<>();
    for (NyalaConfig.PolicyChoice each : configuration.updates().policyRules()) {
      rules.add(
          new PolicyRule(
              name(configuration, schema, each.subtree()),
              each.filter().orElse(null),
              name(configuration, schema, each.group()),
              configuration.dn(schema, POLICY_RULES, each.policy())));
    }
    try {
      PolicyChoice _ = new PolicyChoice(schema, rules);
    } catch (IllegalArgumentException e) {
      throw configuration.problem(POLICY_RULES, "filter: " + e.getMessage());
    }
    return rules;
  }

  private static @Nullable Dn name(
      NyalaConfig configuration, Schema schema, Optional<String> text) {
    return text.isEmpty() ? null : configuration.dn(schema, POLICY_RULES, text.get());
  }

  private static PasswordChecks checks(NyalaConfig configuration) {
    NyalaConfig.Quality quality = configuration.updates().quality();
    Path file = quality.breached().orElse(null);
    try {
      return new PasswordChecks(
          new QualitySettings(
              quality.minimumGuessBits(),
              quality.refusesOwnAttributes(),
              file == null ? null : BreachedPasswords.openForGood(file)));
    } catch (IOException e) {
      throw configuration.problem(BREACHED, "the list cannot be read: " + e.getMessage());
    }
  }

  /**
   * Returns the logs of modifications; none if the store keeps no modifications.
   *
   * @param contexts the naming contexts of the store
   * @throws ConfigurationException if a name is no DN, or the logs would hide entries
   */
  public static ModificationLogs logs(NyalaConfig configuration, Schema schema, List<Dn> contexts) {
    NyalaConfig.ModificationLog log = configuration.updates().log();
    Dn base = named(configuration, schema, LOG_BASE, log.base());
    Set<Dn> readers = new HashSet<>();
    for (String reader : log.readers()) {
      readers.add(named(configuration, schema, "nyala.modificationLog.readers", reader));
    }
    if (configuration.store().journal().modificationBytes() == 0) {
      return ModificationLogs.NONE;
    }
    requireOutside(configuration, contexts, base);
    return new ModificationLogs(base, readers);
  }

  /** Requires that the log hides no entries; beside the whole tree there is no other place. */
  private static void requireOutside(NyalaConfig configuration, List<Dn> contexts, Dn base) {
    for (Dn context : contexts) {
      boolean isPart = context.rdnCount() > 0;
      if (isPart && (base.isWithin(context) || context.isWithin(base))) {
        throw configuration.problem(
            LOG_BASE, "expected a name outside of the naming context " + context);
      }
    }
  }

  private static Dn named(NyalaConfig configuration, Schema schema, String key, String text) {
    Dn name = configuration.dn(schema, key, text);
    if (name.rdnCount() == 0) {
      throw configuration.problem(key, "the empty name names no entry");
    }
    return name;
  }

  /**
   * Returns the rights to read and change entries.
   *
   * @throws ConfigurationException if the name of a writer, or one that a rule makes, is no DN, or
   *     the access rules cannot be read or do not fit the schema
   */
  public static AccessPolicy access(NyalaConfig configuration, Schema schema) {
    Set<Dn> writers = new HashSet<>();
    for (String writer : configuration.updates().writers()) {
      writers.add(configuration.dn(schema, WRITERS, writer));
    }
    for (NameRule rule : configuration.access().sasl().rules()) {
      NameRule.Target example = rule.example();
      String name = example.dn() == null ? example.base() : example.dn();
      if (!name.isEmpty()) {
        Dn _ = configuration.dn(schema, "nyala.sasl.map", name);
      }
    }
    configuration.accessRules().ifPresent(AccessRulesFile::requireText);
    RulesText rules = configuration.access().rules();
    if (rules != null) {
      AccessRules _ = AccessRulesFile.parse(rules, schema);
    }
    String policy = configuration.updates().passwordPolicy().orElse(null);
    return configuration
        .access()
        .withWriters(writers)
        .withPasswordPolicy(
            configuration
                .updates()
                .policies()
                .checking(checks(configuration))
                .by(
                    policy == null ? null : configuration.dn(schema, PASSWORD_POLICY, policy),
                    rules(configuration, schema)));
  }
}
