package org.nyala.core.operation;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.control.ControlType;
import org.nyala.core.control.PersistentSearch;
import org.nyala.core.control.SubentryVisibility;
import org.nyala.core.control.SyncRequest;
import org.nyala.core.directory.AssertionControl;
import org.nyala.core.directory.NameResolution;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.directory.OperationScratch;
import org.nyala.core.directory.virtual.VirtualTree;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dispatch.Task.Outcome;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.VirtualEntry;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.filter.EntryTest;
import org.nyala.core.filter.FilterCompiler;
import org.nyala.core.message.FilterNode;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;
import org.nyala.core.message.Scope;
import org.nyala.core.operation.list.SearchDigest;
import org.nyala.core.operation.list.SortedSearch;
import org.nyala.core.operation.search.ExplainedSearch;
import org.nyala.core.operation.search.ListRequest;
import org.nyala.core.operation.search.PersistentSearchStage;
import org.nyala.core.operation.search.RightsOfSubject;
import org.nyala.core.operation.search.SearchBase;
import org.nyala.core.operation.search.SearchControls;
import org.nyala.core.operation.search.SearchPlan;
import org.nyala.core.operation.search.SearchRights;
import org.nyala.core.operation.search.SearchStage;
import org.nyala.core.operation.search.SearchTerms;
import org.nyala.core.operation.search.SearchWalk;
import org.nyala.core.operation.search.SlicePace;
import org.nyala.core.operation.search.VirtualSearch;
import org.nyala.core.operation.sync.LogStage;
import org.nyala.core.operation.sync.SyncStage;
import org.nyala.core.rights.EntryRights;
import org.nyala.core.session.Operation;
import org.nyala.core.session.OperationBody;
import org.nyala.core.session.TimeLimit;

/**
 * A search (RFC 4511, section 4.5): finds the base, then runs a {@link SearchWalk} below it.
 *
 * <p>Confined to one running operation. Hot.
 */
public final class SearchOperation implements OperationBody {
  /** Finds subentries by the index; each is tested again. */
  static final FilterNode SUBENTRY =
      new FilterNode.Equality("objectClass", "subentry".getBytes(StandardCharsets.US_ASCII));

  private final OperationContext directory;
  private final Request.Search request;
  private final SlicePace pace;
  private @Nullable SearchTerms terms;
  private SearchTerms.@Nullable Compiled compiled;
  private @Nullable SearchKind kind;
  private @Nullable SearchDigest digest;
  private @Nullable RightsOfSubject told;
  private @Nullable PersistentSearchStage follower;
  private @Nullable Located located;
  private @Nullable SearchStage stage;
  private boolean mayTakeLong;

  SearchOperation(OperationContext directory, Request.Search request) {
    this.directory = directory;
    this.request = request;
    this.pace = new SlicePace(directory.nanoClock());
  }

  /**
   * The state of the search until the base is found and meets the assertion.
   *
   * @param required the test that the base has yet to meet; null for none
   * @param also the filter that controls add; null for none
   * @param isGuarded true if the rights to the base have yet to be found
   */
  private record Located(
      SearchPlan plan,
      @Nullable SortedSearch list,
      @Nullable EntryTest required,
      @Nullable CompiledFilter also,
      boolean isGuarded) {
    Located but(@Nullable EntryTest nextRequired, boolean nextGuarded) {
      return new Located(plan, list, nextRequired, also, nextGuarded);
    }
  }

  @Override
  public Outcome run(Operation operation, SliceBudget budget) throws LdapOperationException {
    SearchStage started = stage;
    if (started != null) {
      return started.slice(operation, budget);
    }
    Located known = located;
    return known == null ? start(operation, budget) : locate(operation, budget, known);
  }

  @Override
  public boolean isReady() {
    SearchStage started = stage;
    return started == null || started.isReady();
  }

  @Override
  public boolean isEndless() {
    return request.controls().stream()
        .anyMatch(
            control ->
                control.oid().equals(ControlType.PERSISTENT_SEARCH.oid())
                    || control.oid().equals(ControlType.SYNC_REQUEST.oid())
                        && SyncRequest.isPersistent(control.value()));
  }

  @Override
  public void ended() {
    PersistentSearchStage following = follower;
    SearchStage started = stage;
    if (following != null && following != started) {
      following.ended();
    }
    if (started != null) {
      started.ended();
    }
    Located known = located;
    if (known != null) {
      known.plan().filter().release();
    }
  }

  private Outcome start(Operation operation, SliceBudget budget) throws LdapOperationException {
    SearchTerms.Compiled asked = compiled;
    SearchKind chosen = kind;
    if (asked == null || chosen == null) {
      asked = compile(operation, budget);
      if (asked == null) {
        return Outcome.YIELDED;
      }
      chosen = SearchKind.of(directory, operation, request, asked);
      compiled = asked;
      kind = chosen;
    }
    return switch (chosen) {
      case SearchKind.Plain _ -> startInStore(operation, budget, asked, null);
      case SearchKind.OfLog log -> startInLog(operation, budget, log, asked.base());
      case SearchKind.Synchronized _ -> startInStore(operation, budget, asked, null);
      case SearchKind.Listed listed -> startInStore(operation, budget, asked, listed.list());
      case SearchKind.Persistent persistent ->
          follower == null
              ? awaitWriter(operation, asked.base(), persistent.wanted())
              : startInStore(operation, budget, asked, null);
      case SearchKind.OfVirtualEntry virtual -> show(operation, budget, virtual, asked);
      case SearchKind.InVirtualTree among -> startInTree(operation, budget, among.tree(), asked);
      case SearchKind.Explained _ ->
          ExplainedSearch.begin(directory, operation, request, asked.base(), asked.filter());
    };
  }

  /**
   * Compiles the terms of the request; null if the slice is over, or another thread should do so.
   */
  private SearchTerms.@Nullable Compiled compile(Operation operation, SliceBudget budget)
      throws LdapOperationException {
    SearchTerms asked = terms;
    if (asked == null) {
      asked =
          new SearchTerms(
              directory,
              request,
              operation.controls(),
              operation.session().memory(),
              operation.isByRootSafely(),
              EntryRights.of(directory.control(), operation.rules()));
      terms = asked;
    } else {
      timeLimit(operation).check(directory.nanoTime());
    }
    if (asked.isLong() && !mayTakeLong) {
      mayTakeLong = true;
      return null;
    }
    SearchTerms.Compiled whole =
        asked.compile(asked.isLong() ? pace.begin(operation, budget) : pace);
    terms = whole == null ? asked : null;
    return whole;
  }

  private Outcome startInStore(
      Operation operation,
      SliceBudget budget,
      SearchTerms.Compiled asked,
      @Nullable ListRequest list)
      throws LdapOperationException {
    if (list != null && list.endsPages()) {
      operation.sink().result(request, list.resultOfOne());
      return Outcome.DONE;
    }
    byte[] digested = list == null ? null : digest(operation, budget, asked.base());
    if (list != null && digested == null) {
      return Outcome.YIELDED;
    }
    SearchControls controls = asked.controls();
    RightsOfSubject others = told;
    if (others == null) {
      others = ToldRights.of(directory, operation, controls.all());
      told = others;
    }
    if (others != null && !others.prepare(pace.begin(operation, budget))) {
      return Outcome.YIELDED;
    }
    SearchRights rights = asked.rights();
    CompiledFilter also = also(controls);
    CompiledFilter filter =
        also == null ? asked.filter() : FilterCompiler.and(also, asked.filter());
    SearchPlan plan =
        new SearchPlan(directory, request, filter, asked.selection(), controls, rights, operation)
            .tell(others);
    SortedSearch sorted =
        list == null || digested == null ? null : new SortedSearch(plan, list, digested);
    CompiledFilter assertion = controls.assertion();
    EntryTest required = assertion == null ? null : new EntryTest(assertion);
    return locate(operation, budget, new Located(plan, sorted, required, also, rights != null));
  }

  /** Returns the filter that the controls add; null if they add none. */
  private @Nullable CompiledFilter also(SearchControls controls) throws LdapOperationException {
    return controls.subentries() == SubentryVisibility.ALONE
        ? AssertionControl.compile(directory.reading(), SUBENTRY)
        : null;
  }

  /** Returns the digest of the search; null if the slice is over before. */
  private byte @Nullable [] digest(Operation operation, SliceBudget budget, Dn base)
      throws LdapOperationException {
    SearchDigest begun = digest;
    if (begun == null) {
      begun = SearchDigest.begin(request, base, operation.identity());
      digest = begun;
    } else {
      timeLimit(operation).check(directory.nanoTime());
    }
    return begun.go(pace.begin(operation, budget));
  }

  private Outcome startInLog(Operation operation, SliceBudget budget, SearchKind.OfLog log, Dn base)
      throws LdapOperationException {
    Backend backend = directory.backendOf(log.context(), operation.identity());
    LogStage begun = new LogStage(directory, request, log.wanted(), base, log.context(), backend);
    stage = begun;
    return begun.slice(operation, budget);
  }

  /** Searches the entries that no store holds, of which there may be as many as connections. */
  private Outcome startInTree(
      Operation operation, SliceBudget budget, VirtualTree tree, SearchTerms.Compiled asked)
      throws LdapOperationException {
    if (!mayTakeLong) {
      // Not for an event loop.
      mayTakeLong = true;
      return Outcome.YIELDED;
    }
    VirtualSearch begun = VirtualSearch.at(directory, tree, request, asked, timeLimit(operation));
    stage = begun;
    return begun.slice(operation, budget);
  }

  /** Makes the search a persistent one, and lets the writer of its store pass by first. */
  private Outcome awaitWriter(Operation operation, Dn base, PersistentSearch wanted)
      throws LdapOperationException {
    Backend backend = directory.backendOf(base, operation.identity());
    PersistentSearchStage joined =
        PersistentSearchStage.join(directory, wanted, backend, base, operation);
    follower = joined;
    directory.runtime().writers().submit(backend, joined.passage(operation));
    return Outcome.PARKED;
  }

  /** The root DSE shows itself to base searches only; cn=Subschema has nothing below it. */
  private Outcome show(
      Operation operation,
      SliceBudget budget,
      SearchKind.OfVirtualEntry virtual,
      SearchTerms.Compiled asked)
      throws LdapOperationException {
    if (!operation.sink().isWritable()) {
      return Outcome.AWAITING_CLIENT;
    }
    VirtualEntry entry = virtual.entry();
    if (directory.virtualEntries().isRootDse(entry) && request.scope() != Scope.BASE) {
      throw new LdapOperationException(LdapResult.of(ResultCode.NO_SUCH_OBJECT));
    }
    ListRequest list = virtual.list();
    VirtualSearch begun =
        VirtualSearch.of(directory, request, entry, asked, timeLimit(operation))
            .endWith(list == null ? LdapResult.SUCCESS : list.resultOfOne());
    stage = begun;
    return begun.slice(operation, budget);
  }

  private TimeLimit timeLimit(Operation operation) {
    return TimeLimit.of(directory.limits(), operation, request.timeLimitSeconds());
  }

  /** Finds the base, over aliases if the client requests that, and runs the first slice. */
  private Outcome locate(Operation operation, SliceBudget budget, Located looked)
      throws LdapOperationException {
    SearchPlan plan = looked.plan();
    Dn name = base();
    if (located != null) {
      plan.bounds().time().check(directory.nanoTime());
    }
    int below = 0;
    String alias = "";
    for (int hops = 0; hops <= directory.limits().searches().aliasDepth(); hops++) {
      Backend backend = backend(name, operation, alias);
      try (ReadTransaction transaction = backend.beginRead()) {
        NameResolution resolution =
            new NameResolution(
                directory.reading(),
                directory.scratch(),
                plan.manageDsaIt(),
                request.scope(),
                plan.entryRights());
        plan.beginSlice(backend, transaction);
        Dn target =
            request.derefAliases().findingBase() ? resolution.aliasTarget(transaction, name) : null;
        if (target == null) {
          long id =
              hops == 0
                  ? resolution.find(transaction, name)
                  : target(resolution, transaction, name, below, alias);
          if (looked.required() != null || looked.isGuarded() || plan.filter().asksReferences()) {
            plan.pace().begin(operation, budget);
          }
          Located judged = judged(looked, resolution, transaction, name, id);
          if (judged == null || !isAsRequired(judged, transaction, id)) {
            return Outcome.YIELDED;
          }
          if (!plan.filter().resolveReferences(transaction)) {
            return Outcome.YIELDED;
          }
          return locatedAt(operation, transaction, budget, looked, backend, name, id);
        }
        name = target;
        below = resolution.rdnsBelowAlias();
        alias = resolution.alias();
      }
    }
    throw new LdapOperationException(
        ResultCode.LOOP_DETECT,
        "more than " + directory.limits().searches().aliasDepth() + " aliases one after the other");
  }

  /** Begins the stage of the search once its base is known. */
  private Outcome locatedAt(
      Operation operation,
      ReadTransaction transaction,
      SliceBudget budget,
      Located looked,
      Backend backend,
      Dn name,
      long id)
      throws LdapOperationException {
    SearchPlan plan = looked.plan();
    SortedSearch list = looked.list();
    if (kind instanceof SearchKind.Synchronized sync) {
      stage = new SyncStage(plan, sync.wanted(), backend, name, id);
      return Outcome.YIELDED;
    }
    if (list == null) {
      PersistentSearchStage following = follower;
      if (following != null) {
        following.aim(plan, backend, name);
      }
      return walk(operation, transaction, budget, new SearchWalk(plan, backend, id));
    }
    SortedSearch started = list.below(backend, id);
    stage = started;
    return started.slice(operation, transaction, budget);
  }

  private Outcome walk(
      Operation operation, ReadTransaction transaction, SliceBudget budget, SearchWalk walk)
      throws LdapOperationException {
    PersistentSearchStage following = follower;
    if (following == null) {
      stage = walk;
      return walk.slice(operation, transaction, budget);
    }
    stage = following;
    if (following.isChangesOnly()) {
      following.begin();
      return Outcome.YIELDED;
    }
    following.walkFirst(walk);
    return walk.slice(operation, transaction, budget);
  }

  /** Finds the rights to the base, if access rules decide; null if the slice ends before. */
  private @Nullable Located judged(
      Located looked, NameResolution resolution, ReadTransaction transaction, Dn name, long baseId)
      throws LdapOperationException {
    SearchRights rights = looked.plan().rights();
    if (rights == null || !looked.isGuarded()) {
      return looked;
    }
    SearchBase base =
        SearchBase.judge(
            looked.plan(), rights, resolution, transaction, name, baseId, looked.also());
    Located judged = base == null ? null : looked.but(base.required(), false);
    located = judged == null ? looked : judged;
    return judged;
  }

  /** The assertion applies to the base, in any scope (RFC 4528, section 4). */
  private boolean isAsRequired(Located looked, ReadTransaction transaction, long baseId)
      throws LdapOperationException {
    EntryTest required = looked.required();
    OperationScratch scratch = directory.scratch();
    boolean isAsRequired =
        required == null
            || !transaction.read(baseId, scratch.view)
            || AssertionControl.check(
                required,
                scratch,
                transaction.attributes(),
                directory.probe(transaction),
                looked.plan().pace());
    located = isAsRequired && required != null ? looked.but(null, false) : looked;
    return isAsRequired;
  }

  private Dn base() {
    SearchTerms.Compiled known = compiled;
    if (known == null) {
      throw new IllegalStateException("not compiled");
    }
    return known.base();
  }

  private Backend backend(Dn name, Operation operation, String alias)
      throws LdapOperationException {
    try {
      return directory.backendOf(name, operation.identity());
    } catch (LdapOperationException e) {
      boolean isBehindAlias = !alias.isEmpty() && e.result().code() == ResultCode.NO_SUCH_OBJECT;
      throw isBehindAlias ? nowhere(alias) : e;
    }
  }

  /**
   * Returns the entry that an alias stood for. A dangling alias is a problem of its own; a name
   * that does not exist below its target is missing like any other.
   */
  private static long target(
      NameResolution resolution, ReadTransaction transaction, Dn name, int rdnsBelow, String alias)
      throws LdapOperationException {
    try {
      return resolution.find(transaction, name);
    } catch (LdapOperationException e) {
      boolean missing = e.result().code() == ResultCode.NO_SUCH_OBJECT;
      if (missing
          && (rdnsBelow == 0
              || transaction.find(name.ancestor(rdnsBelow)) == ReadTransaction.NO_ENTRY)) {
        throw nowhere(alias);
      }
      throw e;
    }
  }

  private static LdapOperationException nowhere(String alias) {
    return NameResolution.problem(alias, "alias to an entry that does not exist");
  }
}
