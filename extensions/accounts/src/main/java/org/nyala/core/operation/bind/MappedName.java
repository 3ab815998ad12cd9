package org.nyala.core.operation.bind;

import java.security.cert.X509Certificate;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.directory.AssertionControl;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dn.Dn;
import org.nyala.core.filter.FilterParser;
import org.nyala.core.message.FilterNode;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.RefusalReason;
import org.nyala.core.message.Scope;
import org.nyala.core.sasl.NameRule;
import org.nyala.core.sasl.SaslMechanism;
import org.nyala.core.session.Operation;

/**
 * The name of an entry for the name of a user, by the rules of the configuration ({@code
 * sasl.map}).
 *
 * <p>Confined to one running operation.
 */
final class MappedName {
  private static final String DN_PREFIX = "dn:";
  private static final String USER_PREFIX = "u:";

  private final OperationContext directory;
  private final @Nullable NameSearch search;
  private @Nullable Dn name;
  private final boolean isGiven;
  private final boolean isByRule;

  private MappedName(
      OperationContext directory,
      @Nullable Dn name,
      boolean isGiven,
      boolean isByRule,
      @Nullable NameSearch search) {
    this.directory = directory;
    this.name = name;
    this.isGiven = isGiven;
    this.isByRule = isByRule;
    this.search = search;
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
        ? new MappedName(directory, named(directory, sent), true, false, null)
        : byRules(directory, operation, mechanism, bare(sent));
  }

  private static boolean isDn(String sent) {
    return sent.regionMatches(true, 0, DN_PREFIX, 0, DN_PREFIX.length());
  }

  /** Returns the name of the entry that a client has named; null if it has named no entry. */
  static @Nullable Dn named(OperationContext directory, String sent) {
    return isDn(sent) ? parsed(directory, sent.substring(DN_PREFIX.length())) : null;
  }

  /** Returns the name of a user without what says that it is one. */
  static String bare(String sent) {
    boolean isPrefixed = sent.regionMatches(true, 0, USER_PREFIX, 0, USER_PREFIX.length());
    return isPrefixed ? sent.substring(USER_PREFIX.length()) : sent;
  }

  /**
   * Begins with a name that the rules see as it is.
   *
   * @param mechanism the mechanism, to which rules may be confined
   */
  static MappedName byRules(
      OperationContext directory, Operation operation, SaslMechanism mechanism, String user)
      throws LdapOperationException {
    List<NameRule> rules = directory.sasl().rules();
    for (int i = 0; i < rules.size(); i++) {
      NameRule.Target target = rules.get(i).target(mechanism, user);
      if (target != null) {
        return of(directory, operation, i + 1, target);
      }
    }
    return byNone(directory, operation);
  }

  /**
   * Begins with the names that a connection itself proves.
   *
   * @param external the name without a rule
   */
  static MappedName proved(OperationContext directory, Operation operation, String external)
      throws LdapOperationException {
    X509Certificate certificate = operation.session().connection().clientCertificate();
    List<NameRule> rules = directory.sasl().rules();
    for (int i = 0; i < rules.size(); i++) {
      for (String name : rules.get(i).source().names(external, certificate)) {
        NameRule.Target target = rules.get(i).target(SaslMechanism.EXTERNAL, name);
        if (target != null) {
          return of(directory, operation, i + 1, target);
        }
      }
    }
    return byNone(directory, operation);
  }

  private static MappedName byNone(OperationContext directory, Operation operation) {
    operation.openTrail().ruled(0);
    return new MappedName(directory, null, false, false, null);
  }

  private static MappedName of(
      OperationContext directory, Operation operation, int number, NameRule.Target target)
      throws LdapOperationException {
    operation.openTrail().ruled(number);
    if (target.isNobody()) {
      return new MappedName(directory, null, false, true, null);
    }
    String dn = target.dn();
    return dn != null
        ? new MappedName(directory, parsed(directory, dn), target.isGiven(), true, null)
        : new MappedName(directory, null, false, true, search(directory, operation, target));
  }

  private static @Nullable NameSearch search(
      OperationContext directory, Operation operation, NameRule.Target target)
      throws LdapOperationException {
    List<Dn> bases = directory.contexts().suffixes();
    if (!target.base().isEmpty()) {
      Dn base = parsed(directory, target.base());
      bases = base == null ? List.of() : List.of(base);
    }
    Scope scope = target.isOneLevel() ? Scope.ONE_LEVEL : Scope.SUBTREE;
    FilterNode filter = FilterParser.parse(target.filter());
    return new NameSearch(
        directory,
        operation,
        bases,
        scope,
        AssertionControl.compileAtOnce(directory.reading(), filter));
  }

  private static @Nullable Dn parsed(OperationContext directory, String name) {
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
    NameSearch looking = search;
    if (looking == null) {
      return true;
    }
    if (!looking.slice(operation, budget)) {
      return false;
    }
    name = looking.found();
    return true;
  }

  /** Returns the name; null if no rule has led to one, or not to exactly one. */
  @Nullable Dn name() {
    return name;
  }

  /** Returns the reason to log for a name that has led to no entry, or may not be used. */
  RefusalReason failure() {
    if (isRootByChance()) {
      return RefusalReason.MAPPED_TO_ROOT;
    }
    NameSearch looking = search;
    if (looking != null && looking.isAmbiguous()) {
      return RefusalReason.MAPPED_TO_SEVERAL;
    }
    return isByRule ? RefusalReason.MAPPED_TO_NONE : RefusalReason.UNKNOWN_NAME;
  }

  /** Returns whether a rule was in charge, even if it has not led to a name. */
  boolean isByRule() {
    return isByRule;
  }

  /**
   * Returns whether the name is a root account's without being given as a whole, so that it is no
   * proof.
   */
  boolean isRootByChance() {
    Dn found = name;
    return !isGiven && found != null && directory.roots().of(found) != null;
  }

  /** Gives back what a search has kept. Idempotent. */
  void close() {
    NameSearch looking = search;
    if (looking != null) {
      looking.close();
    }
  }
}
