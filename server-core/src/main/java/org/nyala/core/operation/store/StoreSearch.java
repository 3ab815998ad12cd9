package org.nyala.core.operation.store;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.control.SubentryVisibility;
import org.nyala.core.directory.AssertionControl;
import org.nyala.core.directory.ClientView;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dispatch.Task.Outcome;
import org.nyala.core.dn.Dn;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.filter.EntryMatch;
import org.nyala.core.filter.FilterCompiler;
import org.nyala.core.message.FilterNode;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;
import org.nyala.core.operation.search.FirstStage;
import org.nyala.core.operation.search.RightsOfSubject;
import org.nyala.core.operation.search.SearchBase;
import org.nyala.core.operation.search.SearchControls;
import org.nyala.core.operation.search.SearchPlan;
import org.nyala.core.operation.search.SearchRights;
import org.nyala.core.operation.search.SearchTerms;
import org.nyala.core.operation.search.SlicePace;
import org.nyala.core.session.Operation;

/**
 * The first stage of a search in a store: finds its base, over aliases if the client requests that;
 * the client needs the right to search it, and it has to meet an assertion (RFC 4528).
 *
 * <p>Confined to one running operation. Hot.
 */
public abstract class StoreSearch extends FirstStage {
  /** Finds subentries by the index; each is tested again. */
  static final FilterNode SUBENTRY =
      new FilterNode.Equality("objectClass", "subentry".getBytes(StandardCharsets.US_ASCII));

  /** The slice has ended: no entry has this id. */
  private static final long SUSPENDED = -1;

  private final SearchTerms.Compiled asked;
  private final OperationContext directory;
  private final SlicePace pace;
  private @Nullable RightsOfSubject told;
  private @Nullable SearchPlan plan;

  /** The filter that controls add; null for none. */
  private @Nullable CompiledFilter also;

  /** The test that the base has yet to meet; null for none. */
  private @Nullable EntryMatch required;

  /** True if the rights to the base have yet to be found. */
  private boolean isGuarded;

  /**
   * Prepares a search.
   *
   * @param pace the end of the current slice, for this search alone
   */
  protected StoreSearch(SearchTerms.Compiled asked, SlicePace pace) {
    this.asked = asked;
    this.directory = asked.directory();
    this.pace = pace;
  }

  /** Returns the end of the current slice, which every stage sets at its beginning. */
  protected final SlicePace pace() {
    return pace;
  }

  @Override
  protected Outcome prepare(Operation operation, SliceBudget budget) throws LdapOperationException {
    SearchPlan known = plan;
    if (known != null) {
      known.bounds().time().check(directory.nanoTime());
      return find(known, operation, budget);
    }
    known = plan(operation, budget);
    if (known == null) {
      return Outcome.YIELDED;
    }
    planned(known);
    return find(known, operation, budget);
  }

  /** Makes the plan; null if the slice is over before. */
  private @Nullable SearchPlan plan(Operation operation, SliceBudget budget)
      throws LdapOperationException {
    SearchControls controls = asked.controls();
    RightsOfSubject others = told;
    if (others == null) {
      others = ToldRights.of(directory, operation, controls.all());
      told = others;
    }
    if (others != null && !others.prepare(pace.begin(operation, budget))) {
      return null;
    }
    CompiledFilter added =
        controls.subentries() == SubentryVisibility.ALONE
            ? AssertionControl.compileShort(directory.reading(), SUBENTRY)
            : null;
    SearchPlan made =
        new SearchPlan(
                directory,
                asked.request(),
                added == null ? asked.filter() : FilterCompiler.and(added, asked.filter()),
                asked.selection(),
                controls,
                asked.rights(),
                operation,
                pace)
            .tell(others);
    CompiledFilter assertion = controls.assertion();
    also = added;
    required = assertion == null ? null : new EntryMatch(assertion);
    isGuarded = made.rights() != null;
    plan = made;
    return made;
  }

  /**
   * Hears of the plan, before the base is looked for.
   *
   * @throws LdapOperationException to end the search with an error result
   */
  protected void planned(SearchPlan made) throws LdapOperationException {}

  /**
   * Begins the search below its base.
   *
   * @param transaction a transaction of the store, which ends when the method returns
   * @param name the name of the base behind aliases
   * @param id its entry id
   */
  protected abstract Outcome begin(
      SearchPlan made,
      Operation operation,
      ReadTransaction transaction,
      SliceBudget budget,
      Backend backend,
      Dn name,
      long id)
      throws LdapOperationException;

  /** Finds the base and {@linkplain #begin begins} the search, unless the slice ends before. */
  private Outcome find(SearchPlan known, Operation operation, SliceBudget budget)
      throws LdapOperationException {
    Request.Search request = asked.request();
    Dn name = asked.base();
    int below = 0;
    String alias = "";
    for (int hops = 0; hops <= directory.limits().searches().aliasDepth(); hops++) {
      Backend backend = backend(name, operation, alias);
      try (ReadTransaction transaction = backend.beginRead()) {
        ClientView view =
            ClientView.of(
                directory, transaction, known.entryRights(), known.manageDsaIt(), request.scope());
        known.beginSlice(backend, transaction);
        Dn target = request.derefAliases().findingBase() ? view.aliasTarget(name) : null;
        if (target == null) {
          if (required != null || isGuarded || known.filter().asksReferences()) {
            pace.begin(operation, budget);
          }
          long id = base(known, transaction, view, name, below, alias);
          return id == SUSPENDED
              ? Outcome.YIELDED
              : begin(known, operation, transaction, budget, backend, name, id);
        }
        name = target;
        below = view.rdnsBelowAlias();
        alias = view.alias();
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
      SearchPlan made,
      ReadTransaction transaction,
      ClientView known,
      Dn name,
      int rdnsBelow,
      String alias)
      throws LdapOperationException {
    try {
      long id = known.find(name);
      boolean isFit =
          isJudged(made, known, transaction, name, id)
              && isAsRequired(known, id)
              && made.filter().resolveReferences(transaction);
      return isFit ? id : SUSPENDED;
    } catch (LdapOperationException e) {
      throw alias.isEmpty() ? e : known.behindAlias(name, alias, rdnsBelow, e);
    }
  }

  /** Finds the rights to the base, if access rules decide; false if the slice ends before. */
  private boolean isJudged(
      SearchPlan made, ClientView known, ReadTransaction transaction, Dn name, long id)
      throws LdapOperationException {
    SearchRights rights = made.rights();
    if (rights == null || !isGuarded) {
      return true;
    }
    SearchBase judged = SearchBase.judge(made, rights, known, transaction, name, id, also);
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
    if (!known.isAsserted(test, id, pace)) {
      return false;
    }
    required = null;
    return true;
  }

  @Override
  public void ended() {
    super.ended();
    SearchPlan known = plan;
    if (known != null) {
      known.filter().release();
    }
  }
}
