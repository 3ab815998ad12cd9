package org.nyala.core.operation.search;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.SearchSpec;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.core.directory.ClientView;
import org.nyala.core.directory.NamingContexts;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.EntryView;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.ResultCode;
import org.nyala.core.message.Scope;
import org.nyala.core.rights.EntryRights;
import org.nyala.core.session.Operation;

/**
 * The further scopes of a search that follows aliases below its base (RFC 4511, section 4.5.1.3):
 * the target of every alias is searched too, with its subtree when the scope is one.
 *
 * <p>Confined to one running operation.
 */
final class AliasScopes {
  /*
   * No entry may come twice, and a loop of aliases must end. A target within a subtree that is or will be searched is not searched
   * again; an entry is left out when it lies in a scope that was searched before. Both are found by walking up from the entry, so
   * that memory grows with the number of aliases, not of entries.
   */

  /** Scopes that one search may add; each costs memory until it ends. */
  private static final int MAXIMUM_SCOPES = 10_000;

  /** Scopes that a cookie for paged results can hold: it grows by nine bytes with each. */
  private static final int MAXIMUM_SAVED = 1000;

  record Next(Backend backend, SearchSpec spec) {}

  private record Root(Backend backend, long id) {}

  private final SearchPlan plan;
  private final Root first;
  private final Scope firstScope;
  private final Scope furtherScope;
  private final Set<Root> further = new LinkedHashSet<>();
  private final Set<Root> searched = new HashSet<>();
  private final ArrayDeque<Root> waiting = new ArrayDeque<>();
  private @Nullable Root current;

  AliasScopes(SearchPlan plan, Backend backend, long baseId) {
    this.plan = plan;
    this.first = new Root(backend, baseId);
    this.firstScope = plan.request().scope();
    this.furtherScope = firstScope == Scope.ONE_LEVEL ? Scope.BASE : Scope.SUBTREE;
  }

  /** The next scope to search when the one before has ended, or null. */
  @Nullable Next next() {
    if (current != null) {
      searched.add(current);
    }
    current = waiting.poll();
    return current == null
        ? null
        : new Next(current.backend(), plan.spec(current.id(), furtherScope));
  }

  /**
   * Returns the state from which {@link #restore} continues with the current scope.
   *
   * <pre>
   *   u16  the number of the current scope: 0 for that of the base, else as below
   *   each scope in the order in which they were added: u8 store, u64 entry id
   * </pre>
   *
   * @throws LdapOperationException adminLimitExceeded if the scopes are too many to save
   */
  byte[] save() throws LdapOperationException {
    if (further.size() > MAXIMUM_SAVED) {
      throw new LdapOperationException(
          ResultCode.ADMIN_LIMIT_EXCEEDED,
          "more than " + MAXIMUM_SAVED + " aliases in paged results");
    }
    NamingContexts contexts = plan.directory().contexts();
    ByteAppender saved = new ByteAppender(2 + 9 * further.size());
    saved.appendShort(searched.size() + (current == null ? 0 : 1));
    for (Root root : further) {
      saved.append(contexts.indexOf(root.backend())).appendLong(root.id());
    }
    return saved.toByteArray();
  }

  /** Restores a saved state, and returns the current scope, or null for that of the base. */
  @Nullable Next restore(byte[] saved) {
    NamingContexts contexts = plan.directory().contexts();
    ByteBuffer in = ByteBuffer.wrap(saved);
    int at = in.getShort() & 0xffff;
    while (in.hasRemaining()) {
      Root root = new Root(contexts.backend(in.get() & 0xff), in.getLong());
      further.add(root);
      if (further.size() < at) {
        searched.add(root);
      } else {
        waiting.add(root);
      }
    }
    return at == 0 ? null : next();
  }

  /** Returns whether the entry was in a scope that was searched before the current one. */
  boolean wasShown(ReadTransaction transaction, EntryView view) {
    Root searching = current;
    if (searching == null) {
      return false;
    }
    long id = view.id();
    boolean shown = covers(searched, searching.backend(), id, transaction);
    boolean _ = plan.seen().readAgain(transaction, id);
    return shown;
  }

  /** Returns whether an entry lies in the first scope or in that of one of the roots. */
  private boolean covers(Set<Root> roots, Backend backend, long id, ReadTransaction transaction) {
    boolean self = true;
    long at = id;
    while (at != ReadTransaction.NO_ENTRY) {
      Root root = new Root(backend, at);
      boolean inFurther = (self || furtherScope == Scope.SUBTREE) && roots.contains(root);
      boolean inFirst = root.equals(first) && coversFirst(self);
      if (inFurther || inFirst) {
        return true;
      }
      at = plan.seen().parentOf(transaction, at);
      if (self && firstScope == Scope.ONE_LEVEL) {
        return new Root(backend, at).equals(first);
      }
      self = false;
    }
    return false;
  }

  private boolean coversFirst(boolean self) {
    return switch (firstScope) {
      case BASE -> self;
      case ONE_LEVEL -> false;
      case SUBTREE -> true;
      case SUBORDINATE -> !self;
    };
  }

  /**
   * Adds the target of the alias that the view of the thread shows. An alias that leads nowhere is
   * passed over: it does not keep the other entries from being found.
   *
   * @throws LdapOperationException adminLimitExceeded if the aliases are too many
   */
  void follow(ReadTransaction transaction, Backend backend, Operation operation)
      throws LdapOperationException {
    Dn name = plan.seen().name();
    BoundIdentity identity = operation.identity();
    EntryRights rights = plan.entryRights();
    if (rights != null) {
      rights.renewAtOnce();
    }
    Backend at = backend;
    for (int hops = 0;
        name != null && hops <= plan.directory().limits().searches().aliasDepth();
        hops++) {
      if (at == backend) {
        name = step(transaction, at, name, rights);
      } else {
        name = stepElsewhere(at, name, rights);
        if (rights != null) {
          rights.beginSlice(backend, transaction);
        }
      }
      if (name != null && identity.isConfinedFrom(name)) {
        // Other naming contexts may be in the same store.
        return;
      }
      at = name == null ? at : backendOf(name, at, identity);
    }
  }

  private @Nullable Dn stepElsewhere(Backend backend, Dn name, @Nullable EntryRights rights)
      throws LdapOperationException {
    try (ReadTransaction other = backend.beginRead()) {
      if (rights != null) {
        rights.beginSlice(backend, other);
      }
      return step(other, backend, name, rights);
    }
  }

  /**
   * Follows one alias; returns null at the end, after the target was added. A target that the
   * client may not search from is passed over like one that does not exist.
   */
  private @Nullable Dn step(
      ReadTransaction transaction, Backend backend, Dn name, @Nullable EntryRights rights)
      throws LdapOperationException {
    ClientView known = ClientView.of(plan.directory(), transaction, rights, true);
    Dn target;
    try {
      target = known.aliasTarget(name);
    } catch (LdapOperationException e) {
      ResultCode code = e.result().code();
      if (code != ResultCode.ALIAS_PROBLEM && code != ResultCode.ALIAS_DEREFERENCING_PROBLEM) {
        throw e;
      }
      return null;
    }
    if (target == null) {
      long id = known.searchable(name);
      if (id != ReadTransaction.NO_ENTRY) {
        add(transaction, new Root(backend, id));
      }
    }
    return target;
  }

  private void add(ReadTransaction transaction, Root root) throws LdapOperationException {
    if (covers(further, root.backend(), root.id(), transaction)) {
      return;
    }
    if (further.size() == MAXIMUM_SCOPES) {
      throw new LdapOperationException(
          ResultCode.ADMIN_LIMIT_EXCEEDED, "more than " + MAXIMUM_SCOPES + " aliases to follow");
    }
    further.add(root);
    waiting.add(root);
  }

  /** Returns the store of a name; the same store if none holds it, as nothing is found there. */
  private Backend backendOf(Dn name, Backend otherwise, BoundIdentity identity) {
    try {
      return plan.directory().backendOf(name, identity);
    } catch (LdapOperationException _) {
      return otherwise;
    }
  }
}
