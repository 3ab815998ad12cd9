package org.nyala.core.access;

import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.nyala.core.dn.Dn;
import org.nyala.core.limits.Keys;
import org.nyala.core.sasl.SaslSettings;

/**
 * The default access: anyone may read the root DSE and the schema; bound users read everything but
 * secrets such as {@code userPassword}, which root alone reads, on the machine itself or encrypted
 * by 128 bits; anonymous clients read entries only if the configuration allows it. Root and the
 * writers that the configuration names change entries.
 *
 * <p>Immutable.
 *
 * @param anonymousRead true if anonymous clients may read entries
 * @param writers the users that may change entries, besides root
 * @param selfPasswordChange true if users may change their own passwords
 * @param minimumStrength the encryption that operations take
 * @param sasl the mechanisms by which clients may bind
 * @param guessing the limits of guessing passwords
 * @param rules the rules that decide instead of the first three; null for none
 * @param passwordPolicy the settings of password policies
 */
public record AccessPolicy(
    boolean anonymousRead,
    Set<Dn> writers,
    boolean selfPasswordChange,
    MinimumStrength minimumStrength,
    SaslSettings sasl,
    GuessingLimits guessing,
    @Nullable RulesText rules,
    PolicySettings passwordPolicy) {

  public AccessPolicy {
    writers = Set.copyOf(writers);
  }

  /** Creates the policy under which only root changes entries, over any connection. */
  public AccessPolicy(boolean anonymousRead) {
    this(
        anonymousRead,
        Set.of(),
        true,
        MinimumStrength.NONE,
        SaslSettings.NONE,
        GuessingLimits.NONE,
        null,
        PolicySettings.NONE);
  }

  /** Returns the same policy with or without the right of anonymous clients to read entries. */
  public AccessPolicy withAnonymousRead(boolean allowed) {
    return Keys.with(this, "anonymousRead", allowed);
  }

  /** Returns the same policy with other writers. */
  public AccessPolicy withWriters(Set<Dn> others) {
    return Keys.with(this, "writers", others);
  }

  /** Returns the same policy with a given permission of users to change their own passwords. */
  public AccessPolicy withSelfPasswordChange(boolean allowed) {
    return Keys.with(this, "selfPasswordChange", allowed);
  }

  /** Returns the same policy with another minimum of encryption. */
  public AccessPolicy withMinimumStrength(MinimumStrength minimum) {
    return Keys.with(this, "minimumStrength", minimum);
  }

  /** Returns the same policy with other settings of SASL. */
  public AccessPolicy withSasl(SaslSettings other) {
    return Keys.with(this, "sasl", other);
  }

  /** Returns the same policy with other limits of guessing passwords. */
  public AccessPolicy withGuessing(GuessingLimits other) {
    return Keys.with(this, "guessing", other);
  }

  /** Returns the same policy with rules, which decide instead of its other rights. */
  public AccessPolicy withRules(@Nullable RulesText other) {
    return Keys.with(this, "rules", other);
  }

  /** Returns the same policy with other settings of password policies. */
  public AccessPolicy withPasswordPolicy(PolicySettings other) {
    return Keys.with(this, "passwordPolicy", other);
  }

  /**
   * Returns whether the identity may read entries at all; if not, the directory looks empty to it.
   * Rules are asked for each entry.
   */
  public boolean mayReadEntries(BoundIdentity identity) {
    return rules != null || anonymousRead || !identity.isAnonymous();
  }

  /**
   * Returns whether the identity may create, change or delete the entry of this name, whatever
   * rules say: if there are any, only root.
   */
  public boolean mayWrite(BoundIdentity identity, Dn name) {
    boolean isWriter = writers.contains(identity.dn()) && !identity.isAnonymous();
    return identity.isRoot() || rules == null && isWriter;
  }

  /**
   * Returns whether the identity may change the password of the entry of this name, whatever rules
   * say.
   */
  public boolean mayChangePassword(BoundIdentity identity, Dn name) {
    boolean own = rules == null && !identity.isAnonymous() && identity.dn().equals(name);
    return own && selfPasswordChange || mayWrite(identity, name);
  }
}
