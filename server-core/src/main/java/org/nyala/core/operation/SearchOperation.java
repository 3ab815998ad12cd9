package org.nyala.core.operation;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.control.ControlType;
import org.nyala.core.control.PersistentSearch;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dispatch.Task.Outcome;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.EntryView;
import org.nyala.core.search.AttributeSelection;
import org.nyala.core.search.CompiledFilter;
import org.nyala.core.search.FilterLimitException;
import org.nyala.core.search.FilterNode;
import org.nyala.core.search.Scope;
import org.nyala.core.search.Ternary;

/**
 * A search (RFC 4511, section 4.5): finds the base, then lets {@link SearchWalk} look below it.
 *
 * <p>Confined to one running operation. Hot.
 */
final class SearchOperation implements OperationBody {
  /** Members of a group that are looked up at once, on an event loop too. */
  private static final int FEW_MEMBERS = 1000;

  /** Members of a group that are looked up at all; of larger groups every candidate is tested. */
  private static final int MANY_MEMBERS = 1 << 16;

  static final Set<ControlType> CONTROLS =
      Set.of(
          ControlType.MANAGE_DSA_IT,
          ControlType.PAGED_RESULTS,
          ControlType.SORT,
          ControlType.VIRTUAL_LIST_VIEW,
          ControlType.SUBENTRIES,
          ControlType.MATCHED_VALUES,
          ControlType.ASSERTION,
          ControlType.PROXIED_AUTHORIZATION,
          ControlType.DONT_USE_COPY,
          ControlType.PERSISTENT_SEARCH,
          ControlType.EXPLAIN,
          ControlType.SESSION_TRACKING);

  /** Finds subentries by the index; what they are is looked at again. */
  private static final FilterNode SUBENTRY =
      new FilterNode.Equality("objectClass", "subentry".getBytes(StandardCharsets.US_ASCII));

  private final Directory directory;
  private final Request.Search request;
  private @Nullable SearchStage stage;
  private @Nullable ChangeFollower follower;
  private @Nullable VirtualSearch virtualSearch;
  private boolean mayTakeLong;

  SearchOperation(Directory directory, Request.Search request) {
    this.directory = directory;
    this.request = request;
  }

  @Override
  public Outcome run(Operation operation, SliceBudget budget) throws LdapOperationException {
    VirtualSearch begun = virtualSearch;
    if (begun != null) {
      return begun.slice(operation, budget);
    }
    ChangeFollower following = follower;
    SearchStage started = following != null && following.hasBegun() ? following : stage;
    if (started == null) {
      return start(operation, budget);
    }
    try (ReadTransaction transaction = started.backend().beginRead()) {
      return started.slice(operation, transaction, budget);
    }
  }

  @Override
  public boolean isReady() {
    ChangeFollower following = follower;
    return following == null || !following.hasBegun() || following.isReady();
  }

  @Override
  public boolean isEndless() {
    return request.controls().stream()
        .anyMatch(control -> control.oid().equals(ControlType.PERSISTENT_SEARCH.oid()));
  }

  @Override
  public void ended() {
    ChangeFollower following = follower;
    if (following != null) {
      following.ended();
    }
    SearchStage started = stage;
    if (started != null) {
      started.ended();
    }
  }

  private Outcome start(Operation operation, SliceBudget budget) throws LdapOperationException {
    OperationScratch scratch = directory.scratch();
    SearchControls controls = SearchControls.read(directory, request);
    ListRequest list = controls.all().isEmpty() ? null : ListRequest.of(controls.all());
    checkRequestedAttributes();
    Dn base = scratch.names.parse(request.base());
    CompiledFilter filter = compile(request.filter());
    AttributeSelection selection =
        scratch.selections.selection(request.attributes(), request.typesOnly());
    if (ExplainedSearch.isWanted(operation, controls.all())) {
      return ExplainedSearch.begin(directory, operation, request, base, filter);
    }
    byte[] persistent = controls.all().value(ControlType.PERSISTENT_SEARCH);
    if (persistent != null && list != null) {
      throw new LdapOperationException(
          ResultCode.UNWILLING_TO_PERFORM, "what changes has neither pages nor an order");
    }
    if (directory.virtualEntries().isInTree(base)) {
      return startInTree(operation, budget, base, filter, selection, controls);
    }
    if (persistent != null && follower == null) {
      return awaitWriter(operation, base, PersistentSearch.read(persistent));
    }
    VirtualEntry virtual = directory.virtualEntries().at(base);
    if (virtual != null && !isAboveContexts(virtual)) {
      LdapResult result = list == null ? LdapResult.SUCCESS : list.resultOfOne();
      show(operation, virtual, filter, selection, controls);
      operation.sink().result(request, result);
      return Outcome.DONE;
    }
    if (controls.subentries() == SubentryVisibility.ALONE) {
      filter = compile(new FilterNode.And(List.of(SUBENTRY, request.filter())));
    }
    SearchPlan plan = new SearchPlan(directory, request, filter, selection, controls, operation);
    if (list == null) {
      return locate(operation, budget, plan, base, null);
    }
    if (list.endsPages()) {
      operation.sink().result(request, list.resultOfOne());
      return Outcome.DONE;
    }
    byte[] search = SearchDigest.of(request, base, operation.identity());
    return locate(operation, budget, plan, base, new ListSearch(plan, list, search));
  }

  /** Searches the entries that no store holds; others than root do not see that they are there. */
  private Outcome startInTree(
      Operation operation,
      SliceBudget budget,
      Dn base,
      CompiledFilter filter,
      AttributeSelection selection,
      SearchControls controls)
      throws LdapOperationException {
    VirtualTree tree = directory.virtualEntries().tree();
    if (tree == null || !operation.identity().isRoot()) {
      throw new LdapOperationException(LdapResult.of(ResultCode.NO_SUCH_OBJECT));
    }
    if (controls.all().value(ControlType.PERSISTENT_SEARCH) != null
        || ListRequest.of(controls.all()) != null) {
      throw new LdapOperationException(
          ResultCode.UNWILLING_TO_PERFORM,
          "what is made when it is asked for has no pages or order");
    }
    if (!mayTakeLong) {
      // There may be as many entries as connections: not for an event loop.
      mayTakeLong = true;
      return Outcome.YIELDED;
    }
    VirtualSearch begun =
        VirtualSearch.at(directory, tree, request, base, filter, selection, controls);
    virtualSearch = begun;
    return begun.slice(operation, budget);
  }

  /**
   * Whether the search is about what is below the empty name, where a store holds the whole tree;
   * the root DSE is no part of that.
   */
  private boolean isAboveContexts(VirtualEntry virtual) {
    return virtual == directory.virtualEntries().rootDse()
        && request.scope() != Scope.BASE
        && directory.contexts().backendOf(Dn.EMPTY) != null;
  }

  /** Makes the search a persistent one, and lets the writer of its store pass by first. */
  private Outcome awaitWriter(Operation operation, Dn base, PersistentSearch wanted)
      throws LdapOperationException {
    if (directory.virtualEntries().at(base) != null || directory.writeAccess().isReadOnly()) {
      throw new LdapOperationException(
          ResultCode.UNWILLING_TO_PERFORM,
          "the server's own entries and a read-only server cannot be followed");
    }
    Backend backend = directory.backendOf(base, operation.identity());
    ChangeFollower joined = ChangeFollower.join(directory, wanted, backend, operation);
    follower = joined;
    directory.writers().submit(backend, joined.passage(operation));
    return Outcome.PARKED;
  }

  private void checkRequestedAttributes() throws LdapOperationException {
    int maximum = directory.limits().requestedAttributes();
    if (request.attributes().size() > maximum) {
      throw new LdapOperationException(
          ResultCode.ADMIN_LIMIT_EXCEEDED, "more than " + maximum + " attributes requested");
    }
  }

  private CompiledFilter compile(FilterNode filter) throws LdapOperationException {
    try {
      return directory.filters().compile(filter);
    } catch (FilterLimitException e) {
      throw new LdapOperationException(
          ResultCode.ADMIN_LIMIT_EXCEEDED, e.getMessage() == null ? "filter" : e.getMessage());
    }
  }

  /** The root DSE shows itself to base searches only; cn=Subschema has nothing below it. */
  private void show(
      Operation operation,
      VirtualEntry virtual,
      CompiledFilter filter,
      AttributeSelection selection,
      SearchControls controls)
      throws LdapOperationException {
    Scope scope = request.scope();
    if (virtual == directory.virtualEntries().rootDse() && scope != Scope.BASE) {
      throw new LdapOperationException(LdapResult.of(ResultCode.NO_SUCH_OBJECT));
    }
    boolean inScope = scope == Scope.BASE || scope == Scope.SUBTREE;
    OperationScratch scratch = directory.scratch();
    EntryView view = scratch.view;
    virtual.show(view);
    AssertionControl.check(
        controls.assertion(), scratch, virtual.table(), VirtualEntry::hasSubordinates);
    if (inScope
        && scratch.matcher.match(filter, view, virtual.table(), VirtualEntry::hasSubordinates)
            == Ternary.TRUE) {
      VirtualSearch.show(operation, view, virtual, selection, controls.matchedValues());
    }
  }

  /** Finds the base, over aliases where the client wants that, and runs the first slice. */
  private Outcome locate(
      Operation operation, SliceBudget budget, SearchPlan plan, Dn base, @Nullable ListSearch list)
      throws LdapOperationException {
    Dn name = base;
    int below = 0;
    for (int hops = 0; hops <= directory.limits().aliasDepth(); hops++) {
      Backend backend = backend(name, operation, hops);
      try (ReadTransaction transaction = backend.beginRead()) {
        NameResolution resolution =
            new NameResolution(directory, directory.scratch(), plan.manageDsaIt(), request.scope());
        Dn target =
            request.derefAliases().findingBase() ? resolution.aliasTarget(transaction, name) : null;
        if (target == null) {
          long id =
              hops == 0
                  ? resolution.find(transaction, name)
                  : target(resolution, transaction, name, below);
          check(plan, transaction, id);
          int members = mayTakeLong ? MANY_MEMBERS : FEW_MEMBERS;
          if (!plan.resolveReferences(transaction, members) && !mayTakeLong) {
            mayTakeLong = true;
            return Outcome.YIELDED;
          }
          if (list == null) {
            return walk(operation, transaction, budget, plan, new Base(backend, name, id));
          }
          SearchStage started = list.below(backend, id);
          stage = started;
          return started.slice(operation, transaction, budget);
        }
        name = target;
        below = resolution.rdnsBelowAlias();
      }
    }
    throw new LdapOperationException(
        ResultCode.LOOP_DETECT,
        "more than " + directory.limits().aliasDepth() + " aliases one after the other");
  }

  /** Where the search begins. */
  private record Base(Backend backend, Dn name, long id) {}

  private Outcome walk(
      Operation operation,
      ReadTransaction transaction,
      SliceBudget budget,
      SearchPlan plan,
      Base base)
      throws LdapOperationException {
    ChangeFollower following = follower;
    if (following != null) {
      following.aim(plan, base.backend(), base.name());
      if (following.isChangesOnly()) {
        following.begin();
        return Outcome.YIELDED;
      }
    }
    SearchWalk started = new SearchWalk(plan, base.backend(), base.id());
    stage = following == null ? started : started.endWith(following);
    return started.slice(operation, transaction, budget);
  }

  /** The assertion is about the base, whatever the scope (RFC 4528, section 4). */
  private void check(SearchPlan plan, ReadTransaction transaction, long baseId)
      throws LdapOperationException {
    CompiledFilter assertion = plan.controls().assertion();
    OperationScratch scratch = directory.scratch();
    if (assertion != null && transaction.read(baseId, scratch.view)) {
      AssertionControl.check(
          assertion, scratch, transaction.attributes(), directory.probe(transaction));
    }
  }

  private Backend backend(Dn name, Operation operation, int hops) throws LdapOperationException {
    try {
      return directory.backendOf(name, operation.identity());
    } catch (LdapOperationException e) {
      throw hops > 0 && e.result().code() == ResultCode.NO_SUCH_OBJECT ? nowhere() : e;
    }
  }

  /**
   * The entry that an alias stood for. An alias that leads nowhere is a problem of its own; what is
   * not below the entry that it names is missing like anything else.
   */
  private static long target(
      NameResolution resolution, ReadTransaction transaction, Dn name, int rdnsBelow)
      throws LdapOperationException {
    try {
      return resolution.find(transaction, name);
    } catch (LdapOperationException e) {
      boolean missing = e.result().code() == ResultCode.NO_SUCH_OBJECT;
      if (missing
          && (rdnsBelow == 0
              || transaction.find(name.ancestor(rdnsBelow)) == ReadTransaction.NO_ENTRY)) {
        throw nowhere();
      }
      throw e;
    }
  }

  private static LdapOperationException nowhere() {
    return new LdapOperationException(ResultCode.ALIAS_PROBLEM, "alias to what does not exist");
  }
}
