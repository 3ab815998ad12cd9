package org.nyala.core.directory;

import org.nyala.core.access.AccessPolicy;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.backend.Backend;
import org.nyala.core.dn.Dn;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.ResultCode;
import org.nyala.core.update.ConsumedContexts;

/**
 * The rules for which identity may change which entry.
 *
 * <p>Thread-safe.
 */
public final class WriteAccess {
  private final NamingContexts contexts;
  private final AccessPolicy access;
  private final boolean readOnly;
  private final ConsumedContexts consumed;

  WriteAccess(NamingContexts contexts, AccessPolicy access, UpdateSettings settings) {
    this.contexts = contexts;
    this.access = access;
    this.readOnly = settings.readOnly();
    this.consumed = settings.consumed();
  }

  /** Returns whether the directory never changes. */
  public boolean isReadOnly() {
    return readOnly;
  }

  /**
   * Checks that the directory is not read-only, and that the identity is not anonymous.
   *
   * @throws LdapOperationException unwillingToPerform or strongerAuthRequired
   */
  public void require(BoundIdentity identity) throws LdapOperationException {
    requireChangeable();
    if (identity.isAnonymous()) {
      throw new LdapOperationException(
          ResultCode.STRONGER_AUTH_REQUIRED, "changes need authentication");
    }
  }

  /**
   * Checks that the directory is not read-only, by its configuration or for a while.
   *
   * @throws LdapOperationException unwillingToPerform
   */
  public void requireChangeable() throws LdapOperationException {
    if (readOnly || !consumed.isEmpty() && consumed.isFrozen()) {
      throw new LdapOperationException(
          ResultCode.UNWILLING_TO_PERFORM, "the directory is read-only");
    }
  }

  /**
   * Checks that the identity may change an entry, whatever access rules say.
   *
   * @throws LdapOperationException if it may not, or the directory does not change
   */
  public void require(Dn name, BoundIdentity identity) throws LdapOperationException {
    require(identity);
    allow(!identity.isConfinedFrom(name) && access.mayWrite(identity, name));
  }

  private boolean isByRules() {
    return access.rules() != null;
  }

  private static void allow(boolean allowed) throws LdapOperationException {
    if (!allowed) {
      throw new LdapOperationException(LdapResult.of(ResultCode.INSUFFICIENT_ACCESS_RIGHTS));
    }
  }

  /**
   * The store that holds the name, to be changed there. If access rules decide, they are asked when
   * the update has its turn.
   *
   * @throws LdapOperationException if the directory does not change, no store holds the name,
   *     another server changes its entry, or the identity may not
   */
  public Backend backendOf(Dn name, BoundIdentity identity) throws LdapOperationException {
    require(identity);
    allow(isByRules() || access.mayWrite(identity, name));
    return holderOf(name, identity);
  }

  /**
   * The store that holds the name, for its password to be changed there; else like {@link
   * #backendOf}.
   */
  public Backend passwordBackendOf(Dn name, BoundIdentity identity) throws LdapOperationException {
    require(identity);
    allow(isByRules() || access.mayChangePassword(identity, name));
    return holderOf(name, identity);
  }

  /** Returns whether the identity may change nothing of the entry but its password. */
  public boolean isForPasswordOnly(Dn name, BoundIdentity identity) {
    return !access.mayWrite(identity, name) && access.mayChangePassword(identity, name);
  }

  /**
   * Returns the store that holds the name, for a refresh of its entry; any user may refresh their
   * own. Otherwise like {@link #backendOf}.
   */
  public Backend refreshBackendOf(Dn name, BoundIdentity identity) throws LdapOperationException {
    require(identity);
    allow(isByRules() || identity.dn().equals(name) || access.mayWrite(identity, name));
    return holderOf(name, identity);
  }

  private Backend holderOf(Dn name, BoundIdentity identity) throws LdapOperationException {
    allow(!identity.isConfinedFrom(name));
    Backend backend = contexts.backendOf(name);
    if (backend == null) {
      throw new LdapOperationException(
          ResultCode.UNWILLING_TO_PERFORM, "no naming context of this server holds the name");
    }
    consumed.requireOwn(name);
    return backend;
  }
}
