package org.nyala.core.operation;

import org.jspecify.annotations.Nullable;
import org.nyala.core.control.ControlType;
import org.nyala.core.control.PersistentSearch;
import org.nyala.core.control.SyncRequest;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.directory.virtual.VirtualTree;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.VirtualEntry;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;
import org.nyala.core.message.Scope;
import org.nyala.core.operation.bind.SaslOffer;
import org.nyala.core.operation.search.ExplainedSearch;
import org.nyala.core.operation.search.ListRequest;
import org.nyala.core.operation.search.SearchRights;
import org.nyala.core.operation.search.SearchTerms;
import org.nyala.core.session.Operation;

/** The kind of a search, chosen once when its terms are known. Immutable. */
sealed interface SearchKind {
  /** A search of the entries in a store, in the order of the store. */
  SearchKind PLAIN = new Plain();

  /** A search that is explained instead of carried out. */
  SearchKind EXPLAINED = new Explained();

  /** A search of the entries in a store, in the order of the store. */
  record Plain() implements SearchKind {}

  /** A search that is explained instead of carried out. */
  record Explained() implements SearchKind {}

  /**
   * A search whose results come in an order, in pages, or as a part of a list.
   *
   * @param list the part of the list that is wanted
   */
  record Listed(ListRequest list) implements SearchKind {}

  /**
   * A search that goes on with changes (draft-ietf-ldapext-psearch).
   *
   * @param wanted the changes that are wanted
   */
  record Persistent(PersistentSearch wanted) implements SearchKind {}

  /**
   * A search that keeps a copy up to date (RFC 4533).
   *
   * @param wanted the value of its control
   */
  record Synchronized(SyncRequest wanted) implements SearchKind {}

  /**
   * A search that follows the log of modifications of a naming context.
   *
   * @param wanted the value of its control
   * @param context the naming context
   */
  record OfLog(SyncRequest wanted, Dn context) implements SearchKind {}

  /**
   * A search of the root DSE or the subschema subentry.
   *
   * @param entry the entry at its base
   * @param list the part of a list that is wanted; null for everything
   */
  record OfVirtualEntry(VirtualEntry entry, @Nullable ListRequest list) implements SearchKind {}

  /**
   * A search among the entries that root sees, and others by rules that name a place there.
   *
   * @param tree the entries
   */
  record InVirtualTree(VirtualTree tree) implements SearchKind {}

  /**
   * Chooses the kind.
   *
   * @throws LdapOperationException if controls do not go together, or not with the base
   */
  static SearchKind of(
      OperationContext directory,
      Operation operation,
      Request.Search request,
      SearchTerms.Compiled asked)
      throws LdapOperationException {
    SearchKind chosen = choose(directory, operation, request, asked);
    boolean isInOrderOfStore =
        chosen instanceof Plain
            || chosen instanceof Explained
            || chosen instanceof Listed listed && listed.list().sort() == null;
    if (!isInOrderOfStore && asked.controls().all().isCritical(ControlType.DEREFERENCE)) {
      throw new LdapOperationException(
          ResultCode.UNAVAILABLE_CRITICAL_EXTENSION,
          "the dereference control needs a search of stored entries that is neither sorted nor"
              + " persistent");
    }
    return chosen;
  }

  private static SearchKind choose(
      OperationContext directory,
      Operation operation,
      Request.Search request,
      SearchTerms.Compiled asked)
      throws LdapOperationException {
    Dn base = asked.base();
    ListRequest list = asked.list();
    if (ExplainedSearch.isWanted(operation, asked.controls().all())) {
      return EXPLAINED;
    }
    PersistentSearch persistent = PersistentSearch.of(asked.controls().all());
    if (persistent != null && list != null) {
      throw refused("a persistent search has neither pages nor an order");
    }
    SyncRequest sync = SyncRequest.of(asked.controls().all());
    if (directory.logs().isWithin(base) && directory.logs().mayRead(operation.identity())) {
      return ofLog(directory, operation, sync, persistent != null || list != null, base);
    }
    if (sync != null) {
      return synchronizing(directory, request, sync, persistent != null || list != null, base);
    }
    if (directory.virtualEntries().isInTree(base)) {
      return inTree(directory, operation, asked.rights(), persistent != null || list != null);
    }
    VirtualEntry entry = SaslOffer.virtualEntry(directory, operation.session().connection(), base);
    if (persistent != null) {
      if (entry != null || directory.updating().writeAccess().isReadOnly()) {
        throw refused("the server's own entries and a read-only server cannot be followed");
      }
      return new Persistent(persistent);
    }
    if (entry != null && !isAboveContexts(directory, request, entry)) {
      return new OfVirtualEntry(entry, list);
    }
    return list == null ? PLAIN : new Listed(list);
  }

  /** The entries of a log are made of the journal; only those who may read it know of them. */
  private static SearchKind ofLog(
      OperationContext directory,
      Operation operation,
      @Nullable SyncRequest sync,
      boolean isListedOrPersistent,
      Dn base)
      throws LdapOperationException {
    Dn context =
        directory.logs().contextOf(base, directory.contexts().suffixes(), directory.schema());
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
    return new OfLog(sync, context);
  }

  /** Reads the control of a synchronization, which goes with few others. */
  private static SearchKind synchronizing(
      OperationContext directory,
      Request.Search request,
      SyncRequest wanted,
      boolean isListedOrPersistent,
      Dn base)
      throws LdapOperationException {
    if (request.derefAliases().searching() || isListedOrPersistent) {
      throw new LdapOperationException(
          ResultCode.PROTOCOL_ERROR,
          "a synchronization follows no aliases and has neither pages nor an order");
    }
    if (directory.contexts().backendOf(base) == null) {
      throw refused("only entries below a naming context can be synchronized");
    }
    return new Synchronized(wanted);
  }

  /**
   * The entries of the tree are computed when they are asked for; root knows of them, and whom
   * rules let that name a place there.
   */
  private static SearchKind inTree(
      OperationContext directory,
      Operation operation,
      @Nullable SearchRights rights,
      boolean isListedOrPersistent)
      throws LdapOperationException {
    VirtualTree tree = directory.virtualEntries().tree();
    boolean mayKnow =
        operation.identity().readsMonitor()
            || rights != null && rights.mayKnow(directory.virtualEntries().treeTop());
    if (tree == null || !mayKnow) {
      throw new LdapOperationException(LdapResult.of(ResultCode.NO_SUCH_OBJECT));
    }
    if (isListedOrPersistent) {
      throw refused("computed entries have neither pages nor an order");
    }
    return new InVirtualTree(tree);
  }

  /**
   * Returns whether the search is about the entries below the empty name, if a store holds the
   * whole tree; the root DSE is not one of them.
   */
  private static boolean isAboveContexts(
      OperationContext directory, Request.Search request, VirtualEntry entry) {
    return directory.virtualEntries().isRootDse(entry)
        && request.scope() != Scope.BASE
        && directory.contexts().backendOf(Dn.EMPTY) != null;
  }

  private static LdapOperationException refused(String why) {
    return new LdapOperationException(ResultCode.UNWILLING_TO_PERFORM, why);
  }
}
