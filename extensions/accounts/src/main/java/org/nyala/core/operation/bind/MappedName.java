package org.nyala.core.operation.bind;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dn.Dn;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.RefusalReason;
import org.nyala.core.operation.extended.AuthorizationIds;
import org.nyala.core.sasl.NameRule;
import org.nyala.core.sasl.SaslMechanism;
import org.nyala.core.session.Operation;

/**
 * The name of an entry for the name of a user, by the rules of the configuration ({@code
 * sasl.map}).
 *
 * <p>Confined to one running operation.
 */
class MappedName {
  private static final String DN_PREFIX = "dn:";
  private static final String USER_PREFIX = "u:";

  final OperationContext directory;
  private final boolean isGiven;
  private final boolean isByRule;
  @Nullable Dn name;

  /** True if a search has found several entries, so that none is meant. */
  boolean isAmbiguous;

  /**
   * Creates a name.
   *
   * @param name the name; null if there is none, or it is searched for
   * @param isGiven true if it is given as a whole, so that it may be root's
   * @param isByRule true if a rule is in charge, even if it does not lead to a name
   */
  MappedName(OperationContext directory, @Nullable Dn name, boolean isGiven, boolean isByRule) {
    this.directory = directory;
    this.name = name;
    this.isGiven = isGiven;
    this.isByRule = isByRule;
  }

  /**
   * Begins with a name as the client has sent it: {@code dn:} and the name of an entry, or {@code
   * u:} or nothing and that of a user.
   *
   * @param mechanism the mechanism that it was sent with, to which rules may be confined
   */
  static MappedName of(
      OperationContext directory, Operation operation, SaslMechanism mechanism, String sent)
      throws LdapOperationException {
    return isDn(sent)
        ? new MappedName(directory, named(directory, sent), true, false)
        : byRules(directory, operation, mechanism, _ -> List.of(bare(sent)));
  }

  private static boolean isDn(String sent) {
    return sent.regionMatches(true, 0, DN_PREFIX, 0, DN_PREFIX.length());
  }

  /** Returns the name of the entry that a client has named; null if it has named no entry. */
  private static @Nullable Dn named(OperationContext directory, String sent) {
    return isDn(sent) ? parsed(directory, sent.substring(DN_PREFIX.length())) : null;
  }

  /** Returns the name of a user without what says that it is one. */
  private static String bare(String sent) {
    boolean isPrefixed = sent.regionMatches(true, 0, USER_PREFIX, 0, USER_PREFIX.length());
    return isPrefixed ? sent.substring(USER_PREFIX.length()) : sent;
  }

  /**
   * Begins with the names that the rules see.
   *
   * @param mechanism the mechanism, to which rules may be confined
   * @param names the names that a rule is about; all of them are those of the user
   */
  static MappedName byRules(
      OperationContext directory,
      Operation operation,
      SaslMechanism mechanism,
      Function<NameRule, List<String>> names)
      throws LdapOperationException {
    List<NameRule> rules = directory.sasl().rules();
    for (int i = 0; i < rules.size(); i++) {
      for (String name : names.apply(rules.get(i))) {
        NameRule.Target target = rules.get(i).target(mechanism, name);
        if (target != null) {
          operation.openTrail().ruled(i + 1);
          return of(directory, operation, target);
        }
      }
    }
    operation.openTrail().ruled(0);
    return new MappedName(directory, null, false, false);
  }

  private static MappedName of(
      OperationContext directory, Operation operation, NameRule.Target target)
      throws LdapOperationException {
    String dn = target.dn();
    if (dn == null && !target.isNobody()) {
      return new NameSearch(directory, operation, target);
    }
    Dn name = dn == null ? null : parsed(directory, dn);
    return new MappedName(directory, name, target.isGiven(), true);
  }

  /** Returns the name of an entry; null if it is none. */
  static @Nullable Dn parsed(OperationContext directory, String name) {
    try {
      Dn dn = directory.scratch().names.parse(name);
      return dn.rdnCount() == 0 ? null : dn;
    } catch (LdapOperationException _) {
      return null;
    }
  }

  /**
   * Looks for the entry.
   *
   * @return true if the outcome is known
   */
  boolean find(Operation operation, SliceBudget budget) throws LdapOperationException {
    return true;
  }

  /** Returns the name; null if no rule has led to one, or not to exactly one. */
  @Nullable Dn name() {
    return name;
  }

  /** Returns the reason to log for a name that has led to no entry, or may not be used. */
  private RefusalReason failure() {
    if (isRootByChance()) {
      return RefusalReason.MAPPED_TO_ROOT;
    }
    if (isAmbiguous) {
      return RefusalReason.MAPPED_TO_SEVERAL;
    }
    return isByRule ? RefusalReason.MAPPED_TO_NONE : RefusalReason.UNKNOWN_NAME;
  }

  /**
   * Returns whether the name is a root account's without being given as a whole, so that it is no
   * proof.
   */
  private boolean isRootByChance() {
    return !isGiven && name != null && directory.roots().of(name) != null;
  }

  /**
   * Looks up the entry to which the name of a user was mapped; for one that has not led to an
   * entry, passwords that nobody knows.
   */
  ClaimedIdentity claimed(Operation operation, String user) throws LdapOperationException {
    return name == null || isRootByChance()
        ? ClaimedIdentity.unknown(
            directory,
            operation,
            folded(directory, user).getBytes(StandardCharsets.UTF_8),
            failure())
        : ClaimedIdentity.of(directory, operation, name);
  }

  /**
   * Returns a name in the form that all ways to write it have in common: of the name of an entry,
   * the value of its RDN.
   */
  static String folded(OperationContext directory, String user) {
    Dn entry = named(directory, user);
    String bare = entry == null ? bare(user) : new String(entry.rdn(0), StandardCharsets.UTF_8);
    String value = entry == null ? bare : bare.substring(bare.indexOf('=') + 1);
    return value.strip().replaceAll("\\s+", " ").toLowerCase(Locale.ROOT);
  }

  /**
   * Returns the identity for a name that a connection or a ticket proves: the entry to which a rule
   * maps it, or the name itself, whether there is such an entry or not.
   *
   * @param own the name itself, as one of an entry: nobody's, and never root's
   */
  BoundIdentity identity(String own) throws LdapOperationException {
    if (isByRule) {
      if (name == null || isRootByChance()) {
        throw BindOperation.invalidCredentials(failure());
      }
      return AuthorizationIds.of(directory, name);
    }
    Dn itself = parsed(directory, own);
    if (itself == null) {
      throw BindOperation.invalidCredentials(RefusalReason.UNKNOWN_NAME);
    }
    if (AuthorizationIds.of(directory, itself).isRootAccount()) {
      throw BindOperation.invalidCredentials(RefusalReason.MAPPED_TO_ROOT);
    }
    return new BoundIdentity(itself, false);
  }

  /** Gives back what a search has kept. Idempotent. */
  void close() {}
}
