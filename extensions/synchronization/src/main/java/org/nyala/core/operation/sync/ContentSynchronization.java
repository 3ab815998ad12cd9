package org.nyala.core.operation.sync;

import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.control.ControlType;
import org.nyala.core.control.PersistentSearch;
import org.nyala.core.control.SyncRequest;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dispatch.Task.Outcome;
import org.nyala.core.dn.Dn;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.OperationType;
import org.nyala.core.message.RequestControl;
import org.nyala.core.message.ResultCode;
import org.nyala.core.operation.search.SearchPlan;
import org.nyala.core.operation.search.SearchTerms;
import org.nyala.core.operation.search.SearchWalk;
import org.nyala.core.operation.search.SlicePace;
import org.nyala.core.operation.store.StoreSearch;
import org.nyala.core.session.Operation;
import org.nyala.extension.AskedSearch;
import org.nyala.extension.Directory;
import org.nyala.extension.Extension;
import org.nyala.extension.Hooks;
import org.nyala.extension.SearchKind;
import org.nyala.extension.SearchStage;

/**
 * The extension that serves those who follow changes: the searches that keep a copy up to date (RFC
 * 4533), that follow the log of modifications of a naming context, and persistent searches.
 *
 * <p>Immutable.
 *
 * @param logs the logs of modifications
 */
public record ContentSynchronization(ModificationLogs logs)
    implements Extension, Hooks, SearchKind {
  public static final String NAME = "synchronization";

  /** The extension without logs of modifications. */
  public static final ContentSynchronization WITHOUT_LOGS =
      new ContentSynchronization(ModificationLogs.NONE);

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public Set<ControlType> controls(OperationType type) {
    return type == OperationType.SEARCH
        ? Set.of(ControlType.SYNC_REQUEST, ControlType.PERSISTENT_SEARCH)
        : Set.of();
  }

  @Override
  public Hooks hooks(Directory directory) {
    return this;
  }

  @Override
  public List<SearchKind> searches() {
    return List.of(this);
  }

  @Override
  public boolean isEndless(RequestControl control) {
    return control.oid().equals(ControlType.PERSISTENT_SEARCH.oid())
        || SyncRequest.isPersistent(control);
  }

  @Override
  public @Nullable SearchStage stage(AskedSearch asked, Operation operation)
      throws LdapOperationException {
    PersistentSearch persistent = PersistentSearch.of(asked.honoured());
    if (persistent != null && asked.isListed()) {
      throw refused("a persistent search has neither pages nor an order");
    }
    boolean isOfLog = logs.isWithin(asked.base()) && logs.mayRead(operation.identity());
    SyncRequest sync = SyncRequest.of(asked.honoured());
    boolean isListedOrPersistent = asked.isListed() || persistent != null;
    SearchTerms.Compiled search = (SearchTerms.Compiled) asked;
    if (isOfLog) {
      return ofLog(search, operation, sync, isListedOrPersistent);
    }
    if (sync != null) {
      return synchronizing(search, sync, isListedOrPersistent);
    }
    return persistent == null ? null : following(search, persistent);
  }

  /** The entries of a log are made of the journal; only those who may read it know of them. */
  private SearchStage ofLog(
      SearchTerms.Compiled asked,
      Operation operation,
      @Nullable SyncRequest sync,
      boolean isListedOrPersistent)
      throws LdapOperationException {
    OperationContext directory = asked.directory();
    Dn context = logs.contextOf(asked.base(), directory.contexts().suffixes(), directory.schema());
    if (context == null) {
      throw new LdapOperationException(LdapResult.of(ResultCode.NO_SUCH_OBJECT));
    }
    if (sync == null || isListedOrPersistent) {
      throw refused("a log of modifications can only be synchronized");
    }
    if (!operation.isSafe()) {
      throw new LdapOperationException(
          ResultCode.CONFIDENTIALITY_REQUIRED, "a log of modifications contains passwords");
    }
    Backend backend = directory.backendOf(context, operation.identity());
    return new LogStage(directory, asked.request(), sync, asked.base(), context, backend);
  }

  /** The control of a synchronization goes with few others. */
  private static SearchStage synchronizing(
      SearchTerms.Compiled asked, SyncRequest wanted, boolean isListedOrPersistent)
      throws LdapOperationException {
    if (asked.request().derefAliases().searching() || isListedOrPersistent) {
      throw new LdapOperationException(
          ResultCode.PROTOCOL_ERROR,
          "a synchronization follows no aliases and has neither pages nor an order");
    }
    if (asked.directory().contexts().backendOf(asked.base()) == null) {
      throw refused("only entries below a naming context can be synchronized");
    }
    return new StoreSearch(asked, new SlicePace(asked.directory().nanoClock())) {
      @Override
      protected Outcome begin(
          SearchPlan plan,
          Operation operation,
          ReadTransaction transaction,
          SliceBudget budget,
          Backend backend,
          Dn name,
          long id) {
        goOn(new SyncStage(plan, wanted, backend, name, id));
        return Outcome.YIELDED;
      }
    };
  }

  private static @Nullable SearchStage following(
      SearchTerms.Compiled asked, PersistentSearch wanted) throws LdapOperationException {
    OperationContext directory = asked.directory();
    if (directory.virtualEntries().isInTree(asked.base())) {
      // The tree of the directory refuses it, to those who may know of it.
      return null;
    }
    if (directory.virtualEntries().at(asked.base()) != null
        || directory.updating().writeAccess().isReadOnly()) {
      throw refused("the server's own entries and a read-only server cannot be followed");
    }
    return new PersistentStart(asked, wanted);
  }

  private static LdapOperationException refused(String why) {
    return new LdapOperationException(ResultCode.UNWILLING_TO_PERFORM, why);
  }

  /**
   * A search that goes on with changes (draft-ietf-ldapext-psearch).
   *
   * <p>Confined to one running operation.
   */
  private static final class PersistentStart extends StoreSearch {
    private final SearchTerms.Compiled asked;
    private final PersistentSearch wanted;
    private @Nullable PersistentSearchStage follower;

    PersistentStart(SearchTerms.Compiled asked, PersistentSearch wanted) {
      super(asked, new SlicePace(asked.directory().nanoClock()));
      this.asked = asked;
      this.wanted = wanted;
    }

    /** Joins the feed, and lets the writer of the store pass by first. */
    @Override
    protected Outcome prepare(Operation operation, SliceBudget budget)
        throws LdapOperationException {
      if (follower != null) {
        return super.prepare(operation, budget);
      }
      OperationContext directory = asked.directory();
      Backend backend = directory.backendOf(asked.base(), operation.identity());
      PersistentSearchStage joined =
          PersistentSearchStage.join(directory, wanted, backend, asked.base(), operation);
      follower = joined;
      directory.runtime().writers().submit(backend, joined.passage(operation));
      return Outcome.PARKED;
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
      PersistentSearchStage joined = Objects.requireNonNull(follower, "the feed was not joined");
      joined.aim(plan, backend, name);
      SearchWalk walk = new SearchWalk(plan, backend, id);
      goOn(joined);
      if (wanted.changesOnly()) {
        joined.begin();
        return Outcome.YIELDED;
      }
      joined.walkFirst(walk);
      return walk.slice(operation, transaction, budget);
    }

    @Override
    public void ended() {
      if (follower != null) {
        follower.ended();
      }
      super.ended();
    }
  }
}
