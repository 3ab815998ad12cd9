package org.nyala.core.sasl;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.nyala.core.password.ScramKeys;

/**
 * The settings of SASL.
 *
 * <p>Immutable.
 *
 * @param mechanisms those that are allowed; each is offered on the connections where it works
 * @param rules turn names of users into names of entries; the first that fits decides
 * @param timeoutSeconds seconds from the first message of a bind until its last, at least 1
 * @param lookThroughLimit candidates that the search of a rule examines at most, at least 1
 * @param decoyIterations iterations shown for names that do not exist
 * @param salts the salts of names that do not exist; null for some that last as long as the process
 * @param gssapi accepts tickets of Kerberos; null if there is no keytab
 */
public record SaslSettings(
    Set<SaslMechanism> mechanisms,
    List<NameRule> rules,
    int timeoutSeconds,
    int lookThroughLimit,
    int decoyIterations,
    @Nullable NameSalts salts,
    @Nullable GssapiAcceptor gssapi) {
  /** The time in which people type a password, as some clients ask for it in the middle. */
  public static final int TIMEOUT_SECONDS = 60;

  /** With an index on its attributes, a search examines few more than it finds. */
  public static final int LOOK_THROUGH_LIMIT = 1000;

  /** Finds the one entry whose {@code uid} is the name of the user, in all naming contexts. */
  public static final NameRule BY_UID =
      NameRule.searching(
          SaslMechanism.ofTypedNames(), new NamePattern("(.+)"), "", false, "(uid=$1)");

  /** Allows nothing. */
  public static final SaslSettings NONE =
      new SaslSettings(
          Set.of(),
          List.of(),
          TIMEOUT_SECONDS,
          LOOK_THROUGH_LIMIT,
          ScramKeys.ITERATIONS,
          null,
          null);

  /** Allows every mechanism, and names users by {@code uid}. */
  public static final SaslSettings DEFAULT =
      new SaslSettings(
          EnumSet.allOf(SaslMechanism.class),
          List.of(BY_UID),
          TIMEOUT_SECONDS,
          LOOK_THROUGH_LIMIT,
          ScramKeys.ITERATIONS,
          null,
          null);

  /** Returns the rule {@link #BY_UID} for some mechanisms alone. */
  public static NameRule byUid(Set<SaslMechanism> mechanisms) {
    return mechanisms.equals(SaslMechanism.ofTypedNames())
        ? BY_UID
        : NameRule.searching(mechanisms, new NamePattern("(.+)"), "", false, "(uid=$1)");
  }

  public SaslSettings {
    mechanisms = Set.copyOf(mechanisms);
    rules = List.copyOf(rules);
    if (timeoutSeconds < 1 || lookThroughLimit < 1) {
      throw new IllegalArgumentException("limits below 1");
    }
  }
}
