package org.nyala.core.operation;

import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.directory.ClientView;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dispatch.Task.Outcome;
import org.nyala.core.dn.Dn;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.filter.EntryMatch;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;
import org.nyala.core.operation.search.SearchBase;
import org.nyala.core.operation.search.SearchPlan;
import org.nyala.core.operation.search.SearchRights;
import org.nyala.core.session.Operation;

/**
 * The lookup of the base of a search, over aliases if the client requests that; the client needs
 * the right to search it, and it has to meet an assertion (RFC 4528).
 *
 * <p>Confined to one running operation. Hot.
 */
abstract class BaseLookup {
  /** The slice has ended: no entry has this id. */
  private static final long SUSPENDED = -1;

  private final OperationContext directory;
  private final Request.Search request;
  private final Dn base;
  private final SearchPlan plan;

  /** The filter that controls add; null for none. */
  private final @Nullable CompiledFilter also;

  /** The test that the base has yet to meet; null for none. */
  private @Nullable EntryMatch required;

  /** True if the rights to the base have yet to be found. */
  private boolean isGuarded;

  BaseLookup(Request.Search request, Dn base, SearchPlan plan, @Nullable CompiledFilter also) {
    this.directory = plan.directory();
    this.request = request;
    this.base = base;
    this.plan = plan;
    this.also = also;
    CompiledFilter assertion = plan.controls().assertion();
    this.required = assertion == null ? null : new EntryMatch(assertion);
    this.isGuarded = plan.rights() != null;
  }

  final SearchPlan plan() {
    return plan;
  }

  /**
   * Begins the search below its base.
   *
   * @param transaction a transaction of the store, which ends when the method returns
   * @param name the name of the base behind aliases
   * @param id its entry id
   */
  abstract Outcome begin(
      Operation operation,
      ReadTransaction transaction,
      SliceBudget budget,
      Backend backend,
      Dn name,
      long id)
      throws LdapOperationException;

  /** Finds the base and {@linkplain #begin begins} the search, unless the slice ends before. */
  final Outcome find(Operation operation, SliceBudget budget) throws LdapOperationException {
    Dn name = base;
    int below = 0;
    String alias = "";
    for (int hops = 0; hops <= directory.limits().searches().aliasDepth(); hops++) {
      Backend backend = backend(name, operation, alias);
      try (ReadTransaction transaction = backend.beginRead()) {
        ClientView known =
            ClientView.of(
                directory, transaction, plan.entryRights(), plan.manageDsaIt(), request.scope());
        plan.beginSlice(backend, transaction);
        Dn target = request.derefAliases().findingBase() ? known.aliasTarget(name) : null;
        if (target == null) {
          long id = base(operation, transaction, budget, known, name, below, alias);
          return id == SUSPENDED
              ? Outcome.YIELDED
              : begin(operation, transaction, budget, backend, name, id);
        }
        name = target;
        below = known.rdnsBelowAlias();
        alias = known.alias();
      }
    }
    throw new LdapOperationException(
        ResultCode.LOOP_DETECT,
        "more than " + directory.limits().searches().aliasDepth() + " aliases one after the other");
  }

  private Backend backend(Dn name, Operation operation, String alias)
      throws LdapOperationException {
    try {
      return directory.backendOf(name, operation.identity());
    } catch (LdapOperationException e) {
      boolean isBehindAlias = !alias.isEmpty() && e.result().code() == ResultCode.NO_SUCH_OBJECT;
      throw isBehindAlias ? ClientView.nowhere(alias) : e;
    }
  }

  /**
   * Returns the entry that is searched; {@link #SUSPENDED} if the slice ends before.
   *
   * @param rdnsBelow the number of RDNs of the name below the target of the last alias
   * @param alias the name of the last alias; empty if none was followed
   */
  private long base(
      Operation operation,
      ReadTransaction transaction,
      SliceBudget budget,
      ClientView known,
      Dn name,
      int rdnsBelow,
      String alias)
      throws LdapOperationException {
    try {
      long id = known.find(name);
      return isFit(operation, transaction, budget, known, name, id) ? id : SUSPENDED;
    } catch (LdapOperationException e) {
      throw alias.isEmpty() ? e : known.behindAlias(name, alias, rdnsBelow, e);
    }
  }

  /** Returns whether the search may begin at the base; false if the slice ends before. */
  private boolean isFit(
      Operation operation,
      ReadTransaction transaction,
      SliceBudget budget,
      ClientView known,
      Dn name,
      long id)
      throws LdapOperationException {
    if (required != null || isGuarded || plan.filter().asksReferences()) {
      plan.pace().begin(operation, budget);
    }
    return isJudged(known, transaction, name, id)
        && isAsRequired(known, id)
        && plan.filter().resolveReferences(transaction);
  }

  /** Finds the rights to the base, if access rules decide; false if the slice ends before. */
  private boolean isJudged(ClientView known, ReadTransaction transaction, Dn name, long id)
      throws LdapOperationException {
    SearchRights rights = plan.rights();
    if (rights == null || !isGuarded) {
      return true;
    }
    SearchBase judged = SearchBase.judge(plan, rights, known, transaction, name, id, also);
    if (judged == null) {
      return false;
    }
    required = judged.required();
    isGuarded = false;
    return true;
  }

  /** The assertion applies to the base, in any scope (RFC 4528, section 4). */
  private boolean isAsRequired(ClientView known, long id) throws LdapOperationException {
    EntryMatch test = required;
    if (test == null) {
      return true;
    }
    if (!known.isAsserted(test, id, plan.pace())) {
      return false;
    }
    required = null;
    return true;
  }
}
