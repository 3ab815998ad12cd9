package org.nyala.core.operation;

import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.control.ControlType;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.directory.virtual.VirtualEntries;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dispatch.Task.Outcome;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.VirtualEntry;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.ResultCode;
import org.nyala.core.message.Scope;
import org.nyala.core.operation.list.SearchDigest;
import org.nyala.core.operation.list.SortedSearch;
import org.nyala.core.operation.search.ExplainedSearch;
import org.nyala.core.operation.search.FirstStage;
import org.nyala.core.operation.search.ListRequest;
import org.nyala.core.operation.search.SearchPlan;
import org.nyala.core.operation.search.SearchTerms;
import org.nyala.core.operation.search.SearchWalk;
import org.nyala.core.operation.search.SlicePace;
import org.nyala.core.operation.search.VirtualSearch;
import org.nyala.core.operation.store.StoreSearch;
import org.nyala.core.session.Operation;
import org.nyala.core.session.TimeLimit;
import org.nyala.extension.SearchStage;

/** The choice of the stage that carries out a search, once its terms are known. Stateless. */
final class SearchChoice {
  private SearchChoice() {}

  /**
   * Chooses the stage.
   *
   * @param pace the end of the current slice, for this search alone
   * @throws LdapOperationException if controls do not go together, or not with the base
   */
  static SearchStage stage(SearchTerms.Compiled asked, Operation operation, SlicePace pace)
      throws LdapOperationException {
    OperationContext directory = asked.directory();
    if (ExplainedSearch.isWanted(operation, asked.honoured())) {
      return new ExplainedSearch(asked);
    }
    ListRequest list = asked.list();
    SearchStage further = directory.hooks().search(asked, operation);
    if (further != null) {
      return further;
    }
    VirtualEntries.Tree tree = directory.virtualEntries().tree(asked.base());
    if (tree != null) {
      boolean isListed = list != null || asked.honoured().has(ControlType.PERSISTENT_SEARCH);
      return inTree(asked, tree, operation, isListed);
    }
    VirtualEntry entry = directory.virtualEntry(operation.session().connection(), asked.base());
    if (entry != null && !isAboveContexts(asked, entry)) {
      return new OfVirtualEntry(asked, entry);
    }
    return list == null ? new Walking(asked, pace) : new Listing(asked, pace, list);
  }

  /**
   * The entries of the tree are computed when they are asked for; root knows of them, and whom
   * rules let that name a place there.
   */
  private static SearchStage inTree(
      SearchTerms.Compiled asked,
      VirtualEntries.Tree tree,
      Operation operation,
      boolean isListedOrPersistent)
      throws LdapOperationException {
    boolean mayKnow =
        operation.identity().readsMonitor()
            || asked.rights() != null && asked.rights().mayKnow(tree.top());
    if (!mayKnow) {
      throw new LdapOperationException(LdapResult.of(ResultCode.NO_SUCH_OBJECT));
    }
    if (isListedOrPersistent) {
      throw refused("computed entries have neither pages nor an order");
    }
    return new InVirtualTree(asked, tree);
  }

  /**
   * Returns whether the search is about the entries below the empty name, if a store holds the
   * whole tree; the root DSE is not one of them.
   */
  private static boolean isAboveContexts(SearchTerms.Compiled asked, VirtualEntry entry) {
    return asked.directory().virtualEntries().isRootDse(entry)
        && asked.request().scope() != Scope.BASE
        && asked.directory().contexts().backendOf(Dn.EMPTY) != null;
  }

  private static LdapOperationException refused(String why) {
    return new LdapOperationException(ResultCode.UNWILLING_TO_PERFORM, why);
  }

  private static TimeLimit timeLimit(SearchTerms.Compiled asked, Operation operation) {
    return TimeLimit.of(asked.directory().limits(), operation, asked.request().timeLimitSeconds());
  }

  /** A search of the entries in a store, in the order of the store. */
  private static final class Walking extends StoreSearch {
    Walking(SearchTerms.Compiled asked, SlicePace pace) {
      super(asked, pace);
    }

    @Override
    public boolean isInOrderOfStore() {
      return true;
    }

    @Override
    protected Outcome begin(
        SearchPlan plan,
        Operation operation,
        ReadTransaction transaction,
        SliceBudget budget,
        Backend backend,
        Dn name,
        long id)
        throws LdapOperationException {
      return goOn(new SearchWalk(plan, backend, id)).slice(operation, transaction, budget);
    }
  }

  /** A search whose results come in an order, in pages, or as a part of a list. */
  private static final class Listing extends StoreSearch {
    private final SearchTerms.Compiled asked;
    private final ListRequest list;
    private @Nullable SearchDigest digest;
    private byte @Nullable [] digested;
    private @Nullable SortedSearch sorted;

    Listing(SearchTerms.Compiled asked, SlicePace pace, ListRequest list) {
      super(asked, pace);
      this.asked = asked;
      this.list = list;
    }

    @Override
    public boolean isInOrderOfStore() {
      return list.sort() == null;
    }

    @Override
    protected Outcome prepare(Operation operation, SliceBudget budget)
        throws LdapOperationException {
      if (list.endsPages()) {
        operation.sink().result(asked.request(), list.resultOfOne());
        return Outcome.DONE;
      }
      if (digested == null) {
        digested = digest(operation, budget);
      }
      return digested == null ? Outcome.YIELDED : super.prepare(operation, budget);
    }

    /** Returns the digest of the search; null if the slice is over before. */
    private byte @Nullable [] digest(Operation operation, SliceBudget budget)
        throws LdapOperationException {
      SearchDigest begun = digest;
      if (begun == null) {
        begun = SearchDigest.begin(asked.request(), asked.base(), operation.identity());
        digest = begun;
      } else {
        timeLimit(asked, operation).check(asked.directory().nanoTime());
      }
      return begun.go(pace().begin(operation, budget));
    }

    @Override
    protected void planned(SearchPlan plan) throws LdapOperationException {
      byte[] whole = digested;
      if (whole != null) {
        sorted = new SortedSearch(plan, list, whole);
      }
    }

    @Override
    protected Outcome begin(
        SearchPlan plan,
        Operation operation,
        ReadTransaction transaction,
        SliceBudget budget,
        Backend backend,
        Dn name,
        long id)
        throws LdapOperationException {
      SortedSearch prepared = sorted;
      if (prepared == null) {
        throw new IllegalStateException("no list was prepared");
      }
      return goOn(prepared.below(backend, id)).slice(operation, transaction, budget);
    }
  }

  /** A search of the root DSE or the subschema subentry. */
  private static final class OfVirtualEntry extends FirstStage {
    private final SearchTerms.Compiled asked;
    private final VirtualEntry entry;

    OfVirtualEntry(SearchTerms.Compiled asked, VirtualEntry entry) {
      this.asked = asked;
      this.entry = entry;
    }

    /** The root DSE shows itself to base searches only; cn=Subschema has nothing below it. */
    @Override
    protected Outcome prepare(Operation operation, SliceBudget budget)
        throws LdapOperationException {
      if (!operation.sink().isWritable()) {
        return Outcome.AWAITING_CLIENT;
      }
      OperationContext directory = asked.directory();
      if (directory.virtualEntries().isRootDse(entry) && asked.request().scope() != Scope.BASE) {
        throw new LdapOperationException(LdapResult.of(ResultCode.NO_SUCH_OBJECT));
      }
      ListRequest list = asked.list();
      VirtualSearch begun =
          VirtualSearch.of(directory, asked.request(), entry, asked, timeLimit(asked, operation))
              .endWith(list == null ? LdapResult.SUCCESS : list.resultOfOne());
      return goOn(begun).slice(operation, budget);
    }
  }

  /**
   * A search among the entries that root sees, of which there may be as many as connections, and
   * others by rules that name a place there.
   */
  private static final class InVirtualTree extends FirstStage {
    private final SearchTerms.Compiled asked;
    private final VirtualEntries.Tree tree;
    private boolean isOffLoop;

    InVirtualTree(SearchTerms.Compiled asked, VirtualEntries.Tree tree) {
      this.asked = asked;
      this.tree = tree;
    }

    @Override
    protected Outcome prepare(Operation operation, SliceBudget budget)
        throws LdapOperationException {
      if (!isOffLoop) {
        // Not for an event loop.
        isOffLoop = true;
        return Outcome.YIELDED;
      }
      return goOn(VirtualSearch.at(asked.directory(), tree, asked.request(), asked, operation))
          .slice(operation, budget);
    }
  }
}
