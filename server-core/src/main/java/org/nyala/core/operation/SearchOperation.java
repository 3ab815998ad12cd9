package org.nyala.core.operation;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.control.ControlType;
import org.nyala.core.control.PersistentSearch;
import org.nyala.core.control.SubentryVisibility;
import org.nyala.core.control.SyncRequest;
import org.nyala.core.directory.AssertionControl;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.directory.virtual.VirtualTree;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dispatch.Task.Outcome;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.VirtualEntry;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.filter.FilterCompiler;
import org.nyala.core.message.FilterNode;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Request;
import org.nyala.core.message.RequestControl;
import org.nyala.core.message.ResultCode;
import org.nyala.core.message.Scope;
import org.nyala.core.operation.list.SearchDigest;
import org.nyala.core.operation.list.SortedSearch;
import org.nyala.core.operation.search.ExplainedSearch;
import org.nyala.core.operation.search.ListRequest;
import org.nyala.core.operation.search.PersistentSearchStage;
import org.nyala.core.operation.search.RightsOfSubject;
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
  private @Nullable Start lookup;
  private @Nullable SearchStage stage;
  private final boolean isEndless;
  private boolean mayTakeLong;

  SearchOperation(OperationContext directory, Request.Search request) {
    this.directory = directory;
    this.request = request;
    this.pace = new SlicePace(directory.nanoClock());
    this.isEndless = !request.controls().isEmpty() && isEndless(request.controls());
  }

  @Override
  public Outcome run(Operation operation, SliceBudget budget) throws LdapOperationException {
    SearchStage started = stage;
    if (started != null) {
      return started.slice(operation, budget);
    }
    Start begun = lookup;
    if (begun == null) {
      return start(operation, budget);
    }
    begun.plan().bounds().time().check(directory.nanoTime());
    return begun.find(operation, budget);
  }

  @Override
  public boolean isReady() {
    SearchStage started = stage;
    return started == null || started.isReady();
  }

  @Override
  public boolean isEndless() {
    return isEndless;
  }

  private static boolean isEndless(List<RequestControl> controls) {
    return controls.stream()
        .anyMatch(
            control ->
                control.oid().equals(ControlType.PERSISTENT_SEARCH.oid())
                    || SyncRequest.isPersistent(control));
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
    Start begun = lookup;
    if (begun != null) {
      begun.plan().filter().release();
    }
    SearchTerms.Compiled asked = compiled;
    SearchTerms unfinished = terms;
    if (asked != null) {
      asked.release();
    } else if (unfinished != null) {
      unfinished.release();
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
        new SearchPlan(
                directory, request, filter, asked.selection(), controls, rights, operation, pace)
            .tell(others);
    SortedSearch sorted =
        list == null || digested == null ? null : new SortedSearch(plan, list, digested);
    Start begun = new Start(asked.base(), plan, also, sorted);
    lookup = begun;
    return begun.find(operation, budget);
  }

  /** Returns the filter that the controls add; null if they add none. */
  private @Nullable CompiledFilter also(SearchControls controls) throws LdapOperationException {
    return controls.subentries() == SubentryVisibility.ALONE
        ? AssertionControl.compileShort(directory.reading(), SUBENTRY)
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
    VirtualSearch begun = VirtualSearch.at(directory, tree, request, asked, operation);
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

  /** The lookup of the base; the stage of the search begins there. */
  private final class Start extends BaseLookup {
    private final @Nullable SortedSearch list;

    Start(Dn base, SearchPlan plan, @Nullable CompiledFilter also, @Nullable SortedSearch list) {
      super(request, base, plan, also);
      this.list = list;
    }

    @Override
    Outcome begin(
        Operation operation,
        ReadTransaction transaction,
        SliceBudget budget,
        Backend backend,
        Dn name,
        long id)
        throws LdapOperationException {
      if (kind instanceof SearchKind.Synchronized sync) {
        stage = new SyncStage(plan(), sync.wanted(), backend, name, id);
        return Outcome.YIELDED;
      }
      SortedSearch sorted = list;
      if (sorted == null) {
        PersistentSearchStage following = follower;
        if (following != null) {
          following.aim(plan(), backend, name);
        }
        return walk(operation, transaction, budget, new SearchWalk(plan(), backend, id));
      }
      SortedSearch started = sorted.below(backend, id);
      stage = started;
      return started.slice(operation, transaction, budget);
    }
  }
}
