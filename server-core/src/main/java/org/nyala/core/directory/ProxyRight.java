package org.nyala.core.directory;

import org.jspecify.annotations.Nullable;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.dn.Dn;
import org.nyala.core.filter.Pace;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.RefusalReason;
import org.nyala.core.message.ResultCode;
import org.nyala.core.rights.AccessControl;
import org.nyala.core.rights.ClientFacts;
import org.nyala.core.rights.ClientRules;
import org.nyala.core.rights.EntryRights;
import org.nyala.core.rights.MembershipLookup;
import org.nyala.core.rights.Profile;
import org.nyala.core.rights.Right;

/**
 * The right of a client to act as another identity: the one check for every way to ask (RFC 4370;
 * RFC 4513, section 5.2.1.8). Root of everything acts as anybody, and everybody as itself; by
 * access rules, a client acts as the user of an entry to which it has the right {@code proxy}.
 * Nobody becomes a root account or anonymous. A refusal does not tell whether there is such an
 * entry.
 *
 * <p>Confined to one running operation; goes on in one slice after the other.
 */
public final class ProxyRight {
  private final OperationContext directory;
  private final BoundIdentity identity;
  private final BoundIdentity asked;
  private final ClientFacts client;
  private @Nullable MembershipLookup lookup;
  private @Nullable EntryRights rights;

  /**
   * Begins the check.
   *
   * @param identity the identity that the client has proved
   * @param client the facts about the client as this identity
   * @param asked the identity that it asks to act as
   */
  public ProxyRight(
      OperationContext directory, BoundIdentity identity, ClientFacts client, BoundIdentity asked) {
    this.directory = directory;
    this.identity = identity;
    this.client = client;
    this.asked = asked;
  }

  /** The identity that the client asks to act as. */
  public BoundIdentity asked() {
    return asked;
  }

  /**
   * Goes on.
   *
   * @return true if the client has the right, false if the slice is over
   * @throws LdapOperationException authorizationDenied if it has not; busy or adminLimitExceeded if
   *     that cannot be found out
   */
  public boolean go(Pace pace) throws LdapOperationException {
    if (identity.isRootOfAll() || identity.equals(asked)) {
      return true;
    }
    AccessControl control = directory.control();
    if (control == null) {
      throw denied("only root may act on behalf of others");
    }
    Backend backend = directory.contexts().backendOf(asked.dn());
    if (asked.isRootAccount() || asked.isAnonymous() || backend == null) {
      throw denied();
    }
    EntryRights known = rights(control, pace);
    return known != null && isGranted(known, backend, pace);
  }

  private @Nullable EntryRights rights(AccessControl control, Pace pace)
      throws LdapOperationException {
    EntryRights known = rights;
    if (known != null) {
      return known;
    }
    MembershipLookup going = lookup;
    if (going == null) {
      going = control.lookUp(client);
      lookup = going;
    }
    ClientRules decided = going.go(pace);
    rights = decided == null ? null : control.rightsBy(decided);
    return rights;
  }

  private boolean isGranted(EntryRights known, Backend backend, Pace pace)
      throws LdapOperationException {
    Dn name = asked.dn();
    try (ReadTransaction transaction = backend.beginRead()) {
      long id = transaction.find(name);
      if (id == ReadTransaction.NO_ENTRY) {
        throw denied();
      }
      known.beginSlice(backend, transaction);
      Profile profile = known.at(transaction, id, pace);
      if (profile != null && !profile.allowsEntry(Right.PROXY)) {
        throw denied();
      }
      return profile != null;
    }
  }

  private static LdapOperationException denied() {
    return denied("there is no such identity, or it may not be taken");
  }

  private static LdapOperationException denied(String message) {
    return new LdapOperationException(
        LdapResult.of(ResultCode.AUTHORIZATION_DENIED, message), RefusalReason.MAY_NOT_ACT);
  }
}
